from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from socialbias.errors import UserError
from socialbias.reporting.artefact import Artefact
from socialbias.reporting.values import NO_INPUT, TOO_SPARSE, read_csv, read_draws, read_values
from socialbias.reporting.write_artefact import check_complete, finish, with_checks, with_provenance
from socialbias.stats.draws import DRAWS
from tests.records import cell, value, values_table

DEMO = Artefact(
    "demo", "table9", "Table 9", "Nothing.", "share", 2, {"a": "A", "b": "B"}, {"x": "X"}
)
CELLS = [cell("a", "x"), cell("b", "x", "get word2vec")]
OTHERS = {"unit": "share"}


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
    assert compared.loc["a", "verdict"] == "equal"
    assert read_csv(tmp_path / "table9.columns.csv").loc[0, "column"] == "x"
    assert "0.50" in (tmp_path / "table9.csv").read_text()
    written = {path.suffix for path in tmp_path.glob("table9.*")}
    assert written == {".csv", ".tex", ".html", ".parquet"}
    assert finished(tmp_path, []).loc["a", "note"] == TOO_SPARSE
    # What the evidence of another input gave for a cell without its own is left out.
    table = finished(tmp_path, [record, value("b", "x", 0.5, **OTHERS)])
    assert table.loc["b", ["fidelity", "note"]].tolist() == [NO_INPUT, "get word2vec"]
    assert np.isnan(table.loc["b", "value"])
    with pytest.raises(UserError, match="demo_table9: row 'c', column 'x' is not declared"):
        finished(tmp_path, [value("c", "x", 0.5, **OTHERS)])


def test_p_values_are_adjusted_over_the_tests_of_their_own_column(tmp_path):
    tests = {("a", "x"): 0.01, ("b", "x"): 0.04, ("a", "y"): 0.03}
    cells = [cell(row, column) for row, column in tests]
    records = [value(*cell, 0.5, p_value=p, **OTHERS) for cell, p in tests.items()]
    two = replace(DEMO, columns={"x": "X", "y": "Y"})
    finish(records, two, cells, tmp_path / "none.csv", 1, tmp_path / "table9.values.csv")
    table = read_values(tmp_path / "table9.values.csv").set_index(["row", "column"])
    # Holm: the smaller of two is doubled, the larger is its own; the only test of y stays.
    assert table["q_value"].to_dict() == {("a", "x"): 0.02, ("b", "x"): 0.04, ("a", "y"): 0.03}


def run_of(**fidelities):
    """The values of one artefact with rows of these fidelities."""
    records = [
        value(row, "x", float("nan") if kind == NO_INPUT else 0.5, fidelity=kind, sources="news")
        for row, kind in fidelities.items()
    ]
    return {"demo_table9": values_table("table9", records, 1)}


EXPECTED = {
    "demo_table9": [
        ["a", "x", "exact", "news", False],
        ["b", "x", NO_INPUT, "", False],
        ["c", "x", "subset", "news", True],
        ["e", "x", "subset or exact", None, False],
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
        ("a", None, "row 'a', column 'x': absent, though its inputs are exact"),
    ],
)
def test_every_cell_that_is_not_is_one_line(row, kind, line):
    kinds = {"a": "exact", "b": NO_INPUT, "c": "subset", "e": "exact"} | {row: kind}
    tables = run_of(**{row: kind for row, kind in kinds.items() if kind})
    with pytest.raises(UserError) as caught:
        check_complete(EXPECTED, tables)
    assert str(caught.value) == f"demo_table9, {line}"


def test_a_cell_that_cites_other_sources_than_its_inputs_is_one_line():
    tables = run_of(a="exact", b=NO_INPUT, c="subset", e="exact")
    tables["demo_table9"]["sources"] = "novels"
    with pytest.raises(UserError) as caught:
        check_complete(EXPECTED, tables)
    assert str(caught.value).splitlines() == [
        f"demo_table9, row {row!r}, column 'x': it cites 'novels', though its inputs are 'news'"
        for row in "ac"  # the numbers of e are those of other artefacts
    ]


def test_a_number_says_on_what_samples_its_vectors_were_trained_and_whether_they_are_weak():
    cells = [
        {"row": "a", "column": "x", "checks": ["checks/nyt", "checks/wikitext"]},
        {"row": "b", "column": "x", "checks": ["checks/nyt"]},
        {"row": "c", "column": "x", "checks": []},
    ]
    records = [value(row, "x", 1.0, **OTHERS) for row in "abc"]
    records[0]["note"] = "first"
    notes = {"checks/nyt": "", "checks/wikitext": "m out of n"}
    weaknesses = {"checks/nyt": "few analogies", "checks/wikitext": ""}
    checked = list(with_checks(records, cells, weaknesses, notes))
    assert [record["note"] for record in checked] == ["first; m out of n", "", ""]
    assert [record["weak"] for record in checked] == ["few analogies", "few analogies", ""]


def derived(record, **cell_of):
    """Fidelity, sources and note of one record, by its cell."""
    [made] = with_provenance([value("a", "x", 1.0) | record], [cell("a", "x", **cell_of)])
    return made["fidelity"], made["sources"], made.get("note", "")


def test_provenance_is_that_of_what_the_cell_needs_whatever_a_record_says():
    wrong = {"fidelity": "exact", "sources": "another"}
    assert derived(wrong, fidelity="subset", sources=["b", "c"]) == ("subset", "b;c", "")
    none = [{"row": "a", "column": "x", "value": np.nan} | wrong]
    [empty] = with_provenance(none, [cell("a", "x")])
    assert (empty["fidelity"], empty["sources"]) == (NO_INPUT, "")


@pytest.mark.parametrize("whole", [True, False])
def test_a_number_whose_evidence_is_whole_has_the_fidelity_of_whole_inputs(whole):
    kind, *_ = derived({"whole": whole}, fidelity="subset", whole="exact")
    assert kind == ("exact" if whole else "subset")


def test_a_number_made_of_others_has_their_sources_and_the_worst_fidelity():
    others = pd.DataFrame({"sources": ["b;c", "c"], "fidelity": ["exact", "substitute"]})
    found = derived({"made_of": others}, collects=True, sources=["a"], fidelity="subset")
    assert found == ("substitute", "a;b;c", "")
    with pytest.raises(UserError, match="row 'a', column 'x': does not say of which numbers"):
        derived({}, collects=True)
    with pytest.raises(UserError, match="is not declared to be made of numbers of other"):
        derived({"made_of": others})


def test_a_number_with_a_setting_below_the_papers_says_so_where_it_is_no_other_thing():
    below = ["stereoset.next_sentence.train is 200,000, in the paper 9,500,000"]
    assert derived({}, fidelity="subset", below=below)[2] == below[0]
    assert derived({}, fidelity="substitute", below=below)[2] == ""
