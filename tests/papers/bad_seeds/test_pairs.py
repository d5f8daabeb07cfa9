"""Pairs of seed sets measured as by plain loops, Table 4, and the trends of Figure 5."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from socialbias.measures.pca_bias import pca_bias
from socialbias.measures.weat import weat
from socialbias.papers.bad_seeds import figure3, figure5, pairs, table4
from socialbias.papers.bad_seeds.inputs import SeedSet, fewest, in_places, printed_sets, seed_sets
from tests.papers.bad_seeds.worlds import (
    GENERATED,
    LISTS,
    SETS,
    WORLD,
    by_plain_loops,
    cloud,
    corpus,
    figure3_of,
    figure5_of,
    measured,
)
from tests.worlds import cells, printed, summarised, vectors


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
    table = measured(table4.measure, {"wikitext": corpus(model)}, figure, sets)
    assert (table["pairs"].item(), table["words"].item()) == (2, "she her | barber he his")
    explained = pca_bias(*(model.rows(side) for side in found)).explained
    assert table["explained"].item() == pytest.approx(explained[0])
    panels = figure3.panels(
        {"pairs": lists["pairs"], "extra_pairs": [{"row": "r", "first": "f", "second": "m"}]}, sets
    )
    drawn = figure3_of({"nyt": corpus(model)}, panels[-1], 3)
    original = drawn[drawn["column"] == "original"].sort_values("unit")
    assert_allclose(original["explained"], explained)
    named = {"highlighted_pairs": [], "gathered_pairs": [["f", "m"]]}
    table = figure5_of({"wikitext": corpus(model)}, named, sets)
    assert table["explained"].item() == pytest.approx(explained[0])


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
    corpora = {"wikitext": corpus(vectors(**WORLD))}
    found = cells(summarised(table4, measured(table4.measure, corpora, lists, sets)))
    for column in ("explained variance", "coherence@pca"):
        assert found["X | Y", column]["note"].startswith("too few: 2 seeds"), column
    for column in ("coherence", "set similarity", "WEAT effect size"):
        assert (found["X | Y", column]["n"], found["X | Y", column]["note"]) == (3, "")


def test_table4_averages_pairs_over_models():
    bent = WORLD | {"x1": (1, 5, 0)}
    corpora = {
        "wikitext": corpus(vectors(**WORLD), vectors(**bent)),
        "nyt": corpus(vectors(**WORLD)),
    }
    table = measured(table4.measure, corpora, LISTS, SETS, **GENERATED)
    found = cells(summarised(table4, table))
    cell = found["X | Y", "coherence"]
    by_hand = [by_plain_loops(w, ("x1", "x2", "z"), ("y1", "y2"))[0] for w in (WORLD, bent)]
    assert by_hand[0] != by_hand[1]
    assert cell["value"] == pytest.approx(np.mean(by_hand), abs=1e-6)
    for column, place in (("coherence@unit", 0), ("set similarity@unit", 1)):
        scaled = [by_plain_loops(w, ("x1", "x2", "z"), ("y1", "y2"), True) for w in (WORLD, bent)]
        mean = np.mean([numbers[place] for numbers in scaled])
        assert found["X | Y", column]["value"] == pytest.approx(mean, abs=1e-6)
    assert found["X | Y", "set similarity"]["value"] != pytest.approx(mean, abs=1e-3)
    assert cell["note"].startswith("too few: 2 seeds")
    printed = found["x1 x2 | y1 gone", "coherence"]
    assert printed["value"] == pytest.approx(
        by_plain_loops(WORLD, ("x1", "x2"), ("y1",))[0], abs=1e-6
    )
    assert (printed["n"], printed["n_of"]) == (1, 2)
    assert not any("missing" in row for row, _ in found)


def test_table4_ranks_our_generated_pairs():
    made = cloud()
    lists, twelve = {"gathered_pairs": [], "generated": []}, GENERATED | {"generated_pairs": 12}
    table = measured(table4.measure, {"nyt": made}, lists, {}, **twelve)
    assert table["row"].nunique() == 12
    assert (table.groupby("row")["model"].nunique() == 3).all()
    words = {word for text in table["words"] for word in text.replace("|", " ").split()}
    assert all(made.tags[word] == "noun" for word in words)
    found = cells(summarised(table4, table))
    shown = [found[f"generated {i}", "coherence"] for i in range(1, 7)]
    means = sorted(table.groupby("row")["coherence"].mean())
    assert_allclose([r["value"] for r in shown], [*means[:-4:-1], *means[2::-1]])
    assert shown[0]["note"] in set(table["words"])
    medians = table.groupby("model")["coherence"].median()
    assert found["generated all", "coherence"]["value"] == pytest.approx(medians.mean())
    assert found["generated all", "coherence"]["n"] == 12


def test_figure5_correlates_within_each_model():
    made = cloud()
    table = figure5_of({"wikitext": made})
    row = printed("bad_seeds", "figure5")["row"].item()
    verbs = figure5.generated_row("wikitext", "verb")  # no word is an adjective
    assert set(table["row"]) == {row, verbs, figure5.PLACEBO, "gathered", "names"}
    found = cells(summarised(figure5, table))
    cell = found[row, printed("bad_seeds", "figure5")["column"].item()]
    rs = [
        np.corrcoef(part["similarity"], part["explained"])[0, 1]
        for _, part in table[table["row"] == row].groupby("model")
    ]
    assert cell["value"] == pytest.approx(np.mean(rs))
    assert cell["ci_low"] <= min(rs) <= cell["ci_high"] <= 1
    assert 0 < cell["p_value"] < 1
    assert cell["n"] == 20
    # no generated pair is shared between the models: each makes its own
    by_model = table[table["row"] == row].groupby("model")["pair"].apply(set)
    assert not by_model[0] & by_model[1]
    targets = [{text.split()[0] for text in pairs_} for pairs_ in by_model]
    assert targets[0] != targets[1]
    assert ("names", "set similarity") not in found  # none of its words is here


def test_figure5s_placebo_knows_nothing_of_the_models(monkeypatch):
    monkeypatch.setattr(figure5, "DRAWS", 4)
    made = cloud()
    table = figure5_of({"wikitext": made})
    placebo = table[table["kind"] == "placebo"]
    assert placebo["model"].nunique() == figure5.DRAWS
    assert (placebo.groupby("model")["pair"].nunique() == 20).all()
    words = {word for pair in placebo["pair"] for word in pair.replace("|", " ").split()}
    assert {made.tags[word] for word in words} == {"noun"}
    # other vectors of the same words change nothing
    other = cloud(seed=5)
    other = corpus(*other.models, counts=other.counts, tags=other.tags)
    again = figure5_of({"wikitext": other})
    assert again.loc[again["kind"] == "placebo", "pair"].tolist() == placebo["pair"].tolist()
    cell = cells(summarised(figure5, table))[figure5.PLACEBO, figure5.TRENDS["explained"]]
    assert cell["ci_low"] < cell["value"] < cell["ci_high"]


def test_gathered_pairs_are_held_against_the_ten_most_alike():
    enough = dict.fromkeys(("n", "n_of", "pairs", "pairs_of"), 5)
    generated = pd.DataFrame(
        {"similarity": np.arange(20) / 20, "explained": np.arange(20) / 100} | enough
    )
    gathered = pd.DataFrame(
        {"similarity": [0.0, 0.95, -0.1, np.nan], "explained": [0.5] * 4} | enough
    )
    # the first ten have a mean of 0.045, the last ten of 0.145; beyond them nothing is held
    found = figure5.above_generated(gathered, generated)
    assert_allclose(found, [0.5 - 0.045, 0.5 - 0.145])
    assert len(figure5.above_generated(gathered, generated.head(9))) == 0
    # Two pairs of words are too few, and four of the nine of a set.
    for few in ({"pairs": [2, 5, 5, 5]}, {"n": [4, 5, 5, 5], "n_of": 9}):
        assert_allclose(figure5.above_generated(gathered.assign(**few), generated), [0.5 - 0.145])


def figure5_cells(**columns):
    """Figure 5's cells of twelve gathered pairs, the last of which is far from the trend."""
    numbers = {
        "similarity": [*np.arange(11) / 20, 1.0],
        "explained": [*np.arange(11)[::-1] / 20, 1.0],
    }
    numbers |= {"coherence": numbers["explained"], "weat_means": numbers["explained"]}
    # With means of unit vectors both are upside down, so that their correlation is the same.
    numbers |= {f"{name}_unit": -np.array(numbers[name]) for name in ("similarity", "coherence")}
    said = {"row": "gathered", "kind": "gathered", "model": 0}
    said |= dict.fromkeys(("n", "n_of", "pairs", "pairs_of"), 9)
    return cells(summarised(figure5, pd.DataFrame(numbers | said | columns)))


