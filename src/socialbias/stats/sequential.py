"""Tests that may stop early: when they look at their items, in which order, at which level.

Each look uses an interval of the same, higher level (Pocock 1977), so that all of them hold at once
with the level that was asked for. Whatever rule stops the test among these looks, and whichever of
them is reported, errs no more often.

Items come in rounds: each has one random item of every term. The difference at a later look is the
earlier one and independent news, as in any group sequential test (Jennison and Turnbull 2000,
chapter 11). Items of a term resemble each other, so that looks correlate more than their numbers
of items say. This makes errors rarer (Slepian 1962), so that clustering by term does no harm. As
for a single test, means over terms must be nearly normal: they are not if few terms or items
change much and all others change little or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from socialbias.stats.intervals import normal, tails
from socialbias.stats.seeding import generator

LOOKS = (1 / 8, 3 / 16, 1 / 4, 3 / 8, 1 / 2, 3 / 4, 1)  # shares of the items
NODES = 200  # of the quadrature
FARTHEST = 9.0  # standard deviations: what lies beyond adds nothing


def planned_looks(n: int) -> tuple[int, ...]:
    """Return the numbers of items at which a test of n items looks at them."""
    return tuple(sorted({max(1, round(share * n)) for share in LOOKS}))


def order_of_items(terms: Sequence[str], seed: int) -> NDArray[np.int64]:
    """Return the places of items in random order: rounds of one item of each term.

    Args:
        terms: (n,) the term of each item.
        seed: Random seed.
    """
    at = np.unique(np.asarray(terms, str), return_inverse=True)[1]
    shuffled = generator(seed, "order of items", len(at)).permutation(len(at))
    by_term = shuffled[np.argsort(at[shuffled], kind="stable")]
    starts = np.cumsum(np.bincount(at)) - np.bincount(at)
    rounds = np.empty(len(at), int)
    rounds[by_term] = np.arange(len(at)) - starts[at[by_term]]
    return shuffled[np.argsort(rounds[shuffled], kind="stable")]


@lru_cache(maxsize=8)
def level_of_each(sizes: tuple[int, ...], level: float) -> float:
    """Return the level of the interval at each look with which all hold at once.

    Args:
        sizes: Numbers of items at the looks, increasing.
        level: Coverage of all intervals together. At most half of 1 - level is wrong on either
            side.
    """
    from scipy.optimize import brentq
    from scipy.special import ndtr

    allowed = tails(level)[0]
    reach = brentq(lambda z: _ever_above(z, sizes) - allowed, 0.0, FARTHEST, xtol=1e-10)
    return float(2 * ndtr(max(reach, normal(level))) - 1)


def _ever_above(reach: float, sizes: tuple[int, ...]) -> float:
    """Return how often a standardised sum of independent numbers is above `reach` at any look.

    By recursion over the looks, on the density of those that never were (Armitage, McPherson and
    Rowe 1969).
    """
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    at = (nodes * (reach + FARTHEST) + reach - FARTHEST) / 2
    weights = weights * (reach + FARTHEST) / 2
    below = np.exp(-(at**2) / 2)
    for before, now in pairwise(sizes):
        scale = np.sqrt((now - before) / now)  # of what is new, given the earlier sum
        apart = (at[:, None] - at * np.sqrt(before / now)) / scale
        below = np.exp(-(apart**2) / 2) / scale @ (weights * below) / np.sqrt(2 * np.pi)
    return float(1 - weights @ below / np.sqrt(2 * np.pi))
