"""Figures 2 to 4: cosines, components and words along them, by hand in a few dimensions."""

from itertools import permutations
from math import sqrt

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from scipy.stats import t

from socialbias.measures.pca_bias import pca_bias
from socialbias.papers.bad_seeds import figure2, figure3, figure4
from socialbias.papers.bad_seeds.inputs import Corpus
from tests.papers.bad_seeds.worlds import (
    ORDERED,
    PANEL,
    REST4,
    cloud,
    corpus,
    figure2_evidence,
    figure2_of,
    figure3_of,
    first_component,
    romance,
)
from tests.worlds import cells, numbers, summarised, vectors

HALF = 1 / sqrt(2)


def test_figure2_takes_the_words_that_all_models_have():
    table = figure2_evidence(google=corpus(romance()))
    assert set(table["row"]) == {"f"}  # thirty words are not under thirty
    words = table.groupby("corpus")["word"].apply(lambda w: sorted(set(w))).to_dict()
    assert words == {
        "goodreads-romance": ["her", "she"],
        "goodreads-history-biography": ["her", "she"],
        "google": ["her", "lady", "she"],
    }
    assert set(zip(table["n"], table["n_of"], strict=True)) == {(2, 4), (3, 4)}


def test_figure2_cosines_medians_and_differences():
    table = figure2_evidence()
    at = table.set_index(["corpus", "model", "word"])["cosine"]
    assert at["goodreads-romance", 0, "she"] == pytest.approx(HALF)
    assert at["goodreads-romance", 1, "she"] == pytest.approx(1)
    assert at["goodreads-history-biography", 0, "her"] == pytest.approx(-1)
    found = cells(summarised(figure2, table))
    first, second = (HALF + 1) / 2, 1.0  # of two words the median is the mean
    other = (HALF - 1) / 2
    assert found["f", "goodreads-romance"]["value"] == pytest.approx((first + second) / 2)
    assert found["f", "difference@mean"]["value"] == pytest.approx((first + second) / 2 - other)
    reach = 12.7062047 * abs(first - second) / sqrt(2)  # t with one degree of freedom
    reach *= sqrt(3 / 2)  # of the mean of two
    low = found["f", "difference"]["ci_low"]
    assert low == pytest.approx(max(-2, (first + second) / 2 - other - reach))
    assert found["f", "difference"]["note"].startswith("too few: 2 seeds")


def test_figure2_compares_along_the_words_of_unpleasantness_that_all_models_have():
    # Along bad1 alone, which both have, she is as unpleasant in one corpus as in the other.
    one = vectors(bad1=(1, 0), bad2=(0, 1), she=(1, 0), her=(0, 1), lady=(0, 1))
    other = vectors(bad1=(1, 0), she=(1, 0), her=(0, 1), lady=(0, 1))
    corpora = {"goodreads-romance": corpus(one), "goodreads-history-biography": corpus(other)}
    corpora["google"] = corpus(one)
    table = figure2_of(corpora)
    found = cells(summarised(figure2, table))
    assert found["f", "difference@mean"]["value"] == pytest.approx(0)
    assert found["f", "difference@mean"]["note"] == "1 of 3 words of unpleasantness"
    # A model that is compared with none keeps its own: she has 1 / sqrt 2 along both.
    assert found["f", "google"]["value"] == pytest.approx(HALF)
    assert found["f", "google"]["note"] == "2 of 3 words of unpleasantness"


def test_figure2_averages_vectors_as_they_are_and_as_a_variant_unit_ones():
    # (3, 0) and (0, 4) have the mean (3, 4) / 2, with which (1, 0) has the cosine 3/5.
    model = vectors(bad1=(3, 0), bad2=(0, 4), she=(1, 0), her=(1, 0), lady=(1, 0))
    table = figure2_of({"google": corpus(model)})
    found = cells(summarised(figure2, table))
    assert found["f", "google"]["value"] == pytest.approx(0.6)
    assert found["f", "google@mean"]["value"] == pytest.approx(0.6)
    assert found["f", "google@unit"]["value"] == pytest.approx(HALF)


SIDES = ("first", "second")


def test_figure3_ordered_pairs_have_one_component(figure3_evidence):
    assert_allclose(first_component(figure3_evidence, "pairs", "original"), 1, atol=1e-6)
    # (2, 0, 0), (1.2, .8, -.8), (1.2, -.8, .8): squared lengths 4 + 2.72 + 2.72; the second
    # component is (0, .8, -.8) twice
    crossed = first_component(figure3_evidence, "pairs", "printed-shuffle")
    assert_allclose(crossed, 1 - 2 * 1.28 / (4 + 2 * 2.72), atol=1e-6)


def test_figure3_shuffles_many_times_and_alike_in_every_model(figure3_evidence):
    drawn = figure3_evidence.query("column == 'shuffled' and row == 'pairs'")
    assert drawn["draw"].nunique() == 60
    first = drawn[drawn["unit"] == 1].pivot_table(index="draw", columns="model", values="explained")
    assert_allclose(first[0], first[1])
    # 3! orders of the second list; the two that keep b1 are known
    assert first[0].round(6).nunique() > 2
    sums = figure3_evidence.groupby(["row", "column", "model", "draw"])["explained"].sum()
    assert_allclose(sums, 1)


