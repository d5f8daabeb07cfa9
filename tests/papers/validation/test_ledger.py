"""The ledger and the multiverse: claims and correlations over settings, by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from socialbias.files.yaml_files import read_yaml
from socialbias.measures.stereoset import term_scores
from socialbias.papers.stereoset import pairs
from socialbias.papers.validation import multiverse
from socialbias.papers.validation.ledger import (
    CANDIDATES,
    NoNumberError,
    Numbers,
    Scores,
    filled_in,
    measured,
    records,
)
from socialbias.papers.validation.ledger_claims import CLAIMS, COUNTED, SPECIFIED, Claim
from socialbias.papers.validation.multiverse import AXES, World, weighted_median
from socialbias.stats.draws import DRAWS
from tests.paths import REPOSITORY
from tests.worlds import cells, summarised
from tests.worlds.stereoset import ANTI, BEST, INTER, INTRA, scores
from tests.worlds.stereoset import scores as scores_of

SCORINGS = COUNTED["scoring"]
RNG = np.random.default_rng(2)
CELLS = {
    ("nurse", "x@a"): 3.0,
    ("nurse", "x@b"): -2.0,
    ("pilot", "x@a"): 1.0,
    ("pilot", "x@b"): 5.0,
}
PLACE = {"fidelity": "subset", "sources": "s"}
ABOUT = PLACE | {"weak": ""}


def numbers():
    """Two words by two lists, with draws near each number."""
    draws = {}
    for cell, number in CELLS.items():
        near = number + RNG.normal(0, 0.1, DRAWS)
        draws[cell] = np.stack([near, np.full(DRAWS, np.nan)])
    table = {k: ABOUT | {"value": v} for k, v in CELLS.items()}
    return Numbers({"paper_table": table}, lambda target: draws)


LISTS = {"lists": {"first": "a", "second": "b", "third": "c"}}
VALUE = "value('paper_table', '{word}', 'x@{lists}')"


def test_a_claim_of_all_holds_where_each_part_does_and_an_absent_number_is_no_setting():
    claim = Claim(VALUE, LISTS, [{"word": "nurse"}, {"word": "pilot"}])
    found = measured(claim, numbers())
    assert list(found.settings["lists"]) == ["first", "second"]
    assert list(found.holding[:, 0]) == [True, False]
    assert found.effects == pytest.approx([2.0, 1.5])
    cells = {record["column"]: record for record in records("claim", found, 0.95)}
    numbers_ = {column: record["value"] for column, record in cells.items()}
    expected = {"settings": 2, "holds": 0.5, "joint": 1 / (1 + DRAWS), "decides": 1}
    assert {column: numbers_[column] for column in expected} == pytest.approx(expected)
    assert cells["settings"]["n_of"] == 3
    permuted = measured(Claim(VALUE, LISTS, [{"word": "pilot"}], permuted=True), numbers())
    assert "joint" not in {record["column"] for record in records("claim", permuted, 0.95)}
    assert measured(Claim(VALUE, {"lists": {"third": "c"}}, [{"word": "pilot"}]), numbers()) is None
    assert filled_in("{a} - 1", {"a": "f({b})", "b": "2"}) == "f(2) - 1"
    assert cells["decides"]["note"] == "lists: first 1.00, second 0.00"
    assert set(cells["holds"]["made_of"]["sources"]) == {"s"}


def test_every_claim_is_declared_and_every_placeholder_is_an_axis_or_a_part():
    declared = read_yaml(REPOSITORY / "src/socialbias/papers/validation/ledger.yaml")
    assert set(declared["rows"]) == {*CLAIMS, *SPECIFIED.values()}
    for claim in CLAIMS.values():
        choices = {axis: next(iter(found.values())) for axis, found in claim.axes.items()}
        assert "{" not in filled_in(claim.effect, choices | claim.parts[0])


def test_scores_over_terms_are_those_of_the_measure():
    scores = RNG.integers(0, 3, (60, 3)).astype(float)
    table = pd.DataFrame(scores, columns=CANDIDATES).assign(
        target=RNG.choice(["a", "b", "c", "d"], 60),
        row="m",
        task="intrasentence",
        scheme="likelihood",
        item=range(60),
    )
    found = Scores.of(table, 1)
    for ties in ("anti-stereotype", "left out"):
        terms = term_scores(scores, table["target"], ties)
        for score, by_term in (("ss", terms.ss), ("lms", terms.lms)):
            drawn = found.draws("m", "intra", "likelihood", score, "macro", ties)
            assert drawn[0] == pytest.approx(np.mean(by_term))
    stereotype, anti, _ = scores.T
    half = found.draws("m", "intra", "likelihood", "ss", "micro", "half")
    assert half[0] == pytest.approx(100 * ((stereotype > anti) + (stereotype == anti) / 2).mean())
    assert np.isnan(found.draws("m", "inter", "likelihood", "ss", "macro", "half")).all()


def test_a_model_has_a_score_by_each_scoring_and_a_causal_one_the_same_by_all():
    """Four items of two terms, in which the stereotype is preferred or not."""

    def scored(row, scheme, three, task=INTRA):
        return scores_of(row, *((task, term, three) for term in "aabb"), scheme=scheme)

    table = pd.concat(
        [
            scored("bert-base", "likelihood", BEST),
            scored("bert-base", "corrected", ANTI),
            scored("bert-base", "likelihood", ANTI),
            scored("gpt2", "likelihood", BEST),
            scored("gpt2", "likelihood", BEST, INTER),
        ]
    )
    scores = Scores.of(table, 1)
    numbers = Numbers({}, dict, scores)
    effect = "score('{model}', 'intra', '{scoring}', 'ss', 'macro', 'half')"
    choices = {"model": {"bert-base": "bert-base"}, "scoring": SCORINGS}
    found = measured(Claim(effect + " - 50", choices), numbers)
    assert dict(zip(found.settings["scoring"], found.effects, strict=True)) == {
        "likelihood, as released": 50,  # the released scores stand first
        "likelihood, corrected": -50,
    }
    causal = measured(Claim(effect, choices | {"model": {"gpt2": "gpt2"}}), numbers)
    assert list(causal.effects) == [100, 100]
    with pytest.raises(NoNumberError):
        numbers.score("gpt2", "inter", "corrected", "ss", "macro", "half")


NAMES = [f"profession {i}" for i in range(9)]
RANDOM = np.random.default_rng(5)
EMPLOYMENT = RANDOM.permutation([1.0, 2, 2, 3, 4, 5, 6, 7, 8])
WORLD = World.of(NAMES, EMPLOYMENT, seed=1)


def test_draws_are_correlations_of_the_sampled_professions():
    bias, some = RANDOM.standard_normal((2, 6)), [0, 2, 3, 5, 6, 8]
    at = WORLD.places([NAMES[i] for i in some])
    assert list(at) == some
    drawn = WORLD.resampled(bias, at)
    for draw in (0, 7, 400):
        times = WORLD.weights[draw, some].astype(int)
        for row, found in zip(bias, drawn[:, draw], strict=True):
            pairs = np.repeat(row, times), np.repeat(EMPLOYMENT[some], times)
            assert found == pytest.approx(spearmanr(*pairs).statistic)


def test_a_permutation_is_the_same_for_all_and_for_some_professions():
    bias, some = RANDOM.standard_normal((1, 9)), np.array([1, 4, 5, 7])
    for draw in (0, 3, 999):
        dealt = EMPLOYMENT[WORLD.orders[draw]]
        for at in (np.arange(9), some):
            found = WORLD.permuted(bias[:, at], at)[0, draw]
            assert found == pytest.approx(spearmanr(bias[0, at], dealt[at]).statistic)


def test_a_weighted_median_by_hand():
    numbers = np.array([[3.0, 1], [1, 1], [2, 5], [9, 0]])
    assert list(weighted_median(numbers, np.full(4, 0.25))) == [2.5, 1]
    assert list(weighted_median(numbers, np.array([0.1, 0.1, 0.1, 0.7]))) == [9, 0]


def test_two_that_are_alike_count_once():
    """Of three specifications two are one: one half is significant."""
    draws = RANDOM.standard_normal((2, DRAWS))
    said = dict.fromkeys(AXES, "x") | {"column": "contemporary-gender", "n": 9, "p_value": 0.01}
    said |= {"headline": False}
    rows = [("l1", "a", 0.3), ("l2", "a", 0.3), ("l1", "b", -0.2)]
    table = pd.DataFrame(
        [said | dict(zip(("divergence", "association", "rho"), row, strict=True)) for row in rows]
    ).assign(draws=[*draws[[0, 0, 1]]], null=[*draws[[0, 0, 1]]])
    made = summarised(multiverse, table)
    records = {(r["row"], r["column"].partition("@")[2]): r for r in made}
    assert records["all", "significant"]["value"] == 0.5
    assert records["all", "median"]["value"] == pytest.approx(0.05)
    assert (records["all", "median"]["n"], records["all", "median"]["n_of"]) == (2, 3)


def decided(row, choices, task=INTRA, **others):
    """Evidence: of each item, of a term each, whether the stereotype is preferred."""
    items = [(task, f"term {i}", BEST if yes == "y" else ANTI) for i, yes in enumerate(choices)]
    return scores(row, *items, **others)


def test_phi_of_pairs_by_hand():
    """Two released scorers, a constant third, and two of a user's own."""
    parts = {
        "predictions": [
            decided("bert-base", "yyyyyynnnn"),
            decided("gpt2", "yyyynnnnny"),
            decided("xlnet-base", "y" * 10),
            decided("gpt2", "yn", task=INTER),
            decided("bert-base", "y" * 10, split="test"),
        ],
        "scores_mine": [decided("mine", "yyyyyynn")],  # eight of the ten items
        "scores_other": [decided("other", "nnnnnnyyyy")],
    }
    inputs = {f"evidence/stereoset/{name}": pd.concat(tables) for name, tables in parts.items()}
    found = cells(summarised(pairs.summarise_phi, inputs))
    # Neither with one that decides all alike, nor two of a user's own.
    own_pairs = {
        f"{own} - {papers}" for own in ("mine", "other") for papers in ("bert-base", "gpt2")
    }
    assert set(found) == {(row, "intra") for row in (*own_pairs, "bert-base - gpt2")}
    assert summarised(pairs.summarise_phi, {}) == []
    # Both prefer it in 4 items, the first alone in 2, the other alone in 1, neither in 3.
    pair = found["bert-base - gpt2", "intra"]
    assert pair["value"] == pytest.approx((4 * 3 - 2 * 1) / (6 * 4 * 5 * 5) ** 0.5)
    assert pair["ci_low"] < pair["value"] < pair["ci_high"]
    assert (pair["n"], pair["n_unit"]) == (10, "terms")
    # Of the eight items that both decided.
    mine = found["mine - bert-base", "intra"]
    assert mine["value"] == pytest.approx(1)
    assert (mine["n"], mine["note"]) == (8, "8 items")
    assert found["other - bert-base", "intra"]["value"] == pytest.approx(-1)
