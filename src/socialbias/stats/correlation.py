"""Rank correlation with an interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import factorial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from socialbias.stats.draws import permutations, resamples
from socialbias.stats.intervals import percentile, two_sided_p

MAX_EXACT = 10  # pairs up to which all permutations are counted: 3,628,800 of them
MIN_RESAMPLED = 5  # fewer pairs have too few different samples for an interval
MAX_UNDEFINED = 0.05  # share of the samples that may lack a correlation


@dataclass(frozen=True)
class Estimate:
    """A number with its uncertainty.

    Attributes:
        value: The estimate; NaN if it is undefined.
        low, high: Bootstrap interval; NaN if it is undefined, even where the value is defined.
        p_value: Two-sided; NaN if there is no test.
        n: Number of units.
        draws: (draws,) over resampled units; None where there are none.
        null: (draws,) with the units of one side permuted; None where there are none.
    """

    value: float
    low: float
    high: float
    p_value: float
    n: int
    draws: NDArray[np.float64] | None = field(default=None, compare=False)
    null: NDArray[np.float64] | None = field(default=None, compare=False)


def spearman(
    x: ArrayLike, y: ArrayLike, replicates: int, level: float, rng: np.random.Generator
) -> Estimate:
    """Spearman's rank correlation with a percentile bootstrap over the pairs.

    Args:
        x: n numbers.
        y: n numbers, paired with x. Pairs with a NaN are left out.
        replicates: Bootstrap samples of the pairs.
        level: Coverage of the interval, such as 0.95.
        rng: Source of randomness.

    Returns:
        The estimate with the p-value of `spearman_test` and the interval of `percentile_interval`.
        All NaN if fewer than three pairs remain or one side is constant.
    """
    pairs = np.column_stack([np.asarray(x, float), np.asarray(y, float)])
    pairs = pairs[~np.isnan(pairs).any(axis=1)]
    n = len(pairs)
    rho, p_value = spearman_test(pairs[:, 0], pairs[:, 1])
    if np.isnan(rho):
        return Estimate(np.nan, np.nan, np.nan, np.nan, n)
    samples = pairs[rng.integers(n, size=(replicates, n))]
    draws = rowwise_spearman(samples[:, :, 0], samples[:, :, 1])
    return Estimate(rho, *percentile_interval(draws, level, n), p_value, n)


def paired_spearman(
    x: ArrayLike, y: ArrayLike, units: Sequence[str], level: float, seed: int
) -> Estimate:
    """As `spearman`, with draws that pair with those of other measures of the same units.

    Args:
        x: n numbers.
        y: n numbers, paired with x. Pairs with a NaN are left out.
        units: n names of what the numbers are of, such as professions.
        level: Coverage of the interval.
        seed: The configuration's seed.
    """
    x, y = np.asarray(x, float), np.asarray(y, float)
    known = ~(np.isnan(x) | np.isnan(y))
    x, y, names = x[known], y[known], [str(name) for name in np.asarray(units)[known]]
    rho, p_value = spearman_test(x, y)
    if np.isnan(rho):
        return Estimate(np.nan, np.nan, np.nan, np.nan, len(x))
    chosen = resamples(names, seed)
    draws = rowwise_spearman(x[chosen], y[chosen])
    null = shuffled_spearman(x, y, names, seed)
    low, high = percentile_interval(draws, level, len(x))
    if np.isnan(low):  # too few units: their samples say nothing
        draws = np.full(len(draws), np.nan)
    return Estimate(rho, low, high, p_value, len(x), draws, null)


def shuffled_spearman(
    x: ArrayLike, y: ArrayLike, units: Sequence[str], seed: int
) -> NDArray[np.float64]:
    """Spearman's rank correlation of x and y, paired at random anew in each draw, (draws,).

    Args:
        x: n numbers, without NaN.
        y: n numbers, without NaN.
        units: n names of what the numbers are of: the same names are paired alike for any numbers.
        seed: The configuration's seed.
    """
    orders = permutations(units, seed)
    ranks = np.broadcast_to(midranks(x), orders.shape)
    return rowwise_pearson(ranks, midranks(y)[orders])


def spearman_test(x: ArrayLike, y: ArrayLike) -> tuple[float, float]:
    """Spearman's rank correlation and its two-sided p-value.

    Up to ten pairs the p-value is exact: the share of all permutations of one side, ties
    included, with a correlation at least as far from 0 as the observed one; with three pairs it is
    at least 1/3. Beyond ten pairs it is that of `scipy.stats.spearmanr`, from Student's t with
    n - 2 degrees of freedom.

    Args:
        x: n numbers.
        y: n numbers, paired with x.

    Returns:
        The correlation and its p-value; NaN if there are fewer than three pairs, a number is NaN or
        one side is constant.
    """
    x, y = np.asarray(x, float), np.asarray(y, float)
    rho = spearman_rho(x, y)
    if np.isnan(rho):
        return np.nan, np.nan
    if len(x) <= MAX_EXACT:
        return rho, _exact_p(x, y)
    from scipy.stats import spearmanr

    return rho, float(spearmanr(x, y).pvalue)


def spearman_rho(x: ArrayLike, y: ArrayLike) -> float:
    """Spearman's rank correlation; NaN for fewer than three pairs, a NaN or a constant side."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    if len(x) < 3 or not (np.ptp(x) > 0 and np.ptp(y) > 0):
        return np.nan
    return float(np.corrcoef(np.column_stack([midranks(x), midranks(y)]), rowvar=False)[1, 0])


