"""Models' decisions on items, which belong to terms: means by term and their reliability.

A score is a mean over terms of each term's mean decision, as StereoSet's are: of ss a decision is 1
where the stereotype scores higher, of lms it is the share of the two related candidates that score
higher than the unrelated one. Items of a term resemble each other, so that terms are resampled.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from socialbias.stats.draws import resamples
from socialbias.stats.reliability import HALVES, Reliability, split_half
from socialbias.stats.seeding import generator

Array = NDArray[np.float64]


def reliability_of_terms(
    decisions: ArrayLike, terms: Sequence[str], level: float = 0.95
) -> Reliability:
    """Split-half reliability of one model's terms: random halves of each term's items, stepped up.

    It can be low although a model's score over all terms is precise: a term has few items.

    Args:
        decisions: (n,); NaN is left out, and so is a term with a single item.
        terms: (n,).
        level: Coverage of the interval.

    Returns:
        With the median number of items of a term for `k`.
    """
    y, named = checked(np.asarray(decisions, float)[:, None], terms)[:, 0], np.asarray(terms, str)
    known, at = ~np.isnan(y), np.unique(named, return_inverse=True)[1]
    kept = known & (np.bincount(at[known], minlength=len(at))[at] > 1)
    names, at, sizes = np.unique(named[kept], return_inverse=True, return_counts=True)
    halves = [
        [np.bincount(at[side], y[kept][side]) / np.bincount(at[side]) for side in (half, ~half)]
        for half in _halves_within(tuple(at.tolist()))
    ]
    first, second = np.moveaxis(np.array(halves), 1, 0)
    return split_half(first, second, resamples(names.tolist(), 0), level, int(np.median(sizes)))


@lru_cache(maxsize=4)  # all models of a task have the same items
def _halves_within(at: tuple[int, ...]) -> NDArray[np.bool_]:
    """Random halves of the items of each term; of an odd one, either half has the item more.

    Args:
        at: (n,) the term of each item, from 0.

    Returns:
        (HALVES, n): whether an item is in the first half.
    """
    rng, terms, sizes = generator(0, "halves", "items"), np.array(at), np.bincount(at)
    starts, places = np.cumsum(sizes) - sizes, np.empty((HALVES, len(at)), int)
    halves = np.empty((HALVES, len(sizes)), int)
    for place, half in zip(places, halves, strict=True):
        order = np.lexsort((rng.uniform(size=len(at)), terms))
        place[order] = np.arange(len(at)) - starts[terms[order]]
        half[:] = (sizes + rng.integers(2, size=len(sizes))) // 2
    return places < halves[:, terms]


def checked(decisions: ArrayLike, terms: Sequence[str]) -> Array:
    """Decisions as numbers; a ValueError where they are none or do not fit the terms."""
    found = np.asarray(decisions, float)
    if len(found) != len(terms):
        raise ValueError(f"{len(found)} items have decisions, but {len(terms)} have terms")
    if (found < 0).any() or (found > 1).any():
        raise ValueError("a decision is not between 0 and 1")
    return found


def means_by_term(numbers: Array, terms: Sequence[str]) -> tuple[Array, list[str]]:
    """Means of numbers (n, m) by term, (t, m), and the t terms in their order.

    NaN is left out; a mean is NaN where a term has nothing else.
    """
    names, at = np.unique(np.asarray(terms, str), return_inverse=True)
    member = csr_array((np.ones(len(at)), (at, np.arange(len(at)))))
    known = ~np.isnan(numbers)
    with np.errstate(invalid="ignore", divide="ignore"):
        return (member @ np.where(known, numbers, 0)) / (member @ known), names.tolist()
