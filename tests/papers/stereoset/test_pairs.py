"""Differences of scorers, by hand, and which pairs have a row."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from socialbias.papers.stereoset.model_tables import table6
from socialbias.papers.stereoset.pairs import decisions, summarise
from socialbias.pipeline.declarations import for_models
from tests.declared import DECLARATIONS
from tests.worlds import stereoset as worlds
from tests.worlds.jobs import job_with
from tests.worlds.numbers import cells
from tests.worlds.stereoset import ANTI, BEST, INTER, INTRA, LAST, TIED


def scores(row, *items, task=INTRA, **others):
    return worlds.scores(row, *((task, *item) for item in items), **others)


def test_decisions_by_hand():
    one = scores("bert-base", ("x", BEST), ("x", ANTI), ("y", (2, 1, 1)), ("y", TIED))
    other = scores("longer", ("x", LAST), ("x", TIED), ("y", (2, 1, 1)), ("y", (1, 2, 2)))
    result = decisions(pd.concat([one, other]))
    assert list(result["ss"].index.get_level_values("target")) == ["x", "x", "y", "y"]
    nan = np.nan
    assert_allclose(result["ss"], [[1, 1], [0, nan], [1, 1], [0, 0]])
    # Of a model a tie is no preference; of a control it is left out, here one of two and both.
    assert_allclose(result["lms"], [[1, 0], [1, nan], [0.5, 1], [0, 0]])


def test_a_scorer_that_lacks_an_item_decides_nothing_of_it():
    result = decisions(pd.concat([scores("a", ("x", BEST), ("x", ANTI)), scores("b", ("x", BEST))]))
    assert_allclose(result["ss"]["b"], [1, np.nan])


@pytest.fixture(scope="module")
def job():
    """Two of the paper's models, one of a user's own, two controls; twelve terms of two items."""
    rng = np.random.default_rng(1)
    terms = [f"t{k // 2:02}" for k in range(24)]

    def random(row, **fields):
        threes = rng.permuted(np.tile([1, 2, 3], (24, 1)), axis=1)
        return scores(row, *zip(terms, threes, strict=True), **fields)

    tables = {
        "predictions": [random("gpt2"), random("bert-base"), random("gpt2", task=INTER)],
        "controls": [random(row, scheme="") for row in ("longer", "cosine", "random", "ideal")],
        "scores_mine": [random("mine"), random("mine", task=INTER), random("mine", split="test")],
    }
    return job_with({f"evidence/stereoset/{name}": pd.concat(t) for name, t in tables.items()})


def test_own_models_come_first_then_the_papers_then_controls(job):
    result = cells(summarise(job))
    own, papers, controls = ["mine"], ["bert-base", "gpt2"], ["longer", "cosine"]
    expected = {f"{a} - {b}" for a in own for b in papers + controls} | {"bert-base - gpt2"}
    expected |= {f"{a} - {b}" for a in papers for b in controls}
    assert {row for row, column in result if column == "ss-intra"} == expected
    assert {row for row, column in result if column == "lms-inter"} == {"mine - gpt2"}
    declared = for_models(DECLARATIONS, ["mine"]).artefacts["stereoset_pairs"]
    assert set(result) <= {(cell.row, cell.column) for cell in declared.cells()}
    assert list(summarise(job_with())) == []


def test_a_difference_is_that_of_the_tables_and_its_verdict_that_of_its_interval(job):
    result, table = cells(summarise(job)), cells(table6(job))
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
