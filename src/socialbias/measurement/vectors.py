"""The bias of words in vectors, and with other words of the groups, other documents, other words.

All that resamples or shuffles the words of groups is here; what is its own to a table or a command
are its words, its options, and the names of its streams of random numbers.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from socialbias.embeddings.vectors import WordVectors
from socialbias.measurement.estimates import uncertain
from socialbias.measurement.random_words import Baseline
from socialbias.measurement.reliability import divisions, over_words
from socialbias.measures.placebo import RandomWords, are_near, axis, neighbouring_sets
from socialbias.measures.registry import Measure
from socialbias.measures.weat import effect_size
from socialbias.stats.draws import widened
from socialbias.stats.intervals import Difference
from socialbias.stats.reliability import Reliability
from socialbias.stats.similarity import Array, cosine_matrix, group_means, unit_rows

HALVES = 50  # divisions of the group words
SEEDS, PAIRS = 200, 1000  # sets like either set of a WEAT, and pairs of them
MIN_ASSOCIATION = 1e-12  # an association that is more than rounding
OfWords = Callable[[Array, Sequence[Array]], Array]  # (n, d) words and groups -> (n,)


class VectorBias:
    """A measure of words between groups in some vectors.

    Attributes:
        values: (n,) biases of the targets, also of those without a share.
        random_words: The words that positions are measured among; None of another measure.
        sizes: Number of units in each list that is resampled: words, or pairs of them.
        resampled: Vectors from resampled documents, or in each template, or None.
    """

    def __init__(
        self,
        vectors: WordVectors,
        targets: Sequence[str],
        groups: Sequence[Sequence[str]],
        measure: Measure,
        resampled: Array | None = None,
        undefined: OfWords | None = None,
        random: Baseline | None = None,
    ):
        """Look the words up and measure the targets; `undefined` tells which words have no bias.

        `resampled` are vectors (r, all words, d) from resampled documents, or in each template, if
        any, and `random` the words that positions are measured among.
        """
        self.targets, self.lists, self.measure = list(targets), groups, measure
        self._vectors, self.resampled = vectors, resampled
        self._undefined = undefined or partial(without_share, measure)
        self.random_words, self._kinds = None, {}
        if measure.name == "position":
            self._kinds = random.kinds
            self.random_words = RandomWords(
                vectors.rows(random.words), self._kinds_of(random.words)
            )
        self._as_they_are = {  # thousands of resamples read these
            tuple(words): vectors.rows(words) for words in (self.targets, *groups)
        }
        self.sizes = [len(words) for words in (groups[:1] if measure.pairs else groups)]
        self.values = self._quietly(self.targets, self.groups())

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
        """The place of the group whose mean vector is nearest to each target.

        Among random words it is the group towards which a target lies farthest from the others.
        """
        rows, groups = self.rows(self.targets), self.groups()
        if self.random_words is None:
            return cosine_matrix(rows, group_means(groups)).argmax(axis=1).tolist()
        axes = [axis([group, *groups[:i], *groups[i + 1 :]]) for i, group in enumerate(groups)]
        found = self.random_words.positions(rows, self._kinds_of(self.targets), np.stack(axes))
        return found.argmax(axis=0).tolist()

    def biases(self, words: Sequence[str]) -> Array:
        """Return the biases of any words, (m,); NaN if undefined."""
        groups = self.groups()
        undefined = self._undefined(self.rows(words), groups)
        return np.where(undefined, np.nan, self._quietly(words, groups))

    def known(self, words: Sequence[str]) -> list[str]:
        """Return the words that have a vector."""
        return self._vectors.known(words)

    def far(self, words: Sequence[str]) -> list[str]:
        """Return the words that have a vector and are no near neighbours of group words."""
        known = self.known(words)
        near = are_near(self._vectors.rows(known), self.groups()) if known else []
        return [word for word, is_near in zip(known, near, strict=True) if not is_near]

    def in_draw(self, draw: int) -> Array:
        """Return the biases of the targets in one of the resampled spaces, (n,)."""
        return self._quietly(self.targets, self.groups(draw), draw)

    def samples(self, rng: np.random.Generator, draws: int, of: OfWords | None = None) -> Array:
        """Return biases (draws, n) with resampled group words, or what else is computed of them."""
        drawn = self._resampled_groups(draws, rng)
        if self.random_words is not None and self.resampled is None and len(self.lists) == 2:
            axes = np.stack([axis(groups) for groups in drawn])
            kinds = self._kinds_of(self.targets)
            return self.random_words.positions(self.rows(self.targets), kinds, axes)
        return np.stack([self._quietly(self.targets, g, i, of) for i, g in enumerate(drawn)])

    def _resampled_groups(self, draws: int, rng: np.random.Generator) -> Iterator[list[Array]]:
        """Yield vectors of resampled words of each group, or of pairs of them."""
        counts = [rng.multinomial(m, np.full(m, 1 / m), size=draws) for m in self.sizes]
        for i, drawn in enumerate(zip(*counts, strict=True)):
            places = [np.repeat(np.arange(len(times)), times) for times in drawn]
            places *= len(self.lists) // len(places)  # words of a pair are drawn together
            yield [group[at] for group, at in zip(self.groups(i), places, strict=True)]

    def shuffled(self, draws: int, rng: np.random.Generator) -> Array:
        """Return biases (draws, n) with group words exchanged between the groups at random."""
        words = [word for group in self.lists for word in group]
        drawn = self._random_groups(words, draws, rng)
        return np.stack([self._quietly(self.targets, groups) for groups in drawn])

    def with_words_of(self, words: Sequence[str], draws: int, rng: np.random.Generator) -> Array:
        """Return biases (draws, n) with random words of a list for the groups; NaN if undefined."""
        targets, biases = self.rows(self.targets), []
        for groups in self._random_groups(words, draws, rng):
            undefined = self._undefined(targets, groups)
            biases.append(np.where(undefined, np.nan, self._quietly(self.targets, groups)))
        return np.stack(biases)

    def _random_groups(
        self, words: Sequence[str], draws: int, rng: np.random.Generator
    ) -> Iterator[list[Array]]:
        """Yield vectors of random words, as many for each group as it has."""
        ends, rows = np.cumsum([len(group) for group in self.lists]), self.rows(words)
        for _ in range(draws):
            order = rng.permutation(len(words))[: ends[-1]]
            yield [rows[at] for at in np.split(order, ends[:-1])]

    def units(self, *lists: Sequence[str]) -> list[Array]:
        """Return unit vectors of words, centred on the last list."""
        rows = [self.rows(words) for words in lists]
        return [unit_rows(each - rows[-1].mean(axis=0)) for each in rows]

    def with_halves(self, words: Sequence[str]) -> Iterator[tuple[Array, Array]]:
        """Yield the biases of the targets and of other words with random halves of the groups."""
        for halves in islice(divisions(self.sizes, self.measure.pairs), HALVES):
            for places in halves:
                places *= len(self.lists) // len(places)  # words of a pair are drawn together
                groups = [group[at] for group, at in zip(self.groups(), places, strict=True)]
                yield self._quietly(self.targets, groups), self._quietly(words, groups)

    def neighbours(
        self, words: Sequence[str], sets: Sequence[Sequence[str]], rng: np.random.Generator
    ) -> Array:
        """Return effect sizes of pairs of sets of neighbouring words that are like these sets."""
        biases, rows, made = self.biases(words), self.rows(words), []
        for chosen in sets:
            found, _ = neighbouring_sets(rows, self.rows(chosen), rng, SEEDS)
            made.append(found[rng.integers(len(found), size=PAIRS)])
        return np.array([effect_size(biases[x], biases[y]) for x, y in zip(*made, strict=True)])

    def reliability(self, level: float, which: Sequence[int] | None = None) -> Reliability:
        """Return that of the ranking of (some) targets, by random halves of the group words."""
        chosen = np.arange(len(self.targets)) if which is None else which
        return over_words(
            lambda groups: self._by(self.targets, groups)[chosen],
            self.groups(),
            [self.targets[i] for i in chosen],
            level,
            self.measure.pairs,
        )

    def apart(
        self, target: str, words: Sequence[str], draws: int, rng: np.random.Generator, level: float
    ) -> tuple[float, Array, Difference]:
        """Return the bias of a word, those of others, and its distance from their mean.

        Biases are NaN where undefined. The interval is over words of the groups, the same for all
        words.
        """
        every = [target, *words]
        own, *others = self.biases(every)
        if np.isnan(others).all():
            return float(own), np.array(others), Difference(np.nan, np.nan, np.nan, np.nan)
        drawn = [self._quietly(every, each) for each in self._resampled_groups(draws, rng)]
        value = own - np.nanmean(others)
        samples = np.array([each[0] - np.nanmean(each[1:]) for each in drawn])
        found = uncertain(value, widened(samples, value, *self.sizes), level)
        return float(own), np.array(others), found

    def _quietly(
        self,
        words: Sequence[str],
        groups: Sequence[Array],
        draw: int = -1,
        of: OfWords | None = None,
    ) -> Array:
        with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
            # Other words may leave the range even if the list does not, and rows note the rest.
            warnings.simplefilter("ignore")
            return self._by(words, groups, draw) if of is None else of(self.rows(words), groups)

    def _by(self, words: Sequence[str], groups: Sequence[Array], draw: int = -1) -> Array:
        rows = self.rows(words, draw)
        if self.random_words is None:
            return self.measure.function(rows, groups)
        return self.random_words.position(rows, self._kinds_of(words), groups)

    def _kinds_of(self, words: Sequence[str]) -> NDArray[np.int64]:
        return np.array([self._kinds.get(word, 0) for word in words])


def without_share(measure: Measure, rows: Array, groups: Sequence[Array]) -> NDArray[np.bool_]:
    """Return which rows have no share, (n,): an association is negative, or none is above 0."""
    shareless = measure.negative(rows, groups)
    if measure.divdist is not None and measure.options["normalize"] != "softmax":
        shareless |= (measure.divdist.strengths(rows, groups) <= MIN_ASSOCIATION).all(axis=1)
    return shareless


def fewest_units(pairs: bool) -> int:
    """Return how many words, or pairs, are needed to leave one out: a direction takes two pairs."""
    return 3 if pairs else 2
