"""Table 5: how well the models do on development data. Table 7: tests of their probabilities."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata

from socialbias.measures.fairness.data import Predictions
from socialbias.measures.fairness.significance import significance, source_means
from socialbias.papers.fairness.metrics import POSITIVE, classified
from socialbias.papers.fairness.models import CLASSES
from socialbias.pipeline.job import Job
from socialbias.reporting.values import exact, value
from socialbias.stats.clustered import share_draws
from socialbias.stats.draws import resampled_mean, widened
from socialbias.stats.intervals import percentile

SENTIMENT = {
    "roberta semeval-2": "evidence/fairness/sentiment_binary",
    "roberta semeval-3": "evidence/fairness/sentiment_three",
}
DEVELOPMENT = "evidence/fairness/entities_development"
ENTITIES = {"roberta conll2003": f"{DEVELOPMENT}_crf", "ready conll2003": DEVELOPMENT}
PLACES = "LOC"
COUNTS = ["found", "predicted", "gold"]


def sentiment(row: str, tested: pd.Series) -> list[dict]:
    """Return the accuracy of a sentiment classifier, and the share of the commonest class."""
    n, share = int(tested["held_out"]), float(tested["accuracy"])
    counts = {"n": n, "n_of": n, "n_unit": "texts"}
    draws = share_draws([share], [n], [n - 1], [row])[:, 0]
    ends = tested["accuracy_low"], tested["accuracy_high"]
    return [
        value(row, "accuracy", share, draws=draws, interval=ends, **counts),
        exact(row, "majority", tested["majority"], **counts),
    ]


def entities(row: str, counts: pd.DataFrame, seed: int) -> list[dict]:
    """Return the F1 of a tagger on exact spans of entities, with intervals over documents."""
    parts, records = {"f1": counts, "f1_places": counts[counts["class"] == PLACES]}, []
    for column, part in parts.items():
        sums = part.groupby("document")[COUNTS].sum()
        units = [f"document {number}" for number in sums.index]
        number = float(_f1_of(sums.to_numpy().sum(axis=0)))
        draws = widened(_f1_of(resampled_mean(sums, units, seed)), number, len(units)).clip(0, 1)
        spans = int(sums["gold"].sum())
        facts = {"n": spans, "n_of": spans, "n_unit": "entities"}
        records.append(value(row, column, number, interval=percentile(draws), draws=draws, **facts))
    return records


def _f1_of(sums: np.ndarray) -> np.ndarray:
    """Of spans found, predicted and gold, (..., 3)."""
    return 2 * sums[..., 0] / (sums[..., 1] + sums[..., 2])


def table5(job: Job) -> list[dict]:
    """Return all cells whose models are at hand."""
    records = []
    for row, name in SENTIMENT.items():
        if name in job:
            records += sentiment(row, job.table(name).iloc[0])
    for row, name in ENTITIES.items():
        if name in job:
            records += entities(row, job.table(name), job.seed)
    return [record | {"unit": "share"} for record in records]


Array = NDArray[np.float64]
COLUMNS = {"binary": "semeval-2", "three": "semeval-3"}
DEFAULT = 1  # the class of the released code: positive of two, neutral of three


def table7(job: Job) -> Iterator[dict]:
    """P-values and effect sizes by attribute, task and class."""
    for task, attribute, data in classified(job):
        positive = CLASSES[task].index(POSITIVE)
        yield from _tested(job, data, positive, attribute, COLUMNS[task], POSITIVE)
        if positive != DEFAULT:
            yield from _tested(job, data, DEFAULT, attribute, COLUMNS[task], "index-1")


def _tested(job: Job, data: Predictions, c: int, row: str, column: str, variant: str) -> list[dict]:
    """Return the cells of the test of one class, by its number."""
    test, draws = significance(data, c), effects(source_means(data, c), job.seed)
    draws += test.effect - np.nanmean(draws)  # W of samples is too large on average
    counts = {"n": test.sources, "n_of": len(data.sources), "n_unit": "templates"}
    counts |= {"note": f"{test.test}, {len(data.groups)} groups"}
    p = {"p_value": test.p_value, "unit": "p-value"}
    effect = {"interval": percentile(draws, job.level), "draws": draws, "unit": test.effect_name}
    return [
        exact(row, f"{column} p@{variant}", test.p_value, **p, **counts),
        value(row, f"{column} effect@{variant}", test.effect, **effect, **counts),
    ]


def effects(means: Array, seed: int) -> Array:
    """Draws of Kendall's W, or of the rank-biserial correlation of two groups, over templates."""
    n, k = means.shape
    sources = [f"template {i}" for i in range(n)]
    if k == 2:
        apart = means[:, 0] - means[:, 1]
        ranks, differ = np.zeros(n), apart != 0
        ranks[differ] = rankdata(np.abs(apart[differ]))
        both = np.column_stack([ranks * np.sign(apart), ranks])
        signed, whole = resampled_mean(both, sources, seed).T
        return signed / whole
    ranks = rankdata(means, axis=1) - (k + 1) / 2
    spread = (ranks**2).sum(axis=1)  # what ties leave of it
    drawn = resampled_mean(np.column_stack([ranks, spread]), sources, seed)
    return (drawn[:, :-1] ** 2).sum(axis=1) / drawn[:, -1]
