"""Variations of source examples that counterfactual metrics compare, one of each group.

Czarnowska, Vyas and Shah 2021, section 5, Metrics.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from socialbias.errors import UserError
from socialbias.measures.fairness.data import Predictions
from socialbias.stats.seeding import generator

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
TUPLES = 100  # of each source, as in section 5


class SourceSets(NamedTuple):
    """Where the values of each group in each of S' sources are, at most I of them.

    Attributes:
        sources: (S',) numbers of the sources.
        terms: (T, S', I) the term of each value.
        none: (T, S', I) where there are fewer values.
        picked: (T, S', K) which of the sorted values holds on each of K intervals; None if each
            holds on its own, since all sets are of one size.
        widths: (S', K) widths of the intervals.
    """

    sources: Ints
    terms: Ints
    none: NDArray[np.bool_]
    picked: Ints | None
    widths: Array


@dataclass(eq=False)
class Tuples:
    """Variations of source examples, one of each group, that counterfactual metrics compare.

    Attributes:
        terms: (m, T) the terms of each variation.
        source: (m,) the number of the source, in ascending order.
        gold: (m,) the gold class.
        table: (S, V) the example of each source and term; -1 where there is none.
        sources: (S',) numbers of the sources that have a variation of each group.
    """

    terms: Ints
    source: Ints
    gold: Ints
    table: Ints
    sources: Ints
    _probabilities: dict[int | None, Array] = field(default_factory=dict, init=False)
    _sets: dict[int | None, SourceSets] = field(default_factory=dict, init=False)

    def probabilities(self, data: Predictions, of: int | None) -> Array:
        """(S * V,) probability of a class, or of the gold class for None.

        Raises:
            UserError: the data have no probabilities.
        """
        if of not in self._probabilities:
            if data.probabilities is None:
                raise UserError("fairness: metrics of probabilities need probabilities")
            column = data.y_true if of is None else of
            of_examples = data.probabilities[np.arange(len(data)), column]
            self._probabilities[of] = of_examples[self.table].ravel()
        return self._probabilities[of]

    def sets(self, data: Predictions, gold: int | None) -> SourceSets:
        """Return the sets of values of each source, of one gold class or of all."""
        if gold not in self._sets:
            kept = np.isin(data.source, self.sources)
            if gold is not None:
                kept &= data.y_true == gold
            self._sets[gold] = _sets(data, np.flatnonzero(kept))
        return self._sets[gold]


def _sets(data: Predictions, rows: Ints) -> SourceSets:
    """Places of the values of examples, by group and source."""
    groups = len(data.groups)
    sources, number = np.unique(data.source[rows], return_inverse=True)
    owner = data.group[rows] * len(sources) + number
    order = np.argsort(owner, kind="stable")
    sizes = np.bincount(owner, minlength=groups * len(sources))
    starts = np.cumsum(sizes) - sizes
    place = np.arange(len(rows)) - starts[owner[order]]
    shape = groups * len(sources), int(sizes.max(initial=1))
    terms = np.zeros(shape, int)
    terms[owner[order], place] = data.term[rows[order]]
    by_group = sizes.reshape(groups, len(sources))
    full = (*by_group.shape, shape[1])
    none = (np.arange(shape[1]) >= sizes[:, None]).reshape(full)
    picked, widths = _intervals(by_group)
    return SourceSets(
        sources, terms.reshape(full), none, picked if none.any() else None, widths,
    )  # fmt: skip


def _intervals(sizes: Ints) -> tuple[Ints, Array]:
    """Return intervals on which the quantile functions of sets of these sizes (T, S') are constant.

    Returns:
        (T, S', K) which of its sorted values each set has there, and (S', K) widths.
    """
    kinds, kind = np.unique(sizes, axis=1, return_inverse=True)
    found = []
    for of_groups in kinds.T:
        ends = np.unique(np.concatenate([np.arange(1, n + 1) / n for n in of_groups]).round(12))
        widths = np.diff(ends, prepend=0)
        found.append((((ends - widths / 2) * of_groups[:, None]).astype(int), widths))
    most = max((len(widths) for _, widths in found), default=1)
    picked = np.zeros((len(sizes), len(found), most), int)
    all_widths = np.zeros((len(found), most))
    for i, (places, widths) in enumerate(found):
        picked[:, i, : len(widths)] = places
        all_widths[i, : len(widths)] = widths
    kind = kind.ravel()
    return picked[:, kind], all_widths[kind]


def checked(tuples: Tuples | None) -> Tuples:
    """Return the variations; UserError if there are none."""
    if tuples is None:
        raise UserError(
            "fairness: counterfactual metrics need sources with variations of all groups"
        )
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
        UserError: a source has a term twice, or variations of a source differ in gold class.
    """
    if not data.has_sources or data.y_true is None:
        return None
    table = np.full((len(data.sources), len(data.term_group)), -1)
    table[data.source, data.term] = np.arange(len(data))
    gold = np.empty(len(data.sources), int)
    gold[data.source] = data.y_true
    if (table >= 0).sum() < len(data):
        twice = np.flatnonzero(table[data.source, data.term] != np.arange(len(data)))[0]
        what = f"the source {data.sources[data.source[twice]]!r} has one term twice"
        raise UserError(f"fairness: {what}: name its variations apart")
    if (wrong := np.flatnonzero(gold[data.source] != data.y_true)).size:
        source = data.sources[data.source[wrong[0]]]
        raise UserError(f"fairness: variations of the source {source!r} differ in gold class")
    picked, owners = [], []
    rng = generator(seed, "fairness variations", *data.sources, *data.terms)
    for s in range(len(data.sources)):
        terms = np.flatnonzero(table[s] >= 0)
        of_groups = [terms[data.term_group[terms] == g] for g in range(len(data.groups))]
        sizes = [len(each) for each in of_groups]
        if min(sizes):
            chosen = _product(sizes, most, rng)
            columns = [each[i] for each, i in zip(of_groups, chosen.T, strict=True)]
            picked.append(np.stack(columns, axis=1))
            owners += [s] * len(chosen)
    if not picked:
        return None
    source = np.array(owners)
    return Tuples(np.concatenate(picked), source, gold[source], table, np.unique(source))


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
