from pathlib import Path

import pytest

from socialbias.errors import UserError
from socialbias.reporting.catalogue import (
    Artefact,
    base_column,
    completeness,
    load_catalogue,
    manifest_cells,
)
from socialbias.reporting.values import read_csv, value, values_table, write_values

RESOURCES = Path(__file__).parents[2] / "resources"
MANIFEST = """\
paper,artefact,row,column,run:quickstart,run:paper
demo,table9,a,x@code,subset,exact
demo,table9,b,x@code,no input,exact
demo,table8,a,y,exact,exact
other,table9,null,y,exact,exact
"""


@pytest.fixture
def artefact():
    return Artefact(
        paper="demo",
        artefact="table9",
        title="Table 9",
        shows="Nothing.",
        unit="share",
        digits=2,
        rows={"b": "Row b", "a": "Row a"},
        columns={"y": "Why", "x": "Ex"},
        variants={"print": "printed lists", "code": "code lists"},
    )


def test_name_and_labels(artefact):
    assert artefact.name == "demo_table9"
    assert artefact.label("x") == "Ex"
    assert artefact.label("x@code") == "Ex (code lists)"
    assert artefact.label_of_ours("x") == "ours"
    assert artefact.label_of_ours("x@code") == "code lists"
    assert base_column("x@code") == base_column("x") == "x"


def test_columns_stand_in_the_order_of_print_then_of_variants(artefact):
    given = ["x@code", "x", "x@print", "y@code", "x@code", "y@print"]
    wanted = ["y@print", "y@code", "x", "x@print", "x@code"]
    assert artefact.in_print_order(given) == wanted


def test_the_catalogue_loads_and_agrees_with_the_manifest():
    catalogue = load_catalogue(RESOURCES / "artefacts.yaml")
    for name, artefact in catalogue.items():
        assert name == f"{artefact.paper}_{artefact.artefact}"
        cells = manifest_cells(RESOURCES / "manifest.csv", artefact.paper, artefact.artefact)
        assert cells
        assert {row for row, _ in cells} == set(artefact.rows)
        assert {base_column(column) for _, column in cells} == set(artefact.columns)
        assert len(artefact.in_print_order([c for _, c in cells])) == len({c for _, c in cells})


@pytest.fixture
def manifest(tmp_path):
    path = tmp_path / "manifest.csv"
    path.write_text(MANIFEST)
    return path


def test_manifest_cells_are_those_of_one_artefact_of_one_paper(manifest):
    assert manifest_cells(manifest, "demo", "table9") == [("a", "x@code"), ("b", "x@code")]
    assert manifest_cells(manifest, "other", "table9") == [("null", "y")]
    assert manifest_cells(manifest, "demo", "table1") == []


def write(folder, **fidelities):
    """A values file with cells of column x@code of these fidelities."""
    said = {"unit": "share", "sources": "demo", "n_unit": "", "note": ""}
    records = [
        value(row, "x@code", float("nan") if f == "no input" else 0.5, fidelity=f, **said)
        for row, f in fidelities.items()
    ]
    path = folder / "demo" / "table9.values.csv"
    write_values(values_table("table9", records, 1), path)
    return [path]


def demo_only(manifest):
    """The manifest without the artefacts that nothing here makes."""
    table = read_csv(manifest)
    return table[(table["paper"] == "demo") & (table["artefact"] == "table9")]


def test_a_run_that_reaches_every_minimum_is_complete(manifest, tmp_path):
    table = demo_only(manifest)
    paths = write(tmp_path, a="subset", b="no input")
    assert completeness(table, paths, "quickstart").startswith("all 2 cells ")
    paths = write(tmp_path, a="exact", b="substitute")  # better than the minimum
    assert completeness(table, paths, "quickstart").startswith("all 2 cells ")
    assert completeness(table, write(tmp_path, a="exact", b="exact"), "paper").startswith("all 2 ")
    with pytest.raises(UserError, match="must be at least 'exact'"):
        completeness(table, write(tmp_path, a="exact", b="subset"), "paper")


def test_every_shortcoming_of_a_run_is_one_line_that_names_the_cell(manifest, tmp_path):
    with pytest.raises(UserError) as caught:
        completeness(demo_only(manifest), write(tmp_path, a="substitute", c="exact"), "quickstart")
    lines = str(caught.value).splitlines()
    assert len(lines) == 3
    assert all(line.startswith("demo_table9, row ") for line in lines)
    assert "row a, column x@code: 'substitute', must be at least 'subset'" in lines[0]
    assert "row b, column x@code: absent" in lines[1]
    assert "row c, column x@code: not in resources/manifest.csv" in lines[2]


def test_a_users_own_kind_of_run_needs_the_cells_only(manifest, tmp_path):
    table = demo_only(manifest)
    paths = write(tmp_path, a="no input", b="no input")
    assert "all 2 cells" in completeness(table, paths, "my-own")
    with pytest.raises(UserError, match="row b, column x@code: absent"):
        completeness(table, write(tmp_path, a="exact"), "my-own")


def test_an_artefact_that_nothing_makes_is_a_shortcoming(manifest, tmp_path):
    with pytest.raises(UserError, match="nothing makes it"):
        completeness(read_csv(manifest), write(tmp_path, a="exact", b="exact"), "quickstart")


def test_an_artefact_is_named_in_short_by_its_number_or_by_what_stands_beside_print():
    catalogue = load_catalogue(Path(__file__).parents[2] / "resources/artefacts.yaml")
    names = {name: entry.in_short for name, entry in catalogue.items()}
    assert names["trustworthy_table5"] == "Table 5"
    assert names["trustworthy_weat"] == "WEAT 1 to 10"
    assert names["bad_seeds_spread"] == "The corpus or the seeds?"
    per_paper = [(entry.paper, entry.in_short) for entry in catalogue.values()]
    assert len(set(per_paper)) == len(per_paper)
