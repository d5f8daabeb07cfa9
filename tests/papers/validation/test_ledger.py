"""The ledger: claims over settings, by hand."""

import numpy as np
import pandas as pd
import pytest

from socialbias.files.yaml_files import read_yaml
from socialbias.measures.stereoset import term_scores
from socialbias.papers.stereoset import pairs
from socialbias.papers.validation.ledger import (
    CANDIDATES,
    NoNumberError,
    Numbers,
    Scores,
    balanced,
    filled_in,
    measured,
    records,
)
from socialbias.papers.validation.ledger_claims import CLAIMS, COUNTED, Claim
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
    cells = {record["column"]: record for record in records("claim", found, 0.95)}
    numbers_ = {column: record["value"] for column, record in cells.items()}
    assert numbers_ == pytest.approx({"settings": 2, "holds": 0.5, "decides": 1})
    assert cells["settings"]["n_of"] == 3
    assert measured(Claim(VALUE, {"lists": {"third": "c"}}, [{"word": "pilot"}]), numbers()) is None
    assert filled_in("{a} - 1", {"a": "f({b})", "b": "2"}) == "f(2) - 1"
    assert cells["decides"]["note"] == "lists: first 1.00, second 0.00"
    assert set(cells["holds"]["made_of"]["sources"]) == {"s"}


def test_every_claim_is_declared_and_every_placeholder_is_an_axis_or_a_part():
    declared = read_yaml(REPOSITORY / "src/socialbias/papers/validation/ledger.yaml")
    assert set(declared["rows"]) == {*CLAIMS}
    for claim in CLAIMS.values():
        choices = {axis: next(iter(found.values())) for axis, found in claim.axes.items()}
        assert "{" not in filled_in(claim.effect, choices | claim.parts[0])


def test_vectors_with_more_settings_have_no_more_votes():
    few = [("a", "own", lists) for lists in "xy"]
    many = [("b", targets, lists) for targets in ("own", "all") for lists in "xyzw"]
    settings = pd.DataFrame(few + many, columns=["vectors", "targets", "lists"])
    assert list(balanced(settings)) == [1 / 4] * 2 + [1 / 16] * 8


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
    assert dict(zip(found.settings["scoring"], found.holding[:, 0], strict=True)) == {
        "likelihood, as released": True,  # the released scores stand first
        "likelihood, corrected": False,
    }
    causal = measured(Claim(effect + " - 99", choices | {"model": {"gpt2": "gpt2"}}), numbers)
    assert list(causal.holding[:, 0]) == [True, True]
    with pytest.raises(NoNumberError):
        numbers.score("gpt2", "inter", "corrected", "ss", "macro", "half")


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
