"""Rank correlation with an interval."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import chain, permutations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincc, stdtr

ENUMERATED = 9  # pairs up to which every order is tried: 362,880 of them
FEWEST_RESAMPLED = 5  # fewer pairs have too few different samples for an interval
MOST_UNDEFINED = 0.05  # share of the samples that may be without a correlation
EQUAL = 1e-12  # correlations that differ by less are one number, summed in another order


@dataclass(frozen=True)
class Estimate:
    """A number with its uncertainty.

    Attributes:
        value: The estimate; NaN where it is not defined.
        low, high: Bootstrap interval; NaN where it is not defined, which may be so where the
            value is.
        p_value: Two-sided; NaN where there is no test.
        n: Units it rests on.
    """

    value: float
    low: float
    high: float
    p_value: float
    n: int


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
        The estimate with the p-value of `spearman_test` and the ends of `bootstrap_ends`. All NaN
        where fewer than three pairs remain or one side does not vary.
    """
    pairs = np.column_stack([np.asarray(x, float), np.asarray(y, float)])
    pairs = pairs[~np.isnan(pairs).any(axis=1)]
    n = len(pairs)
    rho, p_value = spearman_test(pairs[:, 0], pairs[:, 1])
    if np.isnan(rho):
        return Estimate(np.nan, np.nan, np.nan, np.nan, n)
    samples = pairs[rng.integers(n, size=(replicates, n))]
    draws = rowwise_spearman(samples[:, :, 0], samples[:, :, 1])
    return Estimate(rho, *bootstrap_ends(draws, level, n), p_value, n)


def spearman_test(x: ArrayLike, y: ArrayLike) -> tuple[float, float]:
    """Spearman's rank correlation and its two-sided p-value.

    Up to nine pairs the p-value is exact: the share of all orders of one side, ties and all, that
    have a correlation at least as far from 0 as the observed one. With three pairs it is 1/3 at
    the least. Beyond nine pairs it is SciPy's, from Student's t with n - 2 degrees of freedom.

    Args:
        x: n numbers.
        y: n numbers, paired with x.

    Returns:
        The correlation and its p-value; NaN where there are fewer than three pairs, a number is
        NaN or one side does not vary.
    """
    x, y = np.asarray(x, float), np.asarray(y, float)
    rho = spearman_rho(x, y)
    if np.isnan(rho):
        return np.nan, np.nan
    if len(x) <= ENUMERATED:
        return rho, _exact_p(x, y)
    freedom = len(x) - 2
    t = np.inf if abs(rho) >= 1 else abs(rho) * np.sqrt(freedom / ((rho + 1) * (1 - rho)))
    return rho, float(2 * stdtr(freedom, -t))


def spearman_rho(x: ArrayLike, y: ArrayLike) -> float:
    """Spearman's rank correlation; NaN for fewer than three pairs, a NaN or a side that is flat."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    if len(x) < 3 or not (np.ptp(x) > 0 and np.ptp(y) > 0):
        return np.nan
    return float(np.corrcoef(np.column_stack([midranks(x), midranks(y)]), rowvar=False)[1, 0])


def pearson_test(x: ArrayLike, y: ArrayLike) -> tuple[float, float]:
    """Pearson's correlation and its two-sided p-value under normality, of three pairs or more.

    Where there is no correlation, (r + 1) / 2 has a beta distribution with n / 2 - 1 twice.
    """
    x, y = (side - np.mean(side) for side in (np.asarray(x, float), np.asarray(y, float)))
    r = float(np.clip(x / np.linalg.norm(x) @ (y / np.linalg.norm(y)), -1, 1))
    half = len(x) / 2 - 1
    return r, float(2 * betaincc(half, half, (abs(r) + 1) / 2))


def midranks(numbers: ArrayLike) -> NDArray[np.float64]:
    """Ranks along the last axis, from 1; equal numbers share the mean of theirs. No NaN."""
    numbers = np.asarray(numbers)
    order = np.argsort(numbers, axis=-1, stable=True)
    ordered = np.take_along_axis(numbers, order, axis=-1)
    first = np.ones(numbers.shape, bool)  # of those that are equal to it
    first[..., 1:] = ordered[..., :-1] != ordered[..., 1:]
    starts = np.flatnonzero(first)
    sizes = np.diff(starts, append=numbers.size)
    means = starts % numbers.shape[-1] + (sizes + 1) / 2
    shared = np.repeat(means, sizes).reshape(numbers.shape)
    found = np.empty(numbers.shape)
    np.put_along_axis(found, order, shared, axis=-1)
    return found


def _exact_p(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """The share of the orders of y with a correlation as far from 0 as that of the first one."""
    x, y = (_standardised(midranks(side)) for side in (x, y))
    sizes = np.abs(y[_orders(len(y))] @ x)
    return float((sizes >= sizes[0] - EQUAL).mean())


def _standardised(ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks with mean 0 and length 1: the correlation of two such vectors is their product."""
    centred = ranks - ranks.mean()
    return centred / np.linalg.norm(centred)


