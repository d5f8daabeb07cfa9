"""Dose and response: whether a number grows with a dose that the same units are given.

A unit, such as a profession, has a number at each level of the dose (a model's size, a layer, the
length of training), so that what units differ by cancels out: each has a slope and an order of its
own. Two questions are asked of them. By how much does the number grow with the dose: the mean of
the units' slopes. And do the levels stand in order: the mean of their rank correlations with the
dose, which is Page's statistic (1963) on a scale from -1 to 1. Both are tested by Student's t over
units. Page's own test permutes the levels within each unit, as if they were alike in all but their
height: where units differ in their slopes it finds a trend in 3 of 10 worlds that have none on
average, and in 1 of 10 where numbers are skewed and surer at one end. Orders are of medians:
numbers that noise skews, as it does squares, should be given none. Of fewer than ten units they
take too few values for t.

What a level has in common for all units, because one model or one text is behind it, is no error
here: a trend is one of these models. Where several trainings give each level, their differences
are error too, and units and trainings are crossed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from socialbias.stats.correlation import midranks
from socialbias.stats.draws import DRAWS, NORMAL, resamples
from socialbias.stats.intervals import student
from socialbias.stats.student import quantile, two_sided_p

Array = NDArray[np.float64]
FEWEST = 4  # units, or trainings where there are any: of fewer, an interval says next to nothing
FEWEST_ORDERED = 10  # units whose orders are tested


@dataclass(frozen=True)
class Mean:
    """A mean over units, or over units and trainings.

    Attributes:
        value: The mean.
        low, high: Its interval.
        p_value: Two-sided, that it is 0.
        draws: (DRAWS,) over resampled units, as wide as 95 % intervals are.
    """

    value: float
    low: float
    high: float
    p_value: float
    draws: Array


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

    levels: tuple[Mean, ...]
    slope: Mean
    order: Mean
    units: int


def slopes(numbers: ArrayLike, doses: ArrayLike) -> Array:
    """Least-squares slopes (...) of numbers (..., k) by k doses.

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
    ranks = _centred_ranks(np.asarray(numbers, float))
    dose = _centred_ranks(np.asarray(doses, float)[None])[0]
    length = np.sqrt((ranks**2).sum(axis=1) * (dose @ dose))
    return np.divide(ranks @ dose, length, out=np.zeros(len(ranks)), where=length > 0)


def _centred_ranks(numbers: Array) -> Array:
    """Midranks in each row (n, k), less their mean."""
    return np.array([midranks(row) for row in numbers]) - (numbers.shape[1] + 1) / 2


def trend(
    numbers: ArrayLike, doses: ArrayLike, units: Sequence[str], seed: int, level: float = 0.95
) -> Trend | None:
    """How the numbers of units grow with a dose.

    Args:
        numbers: (n, k) of n units at k levels, or (n, k, r) where each level was trained r times
            from texts of their own. A unit with a NaN is left out.
        doses: (k,) of the levels: their logarithms to base 2 for a slope per doubling.
        units: n names, such as professions, which are resampled as everywhere.
        seed: The configuration's seed.
        level: Coverage of the intervals.

    Returns:
        None with fewer than four units, or four trainings of them.
    """
    y = np.asarray(numbers, float)
    known = ~np.isnan(y).reshape(len(y), -1).any(axis=1)
    y, names = y[known], [str(name) for name in np.asarray(units)[known]]
    if len(y) < FEWEST or (y.ndim > 2 and y.shape[2] < FEWEST):
        return None
    y = y[:, :, None] if y.ndim == 2 else y
    chosen = resamples(names, seed)
    by_training = np.moveaxis(y, 1, -1)  # (n, r, k)
    each = orders(by_training.reshape(-1, y.shape[1]), doses).reshape(len(y), -1)
    return Trend(
        levels=tuple(mean(y[:, j], chosen, level) for j in range(y.shape[1])),
        slope=mean(slopes(by_training, doses), chosen, level),
        order=_within_one(mean(each, chosen, level), len(y)),
        units=len(y),
    )


def _within_one(order: Mean, n: int) -> Mean:
    """A mean of n correlations, with an interval that ends at -1 and 1; of few units with none."""
    if n < FEWEST_ORDERED:
        return Mean(order.value, np.nan, np.nan, np.nan, np.full(DRAWS, np.nan))
    low, high = max(order.low, -1.0), min(order.high, 1.0)
    return replace(order, low=low, high=high, draws=np.clip(order.draws, -1, 1))


def mean(numbers: ArrayLike, chosen: Array, level: float) -> Mean:
    """The mean of numbers of n units, each by r trainings, with its interval.

    With trainings, units and trainings are crossed and random: the variance of the mean is the sum
    of those of its two margins, which counts what is left over twice and so is not too small
    (Owen 2007, section 3); degrees of freedom are Satterthwaite's.

    Args:
        numbers: (n, r).
        chosen: (DRAWS, n) places of resampled units.
        level: Coverage of the interval.
    """
    y = np.asarray(numbers, float)
    means = [y.mean(axis=1 - axis) for axis in (0, 1) if y.shape[axis] > 1]
    parts = np.array([part.var(ddof=1) / len(part) for part in means])
    total = parts.sum()
    number = float(y.mean())
    by_unit = means[0]
    drawn = by_unit[chosen].mean(axis=1)
    if total < 1e-24:  # all alike: nothing shows an error
        p = 1.0 if abs(number) < 1e-12 else 0.5 ** (min(map(len, means)) - 1)
        return Mean(number, number, number, p, np.full(DRAWS, number))
    freedom = total**2 / sum(v**2 / (len(m) - 1) for v, m in zip(parts, means, strict=True))
    error = np.sqrt(total)
    half = student(level, freedom) * error
    p = two_sided_p(number / error, freedom)
    spread = by_unit.std() / np.sqrt(len(by_unit))
    wide = quantile(0.975, freedom) / NORMAL * error
    draws = number + (drawn - number) * (wide / spread if spread > 1e-12 else 0.0)
    return Mean(number, number - half, number + half, p, draws)
