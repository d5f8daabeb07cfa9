"""Predictions as they are, under bootstrap draws and with terms dealt to other groups.

Draws weigh source examples and put terms in the place of others; what metrics are computed from is
summed up here for many draws at once. Arrays begin with groups and draws, (T, B, ...).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from socialbias.errors import UserError
from socialbias.measures.fairness_data import Predictions
from socialbias.measures.fairness_scores import FOUND, Values, share_of
from socialbias.seeding import generator

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
TUPLES = 100  # variations of a source that are compared, as in section 5


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
        """The data as they are, as one draw."""
        return cls(np.ones((1, len(data.sources))), np.arange(len(data.term_group))[None])

    def block(self, first: int, last: int) -> Draws:
        """Some of the draws."""
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

    @cached_property
    def shares(self) -> Array:
        """(T, B, V) how often each term stands for each group."""
        groups, (b, v) = len(self.data.groups), self.draws.terms.shape
        cells = (self.data.term_group * b + np.arange(b)[:, None]) * v + self.draws.terms
        return np.bincount(cells.ravel(), minlength=groups * b * v).reshape(groups, b, v) * 1.0

    @cached_property
    def weights(self) -> Array:
        """(T, B, n) the weight of each example in each group."""
        return self.shares[..., self.data.term] * self.draws.sources[:, self.data.source]

    @cached_property
    def sums(self) -> Array:
        """(T, B, c, 5) sums over examples of `FOUND` and so on."""
        counts = self.data.counts
        if counts is None:
            raise UserError("fairness: metrics of predictions need predictions")
        n, c = counts.shape[:2]
        flat = np.column_stack([counts.reshape(n, -1), np.ones(n)])
        added = self.weights @ flat
        by_class = added[..., :-1].reshape(*added.shape[:2], c, 3)
        about_all = np.stack([added[..., -1], by_class[..., FOUND].sum(axis=2)], axis=-1)
        repeated = np.broadcast_to(about_all[:, :, None], (*added.shape[:2], c, 2))
        return np.concatenate([by_class, repeated], axis=3)

    def values(self, of: int, gold: int | None) -> Values:
        """Probabilities of a class as sets, over all examples or those of a gold class."""
        rows = np.arange(len(self.data))
        if gold is not None:
            rows = np.flatnonzero(self.data.y_true == gold)
        if not len(rows):
            return Values(np.zeros((*self.weights.shape[:2], 1)), np.zeros(1))
        numbers = probabilities(self.data)[rows, of]
        order = np.argsort(numbers, kind="stable")
        steps = np.diff(numbers[order])
        below = np.cumsum(self.weights[..., rows[order]], axis=-1)
        apart = np.flatnonzero(np.r_[steps > 0, True])
        if len(apart) < len(rows):
            below, steps = below[..., apart], steps[apart[:-1]]
        return Values(below, np.r_[steps, 0])

    def variations(self, of: int | None) -> Array:
        """(T, B, m) probability of a class, or of the gold class, in each group's variation."""
        tuples, v = checked(self.tuples), len(self.data.term_group)
        numbers = probabilities(self.data)
        column = self.data.y_true if of is None else of
        table = numbers[np.arange(len(numbers)), column][tuples.table].ravel()
        placed = self.draws.terms[:, tuples.terms]
        return table[np.moveaxis(tuples.cell[:, None] * v + placed, 2, 0)]

    def by_source(self, gaps: Array, gold: int | None) -> Array:
        """(B,) mean over sources of the mean over their variations (B, m), of one gold class."""
        tuples = checked(self.tuples)
        kept = slice(None) if gold is None else tuples.gold == gold
        source = tuples.source[kept]
        if not len(source):
            return np.full(len(gaps), np.nan)
        starts = np.flatnonzero(np.diff(source, prepend=-1))
        sizes = np.diff(np.r_[starts, len(source)])
        means = np.add.reduceat(gaps[:, kept], starts, axis=1) / sizes
        return _mean(means, self.draws.sources[:, source[starts]])

    def sets_by_source(self, of: int, gold: int | None) -> SourceSets:
        """Probabilities of a class in the variations of each source, as sets."""
        tuples, numbers = checked(self.tuples), probabilities(self.data)[:, of]
        rows, kept = tuples.rows, tuples.rows >= 0
        if gold is not None:
            kept = kept & (self.data.y_true[rows] == gold)
        some = kept.any(axis=1)
        rows, kept, source = rows[some], kept[some], tuples.sources[some]
        values = np.where(kept, numbers[rows], np.inf)
        order = np.argsort(values, axis=1, kind="stable")
        rows, kept, values = (np.take_along_axis(x, order, axis=1) for x in (rows, kept, values))
        weights = self.shares[..., self.data.term[rows]] * kept
        values = np.where(kept, values, values.max(axis=1, where=kept, initial=0)[:, None])
        steps = np.pad(np.diff(values, axis=1), ((0, 0), (0, 1)))
        means = share_of((weights * values).sum(axis=-1), weights.sum(axis=-1))
        sets = Values(np.cumsum(weights, axis=-1), steps)
        return SourceSets(sets, means, self.draws.sources[:, source])


class SourceSets(NamedTuple):
    """Sets of values of each of S' sources.

    Attributes:
        sets: Values (T, B, S', K).
        means: (T, B, S') their means.
        weights: (B, S') weights of the sources.
    """

    sets: Values
    means: Array
    weights: Array

    def average(self, gaps: Array) -> Array:
        """(B,) mean over sources of (B, S'); NaN without sources."""
        return _mean(gaps, self.weights)


