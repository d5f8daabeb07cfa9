"""Models' decisions on items, which belong to terms: scores, ranks, reliability, agreement.

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

from socialbias.stats.clustered import clustered_shares
from socialbias.stats.correlation import Estimate
from socialbias.stats.draws import resampled_mean, resamples, widened
from socialbias.stats.intervals import percentile
from socialbias.stats.reliability import HALVES, Reliability, split_half
from socialbias.stats.seeding import generator

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


def score_draws(decisions: ArrayLike, terms: Sequence[str], seed: int) -> tuple[Array, Array]:
    """Scores of models and their joint draws over resampled terms.

    Args:
        decisions: (n, m) without a term of which a model decided no item: leave the term out.
        terms: (n,).
        seed: The configuration's seed.

    Returns:
        (m,) and (DRAWS, m); NaN draws with one term.
    """
    by_term, names = means_by_term(checked(decisions, terms), terms)
    scores = by_term.mean(axis=0)
    return scores, widened(resampled_mean(by_term, names, seed), scores, len(names))


def rank_intervals(
    scores: ArrayLike, draws: ArrayLike, level: float = 0.95
) -> tuple[Array, Ints, Ints]:
    """Ranks of models, 1 for the highest score, with intervals.

    A rank is bounded by how many others lie surely above and below, where sure means that the
    largest error among a model's differences from the others is taken into account (Mogstad,
    Romano, Shaikh and Wilhelm 2024). Percentiles of resampled ranks are not used: noise
    is added twice and draws the ranks of close models to the middle, so that they cover too little.

    Args:
        scores: (m,).
        draws: (d, m) joint draws of them.
        level: Coverage of each model's interval.

    Returns:
        The rank of each, equal scores sharing one, and the ends of its interval.
    """
    scores, draws = np.asarray(scores, float), np.asarray(draws, float)
    apart = scores[:, None] - scores
    apart[np.abs(apart) < 1e-12] = 0  # equal means of terms may differ by rounding
    errors = draws - scores
    low, high = np.ones(len(scores), int), np.full(len(scores), len(scores))
    for at in range(len(scores)):
        others = np.delete(errors[:, [at]] - errors, at, axis=1)
        spread = others.std(axis=0)
        known = np.delete(apart[at], at)
        largest = np.quantile(np.abs(others / np.where(spread > 0, spread, 1)).max(axis=1), level)
        low[at] += (known < -largest * spread).sum()
        high[at] -= (known > largest * spread).sum()
    ranks = 1 + (apart < 0).sum(axis=1) + ((apart == 0).sum(axis=1) - 1) / 2
    return ranks, low, high


def agreement(
    first: ArrayLike, second: ArrayLike, terms: Sequence[str], seed: int, level: float = 0.95
) -> tuple[Estimate, Estimate]:
    """Agreement of two scorings item by item, with intervals for items that cluster in terms.

    The share's interval is Wilson's with the effective number of items (`stats.clustered`), that of
    kappa has the widened percentiles of resampled terms.

    Args:
        first: (n,) one scoring's decisions, 0 or 1; NaN where there is none.
        second: (n,) the other's.
        terms: (n,) the term of each item.
        seed: The configuration's seed.
        level: Coverage of the intervals.

    Returns:
        The share of the items on which both decide the same; and Cohen's kappa (1960), the share
        beyond chance, NaN where one of them never varies.
    """
    both = checked(np.column_stack([first, second]), terms)
    known = ~np.isnan(both).any(axis=1)
    a, b = both[known].T
    names, at = np.unique(np.asarray(terms, str)[known], return_inverse=True)
    found = clustered_shares((a != b).astype(int), np.zeros(len(at), int), at, 1, 2, level)
    cells = np.column_stack([a * b, a * (1 - b), (1 - a) * b, (1 - a) * (1 - b)])
    counts = np.zeros((len(names), 4))
    np.add.at(counts, at, cells)
    kappa = _kappa(counts.sum(axis=0))
    drawn = widened(_kappa(resampled_mean(counts, names.tolist(), seed)), kappa, len(names))
    ends = percentile(drawn, level)
    shares = (float(part[0, 0]) for part in (found.share, found.low, found.high))
    beyond_chance = Estimate(float(kappa), *map(float, ends), np.nan, len(at), drawn)
    return Estimate(*shares, np.nan, len(at)), beyond_chance


def _kappa(cells: Array) -> Array:
    """Cohen's kappa of counts (..., 4): both, the first alone, the second alone, neither."""
    both, first, second, neither = np.moveaxis(cells / cells.sum(axis=-1, keepdims=True), -1, 0)
    chance = (both + first) * (both + second) + (neither + first) * (neither + second)
    varied = chance < 1 - 1e-12
    return np.where(varied, (both + neither - chance) / np.where(varied, 1 - chance, 1), np.nan)


def reliability_of_models(
    decisions: ArrayLike, terms: Sequence[str], names: Sequence[str], level: float = 0.95
) -> Reliability:
    """Split-half reliability of scores across models: random halves of the terms, stepped up.

    Args:
        decisions: (n, m); NaN is left out, and a term of which a model decided no item.
        terms: (n,).
        names: The m models, eight or more.
        level: Coverage of the interval.
    """
    by_term, _ = means_by_term(checked(decisions, terms), terms)
    by_term = by_term[~np.isnan(by_term).any(axis=1)]
    rng, t = generator(0, "halves", "terms"), len(by_term)
    orders = [rng.permutation(t) for _ in range(HALVES)]
    first, second = (
        np.array([by_term[half].mean(axis=0) for half in halves])
        for halves in ([o[: t // 2] for o in orders], [o[t // 2 :] for o in orders])
    )
    return split_half(first, second, resamples([*map(str, names)], 0), level, t)


def reliability_of_terms(
    decisions: ArrayLike, terms: Sequence[str], level: float = 0.95
) -> Reliability:
    """Split-half reliability of one model's terms: random halves of each term's items, stepped up.

    It can be low though that across models is high: a model's score rests on all terms, what it
    says of one term on that term's few items.

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
