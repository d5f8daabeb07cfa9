"""WEAT among sets of neighbours: GloVe's 20,000 most frequent words, in which nothing is planted.

`occupations` has what `measure` finds in the same vectors.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.random import Generator

from socialbias.commands.measure_vectors import _effect
from socialbias.commands.settings import Question, Resampling
from socialbias.embeddings.readers import read_word_vectors, words_in_order
from socialbias.embeddings.vectors import WordVectors
from socialbias.embeddings.words.lists import WordLists
from socialbias.measurement.instruments import instrument
from socialbias.measurement.random_words import Baseline, far_from_groups
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
    others = far_from_groups(Baseline("random words", named[3], drawn=True), [here], named[:2])
    return VectorBias(here, named[2], named[:2], chosen, random=others), others


def make_question(chosen=POSITION, sets=None) -> Question:
    groups = WordLists("g", "groups", {"a": (), "b": ()})
    return Question(groups, sets or WordLists("t", "targets", {}), chosen, Resampling(1, LEVEL))


def verdict_of(found: Answer) -> Outcome:
    """Whether control sets are seldom as far as the targets, and to which side; no interval."""
    side = HOLDS if found.value > found.middle else FAILS
    return side if found.p_value <= 1 - LEVEL else OPEN, np.nan


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
    found = _effect(made, make_question(WEAT, lists), others, None)[0].get("answers")
    return verdict_of(*found) if found else (OPEN, np.nan)
