"""Pairs of seed sets, measured as by plain loops."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from socialbias.measures.pca_bias import pca_bias
from socialbias.measures.weat import weat
from socialbias.papers.bad_seeds import documents, figure3, figure5, pairs, table4
from socialbias.papers.bad_seeds.inputs import SeedSet, fewest, in_places, printed_sets, seed_sets
from tests.papers.bad_seeds.worlds import WORLD, by_plain_loops, corpus
from tests.worlds.jobs import summarised
from tests.worlds.numbers import cells
from tests.worlds.vectors import vectors


def test_a_dropped_bigram_keeps_its_place_so_that_partners_stay_partners(lists):
    seeds = [("hair salon", "she", "Her"), ("barber", "he", "his")]
    table = printed_sets(lists).head(2).assign(id=["f", "m"], seeds=seeds)
    sets = seed_sets(table)
    assert sets["f"].listed == in_places(["hair salon", "she", "Her"]) == ("", "she", "her")
    assert sets["f"].words == ("she", "her")
    model = vectors(she=(1, 0), her=(1, 1), barber=(0, 1), he=(-1, 0), his=(-1, 1))
    found = pairs.aligned(model, sets["f"].listed, sets["m"].listed)
    assert found == (["she", "her"], ["he", "his"])
    assert fewest(model, sets["f"].listed) == {"n": 2, "n_of": 2}
    assert pairs.whole_pairs(model, sets["f"].listed, sets["m"].listed)["pairs_of"] == 2
    figure = {"gathered_pairs": [["f", "m"]], "generated": []}
    table = table4.evidence({"wikitext": corpus(model)}, figure, sets, (1, 9), 0, 1)
    assert (table["pairs"].item(), table["words"].item()) == (2, "she her | barber he his")
    explained = pca_bias(*(model.rows(side) for side in found)).explained
    assert table["explained"].item() == pytest.approx(explained[0])
    panels = figure3.panels(
        {"pairs": lists["pairs"], "extra_pairs": [{"row": "r", "first": "f", "second": "m"}]}, sets
    )
    drawn = figure3.evidence({"nyt": corpus(model)}, panels[-1:], 3, 1)
    original = drawn[drawn["column"] == "original"].sort_values("unit")
    assert_allclose(original["explained"], explained)
    named = {"highlighted_pairs": [], "gathered_pairs": [["f", "m"]]}
    table = figure5.evidence({"wikitext": corpus(model)}, named, sets, (1, 9), 0, 1)
    assert table["explained"].item() == pytest.approx(explained[0])
    assert documents.pairs_of({"documents": {"p": ("f", "m")}}, sets) == {
        "p": (("", "she", "her"), ("barber", "he", "his"))
    }


@pytest.mark.parametrize(
    ("x", "y"), [(["x1", "x2"], ["y1", "y2"]), (["x1", "z", "x1"], ["y1", "w"]), (["w"], ["z"])]
)
def test_pairs_are_measured_as_by_plain_loops(x, y):
    found = pairs.measured(vectors(**WORLD), [(x, y)]).iloc[0]
    gap, similarity, weat = by_plain_loops(WORLD, x, y)
    assert found["coherence"] == pytest.approx(gap, abs=1e-6)
    assert found["similarity"] == pytest.approx(similarity, abs=1e-6)
    assert found["weat"] == pytest.approx(weat, abs=1e-6)
    gap, similarity, _ = by_plain_loops(WORLD, x, y, scaled=True)
    assert found["coherence_unit"] == pytest.approx(gap, abs=1e-6)
    assert found["similarity_unit"] == pytest.approx(similarity, abs=1e-6)
    if len(x) == len(y):  # a longer copy of a set has another statistic, but the same means
        assert found["weat_means"] == pytest.approx(weat / len(x), abs=1e-6)
    assert np.isnan(found["explained"]) == (min(len(x), len(y)) < 2)


def test_weats_test_is_the_two_sided_one():
    model = vectors(**WORLD)
    x, y = ("x1", "x2", "z"), ("y1", "y2")
    table = pairs.measured(model, [(x, y), (y, x)], rng=np.random.default_rng(0))
    rows = [model.rows(words) for words in (x, y, ("good",), ("bad",))]
    assert_allclose(table["p_value"], weat(*rows, two_sided=True).p_value)
    assert pairs.measured(model, [(x, y)])["p_value"].isna().all()


def test_what_a_model_lacks_is_nan_not_wrong():
    no_good = vectors(**{w: v for w, v in WORLD.items() if w != "good"})
    found = pairs.measured(no_good, [(["x1", "x2"], ["y1", "gone"]), (["gone"], ["x1"])])
    assert found["weat"].isna().all()
    for name in ("coherence", "coherence_unit", "similarity", "similarity_unit"):
        assert found[name].isna().to_list() == [False, True], name
    assert found["n"].to_list() == [1, 0]
    assert found["explained"].isna().all()  # one whole pair is none
    assert pairs.measured(no_good, []).empty


def test_numbers_of_the_pca_method_count_whole_pairs():
    # Three of the four words of each set have vectors, but of two pairs only both words.
    x, y = ["x1", "x2", "z", "gone"], ["y1", "lost", "y2", "w"]
    table = pairs.measured(vectors(**WORLD), [(x, y)])
    assert table[["n", "n_of", "pairs", "pairs_of"]].to_numpy().tolist() == [[3, 4, 2, 4]]
    sets = {"X": SeedSet(tuple(x)), "Y": SeedSet(tuple(y))}
    lists = {"gathered_pairs": [["X", "Y"]], "generated": []}
    args = (lists, sets, (1, 9), 5, 1)
    found = cells(
        summarised(table4, table4.evidence({"wikitext": corpus(vectors(**WORLD))}, *args))
    )
    for column in ("explained variance", "coherence@pca"):
        assert found["X | Y", column]["note"].startswith("too few: 2 seeds"), column
    for column in ("coherence", "set similarity", "WEAT effect size"):
        assert (found["X | Y", column]["n"], found["X | Y", column]["note"]) == (3, "")
