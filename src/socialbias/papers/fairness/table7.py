"""Table 7: tests of whether a classifier's probabilities differ between groups."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from socialbias.measures.fairness.data import Predictions
from socialbias.measures.fairness.significance import significance, source_means
from socialbias.papers.fairness.metrics import POSITIVE, classified
from socialbias.papers.fairness.models import CLASSES
from socialbias.pipeline.job import Job
from socialbias.reporting.values import exact, value
from socialbias.stats.draws import resampled_mean
from socialbias.stats.intervals import percentile

Array = NDArray[np.float64]
COLUMNS = {"binary": "semeval-2", "three": "semeval-3"}
DEFAULT = 1  # the class of the released code: positive of two, neutral of three


def summarise(job: Job) -> Iterator[dict]:
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
