"""Numbers of several planted corpora, and of several trainings on each: means with intervals."""

from __future__ import annotations

import pandas as pd

from socialbias.measures.similarity import Array
from socialbias.stats.draws import resampled_mean, widened

ENOUGH = (20, 3)  # corpora, and trainings on each
FEW = "rests on {}, of which a paper run has {} by {}: its interval is wide"


def resampled(by_corpus: pd.Series, seed: int) -> Array:
    """The mean over resampled corpora, (DRAWS,), as wide as Student's interval."""
    names = [f"planted corpus {corpus}" for corpus in by_corpus.index]
    numbers = by_corpus.to_numpy(float)
    return widened(resampled_mean(numbers, names, seed), numbers.mean(), len(names))


def said(corpora: int) -> dict:
    """What is said of a number that rests on so many planted corpora."""
    return {"n": corpora, "n_unit": "corpora"}


def marked(record: dict, table: pd.DataFrame, trains: bool) -> dict:
    """The record, marked where it rests on fewer corpora or trainings than a paper run has."""
    corpora, trainings = table["corpus"].nunique(), table["training"].nunique()
    if corpora >= ENOUGH[0] and (trainings >= ENOUGH[1] or not trains):
        return record
    counted = f"{corpora} corpora" + f" by {trainings} training(s)" * trains
    return record | {"weak": FEW.format(counted, *ENOUGH)}
