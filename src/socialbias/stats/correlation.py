"""Rank correlation with an interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats


@dataclass(frozen=True)
class Estimate:
    """A number with its uncertainty.

    Attributes:
        value: The estimate; NaN where it is not defined.
        low, high: Bootstrap interval; NaN where it is not defined.
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
        The estimate with SciPy's two-sided p-value. All NaN where fewer than three pairs remain
        or one side does not vary.
    """
    pairs = np.column_stack([np.asarray(x, float), np.asarray(y, float)])
    pairs = pairs[~np.isnan(pairs).any(axis=1)]
    n = len(pairs)
    if n < 3 or (np.ptp(pairs, axis=0) == 0).any():
        return Estimate(np.nan, np.nan, np.nan, np.nan, n)
    result = stats.spearmanr(pairs[:, 0], pairs[:, 1])
    samples = pairs[rng.integers(n, size=(replicates, n))]
    draws = rowwise_spearman(samples[:, :, 0], samples[:, :, 1])
    tail = (1 - level) / 2
    # A sample in which one side does not vary has no correlation; such draws are rare and left out.
    low, high = np.nanquantile(draws, [tail, 1 - tail])
    return Estimate(float(result.statistic), float(low), float(high), float(result.pvalue), n)


def rowwise_spearman(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Spearman's correlation of each row of x (r, n) with the same row of y (r, n): (r,)."""
    return rowwise_pearson(stats.rankdata(x, axis=1), stats.rankdata(y, axis=1))


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
    from Student's t with n - 3 degrees of freedom.

    Args:
        x: n numbers.
        y: n numbers, paired with x.
        given: n numbers, paired with both.

    Returns:
        The partial correlation and its p-value; NaN where fewer than five triples remain or a
        residual does not vary.
    """
    ranks = [stats.rankdata(side) for side in (x, y, given)]
    n = len(ranks[0])
    design = np.column_stack([np.ones(n), ranks[2]])
    residuals = [side - design @ np.linalg.lstsq(design, side)[0] for side in ranks[:2]]
    if n < 5 or min(np.abs(side).max() for side in residuals) < 1e-9 * n:
        return np.nan, np.nan
    rho = float(np.corrcoef(*residuals)[0, 1])
    t = rho * np.sqrt((n - 3) / max(1e-300, 1 - rho**2))
    return rho, float(2 * stats.t.sf(abs(t), n - 3))
