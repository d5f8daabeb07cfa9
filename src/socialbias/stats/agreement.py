"""Agreement of annotators with each other, and of a measure with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import krippendorff
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from socialbias.stats.correlation import Estimate
from socialbias.stats.intervals import percentile


def fleiss_kappa(
    annotations: pd.DataFrame,
    labels: Sequence[str],
    replicates: int,
    level: float,
    rng: np.random.Generator,
) -> Estimate:
    """Fleiss' kappa over the items that all annotators labelled (Fleiss 1971).

    Args:
        annotations: Columns `item`, `annotator`, `label`, at most one label per item and annotator.
        labels: All possible labels.
        replicates: Bootstrap samples of the items.
        level: Coverage of the percentile interval.
        rng: Source of randomness.

    Returns:
        The estimate over n items, without a p-value. NaN if there are fewer than two annotators
        or items, or if all labels are the same, which makes it 0/0.
    """
    grid = annotations.pivot(index="item", columns="annotator", values="label").dropna()
    if grid.shape[1] < 2:
        return _undefined(len(grid))
    counts = np.column_stack([(grid == label).sum(axis=1) for label in labels])
    return _with_interval(_kappa, counts, replicates, level, rng)


def krippendorff_alpha(
    annotations: pd.DataFrame,
    labels: Sequence[str],
    replicates: int,
    level: float,
    rng: np.random.Generator,
) -> Estimate:
    """Krippendorff's alpha for nominal labels, over the items with two or more labels.

    Args:
        annotations: Columns `item`, `label`; any number of labels per item.
        labels: All possible labels.
        replicates: Bootstrap samples of the items.
        level: Coverage of the percentile interval.
        rng: Source of randomness.

    Returns:
        As `fleiss_kappa`.
    """
    counts = label_counts(annotations, labels).to_numpy()
    counts = counts[counts.sum(axis=1) >= 2]

    def alpha(sample: NDArray[np.int64]) -> float:
        return float(krippendorff.alpha(value_counts=sample, level_of_measurement="nominal"))

    return _with_interval(alpha, counts, replicates, level, rng)


def _kappa(counts: NDArray[np.int64]) -> float:
    """Fleiss' kappa of items (n, labels) that were labelled equally often."""
    raters = counts[0].sum()
    agreeing = ((counts**2).sum(axis=1) - raters) / (raters * (raters - 1))  # share of the pairs
    by_chance = ((counts.sum(axis=0) / counts.sum()) ** 2).sum()
    return float((agreeing.mean() - by_chance) / (1 - by_chance))


def _varied(counts: NDArray[np.int64]) -> bool:
    """Return whether at least two different labels occur.

    With one, chance agreement is complete.
    """
    return bool((counts.sum(axis=0) > 0).sum() > 1)


def _undefined(n: int) -> Estimate:
    return Estimate(np.nan, np.nan, np.nan, np.nan, n)


def _with_interval(
    statistic: Callable[[NDArray], float],
    counts: NDArray[np.int64],
    replicates: int,
    level: float,
    rng: np.random.Generator,
) -> Estimate:
    """Return a statistic of items (n, labels) with a percentile bootstrap interval over items."""
    n = len(counts)
    if n < 2 or not _varied(counts):
        return _undefined(n)
    samples = (counts[rng.integers(n, size=n)] for _ in range(replicates))
    # A sample with a single label has no statistic; such draws are rare and ignored.
    draws = [statistic(sample) if _varied(sample) else np.nan for sample in samples]
    low, high = percentile(draws, level)
    return Estimate(statistic(counts), float(low), float(high), np.nan, n, np.array(draws))


def label_counts(annotations: pd.DataFrame, labels: Sequence[str]) -> pd.DataFrame:
    """Return how often each item got each label: items by labels."""
    counts = pd.crosstab(annotations["item"], annotations["label"])
    return counts.reindex(columns=list(labels), fill_value=0)


def majority(annotations: pd.DataFrame, labels: Sequence[str], none: str) -> pd.Series:
    """Return the most frequent label of each item; `none` for a tie.

    Args:
        annotations: Columns `item`, `label`.
        labels: All possible labels, including `none`.
        none: The label of an item that belongs to no group.

    Returns:
        Labels by item.
    """
    counts = label_counts(annotations, labels)
    tied = counts.eq(counts.max(axis=1), axis=0).sum(axis=1) > 1
    return counts.idxmax(axis=1).mask(tied, none)
