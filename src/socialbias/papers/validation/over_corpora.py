"""Numbers of several planted corpora, and of several trainings on each: means with intervals."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from socialbias.measures.similarity import Array
from socialbias.reporting.values import value
from socialbias.stats.draws import resampled_mean, widened
from socialbias.stats.intervals import percentile

ENOUGH = (20, 3)  # corpora, and trainings on each
FEW = "based on {} (a paper run: {} by {}), so its interval is wide"


def resampled(by_corpus: pd.Series, seed: int) -> Array:
    """Return the mean over resampled corpora, (DRAWS,), as wide as Student's interval."""
    names = [f"planted corpus {corpus}" for corpus in by_corpus.index]
    numbers = by_corpus.to_numpy(float)
    return widened(resampled_mean(numbers, names, seed), numbers.mean(), len(names))


def mean_over_corpora(
    row: str,
    column: str,
    by_corpus: pd.Series,
    unit: str,
    level: float,
    seed: int,
    scale: Callable[[Array], Array] = np.asarray,
) -> list[dict]:
    """Return the mean of the corpora that have a number as a value, on a scale.

    [] where none has.
    """
    known = by_corpus.dropna()
    if known.empty:
        return []
    draws = scale(resampled(known, seed))
    fields = {"n": len(known), "n_unit": "corpora", "unit": unit, "draws": draws}
    ends = percentile(draws, level)
    return [value(row, column, float(scale(known.mean())), interval=ends, **fields)]


def marked(record: dict, table: pd.DataFrame, trains: bool) -> dict:
    """Return the record, marked if it has fewer corpora or trainings than a paper run."""
    corpora, trainings = table["corpus"].nunique(), table["training"].nunique()
    if corpora >= ENOUGH[0] and (trainings >= ENOUGH[1] or not trains):
        return record
    counted = f"{corpora} corpora" + f" by {trainings} training(s)" * trains
    return record | {"weak": FEW.format(counted, *ENOUGH)}
