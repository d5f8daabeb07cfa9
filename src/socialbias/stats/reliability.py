"""How reliable measured numbers are, and what can be found with them.

Reliability is the share of the variance of numbers, over the things that were measured, that is not
error: it is 1 where measuring again with other words, documents or models gives the same, and 0
where it gives anything. All that is here but the split half follows from F, the mean square between
things over that of what is left over, in a two-way analysis of variance without replication:

| name | estimate | what was measured again |
|---|---|---|
| Cronbach's alpha (1951) | 1 - 1/F (Hoyt 1941) | the mean of k items, with k other items |
| ICC(3,1) (Shrout and Fleiss 1979) | (F - 1)/(F + k - 1) | one replicate, by another |
| of bootstraps | 1 - (k + 1)/F | the mean of k, in another sample of units |

Divided by the ratio of true mean squares F has Fisher's distribution with n - 1 and (n - 1)(k - 1)
degrees of freedom if all parts are normal, which gives exact intervals (Feldt 1965 for alpha).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from socialbias.stats.intervals import student, tails

Array = NDArray[np.float64]
MIN_MEASURED = 4  # things measured: the variance of fewer says nothing
HALVES = 500  # random divisions: they stand for the mean over all, and are the same in every run
FEWEST_HALVED = 8  # and so does a correlation of fewer
Z_SIGNIFICANT, Z_POWER = 1.959964, 0.841621  # of 0.05, two-sided, and of a power of 80 %
RANKS = 1.06  # by how much the variance of Fisher's z of ranks is larger (Fieller et al. 1957)


@dataclass(frozen=True)
class Reliability:
    """A reliability with its interval.

    Attributes:
        value: At most 1; below 0 where there is more error than numbers vary. NaN if undefined.
        low, high: Its interval.
        n: Things measured.
        k: Items, halves' words or replicates.
    """

    value: float
    low: float
    high: float
    n: int
    k: int


def cronbach_alpha(scores: ArrayLike, level: float) -> Reliability:
    """Cronbach's alpha with Feldt's interval.

    Args:
        scores: (n, k), things by items; a row with a NaN is left out.
        level: Coverage of the interval, such as 0.95.

    Returns:
        NaN with fewer than four things or two items, or if all things are alike.
    """
    return _of_f(scores, level, lambda f, _: 1 - 1 / f)


def retest(scores: ArrayLike, level: float) -> Reliability:
    """Test-retest reliability of one replicate: ICC(3,1), the intraclass correlation.

    It asks for consistency: what all things gain from one replicate to the next is no error.

    Args:
        scores: (n, k), things by replicates; a row with a NaN is left out.
        level: Coverage of the interval.
    """
    return _of_f(scores, level, lambda f, k: (f - 1) / (f + k - 1))


def of_bootstraps(scores: ArrayLike, level: float) -> Reliability:
    """Reliability of the mean over bootstrap replicates, were all units sampled anew.

    The replicates share their units (words, documents), so that their mean has the error of that
    sample, of which the variance between replicates is the estimate, and 1/k of it besides: k + 1
    in place of alpha's 1. See `stats.draws.over_replicates`.

    Args:
        scores: (n, k), things by bootstrap replicates; a row with a NaN is left out.
        level: Coverage of the interval.
    """
    return _of_f(scores, level, lambda f, k: 1 - (k + 1) / f)


def _of_f(
    scores: ArrayLike, level: float, reliability: Callable[[float, int], float]
) -> Reliability:
    """Return a reliability that grows with F, with its exact interval for normal scores."""
    from scipy.special import fdtri

    x = np.asarray(scores, float)
    x = x[~np.isnan(x).any(axis=1)]
    n, k = x.shape
    if n < MIN_MEASURED or k < 2:
        return _undefined(n, k)
    apart = x - x.mean(axis=1, keepdims=True) - x.mean(axis=0) + x.mean()
    # Mean squares: between things, and of what neither things nor replicates explain.
    things, left = k * x.mean(axis=1).var(ddof=1), (apart**2).sum() / ((n - 1) * (k - 1))
    if things == 0:
        return _undefined(n, k)
    if left <= 1e-15 * things:
        return Reliability(1.0, 1.0, 1.0, n, k)
    f = things / left
    ends = [f / fdtri(n - 1, (n - 1) * (k - 1), p) for p in tails(level)[::-1]]
    return Reliability(*(float(reliability(each, k)) for each in (f, *ends)), n, k)


def split_half(
    first: ArrayLike, second: ArrayLike, chosen: NDArray[np.int64], level: float, k: int
) -> Reliability:
    """Split-half reliability: the mean correlation of random halves, stepped up to the whole.

    Spearman and Brown's formula (1910) takes halves for equally good, which they are where they
    are random. The interval is Student's on the scale of log(1 - r), with the standard error of a
    bootstrap over the things measured, times sqrt(n/(n - 3)), as it is too small for few things.
    On planted scores it covers 93 to 95 %.

    Args:
        first: (r, n) the number of each of n things by one half, in each of r divisions; NaN where
            there is none.
        second: (r, n) by the other half.
        chosen: (draws, n) bootstrap samples of the things.
        level: Coverage of the interval.
        k: What was divided, such as words.

    Returns:
        NaN with fewer than eight things, or if all are alike.
    """
    x, y = np.asarray(first, float), np.asarray(second, float)
    n = x.shape[1]
    known = ~np.isnan(x + y).any(axis=1)
    if n < FEWEST_HALVED or not known.any():
        return _undefined(n, k)
    x, y = x[known], y[known]
    weights = np.zeros((1 + len(chosen), n))
    weights[0] = 1
    np.add.at(weights, (np.repeat(np.arange(1, len(weights)), n), np.ravel(chosen)), 1)
    found = _correlations(x, y, weights / n)
    with np.errstate(invalid="ignore"):
        whole = stepped_up(np.nansum(found, axis=1) / (~np.isnan(found)).sum(axis=1))
    if np.isnan(whole[0]):
        return _undefined(n, k)
    if whole[0] > 1 - 1e-12:
        return Reliability(1.0, 1.0, 1.0, n, k)
    spread = np.nanstd(np.log(np.maximum(1 - whole[1:], 1e-12)))
    reach = student(level, n - 2) * np.sqrt(n / (n - 3)) * spread
    low, high = 1 - (1 - whole[0]) * np.exp([reach, -reach])
    return Reliability(float(whole[0]), float(low), float(high), n, k)


def stepped_up(correlation: ArrayLike) -> Array:
    """Spearman and Brown's reliability of the whole from the correlation of its halves."""
    r = np.asarray(correlation, float)
    return 2 * r / (1 + np.abs(r))  # below 0 there is no formula: |r| keeps it within -1


