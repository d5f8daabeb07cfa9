"""Scoring and comparison functions of the generalized fairness metrics.

Czarnowska, Vyas and Shah 2021, section 3. A scoring function gives a set of examples a number, such
as its false positive rate, or a set of values, such as the probabilities of a class. Both follow
from sums over examples: of counts, or of weights of sorted values. A background is the sum of its
groups. Arrays begin with groups and draws, (T, B, ...).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
TINY = 1e-13  # what the released code adds to the denominator of a ratio


def share_of(part: Array, whole: Array) -> Array:
    """Part over whole, NaN without any."""
    shape = np.broadcast_shapes(np.shape(part), np.shape(whole))
    return np.divide(part, whole, out=np.full(shape, np.nan), where=whole > 0)


class Values(NamedTuple):
    """Sets of values, as weights of the K different values of all groups.

    Attributes:
        below: (T, B, K) weight of the values up to each; values lie farthest apart in memory.
        steps: (K,) the distance from each value to the next; 0 for the last.
    """

    below: Array
    steps: Array

    def distance(self, other: Values) -> Array:
        """(T, B) Wasserstein-1 distance: the area between the distribution functions."""
        own, others = self.below[..., -1:], other.below[..., -1:]
        gaps = other.below * share_of(own, others)
        gaps -= self.below
        np.abs(gaps, out=gaps)
        areas = np.tensordot(self.steps, np.moveaxis(gaps, -1, 0), 1)
        return share_of(areas, np.where(others > 0, own, 0)[..., 0])


class Quantiles(NamedTuple):
    """Sets of values, as quantile functions that are constant on K intervals.

    Attributes:
        values: (..., S', K) their values.
        widths: (S', K) widths of the intervals, 1 in all.
    """

    values: Array
    widths: Array

    def __getitem__(self, groups: slice) -> Quantiles:
        return Quantiles(self.values[groups], self.widths)

    def distance(self, other: Quantiles) -> Array:
        """(..., S') Wasserstein-1 distance: the area between the quantile functions."""
        gaps = self.values - other.values
        return np.einsum("...k,...k->...", np.abs(gaps, out=gaps), self.widths)

    def means(self) -> Array:
        """(..., S') means of the sets."""
        return np.einsum("...k,...k->...", self.values, self.widths)


# --- comparison functions d -------------------------------------------------------------------


def first_over_second(x: Array, y: Array) -> Array:
    """Return the ratio x / y of rates: 0/0 is 0, as in the released code, and x/0 is infinite.

    The released code has 1e-13 in the denominator, which makes x/0 a huge number of no meaning.
    """
    return np.where((y == 0) & (x > 0), np.inf, x / (y + TINY))


def equality_gap(background: Values, group: Values) -> Array:
    """Average equality gap: 1/2 - U / (n1 n2) with the background first (Borkan et al. 2019).

    It is the probability that a random example of the group is above one of the background, ties
    counted half, less 1/2.
    """
    own, other = group.below, background.below
    # Summed by parts: of own mass times the mean of what lies below before and after each value.
    wins = np.einsum("...k,...k->...", own[..., 1:], other[..., :-1])
    losses = np.einsum("...k,...k->...", own[..., :-1], other[..., 1:])
    return share_of(wins - losses, 2 * own[..., -1] * other[..., -1])


# --- scores of groups -------------------------------------------------------------------------

# What the sums of examples hold: of one class, and in all classes.
FOUND, PREDICTED, GOLD, EXAMPLES, CORRECT = range(5)


def false_positive_rate(s: Array) -> Array:
    """Return the share of examples of other classes that are predicted to be of this one."""
    return share_of(s[..., PREDICTED] - s[..., FOUND], s[..., EXAMPLES] - s[..., GOLD])


def false_negative_rate(s: Array) -> Array:
    """Return the share of examples of this class that are predicted to be of another."""
    return share_of(s[..., GOLD] - s[..., FOUND], s[..., GOLD])


def true_positive_rate(s: Array) -> Array:
    """Return the share of examples of this class that are predicted to be."""
    return share_of(s[..., FOUND], s[..., GOLD])


def true_negative_rate(s: Array) -> Array:
    """Return the share of examples of other classes that are predicted to be of another."""
    outside = s[..., EXAMPLES] - s[..., GOLD]
    return share_of(outside - s[..., PREDICTED] + s[..., FOUND], outside)


def f1(s: Array) -> Array:
    """Harmonic mean of precision and recall."""
    return share_of(2 * s[..., FOUND], s[..., PREDICTED] + s[..., GOLD])


def positive_rate(s: Array) -> Array:
    """Predictions of this class an example, or a sentence: with spans it can pass 1."""
    return share_of(s[..., PREDICTED], s[..., EXAMPLES])


def accuracy(s: Array) -> Array:
    """Of all examples, those predicted correctly."""
    return share_of(s[..., CORRECT], s[..., EXAMPLES])