@pytest.mark.parametrize("name", list(figure5.TRENDS))
def test_a_trend_is_of_the_pairs_that_have_enough_seeds(name):
    column = figure5.TRENDS[name]
    # A set of which less than half is known counts in no trend; whole pairs in that of PCA alone.
    few = figure5_cells(n=[9] * 11 + [4])["gathered", column]
    assert (few["value"], few["n"]) == (pytest.approx(-1), 11)
    broken = figure5_cells(pairs=[9] * 11 + [2])["gathered", column]
    assert broken["n"] == (11 if name == "explained" else 12)
    assert ("gathered", column) not in figure5_cells(n=[9] * 9 + [4] * 3)


def test_gathered_pairs_are_measured_again_with_five_whole_pairs():
    made = cloud(models=1)
    (model,) = made.models
    # Of the first words some have no vector: they are passed over, with their partners.
    first = ["gone", "w0", *(f"w{i}" for i in range(1, 11))]
    second = ["w20", "lost", *(f"w{i}" for i in range(21, 31))]
    sets = {"a": SeedSet(tuple(first)), "b": SeedSet(tuple(second))}
    sets |= {"c": SeedSet(("w1", "w2", "w3", "w4", "gone"))}
    pairs_ = {"gathered_pairs": [["a", "b"], ["a", "c"]], "highlighted_pairs": []}
    table = figure5_of({"wikitext": made}, pairs_, sets)
    whole = table[table["row"] == "gathered"].set_index("pair")
    expected = pairs.measured(model, [(first, second)])["explained"].item()
    assert whole.loc["a | b", "explained"] == expected
    (five,) = table[table["row"] == figure5.CUT].to_dict("records")  # c has four words at most
    expected = pairs.measured(model, [(first[2:7], second[2:7])]).loc[0]
    assert (five["pair"], five["pairs"], five["pairs_of"]) == ("a | b", 5, 5)
    assert five["explained"] == expected["explained"]
    assert five["similarity"] == expected["similarity"]
    found = cells(summarised(figure5, table))
    assert found["gathered", figure5.ABOVE]["n"] == 2
    assert found[figure5.CUT, figure5.ABOVE]["n"] == 1


