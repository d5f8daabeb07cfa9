"""Placebo words: what any other words of the same vectors would give.

A bias of some targets means something where other words have less of it. Placebo words are drawn
from the vocabulary of the vectors: alphabetic words that are in no list in use, are no first
names, are as frequent as the targets, and are no near neighbours of the group words.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from socialbias.stats.seeding import generator
from socialbias.stats.similarity import Array, cosine_matrix, unit_rows

WANTED_WORDS = 1000  # placebo words, where the vocabulary has them
MIN_WORDS = 100  # fewer say little of what any word would give
NEAR_SDS = 3.0  # standard deviations of a group word's cosines above their mean
MIN_LETTERS = 3  # letters of a Latin word: shorter ones are mostly abbreviations
ALPHABETIC, SORTED = 1000, 0.9  # words looked at, and the share of them in alphabetical order
SURE_ERRORS = 5.0  # standard errors by which frequent words must be shorter
SETS = 500  # of neighbouring words, so that a p-value is exact to 0.002
OCTAVE = 2.0  # a placebo word's rank is within this factor of a target's


@dataclass(frozen=True)
class Drawn:
    """Words that were drawn as placebo words.

    Attributes:
        words: Distinct words, in random order: the first m are a sample of m.
        matched: Whether their frequency ranks are matched to those of the targets.
    """

    words: list[str]
    matched: bool


def is_by_frequency(vocabulary: Sequence[str]) -> bool:
    """Return whether words stand in order of frequency, judged by their lengths.

    Frequent words are shorter (Zipf's law of abbreviation): the first tenth must be, by five
    standard errors. An alphabetical list is none.
    """
    words = [word for word in vocabulary if word.isalpha()]
    start = words[:ALPHABETIC]
    ascending = sum(a <= b for a, b in pairwise(start))
    if len(words) < 100 or ascending > SORTED * len(start):
        return False
    lengths = np.fromiter(map(len, words), float, len(words))
    first, rest = np.split(lengths, [len(words) // 10])
    error = np.sqrt(first.var() / len(first) + rest.var() / len(rest))
    return bool(rest.mean() - first.mean() > SURE_ERRORS * error)


def draw(
    vocabulary: Iterable[str],
    targets: Iterable[str],
    left_out: Iterable[str],
    seed: int,
    number: int = WANTED_WORDS,
    by_frequency: bool | None = None,
    by_target: bool = True,
) -> Drawn:
    """Draw candidates for placebo words from a vocabulary.

    Args:
        vocabulary: All words, in the order of the file.
        targets: The words that they should be like: in lower case if all of these are, and as
            frequent, if the vocabulary is sorted by frequency.
        left_out: Words of lists in use and first names, in whatever case.
        seed: Random seed.
        number: How many to draw; all that there are, where there are fewer.
        by_frequency: Whether the vocabulary is sorted by frequency; None to judge by its words.
        by_target: Whether to draw equally many words as frequent as each target, and not any that
            are as frequent as some targets.
    """
    vocabulary, targets = list(dict.fromkeys(vocabulary)), list(dict.fromkeys(targets))
    unwanted = {word.lower() for word in [*left_out, *targets]}
    lower = all(word == word.lower() for word in targets)
    usable = np.array(
        [
            i
            for i, word in enumerate(vocabulary)
            if word.isalpha()
            and (len(word) >= MIN_LETTERS or not word.isascii())
            and word.lower() not in unwanted
            and not (lower and word != word.lower())
        ],
        dtype=np.int64,
    )
    ranks = {word: i for i, word in enumerate(vocabulary)}
    known = {ranks.get(word, ranks.get(word.lower(), -1)) for word in targets} - {-1}
    known = np.array(sorted(known), dtype=np.int64)
    # Targets that are not in the vocabulary change nothing.
    rng = generator(seed, "placebo words", *sorted(vocabulary[i] for i in known))
    ordered = is_by_frequency(vocabulary) if by_frequency is None else by_frequency
    matched = len(known) > 0 and ordered
    if matched and not by_target:
        like = (usable >= known.min() / OCTAVE) & (usable <= known.max() * OCTAVE)
        usable = usable[like] if like.sum() >= WANTED_WORDS else usable
    by_target = matched and by_target
    chosen = as_frequent(usable, known, number, rng) if by_target else rng.permutation(usable)
    return Drawn([vocabulary[i] for i in chosen[:number]], matched)


def as_frequent(
    usable: NDArray[np.int64], ranks: NDArray[np.int64], number: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return equally many ranks for each target, within a factor of two of its own if there are."""
    free = np.ones(len(usable), bool)
    each = -(-number // len(ranks))
    for rank in rng.permutation(ranks)[:number]:
        ends = np.searchsorted(usable, [rank / OCTAVE, rank * OCTAVE])
        near = np.arange(*ends)[free[slice(*ends)]]
        if len(near) < each:  # the nearest there are
            left = np.flatnonzero(free)
            distance = np.abs(np.log((usable[left] + 1) / (rank + 1)))
            near = left[np.argsort(distance, kind="stable")[:each]]
        free[rng.choice(near, min(each, len(near)), replace=False)] = False
    return rng.permutation(usable[~free])


def are_near(words: ArrayLike, groups: Sequence[ArrayLike]) -> NDArray[np.bool_]:
    """Return whether words are near neighbours of a group word: (m,).

    A near neighbour's cosine with the group word is `NEAR` standard deviations above the mean of
    these words. All vectors are centred on the words' mean first, so that the answer is the same
    for vectors that are shifted, rotated or scaled.

    Args:
        words: (m, d) vectors of candidates.
        groups: Matrices (m_g, d) of the group words.
    """
    words = np.asarray(words, float)
    if len(words) < 2:
        return np.zeros(len(words), bool)
    centre = words.mean(axis=0)
    cosines = cosine_matrix(words - centre, np.vstack([*map(np.asarray, groups)]) - centre)
    return (cosines > cosines.mean(axis=0) + NEAR_SDS * cosines.std(axis=0)).any(axis=1)


def axis(groups: Sequence[ArrayLike]) -> Array:
    """Return the mean of the first group less the mean of the others' means, (d,)."""
    first, *others = (np.asarray(group, float).mean(axis=0) for group in groups)
    return first - np.mean(others, axis=0)


class RandomWords:
    """Random words of a space, by kind, among which the positions of words are measured.

    Frequent words lie closer together than rare ones, so that a word is compared with random words
    of its kind, such as of like frequency.

    Attributes:
        rows: (m, d) unit vectors of the random words, centred on their mean.
        kinds: (m,) of each.
    """

    def __init__(self, rows: ArrayLike, kinds: NDArray[np.int64]):
        """Take the vectors (m, d), m >= 2, and the kind of each word (m,)."""
        rows = np.asarray(rows, float)
        self._centre, self.kinds = rows.mean(axis=0), kinds
        self.rows = self.units(rows)
        self._known = np.unique(kinds)
        of_kinds = [self.rows[kinds == kind] for kind in self._known]
        self._means = np.stack([each.mean(axis=0) for each in of_kinds])
        self._scatters = np.stack([np.cov(each.T) for each in of_kinds])

    def units(self, rows: ArrayLike) -> Array:
        """Return rows (n, d) centred on the mean of the random words, at unit length."""
        return unit_rows(np.asarray(rows, float) - self._centre)

    def positions(self, rows: ArrayLike, kinds: NDArray[np.int64], axes: ArrayLike) -> Array:
        """Return where words lie on a group axis, in standard deviations of the random words.

        A word's position is its cosine with the axis, less the mean cosine of the random words of
        its kind, over their standard deviation. It is the same for vectors that are shifted by a
        constant, rotated or scaled, since an `axis` is a difference.

        Args:
            rows: (n, d) vectors.
            kinds: (n,) of these words.
            axes: (d,), or (..., d) for several at once, such as those of resampled group words.

        Returns:
            (..., n); NaN where the random words of a kind lie at one place.
        """
        axes, at = np.asarray(axes, float), np.searchsorted(self._known, kinds)
        middle = axes @ self._means.T
        spread = np.sqrt(
            np.einsum("...i,kij,...j->...k", axes, self._scatters, axes, optimize=True)
        )
        cosines = axes @ self.units(rows).T
        with np.errstate(invalid="ignore", divide="ignore"):
            found = (cosines - middle[..., at]) / spread[..., at]
        return np.where(spread[..., at] > 0, found, np.nan)

    def distances(
        self, rows: ArrayLike, kinds: NDArray[np.int64], groups: Sequence[ArrayLike]
    ) -> Array:
        """Return how far words lie from the random words in the span of the groups, (n,).

        It is Mahalanobis' distance, whitened by the random words of a word's kind, of its cosines
        with an orthonormal basis of the span of the differences of the group means. For two groups
        it is the size of its position.

        Args:
            rows: (n, d) vectors.
            kinds: (n,) of these words.
            groups: k matrices (m_g, d) of the group words.

        Returns:
            (n,); NaN where random words do not vary in as many directions.
        """
        means = np.stack([np.asarray(group, float).mean(axis=0) for group in groups])
        basis = np.linalg.svd(means - means.mean(axis=0), full_matrices=False)[2][: len(means) - 1]
        cosines, at = self.units(rows) @ basis.T, np.searchsorted(self._known, kinds)
        found = np.full(len(cosines), np.nan)
        for i, (mean, scatter) in enumerate(zip(self._means, self._scatters, strict=True)):
            apart, within = cosines[at == i] - basis @ mean, basis @ scatter @ basis.T
            if np.linalg.matrix_rank(within) == len(within):
                squares = np.einsum("ni,ij,nj->n", apart, np.linalg.inv(within), apart)
                found[at == i] = np.sqrt(squares)
        return found

    def position(
        self, rows: ArrayLike, kinds: NDArray[np.int64], groups: Sequence[ArrayLike]
    ) -> Array:
        """Return `positions` between two groups, above 0 nearer to the first; else `distances`."""
        if len(groups) == 2:
            return self.positions(rows, kinds, axis(groups))
        return self.distances(rows, kinds, groups)


def octaves(vocabulary: Sequence[str], words: Sequence[str], random: Sequence[str]) -> list[int]:
    """Return the kind of each word by frequency: the octave of its rank in a sorted vocabulary.

    An octave with too few of the `random` words counts as the next rarer one, and the rarest of all
    as the one before. A word that is not in the vocabulary counts as among the rarest.
    """
    ranks = {word: i for i, word in enumerate(vocabulary, start=1)}
    own = np.array([ranks.get(word, ranks.get(word.lower(), len(ranks))) for word in words])
    octave = np.log2(own).astype(int)
    of_random = np.log2([ranks[word] for word in random]).astype(int)
    there, counts = np.unique(of_random, return_counts=True)
    known = there[counts >= MIN_WORDS]
    if not len(known):
        return [0] * len(words)
    return known[np.minimum(np.searchsorted(known, octave), len(known) - 1)].tolist()


def neighbouring_sets(
    words: ArrayLike,
    like: ArrayLike,
    rng: np.random.Generator,
    number: int = SETS,
) -> tuple[NDArray[np.int64], Array]:
    """Return sets of neighbouring words that are as large and as coherent as a given set.

    A set is a random word and as many of its neighbours in a row, the nearest first, as are needed:
    those from the rank on that makes the mean cosine between its words nearest to that of the given
    set. Random words are no null for sets of related words, whose biases are alike.

    Args:
        words: (m, d) vectors of the words that sets are made of.
        like: (n, d) vectors of the given set, n >= 2.
        rng: Source of randomness.
        number: Sets.

    Returns:
        (number, n) places of words, and (number,) mean cosines between the words of each set.
    """
    words, given = (unit_rows(np.asarray(rows, np.float32)) for rows in (words, like))
    n, wanted = min(len(given), len(words)), cohesion(given)
    ranks = [1, *(1 + 2**i for i in range(32) if 2**i + n <= len(words))]
    seeds, sets, found = rng.integers(len(words), size=number), [], []
    for seed, cosines in zip(seeds, words[seeds] @ words.T, strict=True):
        cosines[seed] = np.inf  # also where another word has the same vector
        nearest = np.argsort(-cosines, kind="stable")

        def made(rank: int, near: NDArray[np.int64] = nearest) -> NDArray[np.int64]:
            return np.append(near[0], near[rank : rank + n - 1])

        # Neighbours that are farther away are less coherent.
        first = bisect_left(ranks, -wanted, key=lambda rank: -cohesion(words[made(rank)]))
        near = [made(rank) for rank in ranks[max(first - 1, 0) : first + 1]]
        coherence = [float(cohesion(words[at])) for at in near]
        best = int(np.abs(np.array(coherence) - wanted).argmin())
        sets.append(near[best])
        found.append(coherence[best])
    return np.array(sets), np.array(found)


def cohesion(units: Array) -> Array:
    """Return the mean cosine between different words of sets, (...), from unit vectors (..., n, d).

    The squared length of their sum is n and twice the sum of these cosines.
    """
    n, total = units.shape[-2], units.sum(axis=-2, dtype=np.float64)
    return ((total**2).sum(axis=-1) - n) / (n * (n - 1))
