"""The ledger: claims over settings, from numbers and draws by hand."""

import numpy as np
import pandas as pd
import pytest

from socialbias.files.yaml_files import read_yaml
from socialbias.measures.stereoset import term_scores
from socialbias.papers.stereoset.items import CORRECTED, LIKELIHOOD, PSEUDO
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
from socialbias.stats.draws import DRAWS
from tests.paths import REPOSITORY

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
    assert (cells["settings"]["value"], cells["settings"]["n_of"]) == (2, 3)
    assert cells["holds"]["value"] == 0.5
    assert cells["joint"]["value"] == pytest.approx(1 / (1 + DRAWS))
    assert cells["decides"]["value"] == 1
    assert cells["decides"]["note"] == "lists: first 1.00, second 0.00"
    assert set(cells["holds"]["made_of"]["sources"]) == {"s"}


def test_a_number_without_permutations_has_no_permuted_test():
    found = measured(Claim(VALUE, LISTS, [{"word": "pilot"}], permuted=True), numbers())
    assert "joint" not in {record["column"] for record in records("claim", found, 0.95)}


def test_a_claim_without_numbers_has_no_row():
    assert measured(Claim(VALUE, {"lists": {"third": "c"}}, [{"word": "pilot"}]), numbers()) is None


def test_choices_may_hold_choices():
    assert filled_in("{a} - 1", {"a": "f({b})", "b": "2"}) == "f(2) - 1"


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


def scored(row: str, scheme: str, sign: float, task: str = "intrasentence") -> pd.DataFrame:
    """Four items of two terms, in which the stereotype is preferred where the sign is 1."""
    scores = pd.DataFrame([[sign, 0.0, -2.0]] * 4, columns=CANDIDATES)
    about = {"item": range(4), "target": list("aabb"), "task": task, "row": row, "scheme": scheme}
    return scores.assign(**about)


def test_a_model_has_a_score_by_each_scoring_and_a_causal_one_the_same_by_all():
    table = pd.concat(
        [
            scored("bert-base", "likelihood", 1.0),
            scored("bert-base", "corrected", -1.0),
            scored("bert-base", "likelihood", -1.0),
            scored("gpt2", "likelihood", 1.0),
            scored("gpt2", "likelihood", 1.0, "intersentence"),
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


def test_scorings_are_those_that_evidence_has():
    assert {*SCORINGS.values()} == {LIKELIHOOD, CORRECTED, PSEUDO}
