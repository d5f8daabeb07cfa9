"""The gate of every change: what a run has, made again by the code as it is."""

import subprocess
import sys

import pytest

MULTIPLICITY = (
    "src/socialbias/reporting/write_artefact.py",
    'table.groupby("column")["p_value"]',
    'table.groupby("artefact")["p_value"]',
)
MANZINI = (
    "src/socialbias/measures/embedding_measures.py",
    "return np.abs(cosine_matrix(matrix, words).mean(axis=1))",
    "return cosine_matrix(matrix, words).mean(axis=1)",
)


def same_numbers(copy, *arguments):
    """The exit status and the lines of `make same-numbers` in a copy."""
    result = subprocess.run(
        [sys.executable, "-m", "socialbias.commands.maintenance.same_numbers", *arguments],
        cwd=copy.path,
        env=copy.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    return result.returncode, result.stdout.splitlines() + result.stderr.splitlines()


def stamps(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*")}


@pytest.mark.long  # makes eight artefacts again; those below make one or two
def test_a_finished_run_has_the_same_numbers_and_is_left_as_it_is(finished):
    before = stamps(finished.results)
    status, lines = same_numbers(finished, "results/quickstart", "--cores", "2")
    assert status == 0, lines
    assert "8 are the same byte for byte, 0 differ" in lines[-1]
    assert stamps(finished.results) == before


def test_a_fault_in_the_values_is_listed_cell_by_cell(draft):
    with draft.edited(MULTIPLICITY):
        status, lines = same_numbers(draft, "--only", "trustworthy_weat", "trustworthy_agreement")
    assert status == 1
    assert "2 artefacts" in lines[-1]
    assert "1 are the same byte for byte, 1 differ" in lines[-1]
    cell = "trustworthy_weat.values.csv: row 'weat1', column 'p-value': q_value was '"
    assert sum(line.startswith(cell) for line in lines) == 1
    # What is adjusted is one field alone.
    values = [line for line in lines if line.startswith("trustworthy_weat.values.csv: ")]
    assert all("q_value was" in line for line in values)


def test_a_fault_in_the_evidence_is_found_from_the_sources(draft):
    with draft.edited(MANZINI):
        named = ("--only", "bad_seeds_figure1", "validation_placebo")
        status, lines = same_numbers(draft, *named, "--from", "sources")
    assert status == 1
    differing = {line.split(":")[0] for line in lines if ".values.csv" in line}
    assert differing == {"validation_placebo.values.csv"}