def midranks(numbers: ArrayLike) -> NDArray[np.float64]:
    """Ranks along the last axis, from 1; equal numbers share their mean rank. Without NaN."""
    from scipy.stats import rankdata  # imported here: it takes a second

    return rankdata(numbers, axis=-1)


def _exact_p(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Return the share of permutations of y with a correlation as far from 0 as the observed one.

    The correlation is a linear function of the inner product of the ranks, a whole number once
    they are doubled, so nothing is rounded.
    """
    a, b = (np.rint(2 * midranks(side)).astype(int) for side in (x, y))
    ways = permutations_by_product(a, b)
    distances = np.abs(len(a) * np.arange(len(ways)) - a.sum() * b.sum())
    return float(ways[distances >= distances[a @ b]].sum() / factorial(len(a)))


def permutations_by_product(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the permutations of whole numbers b by their inner product with a, from 0.

    The counts are built up over the sets of b that the first numbers of a can take: 2^n of them
    instead of n! permutations.
    """
    n, most = len(a), int(np.sort(a) @ np.sort(b))
    counts = np.zeros((2**n, most + 1), np.int64)  # permutations, by ranks taken and product
    counts[0, 0] = 1
    for taken in range(1, 2**n):
        rank = a[taken.bit_count() - 1]
        for i in range(n):
            if taken >> i & 1:
                step = rank * b[i]
                counts[taken, step:] += counts[taken ^ 1 << i, : most + 1 - step]
    return counts[-1]


def percentile_interval(draws: NDArray[np.float64], level: float, n: int) -> tuple[float, float]:
    """Return the percentile interval of a correlation over resampled units.

    Args:
        draws: (r,) the correlation in each sample; NaN if one side is constant in it.
        level: Coverage of the interval, such as 0.95.
        n: Number of units that were resampled.

    Returns:
        Its ends. NaN if more than one sample in twenty has no correlation, since the remaining
        samples would be a biased selection, or if there are fewer than five units.
    """
    undefined = np.isnan(draws)
    if n < MIN_RESAMPLED or undefined.mean() > MAX_UNDEFINED:
        return np.nan, np.nan
    low, high = percentile(draws, level)
    return float(low), float(high)


def rowwise_spearman(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Spearman's correlation of each row of x (r, n) with the same row of y (r, n): (r,)."""
    return rowwise_pearson(midranks(x), midranks(y))


def rowwise_pearson(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Pearson's correlation of each row of x (r, n) with the same row of y; NaN if one is flat."""
    # Checked before centring: the mean of equal numbers may differ from them in the last bit.
    flat = (np.ptp(x, axis=1) == 0) | (np.ptp(y, axis=1) == 0)
    x = x - x.mean(axis=1, keepdims=True)
    y = y - y.mean(axis=1, keepdims=True)
    norms = np.linalg.norm(x, axis=1) * np.linalg.norm(y, axis=1)
    products = (x * y).sum(axis=1)
    return np.divide(products, norms, out=np.full(len(x), np.nan), where=~flat & (norms > 0))


def partial_spearman(x: ArrayLike, y: ArrayLike, covariate: ArrayLike) -> tuple[float, float]:
    """Spearman's partial correlation of x and y, controlling for a covariate.

    The correlation of the ranks' residuals on the ranks of the covariate, and its two-sided p-value
    from Student's t with n - 3 degrees of freedom. The p-value is an approximation for any n, since
    the permutations of residuals are not equally likely; it is 0 for a perfect correlation.

    Args:
        x: n numbers.
        y: n numbers, paired with x.
        covariate: n numbers, paired with both.

    Returns:
        The partial correlation and its p-value; NaN if there are fewer than five triples, a number
        is NaN or a residual is constant.
    """
    sides = np.array([x, y, covariate], dtype=float)
    if np.isnan(sides).any():
        return np.nan, np.nan
    ranks, n = midranks(sides), sides.shape[1]
    design = np.column_stack([np.ones(n), ranks[2]])
    residuals = [side - design @ np.linalg.lstsq(design, side)[0] for side in ranks[:2]]
    if n < 5 or min(np.abs(side).max() for side in residuals) < 1e-9 * n:
        return np.nan, np.nan
    rho = float(np.corrcoef(*residuals)[0, 1])
    t = rho * np.sqrt((n - 3) / max(1e-300, 1 - rho**2))
    return rho, two_sided_p(t, n - 3)
