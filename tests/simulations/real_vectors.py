"""`measure` in real vectors: GloVe's 20,000 most frequent words, among which nothing is planted.

Targets and random words are drawn from the same words, so that they differ by chance alone. Words
of groups are unrelated, or a word and its nearest neighbours: words of a list are never
independent. Targets without a planted bias are not near a word of a group of neighbours: a synonym
of these words is biased. To plant a bias, a part of the axis between two clusters of 60 neighbours
is added to every target, and groups are drawn from the clusters.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.random import Generator

from socialbias.commands.measure_vectors import _effect, _random_words, _summary
from socialbias.commands.settings import Question, Resampling
from socialbias.embeddings.readers import read_word_vectors, words_in_order
from socialbias.embeddings.vectors import WordVectors
from socialbias.embeddings.words.lists import WordLists
from socialbias.measurement.estimates import percentiles
from socialbias.measurement.instruments import instrument
from socialbias.measurement.random_words import Others
from socialbias.measurement.topics import Answer
from socialbias.measurement.vectors import VectorBias
from socialbias.measures.datasets.weat import WeatTest, read_bias_bench
from socialbias.measures.placebo import are_near
from socialbias.reporting.statements import FAILS, HOLDS, OPEN
from socialbias.stats.similarity import cosine_matrix
from tests.paths import DATA
from tests.simulations.simulate import Outcome

SOURCE = "glove-6b-50d"
WORDS, COMMON = 20_000, 10_000  # in all, and those of which groups are made
PLACEBOS, CLUSTER, SHIFT, FAR = 1000, 60, 0.15, 0.5
TRIED = 20  # words, of which the first that has a number is taken
LEVEL = 0.95
POSITION = instrument("position", 2)
WEAT = instrument("weat", 2)


@cache
def glove() -> WordVectors:
    """The alphabetic words of three letters or more, by frequency; behind them those of WEAT."""
    folder = DATA / SOURCE
    if not (folder / "manifest.json").is_file():
        pytest.skip(f"the data folder has no {SOURCE}: run the quickstart, or set SOCIALBIAS_DATA")
    files = [{"path": path.name} for path in sorted(folder.glob("glove*"))]
    manifest = {"source": SOURCE, "format": "npy-parquet", "files": files}
    words = []
    for word in words_in_order(folder, manifest):
        if word.isalpha() and len(word) > 2:
            words.append(word)
        if len(words) == WORDS:
            break
    words += sorted({word for test in weat_tests() for word in test.words} - set(words))
    return read_word_vectors(folder, manifest, words).only(words)


@cache
def weat_tests() -> list[WeatTest]:
    """WEAT 1 and 2; none where they are not at hand."""
    paths = [DATA / "weat-bias-bench" / f"weat{number}.jsonl" for number in (1, 2)]
    return [read_bias_bench(path) for path in paths if path.is_file()]


def neighbours(of: int, n: int) -> np.ndarray:
    """A word and its nearest neighbours, n together."""
    matrix = glove().matrix[:WORDS]
    return np.argsort(-cosine_matrix(matrix[of : of + 1], matrix)[0])[:n]


def others_than(rng: Generator, taken, n: int) -> np.ndarray:
    return rng.choice(np.setdiff1d(np.arange(WORDS), np.concatenate(taken)), n, replace=False)


def measured(groups, targets, placebo, shift=0.0, chosen=POSITION):
    """What `measure` makes of words by their places, the targets shifted; and of placebo words."""
    vectors = glove()
    named = [[vectors.words[i] for i in each] for each in (*groups, targets, placebo)]
    matrix = np.vstack([
        vectors.matrix[np.concatenate([*groups])], vectors.matrix[targets] + shift,
        vectors.matrix[placebo],
    ])  # fmt: skip
    here = WordVectors(tuple(word for each in named for word in each), matrix)
    others, _ = _random_words(here, named[:2], Others("random words", named[3], drawn=True))
    return VectorBias(here, named[2], named[:2], chosen, random=others), others


def question_of(chosen=POSITION, sets=None) -> Question:
    groups = WordLists("g", "groups", {"a": (), "b": ()})
    return Question(groups, sets or WordLists("t", "targets", {}), chosen, Resampling(1, LEVEL))


def verdict_of(found: Answer) -> Outcome:
    """Whether control sets are seldom as far as the targets, and to which side; no interval."""
    side = HOLDS if found.value > found.middle else FAILS
    return side if found.p_value <= 1 - LEVEL else OPEN, np.nan


def drawn(rng: Generator, groups, n: int, far=False) -> tuple[np.ndarray, np.ndarray]:
    """So many targets and `PLACEBOS` other words; `far` targets are not near a group word."""
    words, matrix = others_than(rng, groups, (2 * n if far else n) + PLACEBOS), glove().matrix
    targets, placebo = np.split(words, [-PLACEBOS])
    if far:
        near = are_near(matrix[words], [matrix[each] for each in groups])
        targets = targets[~near[:-PLACEBOS]][:n]
    return targets, placebo


def direction(rng: Generator, groups, n: int, shift=0.0, far=False) -> Outcome:
    made, others = measured(groups, *drawn(rng, groups, n, far), shift)
    found = _summary(made, question_of(), others, None)[0]["answers"]
    return verdict_of(next(each for each in found if each.question == "direction"))


def unrelated(rng: Generator, n: int, truth: float, k: int) -> Outcome:
    return direction(rng, np.split(rng.choice(COMMON, 2 * k, replace=False), 2), n)


def related(rng: Generator, n: int, truth: float, k: int) -> Outcome:
    """Between neighbours, far from the targets; with a planted bias, of the sign of the truth."""
    if truth:
        clusters = [neighbours(rng.integers(COMMON), CLUSTER) for _ in range(2)]
        first, second = (glove().matrix[each].mean(axis=0) for each in clusters)
        # With replacement, as from a population of which these words are the sample.
        groups = [rng.choice(each, k) for each in clusters]
        return direction(rng, groups, n, truth * SHIFT * (first - second))
    return direction(rng, [neighbours(rng.integers(COMMON), k) for _ in range(2)], n, far=True)


def word(rng: Generator, groups, shift=0.0) -> Outcome:
    """Whether a word that has a number is above 97.5 % of placebo words, or below as many."""
    made, others = measured(groups, *drawn(rng, groups, TRIED), shift)
    own, known = made.biases(made.targets), made.biases(others.words)
    own = own[~np.isnan(own)][:1]
    if not len(own):
        return OPEN, np.nan
    [place] = percentiles(own, known[~np.isnan(known)])
    return HOLDS if place > 97.5 else FAILS if place < 2.5 else OPEN, np.nan


def one_unrelated(rng: Generator, n: int, truth: float) -> Outcome:
    return word(rng, np.split(rng.choice(COMMON, 2 * n, replace=False), 2))


def one_related(rng: Generator, n: int, truth: float) -> Outcome:
    if not truth:
        return word(rng, [neighbours(rng.integers(COMMON), n) for _ in range(2)])
    clusters = [neighbours(rng.integers(COMMON), CLUSTER) for _ in range(2)]
    first, second = (glove().matrix[each].mean(axis=0) for each in clusters)
    return word(rng, [rng.choice(each, n) for each in clusters], truth * FAR * (first - second))


def weat(rng: Generator, n: int, truth: float) -> Outcome:
    """Two clusters of n words, not near a group's, between two groups of eight neighbours.

    With an effect, n words of each target of WEAT 1 or 2.
    """
    if truth:
        return published(rng, n)
    groups = [neighbours(rng.integers(COMMON), 8) for _ in range(2)]
    matrix = glove().matrix[:WORDS]
    far = np.flatnonzero(~are_near(matrix, [matrix[each] for each in groups]))
    sets = []
    for seed in rng.choice(far[far < COMMON], 2, replace=False):
        left = np.setdiff1d(far, np.concatenate([*groups, *sets]))
        nearest = np.argsort(-cosine_matrix(matrix[[seed]], matrix[left])[0])[: 2 * n]
        sets.append(left[rng.choice(nearest, n, replace=False)])
    return effect(groups, sets)


def published(rng: Generator, n: int) -> Outcome:
    if not weat_tests():
        pytest.skip("the data folder has no weat-bias-bench: run the quickstart")
    test, index = weat_tests()[rng.integers(2)], glove().index
    sets = [[index[w] for w in each if w in index] for each in (*test.targets, *test.attributes)]
    return effect(sets[2:], [rng.choice(each, n, replace=False) for each in sets[:2]])


def effect(groups, sets) -> Outcome:
    """A WEAT beside sets of neighbours."""
    placebo = np.setdiff1d(np.arange(WORDS), np.concatenate([*groups, *sets]))
    words = [[glove().words[i] for i in each] for each in sets]
    lists = WordLists("t", "targets", dict(zip("xy", map(tuple, words), strict=True)))
    made, others = measured(groups, np.concatenate(sets), placebo, chosen=WEAT)
    found = _effect(made, question_of(WEAT, lists), others, None)[0].get("answers")
    return verdict_of(*found) if found else (OPEN, np.nan)
