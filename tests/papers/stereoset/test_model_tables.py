"""Tables 4 to 7 and differences of scorers, from scores that are worked out by hand."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from socialbias.papers.stereoset.items import CORRECTED, LIKELIHOOD, PSEUDO
from socialbias.papers.stereoset.model_tables import (
    combined,
    parts_of,
    table4,
    table5,
    table6,
    table7,
    with_ensemble,
)
from socialbias.papers.stereoset.pairs import decisions, summarise
from socialbias.pipeline.declarations import for_models
from tests.declared import DECLARATIONS
from tests.worlds import cells, job_with, numbers
from tests.worlds import stereoset as worlds
from tests.worlds.stereoset import ANTI, BEST, INTER, INTRA, LAST, TIED, scores


def job_of(**evidence):
    return job_with({f"evidence/stereoset/{name}": table for name, table in evidence.items()})


# Two terms: x has an item of each task, y one of what follows.
MINE = scores("mine", (INTRA, "x", BEST), (INTER, "x", ANTI), (INTER, "y", LAST))


def test_a_task_has_means_over_its_terms():
    result = numbers(table6(job_of(scores_mine=MINE)))
    assert result == {
        ("intra mine", "lms@development"): 100,
        ("intra mine", "ss@development"): 100,
        ("intra mine", "icat@development"): 0,
        ("inter mine", "lms@development"): (100 + 0) / 2,
        ("inter mine", "ss@development"): (0 + 100) / 2,
        ("inter mine", "icat@development"): 50,
    }


def test_both_tasks_together_pool_the_items_of_a_term_first():
    result = numbers(table4(job_of(scores_mine=MINE)))
    # x: 4 of 4 and 1 of 2; y: 0 of 2 and 1 of 1. A mean of both tasks would be 75 and 75.
    lms, ss = (100 + 0) / 2, (50 + 100) / 2
    assert result == {
        ("mine", "lms@development"): lms,
        ("mine", "ss@development"): ss,
        ("mine", "icat@development"): lms * (100 - ss) / 50,
    }


def test_a_number_says_what_it_rests_on():
    result = cells(table6(job_of(scores_mine=MINE)))
    cell = result["inter mine", "ss@development"]
    assert (cell["n"], cell["n_unit"], cell["note"]) == (2, "terms", "2 items")
    assert cell["ci_low"] <= cell["value"] <= cell["ci_high"]
    assert len(cell["draws"]) == 1000
    alone = result["intra mine", "ss@development"]
    assert np.isnan([alone["ci_low"], alone["ci_high"]]).all()


def test_a_scheme_is_that_of_its_tables_and_a_scorer_without_one_is_in_all():
    evidence = [
        scores("mine", (INTRA, "x", BEST), (INTER, "x", BEST)),
        scores("mine", (INTRA, "x", ANTI), scheme=PSEUDO),
        scores("mine", (INTRA, "x", LAST), (INTER, "x", LAST), scheme=CORRECTED),
        scores("sentiment", (INTRA, "x", BEST), (INTER, "x", ANTI), scheme=""),
    ]
    job = job_of(scores_mine=pd.concat(evidence))
    likely, pseudo = numbers(table6(job)), numbers(table7(job))
    assert likely["intra mine", "ss@development"] == 100
    assert pseudo["intra mine", "ss@development"] == 0
    assert ("inter mine", "ss@development") not in pseudo
    for result in (likely, pseudo):
        assert result["intra sentiment", "ss@development"] == 100
        assert result["inter sentiment", "ss@development"] == 0
    # Scores of one task alone are none of both.
    assert {row for row, _ in numbers(table5(job))} == {"sentiment"}
    assert {row for row, _ in numbers(table4(job))} == {"mine", "sentiment"}


def test_released_scores_stand_before_recomputed_ones():
    released = scores("gpt2", (INTRA, "x", BEST))
    recomputed = scores("gpt2", (INTRA, "x", ANTI), (INTRA, "y", ANTI))
    # The names in the other order: what is first does not decide.
    job = job_of(a_scores=recomputed, predictions=released)
    result = cells(table6(job))["intra gpt2", "ss@development"]
    assert result["value"] == (100 + 0) / 2  # of an item that was not released, the recomputed one


def test_a_controls_ties_are_left_out_and_a_models_are_not():
    tied = [(INTRA, "x", (2, 2, 1)), (INTRA, "x", (2, 1, 1)), (INTRA, "x", (3, 2, 1))]
    evidence = [scores("longer", *tied, scheme=""), scores("mine", *tied)]
    result = numbers(table6(job_of(controls=pd.concat(evidence))))
    assert result["intra longer", "ss@development"] == 100 * 2 / 2
    assert result["intra longer", "lms@development"] == 100 * 5 / 5
    assert result["intra mine", "ss@development"] == pytest.approx(100 * 2 / 3)
    assert result["intra mine", "lms@development"] == pytest.approx(100 * 5 / 6)
    # A control that tells no two candidates apart has no ss.
    table = scores("overlap", (INTER, "x", (0, 0, 0)), (INTER, "y", (1, 1, 0)), scheme="")
    result = numbers(table6(job_of(controls=table)))
    assert result == {("inter overlap", "lms@development"): 100}


MEMBERS = {
    "bert-large": [(0.5, 0.3, 0.2), (0.1, 0.4, 0.4)],
    "gpt2-medium": [(1e-4, 2e-4, 3e-4), (3e-4, 2e-4, 1e-4)],
    "gpt2-large": [(2e-4, 2e-4, 1e-4), (1e-4, 3e-4, 2e-4)],
}


def members(task, **others):
    items = {
        name: [(task, "x", three) for three in rows] for name, rows in (MEMBERS | others).items()
    }
    return pd.concat([scores(name, *own) for name, own in items.items()])


def test_the_ensemble_adds_up_what_its_members_prefer():
    # Of the first item: bert-large prefers the stereotype twice and the anti-stereotype once;
    # gpt2-medium the unrelated candidate twice and the anti-stereotype once; gpt2-large, of which
    # two tie, each of these to the third.
    result = combined(MEMBERS, INTRA)
    assert result[0] == pytest.approx([2 * 0.5 + 2.0, 0.3 + 2.0 + 2.0, 2 * 3.0])
    # Of what follows the weights are 35, 15 and 15.
    result = combined(MEMBERS, INTER)
    assert result[1] == pytest.approx(
        [15 * 2 * 3e-4, 35 * 0.4 + 15 * 2e-4 + 15 * 2 * 3e-4, 35 * 0.4 + 15 * 2e-4]
    )


def test_an_ensemble_of_recomputed_members_is_a_row():
    job = job_of(scores_all=members(INTRA))
    result = cells(table6(job))["intra ensemble", "ss@development"]
    # (3, 4.3, 6) and, of the second item, 6 against .4 + 2 + 6.
    assert result["value"] == 0
    assert numbers(table6(job))["intra ensemble", "lms@development"] == 100 * (0 + 2) / 4
    assert "intra ensemble" not in {row for row, _ in numbers(table7(job))}


def test_parts_of_the_items():
    def three(item, stereotype, anti, labels):
        texts = {"stereotype": stereotype, "anti-stereotype": anti, "unrelated": "A cat ."}
        return [
            {"split": "test", "task": INTRA, "item": item, "target": "x", "domain": "d"}
            | {"context": "", "gold": gold, "sentence": text, "labels": labels.get(gold, [gold])}
            for gold, text in texts.items()
        ]

    items = pd.DataFrame(
        [
            *three("one word", "He is bad", "He is good", {}),
            *three("two words", "He was bad", "He is good", {}),
            *three("longer", "He is bad", "He is very good", {"stereotype": ["stereotype"] * 5}),
            *three("disputed", "He is bad", "He is good", {"anti-stereotype": ["related"]}),
        ]
    )
    parts = parts_of(items)
    assert parts["minimal"].tolist() == [True, False, False, True]
    assert parts["agreed"].tolist() == [True, True, True, False]


def test_a_model_without_a_next_sentence_classifier_says_so():
    mine = scores("mine", (INTRA, "x", BEST), (INTRA, "y", LAST)).assign(scheme=LIKELIHOOD)
    job = job_of(scores_mine=mine)
    [note] = {record["note"] for record in table4(job)}
    assert "no next-sentence classifier" in note
    assert np.isnan([record["value"] for record in table4(job)]).all()
    known = {record["row"]: not np.isnan(record["value"]) for record in table6(job)}
    assert known == {"intra mine": True, "inter mine": False}


def test_an_ensemble_is_made_of_the_items_that_all_members_have_unless_it_was_released():
    released = members(INTRA, ensemble=[(9, 8, 7), (9, 8, 7)])
    alone = released[released["row"] != "ensemble"]
    lacks_one = alone[(alone["row"] != "gpt2-large") | alone["item"].str.endswith("1")]

    def ensemble(table):
        made = with_ensemble(table)
        return made[made["row"] == "ensemble"]

    assert ensemble(released)["stereotype"].tolist() == [9, 9]
    assert ensemble(lacks_one)["item"].tolist() == ["development intrasentence 1"]
    assert ensemble(alone[alone["row"] != "gpt2-large"]).empty
    assert not any(list(table(job_of())) for table in (table4, table5, table6, table7))


def of_task(row, *items, task=INTRA, **others):
    return worlds.scores(row, *((task, *item) for item in items), **others)


def test_decisions_by_hand():
    one = of_task("bert-base", ("x", BEST), ("x", ANTI), ("y", (2, 1, 1)), ("y", TIED))
    other = of_task("longer", ("x", LAST), ("x", TIED), ("y", (2, 1, 1)), ("y", (1, 2, 2)))
    result = decisions(pd.concat([one, other]))
    assert list(result["ss"].index.get_level_values("target")) == ["x", "x", "y", "y"]
    nan = np.nan
    assert_allclose(result["ss"], [[1, 1], [0, nan], [1, 1], [0, 0]])
    # Of a model a tie is no preference; of a control it is left out, here one of two and both.
    assert_allclose(result["lms"], [[1, 0], [1, nan], [0.5, 1], [0, 0]])


@pytest.fixture(scope="module")
def pairs_job():
    """Two of the paper's models, one of a user's own, two controls; twelve terms of two items."""
    rng = np.random.default_rng(1)
    terms = [f"t{k // 2:02}" for k in range(24)]

    def random(row, **fields):
        threes = rng.permuted(np.tile([1, 2, 3], (24, 1)), axis=1)
        return of_task(row, *zip(terms, threes, strict=True), **fields)

    tables = {
        "predictions": [random("gpt2"), random("bert-base"), random("gpt2", task=INTER)],
        "controls": [random(row, scheme="") for row in ("longer", "cosine", "random", "ideal")],
        "scores_mine": [random("mine"), random("mine", task=INTER), random("mine", split="test")],
    }
    return job_with({f"evidence/stereoset/{name}": pd.concat(t) for name, t in tables.items()})


def test_own_models_come_first_then_the_papers_then_controls(pairs_job):
    result = cells(summarise(pairs_job))
    own, papers, controls = ["mine"], ["bert-base", "gpt2"], ["longer", "cosine"]
    expected = {f"{a} - {b}" for a in own for b in papers + controls} | {"bert-base - gpt2"}
    expected |= {f"{a} - {b}" for a in papers for b in controls}
    assert {row for row, column in result if column == "ss-intra"} == expected
    assert {row for row, column in result if column == "lms-inter"} == {"mine - gpt2"}
    declared = for_models(DECLARATIONS, ["mine"]).artefacts["stereoset_pairs"]
    assert set(result) <= {(cell.row, cell.column) for cell in declared.cells()}
    assert list(summarise(job_with())) == []


def test_a_difference_is_that_of_the_tables_and_its_verdict_that_of_its_interval(pairs_job):
    result, table = cells(summarise(pairs_job)), cells(table6(pairs_job))
    for (row, column), cell in result.items():
        name, _, task = column.partition("-")
        one, other = (table[f"{task} {side}", f"{name}@development"] for side in row.split(" - "))
        assert cell["value"] == pytest.approx(one["value"] - other["value"], abs=1e-9)
        assert (cell["n"], cell["n_unit"]) == (12, "terms")
        tells = not cell["ci_low"] <= 0 <= cell["ci_high"]
        verdict, items = cell["note"].split("; ")[:2]
        assert items == "24 items"
        assert (verdict != "cannot tell") == tells == (cell["p_value"] < 0.05)
        assert cell["detectable"] > (cell["ci_high"] - cell["ci_low"]) / 2