def probabilities(data: Predictions) -> Array:
    """The data's probabilities.

    Raises:
        UserError: there are none.
    """
    if data.probabilities is None:
        raise UserError("fairness: metrics of probabilities need probabilities")
    return data.probabilities


def _mean(values: Array, weights: Array) -> Array:
    return share_of((values * weights).sum(axis=1), weights.sum(axis=1))


# --- variations of source examples ------------------------------------------------------------


class Tuples(NamedTuple):
    """Variations of source examples, one of each group, that counterfactual metrics compare.

    Attributes:
        terms: (m, T) the terms of each variation.
        cell: (m,) source and position that it varies, a row of `table`.
        source: (m,) the number of the source, in ascending order.
        gold: (m,) the gold class.
        table: (cells, V) the example of each term; -1 where there is none.
        sources: (S',) numbers of the sources that have a variation of each group.
        rows: (S', K) the examples of each source, padded with -1.
    """

    terms: Ints
    cell: Ints
    source: Ints
    gold: Ints
    table: Ints
    sources: Ints
    rows: Ints


def checked(tuples: Tuples | None) -> Tuples:
    """The variations.

    Raises:
        UserError: there are none.
    """
    if tuples is None:
        raise UserError("fairness: counterfactual metrics need the source of each example")
    return tuples


def variations(data: Predictions, seed: int, most: int = TUPLES) -> Tuples | None:
    """Cartesian product of the groups' variations of each source (section 5, Metrics).

    Args:
        data: Predictions with sources.
        seed: The configuration's seed.
        most: Of a larger product so many are sampled, without replacement.

    Returns:
        None without sources, or where no source has a variation of each group.

    Raises:
        UserError: a source has a term twice, or variations of a source differ in gold class or in
            positions.
    """
    if not data.has_sources or data.y_true is None:
        return None
    places = data.position.max() + 1
    cells, cell = np.unique(data.source * places + data.position, return_inverse=True)
    table = np.full((len(cells), len(data.term_group)), -1)
    table[cell, data.term] = np.arange(len(data))
    gold = np.empty(len(cells), int)
    gold[cell] = data.y_true
    _check_variations(data, cell, gold, table)
    ends, picked = np.searchsorted(cells // places, np.arange(len(data.sources) + 1)), []
    for s in range(len(data.sources)):
        own = np.arange(ends[s], ends[s + 1])
        terms = np.flatnonzero(table[own[0]] >= 0)
        of_groups = [terms[data.term_group[terms] == g] for g in range(len(data.groups))]
        if min(map(len, of_groups)) == 0:
            continue
        sizes = [len(each) for each in of_groups]
        chosen = _product(sizes, most, generator(seed, "variations", data.sources[s]))
        combined = np.stack([each[i] for each, i in zip(of_groups, chosen.T, strict=True)], axis=1)
        picked.append((s, own, combined))
    if not picked:
        return None
    sources = np.array([s for s, _, _ in picked])
    return Tuples(
        terms=np.concatenate([np.repeat(terms, len(own), axis=0) for _, own, terms in picked]),
        cell=np.concatenate([np.tile(own, len(terms)) for _, own, terms in picked]),
        source=np.repeat(sources, [len(own) * len(terms) for _, own, terms in picked]),
        gold=np.concatenate([gold[np.tile(own, len(terms))] for _, own, terms in picked]),
        table=table,
        sources=sources,
        rows=_rows_by_source(data.source, sources),
    )


def _check_variations(data: Predictions, cell: Ints, gold: Ints, table: Ints) -> None:
    """Whether each source has each term once, one gold class, and its positions in all."""
    if (table >= 0).sum() < len(data):
        twice = np.flatnonzero(table[cell, data.term] != np.arange(len(data)))[0]
        what = f"the source {data.sources[data.source[twice]]!r} has one term twice"
        raise UserError(f"fairness: {what}: name its variations apart")
    if (wrong := np.flatnonzero(gold[cell] != data.y_true)).size:
        source = data.sources[data.source[wrong[0]]]
        raise UserError(f"fairness: variations of the source {source!r} differ in gold class")
    present = table >= 0
    owner = np.empty(len(table), int)
    owner[cell] = data.source
    first = np.unique(owner, return_index=True)[1]
    if (wrong := np.flatnonzero((present != present[first][owner]).any(axis=1))).size:
        source = data.sources[owner[wrong[0]]]
        raise UserError(f"fairness: variations of the source {source!r} differ in positions")


def _product(sizes: list[int], most: int, rng: np.random.Generator) -> Ints:
    """(at most `most`, T) places in a Cartesian product, all or a sample without replacement."""
    total = 1
    for size in sizes:
        total *= size
    if total <= 50 * most:
        kept = np.arange(total) if total <= most else rng.choice(total, most, replace=False)
        return np.column_stack(np.unravel_index(kept, sizes))
    found = np.empty((0, len(sizes)), int)
    while len(found) < most:  # of more than 50 times as many: seldom one twice
        more = rng.integers(sizes, size=(most - len(found), len(sizes)))
        found = np.array(list(dict.fromkeys(map(tuple, np.r_[found, more].tolist()))))
    return found


def _rows_by_source(source: Ints, wanted: Ints) -> Ints:
    """(S', K) places of each wanted source's examples, padded with -1."""
    order = np.argsort(source, kind="stable")
    starts = np.searchsorted(source[order], np.r_[wanted, source.max() + 1])
    ends = np.searchsorted(source[order], wanted, side="right")
    sizes = ends - starts[:-1]
    rows = np.full((len(wanted), sizes.max()), -1)
    for i, (start, size) in enumerate(zip(starts, sizes, strict=False)):
        rows[i, :size] = order[start : start + size]
    return rows
