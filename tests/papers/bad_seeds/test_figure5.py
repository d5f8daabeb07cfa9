"""Figure 5: trends over pairs, its placebo and the pairs that it highlights."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from socialbias.papers.bad_seeds import figure5, pairs
from socialbias.papers.bad_seeds.inputs import SeedSet
from tests.papers.bad_seeds.worlds import LISTS, SETS, cloud, corpus
from tests.worlds.jobs import summarised
from tests.worlds.numbers import cells, printed
from tests.worlds.vectors import vectors


def test_figure5_correlates_within_each_model():
    made = cloud()
    table = figure5.evidence({"wikitext": made}, LISTS, SETS, (10, 900), 20, 1)
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
    args = (LISTS, SETS, (10, 900), 20, 1)
    table = figure5.evidence({"wikitext": made}, *args)
    placebo = table[table["kind"] == "placebo"]
    assert placebo["model"].nunique() == figure5.DRAWS
    assert (placebo.groupby("model")["pair"].nunique() == 20).all()
    words = {word for pair in placebo["pair"] for word in pair.replace("|", " ").split()}
    assert {made.tags[word] for word in words} == {"noun"}
    # other vectors of the same words change nothing
    other = cloud(seed=5)
    again = figure5.evidence(
        {"wikitext": corpus(*other.models, counts=other.counts, tags=other.tags)}, *args
    )
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


def test_means_of_unit_vectors_are_a_variant():
    found = figure5_cells(n=[9] * 11 + [4])
    for name, sign in (("explained", 1), ("coherence", -1), ("weat_size", 1)):
        column = figure5.TRENDS[name]
        assert found["gathered", column]["value"] == pytest.approx(-1)
        assert found["gathered", f"{column}@unit"]["value"] == pytest.approx(sign)
    pair = figure5_cells(row="names", kind="highlighted")
    assert (
        pair["names", "set similarity@unit"]["value"] == -pair["names", "set similarity"]["value"]
    )
    assert ("names", "explained variance@unit") not in pair


def test_gathered_pairs_are_measured_again_with_five_whole_pairs():
    made = cloud(models=1)
    (model,) = made.models
    # Of the first words some have no vector: they are passed over, with their partners.
    first = ["gone", "w0", *(f"w{i}" for i in range(1, 11))]
    second = ["w20", "lost", *(f"w{i}" for i in range(21, 31))]
    sets = {"a": SeedSet(tuple(first)), "b": SeedSet(tuple(second))}
    sets |= {"c": SeedSet(("w1", "w2", "w3", "w4", "gone"))}
    pairs_ = {"gathered_pairs": [["a", "b"], ["a", "c"]], "highlighted_pairs": []}
    table = figure5.evidence({"wikitext": made}, pairs_, sets, (10, 900), 20, 1)
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
    table = figure5.evidence(corpora, LISTS, SETS, (10, 900), 20, 1)
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
    alone = figure5.evidence({"wikitext": made}, LISTS, SETS, (10, 900), 20, 1)
    pd.testing.assert_frame_equal(rest, alone)
