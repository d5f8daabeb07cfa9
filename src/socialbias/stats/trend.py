"""Dose and response: whether a number grows with a dose that the same units are given.

A unit, such as a profession, has a number at each level of the dose, such as a layer, so that what
units differ by cancels out: each has a slope and an order of its own. By how much the number grows
with the dose is the mean of the units' slopes. Whether the levels stand in order is the mean of
their rank correlations with the dose, which is Page's statistic (1963) on a scale from -1 to 1.
Both are tested by Student's t over units. Page's own test permutes the levels within each unit, as
if they were alike in all but their height: where units differ in their slopes it finds a trend in 3
of 10 worlds that have none on average.

What a level has in common for all units, because one model is behind it, is no error here: a trend
is one of this model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from socialbias.stats.correlation import Estimate, rowwise_spearman
from socialbias.stats.draws import DRAWS, resampled_mean, widened

Array = NDArray[np.float64]
MIN_UNITS = 4  # units: of fewer, an interval says next to nothing
FEWEST_ORDERED = 10  # units whose orders, which take few values, are tested by t


@dataclass(frozen=True)
class Trend:
    """How numbers grow with a dose.

    Attributes:
        levels: The mean at each level.
        slope: Of the numbers by the dose, its draws joint with those of the levels.
        order: Spearman's correlation with the dose, a mean over units; its p-value and interval are
            NaN with fewer than ten.
        units: How many have a number at every level.
    """

    levels: tuple[Estimate, ...]
    slope: Estimate
    order: Estimate
    units: int


def slopes(numbers: ArrayLike, doses: ArrayLike) -> Array:
    """Least-squares slopes (n,) of numbers (n, k) by k doses.

    Raises:
        ValueError: all doses are equal, or there are not as many as levels.
    """
    x, y = np.asarray(doses, float), np.asarray(numbers, float)
    if x.shape != y.shape[-1:] or not np.ptp(x) > 0:
        raise ValueError(f"a slope takes a dose for each of {y.shape[-1]} levels, two at least")
    x = x - x.mean()
    return y @ x / (x @ x)


def orders(numbers: ArrayLike, doses: ArrayLike) -> Array:
    """Spearman's correlation (n,) of numbers (n, k) with k doses; 0 where all k are equal."""
    numbers = np.asarray(numbers, float)
    return np.nan_to_num(rowwise_spearman(numbers, np.broadcast_to(doses, numbers.shape)))


def trend(
    numbers: ArrayLike, doses: ArrayLike, units: Sequence[str], seed: int, level: float = 0.95
) -> Trend | None:
    """Return how the numbers of units grow with a dose.

    Args:
        numbers: (n, k) of n units at k levels. A unit with a NaN is left out.
        doses: (k,) of the levels.
        units: n names, such as professions, which are resampled as everywhere.
        seed: The configuration's seed.
        level: Coverage of the intervals.

    Returns:
        None with fewer than four units.
    """
    y = np.asarray(numbers, float)
    known = ~np.isnan(y).any(axis=1)
    y, names = y[known], [str(name) for name in np.asarray(units)[known]]
    if len(y) < MIN_UNITS:
        return None
    order = mean(orders(y, doses), names, seed, level)
    if len(y) < FEWEST_ORDERED:
        unknown = np.full(DRAWS, np.nan)
        order = replace(order, low=np.nan, high=np.nan, p_value=np.nan, draws=unknown)
    else:
        low, high = max(order.low, -1.0), min(order.high, 1.0)
        order = replace(order, low=low, high=high, draws=np.clip(order.draws, -1, 1))
    levels = tuple(mean(column, names, seed, level) for column in y.T)
    return Trend(levels, mean(slopes(y, doses), names, seed, level), order, len(y))


def mean(numbers: Array, units: Sequence[str], seed: int, level: float) -> Estimate:
    """Return the mean of n units' numbers with Student's interval and test of 0.

    Args:
        numbers: (n,).
        units: n names.
        seed: The configuration's seed.
        level: Coverage of the interval.
    """
    from scipy.stats import ttest_1samp

    number, n = float(numbers.mean()), len(numbers)
    if numbers.var(ddof=1) / n < 1e-24:  # all alike: nothing shows an error
        p = 1.0 if abs(number) < 1e-12 else 0.5 ** (n - 1)
        return Estimate(number, number, number, p, n, np.full(DRAWS, number))
    test = ttest_1samp(numbers, 0)
    low, high = map(float, test.confidence_interval(level))
    draws = widened(resampled_mean(numbers, units, seed), number, n)
    return Estimate(number, low, high, float(test.pvalue), n, draws)
