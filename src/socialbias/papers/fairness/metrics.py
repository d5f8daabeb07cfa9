"""Every metric of sentiment for each attribute: what Figures 1 and 2 show.

Czarnowska, Vyas and Shah 2021, section 6. A metric of the positive class, of all groups of an
attribute or of one of them, with an interval over templates and terms, and with its null: terms
dealt to groups at random within word class.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from socialbias.measures.fairness.data import Predictions, predictions
from socialbias.measures.fairness.registry import METRICS
from socialbias.measures.fairness.table import Drawn, excess, fairness_draws
from socialbias.papers.fairness.models import SECOND
from socialbias.papers.fairness.terms import NAMES
from socialbias.pipeline.job import Job
from socialbias.reporting.values import exact, value
from socialbias.stats.draws import as_many
from socialbias.stats.intervals import percentile

Array = NDArray[np.float64]
Task = Literal["binary", "three"]
CLASSES: Mapping[Task, tuple[str, ...]] = {
    "binary": ("negative", "positive"),
    "three": ("negative", "neutral", "positive"),
}
LABELS = ("negative", "neutral", "positive")  # by the number of a label in the suites
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
ORDER, ABOVE = "mean", "above null"  # rows that sum an attribute up
TERMS_UNIT = "identity terms"


class Cell(NamedTuple):
    """Which metric a row of a figure shows.

    Attributes:
        metric: By its name in the registry.
        version: Its normaliser.
        class_: "" for a metric of all classes.
    """

    metric: str
    version: str = PUBLISHED
    class_: str = POSITIVE


def sentiment(job: Job, task: Task, which: str = "") -> pd.DataFrame:
    """What a classifier says of the suites (`models.predicted`)."""
    return job.table(f"evidence/fairness/sentiment_{task}{which}")


def tasks(job: Job, which: str = "") -> list[Task]:
    """The tasks that there is a classifier for."""
    return [task for task in CLASSES if f"evidence/fairness/sentiment_{task}{which}" in job]


def data_of(table: pd.DataFrame, task: Task) -> Predictions:
    """What a classifier says of the suite of one attribute.

    Args:
        table: Rows of `sentiment`.
        task: Which classes there are.
    """
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


def measure_second(job: Job) -> pd.DataFrame:
    """As `measure`, with the second encoder."""
    return measure(job, SECOND)


def measure(job: Job, which: str = "") -> pd.DataFrame:
    """All metrics of all attributes and tasks.

    Args:
        job: Its inputs are what classifiers say of the suites.
        which: Which of `ENCODERS`.

    Returns:
        Columns `task`, `attribute`, the fields of `measures.fairness.Row`, `null_low` (with
        `null_high` the ends of the central part of the null), `terms` (of the group or all), and
        `sampled` and `dealt`, the value in each bootstrap sample and in each deal. Groups are those
        of `GROUPED` alone.
    """
    rows = []
    for task in tasks(job, which):
        for attribute, part in sentiment(job, task, which).groupby("attribute", sort=False):
            data = data_of(part, task)
            found = _drawn(job, data, [*KEPT], [POSITIVE])
            if attribute in GROUPED:
                found += _drawn(job, data, [*BY_GROUP, *GAPS[task]], [POSITIVE])
                found += _drawn(job, data, ["AvgGF (TC)"], [NEGATIVE])
            else:
                found = [drawn for drawn in found if drawn.row.group == ALL_GROUPS]
            rows += [row_of(drawn, data, job.level, task, attribute) for drawn in found]
    return pd.DataFrame(rows)


def _drawn(
    job: Job, data: Predictions, metrics: Iterable[str], classes: Iterable[str]
) -> list[Drawn]:
    options = {"bootstraps": job.settings["fairness.bootstraps"],
               "null_deals": job.settings["fairness.deals"]}  # fmt: skip
    return fairness_draws(data, metrics, seed=job.seed, level=job.level, classes=classes, **options)


def row_of(drawn: Drawn, data: Predictions, level: float, task: str, attribute: str) -> dict:
    """A value with its draws as a row of evidence."""
    dealt = np.empty(0) if drawn.dealt is None else drawn.dealt[~np.isnan(drawn.dealt)]
    row, ends = drawn.row, percentile(dealt, level)
    owners = np.array(data.groups)[data.term_group]
    terms = len(owners) if row.group == ALL_GROUPS else int((owners == row.group).sum())
    return {
        "task": task, "attribute": attribute, **row._asdict(), "null_low": ends[0],
        "null_high": ends[1], "terms": terms, "sampled": drawn.sampled, "dealt": dealt,
    }  # fmt: skip


# -- records ---------------------------------------------------------------------------------------


def of_cell(rows: pd.DataFrame, cell: Cell, group: str = ALL_GROUPS) -> Mapping | None:
    """The row of evidence that a cell shows; None where it is not defined.

    Args:
        rows: Of one task and attribute.
        cell: Which metric.
        group: A group, or "".
    """
    chosen = rows[
        (rows["metric"] == cell.metric)
        & (rows["version"] == cell.version)
        & (rows["class_"] == cell.class_)
        & (rows["group"] == group)
    ]
    if chosen.empty or np.isnan(chosen["value"].iloc[0]):
        return None
    [row] = chosen.to_dict("records")
    return row


def centred(row: Mapping) -> Array:
    """Bootstrap samples of a value, less what they are larger by on average; NaN for x/0."""
    samples = as_many(row["sampled"])
    samples = np.where(np.isfinite(samples), samples, np.nan)
    return samples + (row["value"] - np.nanmean(samples))


def corrected(row: Mapping) -> Array:
    """The same, less what the value itself is too large by.

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


