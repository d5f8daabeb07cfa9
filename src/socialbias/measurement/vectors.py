"""The bias of words in vectors, and with other words of the groups, other documents, other words.

All that resamples or shuffles the words of groups is here; what is its own to a table or a command
are its words, its options, and the names of its streams of random numbers.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from socialbias.embeddings.vectors import WordVectors
from socialbias.measurement.estimates import UNKNOWN, mean_of_known
from socialbias.measurement.reliability import over_words
from socialbias.measures.placebo import are_near, neighbouring_sets
from socialbias.measures.registry import Measure
from socialbias.measures.weat import effect_size
from socialbias.stats.reliability import Reliability
from socialbias.stats.similarity import Array, cosine_matrix, group_means
from socialbias.stats.two_way import Difference, mean_difference

MIN_ASSOCIATION = 1e-12  # an association that is more than rounding
OfWords = Callable[[Array, Sequence[Array]], Array]  # (n, d) words and groups -> (n,)


class VectorBias:
    """A measure of words between groups in some vectors.

    Attributes:
        values: (n,) biases of the targets, also of those without a share.
        sizes: Number of units in each list that is resampled: words, or pairs of them.
        resampled: Vectors from resampled documents, or None.
    """

    def __init__(
        self,
        vectors: WordVectors,
        targets: Sequence[str],
        groups: Sequence[Sequence[str]],
        measure: Measure,
        resampled: Array | None = None,
        undefined: OfWords | None = None,
    ):
        """Look the words up and measure the targets; `undefined` tells which words have no bias.

        `resampled` are vectors from resampled documents (r, all words, d), if any.
        """
        self.targets, self.lists, self.measure = list(targets), groups, measure
        self._vectors, self.resampled = vectors, resampled
        self._undefined = undefined or partial(without_share, measure)
        self._as_they_are = {  # thousands of resamples read these
            tuple(words): vectors.rows(words) for words in (self.targets, *groups)
        }
        self.sizes = [len(words) for words in (groups[:1] if measure.pairs else groups)]
        self.values = self._quietly(self.rows(self.targets), self.groups())

    def rows(self, words: Sequence[str], draw: int = -1) -> Array:
        """Return the vectors of words, original (-1) or from the documents of a draw, (n, d)."""
        if draw < 0 or self.resampled is None:
            known = self._as_they_are.get(tuple(words))
            return self._vectors.rows(words) if known is None else known
        at = [self._vectors.index[word] for word in words]
        return self.resampled[draw % len(self.resampled), at].astype(np.float64)

    def groups(self, draw: int = -1) -> list[Array]:
        """Return the vectors of each group's words."""
        return [self.rows(words, draw) for words in self.lists]

    @property
    def without_share(self) -> NDArray[np.bool_]:
        """(n,) whether a target has no bias."""
        return self._undefined(self.rows(self.targets), self.groups())

    @property
    def negative(self) -> NDArray[np.bool_]:
        """(n,) whether an association of a target is negative, which makes no share."""
        return self.measure.negative(self.rows(self.targets), self.groups())

    @property
    def nearest_groups(self) -> list[int]:
        """The place of the group whose mean vector is nearest to each target."""
        means = group_means(self.groups())
        return cosine_matrix(self.rows(self.targets), means).argmax(axis=1).tolist()

    def biases(self, words: Sequence[str]) -> Array:
        """Return the biases of any words, (m,); NaN if undefined."""
        rows, groups = self.rows(words), self.groups()
        undefined = self._undefined(rows, groups)
        return np.where(undefined, np.nan, self._quietly(rows, groups))

    def known(self, words: Sequence[str]) -> list[str]:
        """Return the words that have a vector."""
        return self._vectors.known(words)

    def far(self, words: Sequence[str]) -> list[str]:
        """Return the words that have a vector and are no near neighbours of group words."""
        known = self.known(words)
        near = are_near(self._vectors.rows(known), self.groups()) if known else []
        return [word for word, is_near in zip(known, near, strict=True) if not is_near]

    def samples(self, rng: np.random.Generator, draws: int, of: OfWords | None = None) -> Array:
        """Return biases (draws, n) with resampled group words, or what else is computed of them."""
        counts = [rng.multinomial(m, np.full(m, 1 / m), size=draws) for m in self.sizes]
        samples = []
        for i, drawn in enumerate(zip(*counts, strict=True)):
            places = [np.repeat(np.arange(len(times)), times) for times in drawn]
            places *= len(self.lists) // len(places)  # words of a pair are drawn together
            groups = [group[at] for group, at in zip(self.groups(i), places, strict=True)]
            samples.append(self._quietly(self.rows(self.targets, i), groups, of))
        return np.stack(samples)

    def shuffled(self, draws: int, rng: np.random.Generator) -> Array:
        """Return biases (draws, n) with group words exchanged between the groups at random."""
        words, targets = [word for group in self.lists for word in group], self.rows(self.targets)
        drawn = self._random_groups(words, draws, rng)
        return np.stack([self._quietly(targets, groups) for groups in drawn])

    def with_words_of(self, words: Sequence[str], draws: int, rng: np.random.Generator) -> Array:
        """Return biases (draws, n) with random words of a list for the groups; NaN if undefined."""
        targets = self.rows(self.targets)
        biases = []
        for groups in self._random_groups(words, draws, rng):
            undefined = self._undefined(targets, groups)
            biases.append(np.where(undefined, np.nan, self._quietly(targets, groups)))
        return np.stack(biases)

    def _random_groups(
        self, words: Sequence[str], draws: int, rng: np.random.Generator
    ) -> Iterator[list[Array]]:
        """Yield vectors of random words, as many for each group as it has."""
        ends, rows = np.cumsum([len(group) for group in self.lists]), self.rows(words)
        for _ in range(draws):
            order = rng.permutation(len(words))[: ends[-1]]
            yield [rows[at] for at in np.split(order, ends[:-1])]

    def neighbours(
        self, words: Sequence[str], sets: Sequence[Sequence[str]], rng: np.random.Generator
    ) -> Array:
        """Return effect sizes of pairs of sets of neighbouring words that are like these sets."""
        biases = self.biases(words)
        made = neighbouring_sets(self.rows(words), [self.rows(chosen) for chosen in sets], rng)
        return np.array([effect_size(biases[x], biases[y]) for x, y in zip(*made, strict=True)])

    def reliability(self, level: float, which: Sequence[int] | None = None) -> Reliability:
        """Return that of the ranking of (some) targets, by random halves of the group words."""
        chosen = np.arange(len(self.targets)) if which is None else which
        targets = self.rows(self.targets)
        return over_words(
            lambda groups: self.measure.function(targets, groups)[chosen],
            self.groups(),
            [self.targets[i] for i in chosen],
            level,
            self.measure.pairs,
        )

    def compared(
        self, lists: Sequence[Sequence[str]], level: float
    ) -> tuple[list[Array], list[Difference]]:
        """Compare the first list of words with 0 and with each other list.

        Intervals are over the words of groups, which are the same for all lists, over documents,
        and over the words of the lists. With the biases of each list, NaN where undefined, comes
        the first list's mean, then that less each other list's.
        """
        words = [word for each in lists for word in each]
        values = self.biases(words)
        # A resample without a bias tells nothing: the word's own stands in for it.
        rows, without = self.rows(words), []
        for left_out in each_left_out(self.groups(), self.measure.pairs):
            deleted = np.stack([self._quietly(rows, groups) for groups in left_out])
            without.append(np.where(np.isnan(deleted), values, self._clipped(deleted)))
        over = self._over_documents(words)
        ends, known = np.cumsum([len(each) for each in lists])[:-1], ~np.isnan(values)
        own, *others = (at[known[at]] for at in np.split(np.arange(len(words)), ends))
        differences = []
        for other in (own[:0], *others):
            more = 0.0
            if len(over) > 1 and len(own):
                means = mean_of_known(over[:, own])
                means = means - (mean_of_known(over[:, other]) if len(other) else 0.0)
                more = float(np.nanvar(means, ddof=1))
            pairs = [(deleted[:, own], deleted[:, other]) for deleted in without]
            differences.append(
                mean_difference(values[own], values[other], pairs, level, more)
                if len(own)
                else UNKNOWN
            )
        return np.split(values, ends), differences

    def _over_documents(self, words: Sequence[str]) -> Array:
        """Return the biases with vectors from each resample of documents, (r, m)."""
        draws = range(0 if self.resampled is None else len(self.resampled))
        each = [self._quietly(self.rows(words, i), self.groups(i)) for i in draws]
        return self._clipped(np.stack(each)) if each else np.empty((0, len(words)))

    def _quietly(self, rows: Array, groups: Sequence[Array], of: OfWords | None = None) -> Array:
        with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
            # Other words may leave the range even if the list does not, and rows note the rest.
            warnings.simplefilter("ignore")
            return (of or self.measure.function)(rows, groups)

    def _clipped(self, biases: Array) -> Array:
        return np.clip(biases, self.measure.low, self.measure.high)