def _correlations(x: Array, y: Array, weights: Array) -> Array:
    """Pearson's correlation of each row of x (r, n) with that of y: (draws, r) by weights."""
    x = x - x.mean(axis=1, keepdims=True)  # before squares are subtracted
    y = y - y.mean(axis=1, keepdims=True)
    means = weights @ x.T, weights @ y.T
    spreads = [weights @ (side**2).T - mean**2 for side, mean in zip((x, y), means, strict=True)]
    together = weights @ (x * y).T - means[0] * means[1]
    flat = np.minimum(*spreads) <= 1e-12 * np.maximum(*(s.max() for s in spreads))
    norms = np.sqrt(np.where(flat, 1, spreads[0] * spreads[1]))
    return np.where(flat, np.nan, together / norms)


def _undefined(n: int, k: int) -> Reliability:
    return Reliability(np.nan, np.nan, np.nan, n, k)


def ceiling(first: float, second: float = 1.0) -> float:
    """Return the largest correlation that numbers of these reliabilities can have (Spearman 1904).

    Args:
        first: Reliability of one side; below 0 it is 0.
        second: Of the other; 1 for what is taken for measured without error.
    """
    return float(np.sqrt(np.clip(first, 0, 1) * np.clip(second, 0, 1)))


def detectable(draws: ArrayLike) -> float:
    """Return the smallest true effect that a test at 0.05 would find with a power of 80 %.

    (z_.975 + z_.8) standard errors for a normal estimate, t in place of z for Student's (Bloom
    1995): the quantiles of the draws have both.

    Args:
        draws: Of the number (`stats.draws`); NaN is left out.

    Returns:
        In the number's unit, counted from what it is without an effect. NaN where draws do not
        vary.
    """
    known = np.atleast_1d(np.asarray(draws, float))
    known = known[~np.isnan(known)]
    if not len(known) or np.ptp(known) == 0:
        return np.nan
    low, power_low, power_high, high = np.quantile(known, [0.025, 0.2, 0.8, 0.975])
    return float((high - low + power_high - power_low) / 2)


def detectable_correlation(n: int, largest: float = 1.0) -> float:
    """Return the smallest true rank correlation that a test at 0.05 finds with a power of 80 %.

    By Fisher's z with 1.06/(n - 3) for its variance (Fieller, Hartley and Pearson 1957). Unreliable
    numbers show a true correlation times `largest`, so that it must be larger to be seen.

    Args:
        n: Pairs.
        largest: The ceiling that the reliabilities set; 1 where it is not known.

    Returns:
        Above 1 where no correlation would be found so often; NaN with fewer than four pairs.
    """
    if n < 4:
        return np.nan
    seen = np.tanh((Z_SIGNIFICANT + Z_POWER) * np.sqrt(RANKS / (n - 3)))
    return float(seen / largest) if largest > 0 else np.inf
