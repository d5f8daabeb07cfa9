"""Predictions of a model on examples that mention groups: what fairness metrics are computed from.

Czarnowska, Vyas and Shah 2021, section 2: each source example (a template, or a sentence) has
variations that name a group by one of its identity terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from socialbias.errors import UserError

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Predictions:
    """A model's predictions on n examples of T groups; made by `predictions` or `span_counts`.

    Attributes:
        groups: Names of the T groups, in the order of first mention.
        classes: Names of the c classes.
        sources: Names of the S source examples.
        terms: Names of the V identity terms; empty where they are unknown.
        group: (n,) the group of each example.
        source: (n,) its source example. Where none is known each example is its own.
        term: (n,) its term; where none is known, its number within source and group.
        term_group: (V',) the group of each term.
        stratum: (V',) terms that fit the same slots, as numbers. Terms are dealt and resampled
            within them.
        counts: (n, c, 3) true positives, predictions and gold labels of each class.
        y_true: (n,) gold class; None for counts of spans.
        probabilities: (n, c), or None.
        has_sources: Whether source examples are known.
    """

    groups: tuple[str, ...]
    classes: tuple[str, ...]
    sources: tuple[str, ...]
    terms: tuple[str, ...]
    group: Ints
    source: Ints
    term: Ints
    term_group: Ints
    stratum: Ints
    counts: Array
    y_true: Ints | None
    probabilities: Array | None
    has_sources: bool
    _sorted: dict[tuple[int, int | None], tuple[Ints, Array]] = field(
        default_factory=dict, init=False
    )

    def __len__(self) -> int:
        return len(self.group)

    def sorted_values(self, of: int, gold: int | None) -> tuple[Ints, Array]:
        """Examples in the order of the probability of a class.

        Args:
            of: The number of the class.
            gold: Only the examples of this gold class; None for all.

        Returns:
            (k,) examples, and (k,) their probabilities.

        Raises:
            UserError: there are no probabilities.
        """
        if self.probabilities is None:
            raise UserError("fairness: metrics of probabilities need probabilities")
        if (of, gold) not in self._sorted:
            rows = np.arange(len(self))
            if gold is not None:
                rows = np.flatnonzero(self.y_true == gold)
            values = self.probabilities[rows, of]
            order = np.argsort(values, kind="stable")
            self._sorted[of, gold] = rows[order], values[order]
        return self._sorted[of, gold]

    @cached_property
    def missing_variants(self) -> list[tuple[str, str]]:
        """Source examples and groups without a variation of them.

        A group can lack the word class of a template's slot. Counterfactual metrics compare all
        groups on each source example, and leave such a source out.
        """
        if not self.has_sources:
            return []
        present = np.zeros((len(self.sources), len(self.groups)), bool)
        present[self.source, self.group] = True
        return [(self.sources[s], self.groups[g]) for s, g in np.argwhere(~present)]

    @cached_property
    def single_terms(self) -> tuple[str, ...]:
        """Groups with nothing to resample: at most one term of each word class."""
        if not self.terms:
            return self.groups
        kinds = np.unique(np.column_stack([self.term_group, self.stratum]), axis=0)
        many = np.bincount(self.term_group, minlength=len(self.groups)) > np.bincount(
            kinds[:, 0], minlength=len(self.groups)
        )
        return tuple(name for name, several in zip(self.groups, many, strict=True) if not several)


def predictions(
    y_true: ArrayLike,
    y_pred: ArrayLike | None = None,
    *,
    group: ArrayLike,
    probabilities: ArrayLike | None = None,
    source: ArrayLike | None = None,
    term: ArrayLike | None = None,
    word_class: ArrayLike | None = None,
    classes: Sequence[object] | None = None,
) -> Predictions:
    """Anyone's predictions, with labels and names of any kind.

    Args:
        y_true: (n,) gold labels, or their numbers where `classes` names them.
        y_pred: (n,) predicted labels; by default the class of the largest probability.
        group: (n,) the group that each example mentions.
        probabilities: (n, c), columns in the order of `classes`.
        source: (n,) the source example (template), without which there are no counterfactual
            metrics.
        term: (n,) the identity term, without which nothing is dealt and intervals are over source
            examples alone. A term belongs to one group.
        word_class: (n,) the word class of the term. Terms of one class that occur with the same
            sources can stand for one another; by default all that occur with the same sources.
        classes: The c labels; by default those that occur, sorted.

    Raises:
        UserError: lengths differ, a label is not a class, a probability is outside 0 to 1, or a
            term belongs to two groups.
    """
    gold, n = np.asarray(y_true), len(np.asarray(y_true))
    if probabilities is not None:
        probabilities = np.asarray(probabilities, float)
        if probabilities.ndim != 2 or len(probabilities) != n:
            raise UserError(f"fairness: probabilities of {n} examples, got {probabilities.shape}")
        if not ((probabilities >= 0) & (probabilities <= 1)).all():
            raise UserError("fairness: a probability is outside 0 to 1")
    if classes is None:
        labels = gold if y_pred is None else np.concatenate([gold, np.asarray(y_pred)])
        classes = np.unique(labels).tolist()
        if probabilities is not None and labels.dtype.kind in "iu":  # numbers of columns
            classes = range(probabilities.shape[1])
    true = _numbers(gold, classes, "gold label")
    if probabilities is not None and probabilities.shape[1] != len(classes):
        raise UserError(
            f"fairness: {probabilities.shape[1]} columns of probabilities for"
            f" {len(classes)} classes; name all classes"
        )
    if y_pred is not None:
        predicted = _numbers(np.asarray(y_pred), classes, "predicted label")
    elif probabilities is not None:
        predicted = probabilities.argmax(axis=1)
    else:
        raise UserError("fairness: neither predictions nor probabilities")
    if len(predicted) != len(true):
        raise UserError(f"fairness: {len(true)} gold and {len(predicted)} predicted labels")
    is_true, is_predicted = np.eye(len(classes))[true], np.eye(len(classes))[predicted]
    counts = np.stack([is_true * is_predicted, is_predicted, is_true], axis=2)
    layout = _layout(n, group, source, term, word_class)
    names = tuple(map(str, classes))
    return Predictions(
        classes=names, counts=counts, y_true=true, probabilities=probabilities, **layout
    )


def span_counts(
    true_positives: ArrayLike,
    false_positives: ArrayLike,
    false_negatives: ArrayLike,
    *,
    group: ArrayLike,
    classes: Sequence[object],
    source: ArrayLike | None = None,
    term: ArrayLike | None = None,
    word_class: ArrayLike | None = None,
) -> Predictions:
    """Exact spans of a sequence labeller, counted in each sentence (section 5.1).

    There are no true negatives: metrics of false positive rates have no value.

    Args:
        true_positives: (n, c) spans of each class in n sentences that are found exactly.
        false_positives: (n, c) spans predicted and not there, or not exactly.
        false_negatives: (n, c) spans not found.
        group: (n,) the group that each sentence mentions.
        classes: The c classes.
        source: (n,) as for `predictions`, and so are the others.
        term: (n,).
        word_class: (n,).

    Raises:
        UserError: shapes differ, or a count is negative.
    """
    found, false, missed = (
        np.asarray(x, float) for x in (true_positives, false_positives, false_negatives)
    )
    if found.ndim != 2 or not found.shape == false.shape == missed.shape:
        raise UserError(
            "fairness: counts of spans need one shape (sentences, classes), got"
            f" {found.shape}, {false.shape}, {missed.shape}"
        )
    if found.shape[1] != len(classes):
        raise UserError(f"fairness: counts of {found.shape[1]} classes, {len(classes)} names")
    if min(x.min(initial=0) for x in (found, false, missed)) < 0:
        raise UserError("fairness: a count of spans is negative")
    counts = np.stack([found, found + false, found + missed], axis=2)
    layout = _layout(len(found), group, source, term, word_class)
    names = tuple(map(str, classes))
    return Predictions(classes=names, counts=counts, y_true=None, probabilities=None, **layout)


def _numbers(labels: NDArray, names: Sequence[object], what: str) -> Ints:
    """Return the number of each label; whole numbers count names that are no numbers, from 0."""
    places = {str(name): i for i, name in enumerate(names)}
    found, inverse = np.unique(labels, return_inverse=True)
    if labels.dtype.kind in "iu" and not places.keys() & set(map(str, found)):
        places = {str(i): i for i in range(len(names))}
    if unknown := [label for label in map(str, found) if label not in places]:
        raise UserError(f"fairness: {what} {unknown[0]!r} is not one of {', '.join(places)}")
    return np.array([places[str(label)] for label in found], int)[inverse]


def _coded(values: ArrayLike, n: int, what: str) -> tuple[Ints, tuple[str, ...]]:
    """Numbers of names by first mention, and the names."""
    values = np.asarray(values)
    if values.shape != (n,):
        raise UserError(f"fairness: {what} of {n} examples, got the shape {values.shape}")
    if values.dtype == object:
        values = values.astype(str)
    names, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(names), int)
    rank[order] = np.arange(len(names))
    return rank[inverse], tuple(map(str, names[order].tolist()))


def _layout(
    n: int,
    group: ArrayLike,
    source: ArrayLike | None,
    term: ArrayLike | None,
    word_class: ArrayLike | None,
) -> dict:
    """Index arrays of groups, sources and terms."""
    owner, names = _coded(group, n, "groups")
    if len(names) < 2:
        raise UserError("fairness: only one group: a comparison needs two or more")
    unit, sources = np.arange(n), tuple(map(str, range(n)))
    if source is not None:
        unit, sources = _coded(source, n, "sources")
    if term is None:
        code, terms = _within(unit, owner), ()
        term_group = np.zeros(code.max() + 1, int)
        term_group[code] = owner
        stratum = np.arange(len(term_group))
    else:
        code, terms = _coded(term, n, "terms")
        term_group = np.empty(len(terms), int)
        term_group[code] = owner
        if (wrong := np.flatnonzero(term_group[code] != owner)).size:
            i = wrong[0]
            both = f"{names[owner[i]]} and {names[term_group[code[i]]]}"
            raise UserError(f"fairness: the term {terms[code[i]]!r} belongs to {both}")
        stratum = _strata(code, unit, len(terms), len(sources), word_class)
    return {
        "groups": names, "sources": sources, "terms": terms, "group": owner, "source": unit,
        "term": code, "term_group": term_group, "stratum": stratum,
        "has_sources": source is not None,
    }  # fmt: skip


def _within(source: Ints, group: Ints) -> Ints:
    """Numbers of examples within source and group, other numbers for each group."""
    order = np.lexsort([group, source])
    keys = np.column_stack([source, group])[order]
    new = np.r_[True, (np.diff(keys, axis=0) != 0).any(axis=1)]
    starts = np.flatnonzero(new)
    number = np.arange(len(order)) - starts[np.cumsum(new) - 1]
    code = np.empty(len(order), int)
    code[order] = number * (group.max() + 1) + group[order]
    return np.unique(code, return_inverse=True)[1]


def _strata(
    code: Ints, source: Ints, n_terms: int, n_sources: int, word_class: ArrayLike | None
) -> Ints:
    """Numbers of the strata of terms: one word class, and the same sources.

    Sets of sources are compared by the sums of random numbers, which for different sets are equal
    once in 2**64.
    """
    marks = np.random.default_rng(0).integers(2**63, size=n_sources, dtype=np.uint64)
    pairs = np.unique(code * n_sources + source)
    sums = np.zeros(n_terms, np.uint64)
    np.add.at(sums, pairs // n_sources, marks[pairs % n_sources])
    kind = np.zeros(n_terms, np.uint64)
    if word_class is not None:
        kind[code] = _coded(word_class, len(code), "word classes")[0]
    return np.unique(np.column_stack([sums, kind]), axis=0, return_inverse=True)[1].ravel()
