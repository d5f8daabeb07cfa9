"""Every metric of sentiment for each attribute: what Figures 1 and 2 show.

Czarnowska, Vyas and Shah 2021, section 6. A metric of the positive class, of all groups of an
attribute or of one of them, with an interval over templates and terms, and with its null: terms
dealt to groups at random within word class.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from socialbias.measures.fairness.data import Predictions, predictions
from socialbias.measures.fairness.registry import METRICS
from socialbias.measures.fairness.table import excess, fairness_draws
from socialbias.papers.fairness.models import CLASSES, Task
from socialbias.papers.fairness.terms import NAMES
from socialbias.pipeline.job import Job
from socialbias.reporting.values import exact, value
from socialbias.stats.draws import as_many
from socialbias.stats.intervals import percentile

Array = NDArray[np.float64]
LABELS = CLASSES["three"]  # by the number of a label in the suites
POSITIVE, NEGATIVE = "positive", "negative"
GROUPED = ("gender", NAMES)  # attributes of which Figure 2 shows each group
METRICS_EVIDENCE = "evidence/fairness/metrics"
PUBLISHED, CORRECTED = "published", "corrected"
KEPT = ["FPED", "FNED", "AvgGF", "AvgGF (TC)", "Disparity Score", "TPR Gap", "TNR Gap",
        "Parity Gap", "CFGap", "CFGap (TC)", "AvgIF", "AvgIF (TC)", "PertSS", "PertSD",
        "PertSR"]  # fmt: skip
BY_GROUP = ["FPR Ratio", "FNR Ratio"]
GAPS = {"binary": ["PosAvgEG", "NegAvgEG"], "three": ["AvgEG"]}
ALL_GROUPS = ""
UNIT = "metric"
ORDER, ABOVE = "mean", "above null"  # rows that sum an attribute up


class Cell(NamedTuple):
    """Which metric a row of a figure shows."""

    metric: str  # by its name in the registry
    version: str = PUBLISHED  # its normaliser
    class_: str = POSITIVE  # "" for a metric of all classes


def classified(job: Job) -> Iterator[tuple[Task, str, Predictions]]:
    """Task, attribute, and what the task's classifier predicts for the attribute's suite."""
    for task in CLASSES:
        name = f"evidence/fairness/sentiment_{task}"
        if name in job:
            for attribute, part in job.table(name).groupby("attribute", sort=False):
                yield task, attribute, data_of(part, task)


def data_of(table: pd.DataFrame, task: Task) -> Predictions:
    """Return what a classifier predicts for the suite of one attribute."""
    classes = list(CLASSES[task])
    return predictions(
        np.array(LABELS)[table["label"]],
        probabilities=table[classes].to_numpy(),
        classes=classes,
        group=table["group"],
        source=table["source"],
        term=terms_of(table),
        word_class=table["word_class"],
    )


def terms_of(table: pd.DataFrame) -> pd.Series:
    """Names of terms that are each of one word class and one group.

    "Female" is a noun and an adjective, and two countries of different GDP are "Dominican".
    """
    return table["term"] + " (" + table["word_class"] + ", " + table["group"] + ")"


def measure(job: Job) -> pd.DataFrame:
    """Return all metrics of all attributes and tasks."""
    rows = []
    for task, attribute, data in classified(job):
        measured = list(rows_of(job, data, KEPT, POSITIVE))
        if attribute in GROUPED:
            measured += rows_of(job, data, [*BY_GROUP, *GAPS[task]], POSITIVE)
            measured += rows_of(job, data, ["AvgGF (TC)"], NEGATIVE)
        else:
            measured = [row for row in measured if row["group"] == ALL_GROUPS]
        rows += [{"task": task, "attribute": attribute, **row} for row in measured]
    return pd.DataFrame(rows)


def rows_of(job: Job, data: Predictions, metrics: Iterable[str], class_: str) -> Iterator[dict]:
    """Yield some metrics of one class as rows of evidence without task and attribute."""
    owners = np.array(data.groups)[data.term_group]
    for row, sampled, dealt in fairness_draws(
        data, metrics, seed=job.seed, level=job.level, classes=[class_],
        bootstraps=job.settings["fairness.bootstraps"], null_deals=job.settings["fairness.deals"],
    ):  # fmt: skip
        dealt = np.empty(0) if dealt is None else dealt[~np.isnan(dealt)]
        low, high = percentile(dealt, job.level)
        terms = len(owners) if row.group == ALL_GROUPS else int((owners == row.group).sum())
        draws = {"terms": terms, "sampled": sampled, "dealt": dealt}
        yield row._asdict() | {"null_low": low, "null_high": high} | draws


# -- records ---------------------------------------------------------------------------------------


def of_cells(
    rows: pd.DataFrame, cells: Mapping[str, Cell], group: str = ALL_GROUPS
) -> dict[str, Mapping]:
    """Return by row of a figure, the row of evidence that it shows, where that is defined."""
    keys = ["metric", "version", "class_"]
    known = rows[(rows["group"] == group) & rows["value"].notna()]
    by_key = {tuple(row[key] for key in keys): row for row in known.to_dict("records")}
    return {name: by_key[cell] for name, cell in cells.items() if cell in by_key}


def largest_of(shown: Iterable[Mapping[str, Mapping]]) -> dict[str, float]:
    """Return by row of a figure, the largest absolute value of any of its cells."""
    largest: dict[str, float] = {}
    for rows in shown:
        for name, row in rows.items():
            largest[name] = max(abs(row["value"]), largest.get(name, 0.0))
    return largest


def centred(row: Mapping) -> Array:
    """Bootstrap samples of a value, less what they are larger by on average; NaN for x/0."""
    samples = as_many(row["sampled"])
    samples = np.where(np.isfinite(samples), samples, np.nan)
    return samples + (row["value"] - np.nanmean(samples))


def corrected(row: Mapping) -> Array:
    """Return the same, less what the value itself is too large by.

    Absolute gaps are above 0 without any bias: as they are, few terms make them exceed a margin.
    They are too large by `table.excess` where groups do not differ, and by what samples add, which
    is sqrt(2) - 1 times as much, where they differ by far: draws take all numbers in between. Noise
    adds less to a larger gap, as if squares were added. So each draw is corrected by what would be
    added to it, not to the value: a correction estimated from the same data makes the error larger
    (Efron and Tibshirani 1993, section 10.6).
    """
    draws, number = centred(row), row["value"]
    most = excess(number, row["sampled"], METRICS[row["metric"]])
    noise = np.sqrt((number + (np.sqrt(2) - 1) * most) ** 2 - number**2)
    sizes = np.maximum(draws, 0)
    added = np.hypot(sizes, noise) - sizes
    return draws - np.linspace(1, 1 + np.sqrt(2), len(draws)) * added


def records_of(row: Mapping, name: str, column: str) -> list[dict]:
    """Return a value, and beside it its null."""
    facts = {"n": row["terms"], "n_of": row["terms"], "n_unit": "identity terms", "unit": UNIT}
    facts |= {"interval": (row["low"], row["high"]), "draws": corrected(row)}
    facts |= {"p_value": row["p_value"], "note": row["note"]}
    if np.isnan(row["low"]):  # of ratios without an interval, the draws that are defined are few
        facts["detectable"] = np.nan
    deals = len(row["dealt"])
    if deals:
        facts["null"] = as_many(row["dealt"])
    records = [value(name, column, row["value"], **facts)]
    if deals and not np.isnan(row["null_mean"]):
        facts = {"n": deals, "n_of": deals, "n_unit": "deals", "unit": UNIT}
        facts["note"] = "terms assigned to groups at random within word class"
        facts["interval"] = row["null_low"], row["null_high"]
        records.append(exact(name, f"{column}-null", row["null_mean"], **facts))
    return records


def summed_up(
    shown: Mapping[str, Mapping], largest: Mapping[str, float], column: str, level: float
) -> Iterator[dict]:
    """Yield the mean over metrics of values over their row's largest, also above the null."""
    shown = {name: row for name, row in shown.items() if len(row["dealt"]) and largest[name] > 0}
    if not shown:
        return
    rows, sizes = list(shown.values()), np.array([largest[name] for name in shown])
    values = np.array([row["value"] for row in rows])
    nulls = np.array([row["null_mean"] for row in rows])
    draws = np.column_stack([centred(row) for row in rows])
    dealt = np.column_stack([as_many(row["dealt"]) for row in rows])
    for name, below in ((ORDER, np.zeros_like(nulls)), (ABOVE, nulls)):
        number = float(((values - below) / sizes).mean())
        sampled, permuted = (((x - below) / sizes).mean(axis=1) for x in (draws, dealt))
        p = (1 + (permuted >= number - 1e-12).sum()) / (1 + len(permuted))
        facts = {"p_value": float(p), "draws": sampled, "null": permuted}
        facts |= {"n": len(rows), "n_of": len(rows), "n_unit": "metrics"}
        facts |= {"interval": percentile(sampled, level), "unit": "share of the largest"}
        yield value(name, column, number, **facts)
