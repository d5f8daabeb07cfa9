"""Figure 4: words along the first component, by hand in three dimensions."""

from itertools import permutations
from math import sqrt

import numpy as np
import pytest
from scipy import stats

from socialbias.papers.bad_seeds import figure4
from tests.papers.bad_seeds.worlds import ORDERED, PAIRS4, REST4, corpus
from tests.worlds.jobs import summarised
from tests.worlds.numbers import cells, numbers
from tests.worlds.vectors import vectors


def test_figure4_cosines_of_the_printed_words(figure4_evidence):
    found = numbers(summarised(figure4, figure4_evidence))
    # component 1 of panel a is x, towards the first list
    assert found["a ordered", "a1"] == pytest.approx(1, abs=1e-6)
    assert found["a ordered", "b2"] == pytest.approx(-0.6, abs=1e-6)
    assert found["a ordered", "explained variance"] == pytest.approx(1, abs=1e-6)
    assert abs(found["b random", "u"]) == pytest.approx(1 / sqrt(2), abs=1e-6)
    assert ("a ordered", "absent") not in found


def test_figure4_ranks_the_frequent_words(figure4_evidence):
    found = cells(summarised(figure4, figure4_evidence))
    words = [found["a ordered", f"top {i}"]["note"] for i in range(1, 6)]
    # a1 is under the threshold; a2 and a3 have .6; r7 = (.7, 1) has .573, r6 .514, r5 .447
    assert {*words[:2]} == {"a2", "a3"}
    assert words[2:] == ["r7", "r6", "r5"]
    assert found["a ordered", "bottom 1"]["note"] == "b1"
    assert found["a ordered", "bottom 1"]["value"] == pytest.approx(-1, abs=1e-6)


def test_figure4_compares_orders_by_coherence_and_shuffles(figure4_evidence):
    found = cells(summarised(figure4, figure4_evidence))
    # 14 other words at most lie between the lists along x: a's ranks 12, 13, 14 less b's 0, 1, 2
    assert found["a ordered", "coherence"]["value"] == pytest.approx(12 / 14)
    # Crossed, the differences are (2, 0, 0) and (1.2, .8, -.8); the lists are still those of a.
    axis = np.linalg.svd(np.array([[2, 0, 0], [1.2, 0.8, -0.8]]))[2][0]
    words = {**ORDERED, **REST4}
    ranks = stats.rankdata([np.array(v) @ axis / np.linalg.norm(v) for v in words.values()]) - 1
    at = dict(zip(words, ranks / 14, strict=True))
    gap = np.mean([at[f"a{i}"] - at[f"b{i}"] for i in (1, 2, 3)])
    assert found["c shuffled", "coherence"]["value"] == pytest.approx(abs(gap))
    assert ("c shuffled", "explained variance@shuffled") in found
    assert ("b random", "explained variance@random") in found
    # the second list lost a word: two pairs of three are left
    assert found["c shuffled", "explained variance"]["n_of"] == 2


def test_figure4_counts_the_shuffles_that_are_more_coherent(figure4_evidence):
    words = {**ORDERED, **REST4}
    unit = {word: np.array(at) / np.linalg.norm(at) for word, at in words.items()}
    sides = [[f"{side}{i}" for i in (1, 2, 3)] for side in "ab"]
    possible = {}
    for order in permutations(sides[1]):
        rows = np.array([unit[a] - unit[b] for a, b in zip(sides[0], order, strict=True)])
        ranks = stats.rankdata([unit[w] @ np.linalg.svd(rows)[2][0] for w in words]) - 1
        at = dict(zip(words, ranks / 14, strict=True))
        possible[order] = abs(np.mean([at[a] - at[b] for a, b in zip(*sides, strict=True)]))
    own = possible[tuple(sides[1])]
    found = cells(summarised(figure4, figure4_evidence))
    for row in ("a ordered", "a ordered, glove"):
        part = figure4_evidence[figure4_evidence["row"] == row]
        drawn = part.loc[part["column"] == "coherence-shuffled", "number"].to_numpy(float)
        nearest = np.abs(drawn[:, None] - np.array([*possible.values()])).min(axis=1)
        assert nearest.max() < 1e-6
        share = np.mean([np.mean(drawn > own + 1e-6), np.mean(drawn > own - 1e-6)])
        cell = found[row, "shuffles more coherent"]
        assert cell["value"] == pytest.approx(share)
        assert found[row, "coherence@shuffled"]["value"] == pytest.approx(drawn.mean())
    assert cell["ci_low"] < cell["value"] < cell["ci_high"]
    assert np.isnan(found["a ordered, glove", "coherence"]["ci_low"])


def test_figure4_counts_pairs_in_each_model():
    whole = {**ORDERED, **REST4}
    broken = {word: at for word, at in whole.items() if word not in ("a1", "b2", "v")}
    sides = {"first": ["a1", "a2", "a3", "u"], "second": ["b1", "b2", "b3", "v"]}
    entry = PAIRS4["figure4a"] | sides
    panels_ = dict.fromkeys(figure4.PANELS, entry)
    less = vectors(**broken, v2=(0, 1, 1))
    news = {"nyt": corpus(vectors(**whole), less)}
    table = figure4.evidence(news, panels_, {}, 5, 1)
    assert set(table["n"]) == {4}  # one whole pair is none: the second model has no component
    more = vectors(**{w: at for w, at in whole.items() if w != "b2"})
    table = figure4.evidence({"nyt": corpus(vectors(**whole), more)}, panels_, {}, 5, 1)
    assert table.groupby("model")["n"].agg(set).to_list() == [{4}, {3}]
    assert set(table["n_of"]) == {4}
    found = cells(summarised(figure4, table))
    assert {cell["n"] for cell in found.values()} == {3}
