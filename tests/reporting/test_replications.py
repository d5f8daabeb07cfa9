"""A second team's numbers beside the paper's and ours."""

import pandas as pd
import pytest

from socialbias.reporting.artefact import Artefact
from socialbias.reporting.replications import read_replication
from socialbias.reporting.write_artefact import finish
from tests.declared import DECLARATIONS
from tests.paths import PUBLISHED, REPOSITORY
from tests.records import cell, value

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
