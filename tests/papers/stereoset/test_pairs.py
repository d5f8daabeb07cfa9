"""Differences of scorers, by hand, and which pairs have a row."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from socialbias.measures.stereoset import CANDIDATES
from socialbias.papers.stereoset.model_tables import table6
from socialbias.papers.stereoset.pairs import decisions, summarise
from socialbias.pipeline.declarations import for_models
from socialbias.pipeline.job import Job
from tests.declared import DECLARATIONS
from tests.papers.stereoset.tiny import cells

BEST, ANTI, LAST, TIED = (3, 2, 1), (2, 3, 1), (2, 1, 3), (1, 1, 1)


def scores(row, *items, scheme="likelihood", task="intrasentence", split="development"):
    """Evidence: of each item its term and scores."""
    fields = {"split": split, "task": task, "row": row, "scheme": scheme, "domain": "d"}
    return pd.DataFrame(
        [
            fields
            | {"item": f"{task} {place}", "target": term}
            | dict(zip(CANDIDATES, map(float, three), strict=True))
            for place, (term, three) in enumerate(items)
        ]
    )


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


@pytest.fixture
def job(tmp_path):
    """Two of the paper's models, one of a user's own, two controls; twelve terms of two items."""
    rng = np.random.default_rng(1)
    terms = [f"t{k // 2:02}" for k in range(24)]

    def random(row, **fields):
        return scores(
            row,
            *zip(terms, rng.permuted(np.tile([1, 2, 3], (24, 1)), axis=1), strict=True),
            **fields,
        )

    tables = {
        "predictions": [random("gpt2"), random("bert-base"), random("gpt2", task="intersentence")],
        "controls": [random(row, scheme="") for row in ("longer", "cosine", "random", "ideal")],
        "scores_mine": [
            random("mine"),
            random("mine", task="intersentence"),
            random("mine", split="test"),
        ],
    }
    files, provenance = {}, {}
    for name, parts in tables.items():
        pd.concat(parts).to_parquet(tmp_path / f"{name}.parquet")
        files[f"evidence/stereoset/{name}"] = [tmp_path / f"{name}.parquet"]
        fidelity = "own" if name == "scores_mine" else "exact"
        provenance[f"evidence/stereoset/{name}"] = [(name, fidelity)]
    return Job(files, {"seed": 1, "intervals.level": 0.95}, print)


def test_own_models_come_first_then_the_papers_then_controls(job):
    result = cells(summarise(job))
    assert {row for row, column in result if column == "ss-intra"} == {
        "mine - bert-base",
        "mine - gpt2",
        "mine - longer",
        "mine - cosine",
        "bert-base - gpt2",
        "bert-base - longer",
        "bert-base - cosine",
        "gpt2 - longer",
        "gpt2 - cosine",
    }
    assert {row for row, column in result if column == "lms-inter"} == {"mine - gpt2"}


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


def test_every_pair_that_is_computed_is_declared(job):
    declared = for_models(DECLARATIONS, ["mine"]).artefacts["stereoset_pairs"]
    assert set(cells(summarise(job))) <= {(cell.row, cell.column) for cell in declared.cells()}


def test_without_scores_there_is_no_pair():
    assert list(summarise(Job({}, {"seed": 1, "intervals.level": 0.95}, print))) == []