@cache
def _orders(n: int) -> NDArray[np.uint8]:
    """Every order of n items, (n!, n), that in which they stand first."""
    return np.fromiter(chain.from_iterable(permutations(range(n))), np.uint8).reshape(-1, n)


def bootstrap_ends(draws: NDArray[np.float64], level: float, n: int) -> tuple[float, float]:
    """The percentile interval of a correlation over resampled units.

    Args:
        draws: (r,) the correlation in each sample; NaN where one side does not vary in it.
        level: Coverage of the interval, such as 0.95.
        n: Units that were resampled.

    Returns:
        Its ends. NaN where more than one sample in twenty has no correlation, since what is left
        would be a choice of the samples that vary; and where there are fewer than five units.
    """
    undefined = np.isnan(draws)
    if n < FEWEST_RESAMPLED or undefined.mean() > MOST_UNDEFINED:
        return np.nan, np.nan
    low, high = np.quantile(draws[~undefined], [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def rowwise_spearman(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Spearman's correlation of each row of x (r, n) with the same row of y (r, n): (r,)."""
    return rowwise_pearson(midranks(x), midranks(y))


def rowwise_pearson(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Pearson's correlation of each row of x (r, n) with the same row of y; NaN if one is flat."""
    # Seen before centring: the mean of equal numbers may differ from them in the last bit.
    flat = (np.ptp(x, axis=1) == 0) | (np.ptp(y, axis=1) == 0)
    x = x - x.mean(axis=1, keepdims=True)
    y = y - y.mean(axis=1, keepdims=True)
    norms = np.linalg.norm(x, axis=1) * np.linalg.norm(y, axis=1)
    products = (x * y).sum(axis=1)
    return np.divide(products, norms, out=np.full(len(x), np.nan), where=~flat & (norms > 0))


def partial_spearman(x: ArrayLike, y: ArrayLike, given: ArrayLike) -> tuple[float, float]:
    """Spearman's correlation of x and y with a third quantity partialled out.

    The correlation of the ranks' residuals on the ranks of `given`, and its two-sided p-value
    from Student's t with n - 3 degrees of freedom: an approximation whatever n is, since the orders
    of residuals are not equally likely, and 0 for a perfect correlation.

    Args:
        x: n numbers.
        y: n numbers, paired with x.
        given: n numbers, paired with both.

    Returns:
        The partial correlation and its p-value; NaN where fewer than five triples remain or a
        residual does not vary.
    """
    ranks = [midranks(side) for side in (x, y, given)]
    n = len(ranks[0])
    design = np.column_stack([np.ones(n), ranks[2]])
    residuals = [side - design @ np.linalg.lstsq(design, side)[0] for side in ranks[:2]]
    if n < 5 or min(np.abs(side).max() for side in residuals) < 1e-9 * n:
        return np.nan, np.nan
    rho = float(np.corrcoef(*residuals)[0, 1])
    t = rho * np.sqrt((n - 3) / max(1e-300, 1 - rho**2))
    return rho, float(2 * stdtr(n - 3, -abs(t)))
