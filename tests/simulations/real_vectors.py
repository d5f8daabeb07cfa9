"""`measure` in real vectors: GloVe's 20,000 most frequent words, among which nothing is planted.

Targets and placebo words are drawn from the same words, so that they differ by chance alone. Words
of groups are unrelated, or a word and its nearest neighbours: words of a list are never
independent. A mean without a planted bias has no target near a word of a group of neighbours: a
synonym of these words is biased. To plant a bias, a part of the axis between two clusters of 60
neighbours is added to every target, and groups are drawn from the clusters.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.random import Generator

from socialbias.commands.measure_vectors import _effect, _mean, _usable
from socialbias.commands.settings import Question, Resampling
from socialbias.embeddings.readers import read_word_vectors, words_in_order
from socialbias.embeddings.vectors import WordVectors
from socialbias.embeddings.words.lists import WordLists
from socialbias.measurement.estimates import percentiles
from socialbias.measurement.instruments import instrument
from socialbias.measurement.random_words import Others
from socialbias.measurement.vectors import VectorBias
from socialbias.measures.datasets.weat import WeatTest, read_bias_bench
from socialbias.measures.placebo import are_near
from socialbias.reporting.statements import FAILS, HOLDS, OPEN
from socialbias.stats.similarity import cosine_matrix
from tests.paths import DATA
from tests.simulations.simulate import Outcome

SOURCE = "glove-6b-50d"
WORDS, COMMON = 20_000, 10_000  # in all, and those of which groups are made
PLACEBOS, CLUSTER, PLANTED, SHIFT, FAR = 1000, 60, 20, 0.15, 0.5
TRIED = 20  # words, of which the first that has a number is taken
LEVEL = 0.95
DIRECTED = instrument("directed", 2)
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


def measured(groups, targets, placebo, shift=0.0, chosen=DIRECTED):
    """What `measure` makes of words by their places, the targets shifted; and of placebo words."""
    vectors = glove()
    named = [[vectors.words[i] for i in each] for each in (*groups, targets, placebo)]
    matrix = np.vstack([
        vectors.matrix[np.concatenate([*groups])], vectors.matrix[targets] + shift,
        vectors.matrix[placebo],
    ])  # fmt: skip
    here = WordVectors(tuple(word for each in named for word in each), matrix)
    made = VectorBias(here, named[2], named[:2], chosen)
    return made, _usable(made, [Others("random words", named[3], drawn=True)])[0]


def question_of(chosen=DIRECTED, sets=None) -> Question:
    groups = WordLists("g", "groups", {"a": (), "b": ()})
    return Question(groups, sets or WordLists("t", "targets", {}), chosen, Resampling(1, LEVEL))


def verdict_of(low: float, high: float, truth: float) -> Outcome:
    """Whether an interval lies above 0 or below it, and whether it holds the truth."""
    if not np.isfinite(low):
        return OPEN, np.nan
    verdict = HOLDS if low > 0 else FAILS if high < 0 else OPEN
    return verdict, float(low <= truth <= high)


def drawn(rng: Generator, groups, n: int, far=False) -> tuple[np.ndarray, np.ndarray]:
    """So many targets and `PLACEBOS` other words; `far` targets are not near a group word."""
    words, matrix = others_than(rng, groups, (2 * n if far else n) + PLACEBOS), glove().matrix
    targets, placebo = np.split(words, [-PLACEBOS])
    if far:
        near = are_near(matrix[words], [matrix[each] for each in groups])
        targets = targets[~near[:-PLACEBOS]][:n]
    return targets, placebo


def mean(rng: Generator, groups, n: int, shift=0.0, truth: float = 0.0, far=False) -> Outcome:
    made, others = measured(groups, *drawn(rng, groups, n, far), shift)
    fields, _ = _mean(made, question_of(), others, None)
    return verdict_of(fields["low"] - fields["null"], fields["high"] - fields["null"], truth)


def unrelated(rng: Generator, n: int, truth: float, k: int) -> Outcome:
    return mean(rng, np.split(rng.choice(COMMON, 2 * k, replace=False), 2), n)


def related(rng: Generator, n: int, truth: float, k: int) -> Outcome:
    """Between neighbours, far from the targets; with a planted bias, of the sign of the truth."""
    if truth:
        clusters, shift, planted_mean = planted(int(rng.integers(PLANTED)), k, int(truth))
        # With replacement, as from a population of which these words are the sample.
        groups = [rng.choice(each, k) for each in clusters]
        return mean(rng, groups, n, shift, planted_mean)
    return mean(rng, [neighbours(rng.integers(COMMON), k) for _ in range(2)], n, far=True)


@cache
def planted(number: int, k: int, sign: int) -> tuple[list[np.ndarray], np.ndarray, float]:
    """Two clusters, the shift of the targets, and the mean difference over draws of k words."""
    rng, matrix = np.random.default_rng(number), glove().matrix
    clusters = [neighbours(rng.integers(COMMON), CLUSTER) for _ in range(2)]
    means = [matrix[each].mean(axis=0) for each in clusters]
    shift, found = sign * SHIFT * (means[0] - means[1]), []
    for _ in range(40):
        groups = [rng.choice(each, k, replace=False) for each in clusters]
        words = others_than(rng, clusters, 4000)
        made, others = measured(groups, words[:2000], words[2000:], shift)
        values = made.biases([*made.targets, *others[0].words])
        found.append(np.nanmean(values[:2000]) - np.nanmean(values[2000:]))
    return clusters, shift, float(np.mean(found))


def word(rng: Generator, groups, shift=0.0) -> Outcome:
    """Whether a word that has a number is above 97.5 % of placebo words, or below as many."""
    made, others = measured(groups, *drawn(rng, groups, TRIED), shift)
    own, known = made.biases(made.targets), made.biases(others[0].words)
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
    """A WEAT beside sets of neighbours; its interval holds no truth."""
    placebo = np.setdiff1d(np.arange(WORDS), np.concatenate([*groups, *sets]))
    words = [[glove().words[i] for i in each] for each in sets]
    lists = WordLists("t", "targets", dict(zip("xy", map(tuple, words), strict=True)))
    made, others = measured(groups, np.concatenate(sets), placebo, chosen=WEAT)
    placebos = _effect(made, question_of(WEAT, lists), others, None)[0].get("placebos", ())
    if not placebos:
        return OPEN, np.nan
    ends = (placebos[0].difference_low, placebos[0].difference_high)
    return verdict_of(*ends, 0.0)[0], np.nan
