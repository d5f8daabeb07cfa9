"""A second team's numbers beside print and ours, on cases judged by hand."""

import pandas as pd
import pytest

from socialbias.errors import UserError
from socialbias.reporting.artefact import Artefact
from socialbias.reporting.compare import compare
from socialbias.reporting.replications import (
    ALL,
    OTHER_SETTING,
    WITHOUT_OURS,
    compared_with,
    read_replication,
    same_number,
)
from socialbias.reporting.values import read_csv
from socialbias.reporting.write_artefact import finish
from tests.declared import DECLARATIONS
from tests.paths import PUBLISHED, REPOSITORY
from tests.records import cell, value, values_table

TEAM = (
    "other:\n  title: Again\n  authors: [Jo van der Berg, A B, C D]\n  year: 2020\n"
    "  venue: V\n  doi: 10.1/y\n"
)
EXACT = {"unit": "share", "fidelity": "exact", "sources": "news"}
PRINT = {"a": "0.50", "b": "0.60", "c": "0.70", "d": "0.80"}


@pytest.fixture
def resources(tmp_path):
    """Writes print and a team's lines `row,column,value,setting`; returns the printed file."""

    def write(lines, header="team,row,column,value,setting,note"):
        for folder in ("published", "replications"):
            (tmp_path / folder).mkdir(exist_ok=True)
        published = tmp_path / "published/demo_table9.csv"
        body = "".join(f"{row},x,{digits},\n" for row, digits in PRINT.items())
        published.write_text(f"row,column,value,note\n{body}")
        theirs = "".join(f"{line},\n" for line in lines)
        (tmp_path / "replications/demo_table9.csv").write_text(f"{header}\n{theirs}")
        (tmp_path / "replications.yaml").write_text(TEAM)
        return published

    return write


def three_way(published, ours, fidelity="exact"):
    records = [value(row, "x", x, **EXACT | {"fidelity": fidelity}) for row, x in ours.items()]
    cells, _ = compare(values_table("table9", records, 1), read_csv(published))
    return compared_with(cells, read_replication(published)).set_index("row")


def test_who_agrees_with_whom_on_exact_inputs(resources):
    theirs = ["other,a,x,0.50,", "other,b,x,0.60,", "other,c,x,0.75,", "other,d,x,0.85,"]
    ours = {"a": 0.501, "b": 0.65, "c": 0.702, "d": 0.846}
    found = three_way(resources(theirs), ours)
    assert found["replication_verdict"].to_dict() == {
        "a": ALL,
        "b": "the paper and the second team agree, ours differs",
        "c": "the paper and ours agree, the second team differs",
        "d": "the second team and ours agree, the paper differs",
    }
    assert found.loc["c", "replication_detail"] == "theirs is 1.07 of the paper's"  # 0.75 / 0.70
    assert set(found["replicated_by"]) == {"van der Berg et al. 2020"}


def test_substitutes_are_not_judged_and_other_settings_neither(resources):
    theirs = ["other,a,x,0.50,", "other,b,x,0.61,", "other,c,x,0.70,news for reviews"]
    found = three_way(resources(theirs), dict.fromkeys(PRINT, 0.5), "substitute")
    verdicts = found["replication_verdict"].to_dict()
    assert (verdicts["a"], verdicts["b"]) == (WITHOUT_OURS[True], WITHOUT_OURS[False])
    assert verdicts["c"] == OTHER_SETTING
    assert verdicts["d"] == ""  # the team has no such number
    assert found.loc["c", "replication_detail"] == "news for reviews"


def test_digits_are_equal_at_the_coarser_precision():
    equal = [("8888", "8888"), ("0.93", "0.933")]
    for one, other in [*equal, ("0.933", "0.94"), ("812", "815")]:
        assert same_number(one, other) is same_number(other, one) is ((one, other) in equal)


@pytest.mark.parametrize(
    ("lines", "header", "problem"),
    [
        (["other,a,x,1,", "other,a,x,2,"], None, "row 'a', column 'x' appears twice"),
        (["nobody,a,x,1,"], None, "must have one team, described in replications.yaml"),
        (["other,a,x,1"], "team,row,column,value,note", "its columns must be team, row"),
    ],
)
def test_a_file_that_says_too_little_is_one_line(resources, lines, header, problem):
    published = resources(lines, **({"header": header} if header else {}))
    with pytest.raises(UserError, match=problem):
        read_replication(published)


def test_a_job_of_values_shows_the_second_team_beside_print(resources, tmp_path):
    published = resources(["other,a,x,0.90,", "other,b,x,0.80,elsewhere"])
    rows = dict(zip(PRINT, ("A", "B", "C", "D"), strict=True))
    artefact = Artefact("demo", "table9", "T", "S.", "share", 2, rows, {"x": "X"})
    cells = [cell(row, "x") for row in PRINT]
    records = [value(row, "x", 0.5, **EXACT) for row in PRINT]
    finish(records, artefact, cells, published, 1, tmp_path / "table9.values.csv")
    shown = pd.read_csv(tmp_path / "table9.csv", index_col="row", dtype=str)
    assert list(shown.columns) == [
        *("X, paper", "X, paper: van der Berg et al. 2020", "X, ours", "note")
    ]
    assert shown.iloc[:2, 1].tolist() == ["0.90", "0.80"]
    assert shown.iloc[1, -1] == "of another setting: X, paper: van der Berg et al. 2020"


FILES = sorted((REPOSITORY / "resources/replications").glob("*.csv"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_this_project_keeps_of_second_teams(file):
    replication = read_replication(PUBLISHED / file.name)
    declared = DECLARATIONS.artefacts[file.stem]
    assert {column for _, column in replication.cells} <= set(declared.columns)
    assert any(row in declared.rows for row, _ in replication.cells)


def test_the_second_team_on_corpora_by_hand():
    # Badder Seeds, table A.1: words over documents give the printed mean lengths.
    cells = read_replication(PUBLISHED / "bad_seeds_table2.csv").cells
    number = {key: float(digits) for key, (digits, _) in cells.items()}
    for row in {row for row, _ in cells}:
        mean = number[row, "words"] / number[row, "documents"]
        assert round(mean) == number[row, "mean_document_length"]
