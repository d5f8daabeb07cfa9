"""Rank correlations in bootstrap samples of things, from how often each is in each of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def weighted_ranks(scores: ArrayLike, weights: ArrayLike) -> Array:
    """Midranks of n scores in samples, from how often each is in each sample.

    Args:
        scores: (n,), NaN where there is none; the rank of a NaN has no meaning.
        weights: (draws, n) how often each score is in each sample; 0 for a NaN.

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
