from dataclasses import replace

import numpy as np
import pytest

from socialbias.errors import UserError
from socialbias.reporting.artefact import Artefact
from socialbias.reporting.finish import check_complete, finish, lowered, with_notes
from socialbias.reporting.values import (
    NO_INPUT,
    TOO_SPARSE,
    read_csv,
    read_draws,
    read_values,
    value,
    values_table,
)
from socialbias.stats.draws import DRAWS

DEMO = Artefact(
    "demo", "table9", "Table 9", "Nothing.", "share", 2, {"a": "A", "b": "B"}, {"x": "X"}
)
CELLS = [
    {"row": "a", "column": "x", "reason": ""},
    {"row": "b", "column": "x", "reason": "get word2vec"},
]
OTHERS = {"unit": "share", "fidelity": "exact", "sources": "news"}


def finished(tmp_path, records, cells=CELLS):
    published = tmp_path / "published.csv"
    published.write_text("row,column,value,note\na,x,.50,\n")
    finish(records, DEMO, cells, published, 1, tmp_path / "table9.values.csv")
    return read_values(tmp_path / "table9.values.csv").set_index("row")


def test_a_job_of_values_writes_values_comparison_and_tables(tmp_path):
    sure = np.linspace(0, 1, DRAWS)
    record = value("a", "x", 0.5, p_value=0.03, draws=sure, **OTHERS)
    table = finished(tmp_path, [record])
    assert table.loc["a", "value"] == 0.5
    assert table.loc["a", "q_value"] == 0.03  # the only test of its column
    drawn, null = read_draws(tmp_path / "table9.draws.parquet")["a", "x"]
    assert (drawn == sure).all()
    assert np.isnan(null).all()
    assert table.loc["b", ["fidelity", "note"]].tolist() == [NO_INPUT, "get word2vec"]
    compared = read_csv(tmp_path / "table9.comparison.csv").set_index("row")
    assert compared.loc["a", "verdict"] == "exact"
    assert read_csv(tmp_path / "table9.columns.csv").loc[0, "exact"] == "1"
    assert "0.50" in (tmp_path / "table9.csv").read_text()
    assert {path.suffix for path in tmp_path.glob("table9.*")} == {
        *(".csv", ".tex", ".html", ".parquet")
    }


def test_p_values_are_adjusted_over_the_tests_of_their_own_column(tmp_path):
    tests = {("a", "x"): 0.01, ("b", "x"): 0.04, ("a", "y"): 0.03}
    cells = [{"row": row, "column": column, "reason": ""} for row, column in tests]
    records = [value(*cell, 0.5, p_value=p, **OTHERS) for cell, p in tests.items()]
    two = replace(DEMO, columns={"x": "X", "y": "Y"})
    finish(records, two, cells, tmp_path / "none.csv", 1, tmp_path / "table9.values.csv")
    table = read_values(tmp_path / "table9.values.csv").set_index(["row", "column"])
    # Holm: the smaller of two is doubled, the larger is its own; the only test of y stays.
    assert table["q_value"].to_dict() == {("a", "x"): 0.02, ("b", "x"): 0.04, ("a", "y"): 0.03}


def test_a_cell_whose_inputs_are_there_but_too_small_says_so(tmp_path):
    table = finished(tmp_path, [])
    assert table.loc["a", "note"] == TOO_SPARSE


def test_a_record_of_a_cell_that_is_not_declared_is_an_error(tmp_path):
    with pytest.raises(UserError, match="demo_table9: row 'c', column 'x' is not declared"):
        finished(tmp_path, [value("c", "x", 0.5, **OTHERS)])


def run_of(**fidelities):
    """The values of one artefact with rows of these fidelities."""
    records = [
        value(row, "x", float("nan") if kind == NO_INPUT else 0.5, **OTHERS | {"fidelity": kind})
        for row, kind in fidelities.items()
    ]
    return {"demo_table9": values_table("table9", records, 1)}


EXPECTED = {
    "demo_table9": [
        ["a", "x", "exact", False],
        ["b", "x", NO_INPUT, False],
        ["c", "x", "subset", True],
        ["e", "x", "subset or exact", False],
    ]
}


@pytest.mark.parametrize("sparse", ["subset", NO_INPUT])
def test_a_run_whose_cells_are_what_their_inputs_allow_is_complete(sparse):
    for either in ("subset", "exact"):
        tables = run_of(a="exact", b=NO_INPUT, c=sparse, e=either)
        assert check_complete(EXPECTED, tables).startswith("all 4 cells ")


@pytest.mark.parametrize(
    ("row", "kind", "line"),
    [
        ("a", NO_INPUT, "row 'a', column 'x': no input, though its inputs are exact"),
        ("a", "subset", "row 'a', column 'x': subset, though its inputs are exact"),
        ("b", "exact", "row 'b', column 'x': exact, though its inputs are no input"),
        ("c", "exact", "row 'c', column 'x': exact, though its inputs are subset"),
        ("d", "exact", "row 'd', column 'x': is not declared"),
        ("e", "own", "row 'e', column 'x': own, though its inputs are subset or exact"),
    ],
)
def test_every_cell_that_is_not_is_one_line(row, kind, line):
    tables = run_of(**{"a": "exact", "b": NO_INPUT, "c": "subset", "e": "exact"} | {row: kind})
    with pytest.raises(UserError) as caught:
        check_complete(EXPECTED, tables)
    assert str(caught.value) == f"demo_table9, {line}"


def test_a_cell_that_is_absent_is_one_line():
    with pytest.raises(UserError, match="row 'a', column 'x': absent, though its inputs are exact"):
        check_complete(EXPECTED, run_of(b=NO_INPUT, c="subset", e="exact"))


def test_a_number_says_on_what_samples_its_vectors_were_trained():
    cells = [
        {"row": "a", "column": "x", "checks": ["checks/nyt", "checks/wikitext"]},
        {"row": "b", "column": "x", "checks": ["checks/nyt"]},
        {"row": "c", "column": "x", "checks": []},
    ]
    records = [value(row, "x", 1.0, **OTHERS) for row in "abc"]
    records[0]["note"] = "first"
    notes = {"checks/nyt": "", "checks/wikitext": "m out of n"}
    told = [record["note"] for record in with_notes(records, cells, notes)]
    assert told == ["first; m out of n", "", ""]


def test_a_number_with_a_setting_below_the_papers_is_a_subset_and_says_so():
    below = ["stereoset.next_sentence.train is 200,000, in the paper 9,500,000"]
    cells = [{"row": row, "column": "x", "below": below} for row in "abc"]
    cells.append({"row": "d", "column": "x", "below": []})
    kinds = {"a": "exact", "b": "substitute", "c": NO_INPUT, "d": "exact"}
    records = [value(row, "x", 1.0, **OTHERS | {"fidelity": kind}) for row, kind in kinds.items()]
    first, *others = lowered(records, cells)
    assert first == records[0] | {"fidelity": "subset", "note": below[0]}
    assert others == records[1:]
