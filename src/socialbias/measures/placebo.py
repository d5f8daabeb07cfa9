"""Placebo words: what any other words of the same vectors would give.

A bias of some targets means something where other words have less of it. Placebo words are drawn
from the vocabulary of the vectors: alphabetic words that are in no list in use, are no first
names, are as frequent as the targets, and are no near neighbours of the group words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from socialbias.stats.seeding import generator
from socialbias.stats.similarity import Array, cosine_matrix

WANTED_WORDS = 1000  # placebo words, where the vocabulary has them
MIN_WORDS = 100  # fewer say little of what any word would give
DRAWN = 1600  # some are near neighbours of a group word, and some have no number
NEAR_SDS = 3.0  # standard deviations of a group word's cosines above their mean
MIN_LETTERS = 3  # letters of a Latin word: shorter ones are mostly abbreviations
ALPHABETIC, SORTED = 1000, 0.9  # words looked at, and the share of them in alphabetical order
SURE_ERRORS = 5.0  # standard errors by which frequent words must be shorter
SETS, SEEDS = 1000, 200  # pairs of sets of neighbours, and different sets that they are made of
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
    number: int = DRAWN,
    by_frequency: bool | None = None,
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
    rng = generator(seed, "placebo words", *sorted(targets))
    ranks = {word: i for i, word in enumerate(vocabulary)}
    known = {ranks.get(word, ranks.get(word.lower(), -1)) for word in targets} - {-1}
    known = np.array(sorted(known), dtype=np.int64)
    ordered = is_by_frequency(vocabulary) if by_frequency is None else by_frequency
    matched = len(known) > 0 and ordered
    chosen = _as_frequent(usable, known, number, rng) if matched else rng.permutation(usable)
    return Drawn([vocabulary[i] for i in chosen[:number]], matched)


def _as_frequent(
    usable: NDArray[np.int64], ranks: NDArray[np.int64], number: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Equally many ranks for each target, within a factor of two of its own where there are."""
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


def positions(targets: ArrayLike, placebo: ArrayLike, axes: ArrayLike) -> Array:
    """Return where words lie on a group axis, in standard deviations of the placebo words.

    Vectors are centred on the placebo words' mean. A word's position is its cosine with the axis,
    less the placebo words' mean cosine, over their standard deviation. It is the same for vectors
    that are shifted by a constant, rotated or scaled, since an `axis` is a difference.

    Args:
        targets: (n, d) vectors.
        placebo: (m, d) vectors of placebo words, m >= 2.
        axes: (d,), or (..., d) for several at once, such as those of resampled group words.

    Returns:
        (..., n); NaN where all placebo words lie at one place.
    """
    targets, placebo = np.asarray(targets, float), np.asarray(placebo, float)
    centre, axes = placebo.mean(axis=0), np.asarray(axes, float)
    flat = axes.reshape(-1, axes.shape[-1])
    beside = cosine_matrix(flat, placebo - centre)
    found = cosine_matrix(flat, targets - centre) - beside.mean(axis=1, keepdims=True)
    spread = beside.std(axis=1, ddof=1, keepdims=True)
    found = np.divide(found, spread, out=np.full_like(found, np.nan), where=spread > 0)
    return found.reshape(*axes.shape[:-1], len(targets))


def neighbouring_sets(
    words: ArrayLike,
    like: Sequence[ArrayLike],
    rng: np.random.Generator,
    number: int = SETS,
) -> list[NDArray[np.int64]]:
    """Return sets of neighbouring words that are as large and as coherent as given sets.

    A set is a random word and as many of its neighbours in a row, the nearest first, as are needed:
    those from the rank on that makes the mean cosine between its words nearest to that of the given
    set. Random words are no null for sets of related words, whose biases are alike.

    Args:
        words: (m, d) vectors of the words that sets are made of.
        like: The given sets, (n_i, d) each.
        rng: Source of randomness.
        number: Sets like each.

    Returns:
        For each given set (number, n_i) places of words; sets at the same place make a pair.
    """
    words, result = np.asarray(words, float), []
    for given in (np.asarray(each, float) for each in like):
        n, wanted = min(len(given), len(words)), cohesion(cosine_matrix(given, given))
        ranks = [1, *(1 + 2**i for i in range(32) if 2**i + n <= len(words))]
        places = np.array([[0, *range(rank, rank + n - 1)] for rank in ranks])
        seeds = rng.integers(len(words), size=min(number, SEEDS))
        cosines, found = cosine_matrix(words[seeds], words), []
        for seed, row in zip(seeds, cosines, strict=True):
            row[seed] = np.inf  # also where another word has the same vector
            # Which words a set has does not depend on their order within it.
            order = np.argpartition(-row, np.unique(places[:, [0, 1, -1]]))
            sets = order[places]
            rows = words[sets]
            units = rows / np.linalg.norm(rows, axis=2, keepdims=True)
            grams = units @ units.swapaxes(1, 2)
            found.append(sets[np.abs(cohesion(grams) - wanted).argmin()])
        result.append(np.stack(found)[rng.integers(len(found), size=number)])
    return result


def cohesion(cosines: Array) -> Array:
    """Return the mean cosine between different words of sets, (...), from all (..., n, n)."""
    n = cosines.shape[-1]
    return (cosines.sum(axis=(-2, -1)) - np.trace(cosines, axis1=-2, axis2=-1)) / (n * (n - 1))