def test_pairs_in_pretrained_vectors_are_of_the_nouns_of_the_corpus(monkeypatch):
    monkeypatch.setattr(figure5, "DRAWS", 4)
    made = cloud()
    words = made.models[0].words
    known = [word for word in words if word != "w40"]  # a noun that the pretrained model lacks
    at = np.random.default_rng(1).normal(size=(len(known), 7))
    glove = vectors(**dict(zip(known, at, strict=True)))
    corpora = {"wikitext": made, "glove": corpus(glove)}
    table = figure5_of(corpora)
    row = "generated nouns, GloVe, frequency-controlled"
    drawn = table[table["row"] == row]
    assert drawn["model"].nunique() == figure5.DRAWS
    assert drawn.groupby("model")["pair"].agg(tuple).nunique() == figure5.DRAWS
    seeds = set(" ".join(drawn["pair"]).replace("|", "").split())
    nouns = {word for word in known if made.tags[word] == "noun"}
    assert seeds <= {word for word in nouns if 10 <= made.counts[word] <= 900}
    sides = [[side.split() for side in pair.split(" | ")] for pair in drawn["pair"].head(9)]
    expected = pairs.measured(glove, sides)
    for column in ("similarity", "explained", "coherence"):
        assert_allclose(drawn[column].head(9).astype(float), expected[column])
    # A correlation for each draw, and their mean.
    each = [
        part["similarity"].corr(part["explained"])
        for _, part in drawn.astype({"similarity": float, "explained": float}).groupby("model")
    ]
    cell = cells(summarised(figure5, table))[row, figure5.TRENDS["explained"]]
    assert cell["value"] == pytest.approx(np.mean(each))
    rest = table[table["row"] != row].reset_index(drop=True)
    alone = figure5_of({"wikitext": made})
    pd.testing.assert_frame_equal(rest, alone)