def without_share(measure: Measure, rows: Array, groups: Sequence[Array]) -> NDArray[np.bool_]:
    """Return which rows have no share, (n,): an association is negative, or none is above 0."""
    shareless = measure.negative(rows, groups)
    if measure.divdist is not None and measure.options["normalize"] != "softmax":
        shareless |= (measure.divdist.strengths(rows, groups) <= MIN_ASSOCIATION).all(axis=1)
    return shareless


def fewest_units(pairs: bool) -> int:
    """Return how many words, or pairs, are needed to leave one out: a direction takes two pairs."""
    return 3 if pairs else 2


def each_left_out(groups: Sequence[Array], pairs: bool) -> Iterator[Iterator[list[Array]]]:
    """Yield, for each group that is resampled, the groups without each of its words, or pairs."""
    for own, group in enumerate(groups[:1] if pairs else groups):
        if len(group) >= fewest_units(pairs):
            yield (
                [
                    np.delete(other, at, axis=0) if pairs or i == own else other
                    for i, other in enumerate(groups)
                ]
                for at in range(len(group))
            )


def share_as_large(null: Array, values: Array) -> Array:
    """Return two-sided p-values: shares of draws (draws, ...) as far from 0 as `values` (...).

    NaN where a value is; draws that are NaN do not count.
    """
    as_large = np.abs(null) >= np.abs(values) - 1e-12
    shares = (1 + as_large.sum(axis=0)) / (1 + (~np.isnan(null)).sum(axis=0))
    return np.where(np.isnan(values), np.nan, shares)
