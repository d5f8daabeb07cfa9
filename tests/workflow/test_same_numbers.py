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


@pytest.mark.long  # a process of its own
def test_a_run_with_other_sources_is_refused(own):
    record = own.results / "run.json"
    text = record.read_text("utf-8").replace("data/glove-6b-50d/", "data/glove-840b/")
    record.unlink()  # other copies of the run have the same file
    record.write_text(text, "utf-8")
    status, [line] = same_numbers(own)
    assert status == 1
    assert "glove was read from data/glove-840b/manifest.json in this run" in line


@pytest.mark.long
def test_a_claim_that_was_edited_before_the_run_was_exported_is_found(own):
    def run(*command):
        line = [sys.executable, "-m", *command, "results/quickstart"]
        how = {"cwd": own.path, "env": own.environment(), "text": True, "check": False}
        result = subprocess.run(line, capture_output=True, **how)
        return result.returncode, (result.stdout + result.stderr).splitlines()

    assert run("socialbias.reporting.crate")[0] == 0
    assert run("socialbias", "verify")[0] == 0
    claims = own.results / "claims.csv"
    text = claims.read_text("utf-8").replace("no input", "holds", 1)
    claims.unlink()
    claims.write_text(text, "utf-8")
    assert run("socialbias.reporting.crate")[0] == 0
    status, lines = run("socialbias", "verify")
    assert status == 3
    assert lines[0] == "claims.csv: is not what the values give"
    assert "files    as the crate says" in lines