def test_figure3_cells(figure3_evidence):
    found = cells(summarised(figure3, figure3_evidence))
    assert found["pairs", "component 1@original"]["value"] == pytest.approx(1, abs=1e-6)
    assert found["pairs", "sd@original"]["value"] == pytest.approx(0, abs=1e-6)
    shuffled = first_component(figure3_evidence, "pairs", "shuffled")
    assert found["pairs", "component 1@shuffled"]["value"] == pytest.approx(shuffled.mean())
    # No shuffle explains more than the original; those that are the original tie.
    above = found["pairs", "shuffles above original"]["value"]
    assert above == pytest.approx((shuffled > 1 - 1e-9).mean() / 2)
    assert 0 < above < 0.5
    assert ("pairs, google-news", "component 1@original") in found
    assert np.isnan(found["pairs, google-news", "component 1@original"]["ci_low"])


def test_figure3_share_of_a_pretrained_model_varies_over_shuffles():
    model = vectors(**ORDERED)
    corpora = {name: corpus(model) for name in ("nyt", "google-news", "glove")}
    found = cells(summarised(figure3, figure3_of(corpora, PANEL, 40)))
    for name in ("google-news", "glove"):
        cell = found[f"pairs, {name}", "shuffles above original"]
        # Wilson's score interval with Student's quantile: the shares from which this one is as
        # many standard errors away.
        for end in (cell["ci_low"], cell["ci_high"]):
            error = np.sqrt(end * (1 - end) / 40)
            assert abs(cell["value"] - end) == pytest.approx(t.ppf(0.975, 39) * error, abs=1e-9)
        assert_allclose(np.median(cell["draws"]), cell["value"], atol=0.02)
        below = np.mean(cell["draws"] < cell["ci_low"])
        assert below == pytest.approx(0.025, abs=0.015)
    # One model of a corpus does not show how much other samples of it would differ.
    assert np.isnan(found["pairs", "shuffles above original"]["ci_low"])


def test_figure3_needs_two_pairs_and_counts_them():
    model = vectors(**{w: v for w, v in ORDERED.items() if w not in ("a2", "b3")})
    table = figure3_of({"nyt": corpus(model)}, PANEL, 5)
    assert table.empty
    three = vectors(**{w: v for w, v in ORDERED.items() if w != "a2"})
    table = figure3_of({"nyt": corpus(three)}, PANEL, 5)
    assert set(zip(table["n"], table["n_of"], strict=True)) == {(2, 3)}
    # Of eight words on either side five have vectors, but of two pairs only both words.
    sides = [[f"{side}{i}" for i in range(8)] for side in "pq"]
    known = sides[0][:5] + sides[1][3:]
    model = vectors(**dict(zip(known, np.random.default_rng(0).normal(size=(10, 4)), strict=True)))
    panel = PANEL | {"first": sides[0], "second": sides[1], "shuffled": None}
    found = cells(summarised(figure3, figure3_of({"nyt": corpus(model)}, panel, 5)))
    assert {(cell["n"], cell["n_of"]) for cell in found.values()} == {(2, 8)}
    assert all(cell["note"].startswith("too few: 2 seeds") for cell in found.values())


def test_figure3_printed_shuffle_has_the_words_of_the_original_order_and_its_own_count():
    names = {f"{side}{i}": (i + 1, side == "a", i % 2, 1) for side in "ab" for i in range(1, 6)}
    panel = PANEL | {
        side: [f"{s}{i}" for i in range(1, 6)] for s, side in zip("ab", SIDES, strict=True)
    }
    # In the shuffle a1 stands with b1, and b5, of which the partner has no vector, with a4.
    panel["shuffled"] = (panel["first"], ["b1", "b3", "b2", "b5", "b4"])
    model = vectors(**{word: at for word, at in names.items() if word != "a5"})
    table = figure3_of({"nyt": corpus(model)}, panel, 5)
    counts = table.groupby("column")["n"].agg(set).to_dict()
    assert counts == {"original": {4}, "shuffled": {4}, "random": {4}, "printed-shuffle": {3}}
    words = ["a1", "a2", "a3"], ["b1", "b3", "b2"]
    expected = pca_bias(*(model.rows(side) for side in words)).explained
    drawn = table[table["column"] == "printed-shuffle"].sort_values("unit")
    assert_allclose(drawn["explained"], expected)
    above = cells(summarised(figure3, table))["pairs", "shuffles above original"]
    assert (above["n"], above["n_of"]) == (4, 5)


def test_random_words_are_frequent_where_enough_are():
    model = cloud(models=1).models[0]
    counts = {f"w{i}": 100 for i in range(20)} | {f"w{i}": 99 for i in range(20, 298)}
    rng = np.random.default_rng(0)
    rows = figure3.random_words(model, Corpus((model,), counts), 6, 30, rng)
    assert rows.shape == (30, 6)
    assert rows.max() < 20
    assert all(len(set(row)) == 6 for row in rows.tolist())
    assert figure3.random_words(model, Corpus((model,), counts), 30, 3, rng).max() >= 20
    assert figure3.random_words(model, Corpus((model,), counts), 301, 3, rng).shape == (0, 301)


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
