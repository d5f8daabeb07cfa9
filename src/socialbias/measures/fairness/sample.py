"""Predictions as they are, under bootstrap draws and with terms dealt to other groups.

Draws weigh source examples and put terms in the place of others; what metrics are computed from is
summed up here for many draws at once. Arrays begin with groups and draws, (T, B, ...).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from socialbias.measures.fairness.data import Predictions
from socialbias.measures.fairness.scores import FOUND, Quantiles, Values, share_of
from socialbias.measures.fairness.variations import Tuples, checked

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
Average = Callable[[Array], Array]


class Draws(NamedTuple):
    """B ways to weigh sources and to put terms in the place of others.

    Attributes:
        sources: (B, S) weight of each source example.
        terms: (B, V) the term that stands in the place of each, V those of `Predictions.term`.
    """

    sources: Array
    terms: Ints

    @classmethod
    def none(cls, data: Predictions) -> Draws:
        """Return the data as they are, as one draw."""
        return cls(np.ones((1, len(data.sources))), np.arange(len(data.term_group))[None])

    def block(self, first: int, last: int) -> Draws:
        """Return some of the draws."""
        return Draws(self.sources[first:last], self.terms[first:last])


@dataclass(eq=False)
class Sample:
    """Predictions under draws: what scoring functions ask for, each computed once.

    Attributes:
        data: The predictions.
        draws: B draws.
        tuples: The variations that are compared, for counterfactual metrics.
    """

    data: Predictions
    draws: Draws
    tuples: Tuples | None = None
    _values: dict[tuple[int, int | None], Values] = field(default_factory=dict, init=False)

    @cached_property
    def shares(self) -> Array:
        """(T, B, V) how often each term stands for each group."""
        groups, (b, v) = len(self.data.groups), self.draws.terms.shape
        cells = (self.data.term_group * b + np.arange(b)[:, None]) * v + self.draws.terms
        return np.bincount(cells.ravel(), minlength=groups * b * v).reshape(groups, b, v) * 1.0

    @cached_property
    def weights(self) -> Array:
        """(n, T, B) the weight of each example in each group."""
        of_terms = np.ascontiguousarray(np.moveaxis(self.shares, 2, 0))
        weights = of_terms.take(self.data.term, axis=0)
        weights *= np.ascontiguousarray(self.draws.sources.T)[self.data.source][:, None]
        return weights

    @cached_property
    def sums(self) -> Array:
        """(T, B, c, 5) sums over examples of `FOUND` and so on."""
        n, c = self.data.counts.shape[:2]
        flat = np.column_stack([self.data.counts.reshape(n, -1), np.ones(n)])
        added = np.moveaxis(np.tensordot(flat, self.weights, (0, 0)), 0, -1)
        by_class = added[..., :-1].reshape(*added.shape[:2], c, 3)
        about_all = np.stack([added[..., -1], by_class[..., FOUND].sum(axis=2)], axis=-1)
        repeated = np.broadcast_to(about_all[:, :, None], (*added.shape[:2], c, 2))
        return np.concatenate([by_class, repeated], axis=3)

    def values(self, of: int, gold: int | None) -> Values:
        """Probabilities of a class as sets, over all examples or those of a gold class."""
        if (of, gold) not in self._values:
            self._values[of, gold] = self._sets(of, gold)
        return self._values[of, gold]

    def _sets(self, of: int, gold: int | None) -> Values:
        rows, numbers = self.data.sorted_values(of, gold)
        if not len(rows):
            return Values(np.zeros((*self.weights.shape[1:], 1)), np.zeros(1))
        below = self.weights.take(rows, axis=0)
        np.cumsum(below, axis=0, out=below)
        apart = np.flatnonzero(np.r_[np.diff(numbers) > 0, True])
        if len(apart) < len(rows):
            below, numbers = below.take(apart, axis=0), numbers[apart]
        return Values(np.moveaxis(below, 0, -1), np.r_[np.diff(numbers), 0])

    def variations(self, of: int | None, gold: int | None) -> tuple[Array, Average]:
        """Probabilities in the variations of sources, one of each group.

        Args:
            of: Of which class; None for the gold class.
            gold: Of the sources of which gold class; None for all.

        Returns:
            (T, B, m), and how comparisons of them (..., B, m) are averaged to (..., B).
        """
        tuples = checked(self.tuples)
        kept = slice(None) if gold is None else tuples.gold == gold
        terms, source = tuples.terms[kept], tuples.source[kept]
        starts = np.flatnonzero(np.diff(source, prepend=-1))
        sizes = np.diff(np.r_[starts, len(source)])
        weights = self.draws.sources[:, source[starts]]

        def average(gaps: Array) -> Array:
            sums = np.add.reduceat(gaps, starts, axis=-1) if len(starts) else gaps
            return mean(sums / sizes, weights)

        return self._placed(of, source, terms.T).swapaxes(0, 1), average

    def sets_by_source(self, of: int, gold: int | None) -> tuple[Quantiles, Average]:
        """Probabilities of a class in the variations of each source, as sets.

        Returns:
            Quantiles (T, B, S', K), and how comparisons (..., B, S') are averaged to (..., B).
        """
        found = checked(self.tuples).sets(self.data, gold)
        values = self._placed(of, found.sources[:, None], found.terms)
        if found.picked is None:
            values.sort(axis=-1)
        else:
            values[:, found.none] = np.inf
            values.sort(axis=-1)
            values = np.take_along_axis(values, found.picked[None], axis=-1)
        weights = self.draws.sources[:, found.sources]
        return Quantiles(values.swapaxes(0, 1), found.widths), partial(mean, weights=weights)

    def _placed(self, of: int | None, sources: Ints, terms: Ints) -> Array:
        """(B, ...) probability of a class, or of the gold class, of what stands for terms."""
        placed = self.draws.terms.take(terms, axis=1)
        placed += sources * len(self.data.term_group)
        return checked(self.tuples).probabilities(self.data, of).take(placed)


def mean(values: Array, weights: Array) -> Array:
    """(..., B) weighted means of (..., B, k), by (B, k); NaN without any weight."""
    return share_of(np.einsum("...k,...k->...", values, weights), weights.sum(axis=-1))
