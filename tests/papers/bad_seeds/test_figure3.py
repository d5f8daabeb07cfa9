"""Figure 3: ordered and shuffled pairs of which one component holds everything."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import t

from socialbias.measures.pca_bias import pca_bias
from socialbias.papers.bad_seeds import figure3
from socialbias.papers.bad_seeds.inputs import Corpus
from tests.papers.bad_seeds.worlds import ORDERED, PANEL, cloud, corpus, first_component
from tests.worlds.jobs import summarised
from tests.worlds.numbers import cells
from tests.worlds.vectors import vectors

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
    found = cells(summarised(figure3, figure3.evidence(corpora, [PANEL], 40, 1)))
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
    table = figure3.evidence({"nyt": corpus(model)}, [PANEL], 5, 1)
    assert table.empty
    three = vectors(**{w: v for w, v in ORDERED.items() if w != "a2"})
    table = figure3.evidence({"nyt": corpus(three)}, [PANEL], 5, 1)
    assert set(zip(table["n"], table["n_of"], strict=True)) == {(2, 3)}
    # Of eight words on either side five have vectors, but of two pairs only both words.
    sides = [[f"{side}{i}" for i in range(8)] for side in "pq"]
    known = sides[0][:5] + sides[1][3:]
    model = vectors(**dict(zip(known, np.random.default_rng(0).normal(size=(10, 4)), strict=True)))
    panel = PANEL | {"first": sides[0], "second": sides[1], "shuffled": None}
    found = cells(summarised(figure3, figure3.evidence({"nyt": corpus(model)}, [panel], 5, 1)))
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
    table = figure3.evidence({"nyt": corpus(model)}, [panel], 5, 1)
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
