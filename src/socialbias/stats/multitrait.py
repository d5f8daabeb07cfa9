"""A multitrait-multimethod matrix: correlations on the same things, and what they say of validity.

Campbell and Fiske (1959): a trait is measured validly where its measures by different methods go
together (convergent validity), and more so than measures of different traits, by one method or by
two (discriminant validity).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def weighted_ranks(scores: ArrayLike, weights: ArrayLike) -> Array:
    """Midranks of n scores in samples that have each of them so often.

    Args:
        scores: (n,); a NaN is a thing without a score: its rank stands for nothing.
        weights: (draws, n) how often each thing is in each sample; 0 where it has no score.

    Returns:
        (draws, n), from 1.
    """
    weights = np.asarray(weights, float)
    different, inverse = np.unique(np.nan_to_num(np.asarray(scores, float)), return_inverse=True)
    order = np.argsort(inverse, kind="stable")
    starts = np.searchsorted(inverse[order], np.arange(len(different)))
    groups = np.add.reduceat(weights[:, order], starts, axis=1)
    return (groups.cumsum(axis=1) - groups + (groups + 1) / 2)[:, inverse]


def weighted_pearson(x: Array, y: Array, weights: Array) -> Array:
    """Pearson's correlation of each row of x (draws, n) with that of y; NaN where one is flat."""
    total = weights.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        x = x - (weights * x).sum(axis=1, keepdims=True) / total
        y = y - (weights * y).sum(axis=1, keepdims=True) / total
        norms = np.sqrt((weights * x**2).sum(axis=1) * (weights * y**2).sum(axis=1))
        return np.where(norms > 1e-9, (weights * x * y).sum(axis=1) / norms, np.nan)


def spearman_draws(x: ArrayLike, y: ArrayLike, weights: Array) -> Array:
    """Spearman's correlation of two measures in each sample of things, as `weighted_ranks`.

    Args:
        x: (n,); things with a NaN on any side are left out.
        y: (n,).
        weights: (draws, n).

    Returns:
        (draws,).
    """
    sides = [np.asarray(side, float) for side in (x, y)]
    weights = np.where(np.isnan(sides).any(axis=0), 0.0, weights)
    return weighted_pearson(*(weighted_ranks(side, weights) for side in sides), weights)


def pairs_of(
    traits: Sequence[str], methods: Sequence[str]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which pairs of v measures are convergent, and which are of different traits.

    (v, v) each. Convergent are two methods' measures of a trait. Two measures of one trait by one
    method are neither.
    """
    t, m = (np.asarray(names)[:, None] for names in (traits, methods))
    return (t == t.T) & (m != m.T), t != t.T


def obeying(
    correlations: ArrayLike, traits: Sequence[str], methods: Sequence[str]
) -> tuple[Array, Array]:
    """Return how many comparisons of each measure obey.

    A convergent correlation above one of two traits. Each convergent correlation of a measure is
    compared with the size of each of its correlations with a measure of another trait, by whatever
    method. A size, since a correlation far below 0 tells two traits apart no better than one far
    above.

    Args:
        correlations: (..., v, v) symmetric; a NaN is in no comparison.
        traits: v names.
        methods: v names.

    Returns:
        (..., v) comparisons that obey, and (..., v) all of them.
    """
    r = np.asarray(correlations, float)
    convergent, other = pairs_of(traits, methods)
    asked = convergent[:, :, None] & other[:, None, :]  # measure, its partner, its rival
    known = asked & ~np.isnan(r)[..., :, :, None] & ~np.isnan(r)[..., :, None, :]
    above = known & (r[..., :, :, None] > np.abs(r)[..., :, None, :])
    return above.sum(axis=(-1, -2)).astype(float), known.sum(axis=(-1, -2)).astype(float)


def share_obeying(
    correlations: ArrayLike, traits: Sequence[str], methods: Sequence[str]
) -> NDArray[np.float64]:
    """Return the share of all comparisons that obey, (...); NaN where there are none."""
    obey, all_of_them = (part.sum(axis=-1) for part in obeying(correlations, traits, methods))
    return np.divide(obey, all_of_them, out=np.full_like(obey, np.nan), where=all_of_them > 0)


def permuted_labels(
    correlations: ArrayLike, traits: Sequence[str], methods: Sequence[str]
) -> tuple[float, int]:
    """Return how often the share that obeys is as large with the traits dealt anew to the measures.

    All ways to deal two traits, with as many measures each as they have, are counted, that which
    is true among them, so that the p-value is exact.

    Args:
        correlations: (v, v).
        traits: v names, of two traits.
        methods: v names.

    Returns:
        The p-value and the number of ways; NaN where nothing can be compared.
    """
    names = sorted(set(traits))
    observed = float(share_obeying(correlations, traits, methods))
    if len(names) != 2 or np.isnan(observed):
        return np.nan, 0
    v, k = len(traits), list(traits).count(names[0])
    shares = []
    for first in combinations(range(v), k):
        dealt = np.full(v, names[1], dtype=object)
        dealt[list(first)] = names[0]
        shares.append(float(share_obeying(correlations, dealt.tolist(), methods)))
    reached = np.nan_to_num(np.array(shares), nan=-1.0) >= observed - 1e-12
    return float(reached.mean()), len(shares)
