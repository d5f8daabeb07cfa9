"""Table 2: the metrics of the literature as entries of one registry."""

from __future__ import annotations

from socialbias.measures.fairness.metrics import size
from socialbias.measures.fairness.registry import TABLE2, Metric
from socialbias.pipeline.job import Job
from socialbias.reporting.values import exact

KINDS = ("BCM", "VBCM", "PCM", "MCM")
SUM = "sum"
GROUPS = 8  # of which Table 2's normalisers are shown: those of gender
NUMBERS = ("published", "corrected")  # columns that are no marks and have no sum


def marks(metric: Metric) -> dict[str, int]:
    """Return which of Table 2's marks a metric has, 1 or 0, and its normalisers, by column."""
    group = not metric.counterfactual
    return {
        **{kind: int(metric.printed_kind == kind) for kind in KINDS},
        "group": int(group),
        "predictions": int(group and not metric.of_probabilities),
        "counterfactual": int(metric.counterfactual),
        "many": int(metric.many),
        "binary": int(metric.many and metric.binary),
        "signed": int(metric.many and metric.signed),
        **{name: size(getattr(metric, name), GROUPS) for name in NUMBERS},
    }


def summarise(job: Job) -> list[dict]:
    """Return all cells, from the registry."""
    rows = {metric.name: marks(metric) for metric in TABLE2}
    first = next(iter(rows.values()))
    rows[SUM] = {
        name: sum(row[name] for row in rows.values()) for name in first if name not in NUMBERS
    }
    return [
        exact(row, column, number, unit="metrics")
        for row, numbers in rows.items()
        for column, number in numbers.items()
    ]