def records_of(row: Mapping, key: tuple[str, str, str], unit: str) -> list[dict]:
    """A value, and beside it its null.

    Args:
        row: A row of evidence.
        key: Row, column and variant; that of the null ends in `-null`.
        unit: Of the number.
    """
    name, column, variant = key
    counts = {"n": row["terms"], "n_of": row["terms"], "n_unit": TERMS_UNIT}
    draws = {"draws": corrected(row)}
    if np.isnan(row["low"]):  # of ratios without an interval, the draws that are defined are few
        draws["detectable"] = np.nan
    if len(row["dealt"]):
        draws["null"] = as_many(row["dealt"])
    said = {"interval": (row["low"], row["high"]), "unit": unit, **counts, **draws}
    said |= {"p_value": row["p_value"], "note": row["note"]}
    found = [value(name, f"{column}@{variant}", row["value"], **said)]
    if len(row["dealt"]) and not np.isnan(row["null_mean"]):
        said = {"n": len(row["dealt"]), "n_of": len(row["dealt"]), "n_unit": "deals", "unit": unit}
        said["note"] = "terms dealt to groups at random within word class"
        said["interval"] = row["null_low"], row["null_high"]
        found.append(exact(name, f"{column}@{variant}-null", row["null_mean"], **said))
    return found


def summed_up(
    rows: Iterable[Mapping], largest: Mapping[Cell, float], column: str, variant: str,
    level: float,
) -> list[dict]:  # fmt: skip
    """The mean over metrics of values by the largest of their row, and the same above the null.

    Args:
        rows: Of one attribute or group, one for each metric.
        largest: The largest value of each metric in the figure.
        column: The cell's.
        variant: The cell's.
        level: Coverage of intervals.
    """
    rows = [row for row in rows if len(row["dealt"]) and largest[_cell_of(row)] > 0]
    if not rows:
        return []
    sizes = np.array([largest[_cell_of(row)] for row in rows])
    values = np.array([row["value"] for row in rows])
    nulls = np.array([row["null_mean"] for row in rows])
    draws = np.column_stack([centred(row) for row in rows])
    dealt = np.column_stack([as_many(row["dealt"]) for row in rows])
    records = []
    for name, below in ((ORDER, np.zeros_like(nulls)), (ABOVE, nulls)):
        number = float(((values - below) / sizes).mean())
        sampled, permuted = (((x - below) / sizes).mean(axis=1) for x in (draws, dealt))
        p = (1 + (permuted >= number - 1e-12).sum()) / (1 + len(permuted))
        said = {"p_value": float(p), "draws": sampled, "null": permuted}
        said |= {"n": len(rows), "n_of": len(rows), "n_unit": "metrics"}
        said |= {"interval": percentile(sampled, level), "unit": "share of the largest"}
        records.append(value(name, f"{column}@{variant}", number, **said))
    return records


def _cell_of(row: Mapping) -> Cell:
    return Cell(row["metric"], row["version"], row["class_"])
