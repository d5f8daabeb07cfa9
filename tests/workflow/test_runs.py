"""The workflow as a user runs it."""

import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

from socialbias.reporting.values import NO_INPUT, read_values

MIRROR = os.environ.get("SOCIALBIAS_MIRROR", "")
needs_mirror = pytest.mark.skipif(
    not Path(MIRROR, "census").is_dir() or not MIRROR,
    reason="SOCIALBIAS_MIRROR names no folder with the census files",
)


@pytest.fixture
def own(finished, tmp_path):
    """A finished copy that a test may change."""
    shutil.copytree(finished.path, tmp_path / "own", symlinks=True)
    return type(finished)(tmp_path / "own")


@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="there is one process")
def test_one_process_has_all_tests_of_the_workflow(request):
    assert request.node.nodeid.endswith("@workflow")


def test_quickstart_makes_every_artefact_and_says_where_the_page_is(finished):
    assert (finished.results / "index.html").stat().st_size > 50_000
    for artefact in ("table3", "table5", "agreement", "weat", "placebo", "multiverse"):
        for kind in ("values.csv", "csv", "tex", "html", "pdf", "svg", "png", "comparison.csv"):
            assert (finished.results / "trustworthy" / f"{artefact}.{kind}").stat().st_size > 0
    draws = {p.parts[-3:-1]: len(np.load(p)) for p in finished.results.rglob("resampled.npy")}
    # Of these weights alone the reduction is read.
    assert draws == {("bert", "given"): 2, ("bert", "random"): 0}
    again = finished.quickstart("--forcerun", "complete")
    assert "the page: results/quickstart/index.html" in again.stderr


def test_without_a_mirror_labour_statistics_stand_in_and_race_has_no_input(finished):
    table = read_values(finished.results / "trustworthy/table5.values.csv")
    gender = table[table["column"] == "contemporary-gender@released-code"]
    assert set(gender["fidelity"]) == {"substitute"}
    assert gender["sources"].str.contains("winogender-occupations").all()
    race = table[table["column"] == "contemporary-race"]
    assert set(race["fidelity"]) == {NO_INPUT}
    assert race["note"].str.contains("SOCIALBIAS_MIRROR").all()


def test_second_run_does_nothing(finished):
    result = finished.quickstart()
    assert result.returncode == 0
    assert "Nothing to be done" in result.stdout + result.stderr


def test_one_artefact_alone_is_just_that_and_the_same_bytes_on_one_core(finished, checkout):
    result = checkout.quickstart("trustworthy_table5", cores=1)
    assert result.returncode == 0, result.stderr
    made = {p.name.split(".")[0] for p in (checkout.results / "trustworthy").glob("*.*")}
    assert made == {"table5"}
    assert not (checkout.results / "index.html").exists()
    assert checkout.values().items() <= finished.values().items()


def measured_again(planned):
    """The artefacts whose evidence a plan would compute."""
    rules = {rule for rule in planned if rule.endswith("_evidence")} - {"bad_seeds_evidence"}
    found = {rule.removeprefix("trustworthy_") for rule in rules}
    return {name.removesuffix("_evidence") for name in found}


def test_editing_a_measure_runs_its_dependants_and_nothing_else(own):
    own.edit(
        "src/socialbias/measures/prior.py",
        "return np.abs(distances)",
        "return 2 * np.abs(distances)",
    )
    planned = own.planned()
    assert measured_again(planned) == {"table5", "diachronic", "placebo"}
    # Values and tables of those two artefacts, and the page: nothing is read or fetched.
    assert planned["draw"] == planned["compare"] == 2
    assert not planned.keys() & {"fetch", "align_embedding", "print_audit"}


def test_editing_what_one_artefact_uses_runs_that_one(own):
    own.edit("src/socialbias/stats/matching.py", "BAND = 0.2 ", "BAND = 0.3 ")
    planned = own.planned()
    assert measured_again(planned) == {"placebo"}
    assert planned["draw"] == planned["compare"] == 1


def test_editing_what_all_use_runs_all(own):
    own.edit(
        "src/socialbias/measures/similarity.py",
        "SMALLEST_NORM = 1e-8",
        "SMALLEST_NORM = 1e-9",
    )
    planned = own.planned()
    assert len(measured_again(planned)) == 7
    assert planned["bad_seeds_evidence"] == 1
    assert not planned.keys() & {"align_embedding", "train_vectors"}


def test_a_comment_or_docstring_runs_nothing(own):
    own.edit(
        "src/socialbias/measures/prior.py",
        "    matrix, pair = _binary(targets, groups)\n    means = ",
        "    # Two groups only.\n    matrix, pair = _binary(targets, groups)\n    means = ",
    )
    own.edit("src/socialbias/measures/divdist.py", "Divide each row by its sum", "Scale each row")
    assert own.planned() == {}


def test_restyling_runs_one_drawing_and_the_page(own):
    style = "figures={overrides: {trustworthy_table5: {width: 5}}}"
    assert own.planned("--config", style) == {"draw": 1, "page": 1}


def test_the_seed_runs_every_random_step_and_no_reading(own):
    planned = own.planned("trustworthy", "--config", "seed=7")
    assert not planned.keys() & {"align_embedding", "read_corpus", "prepare_corpus"}
    assert measured_again(planned) == {"table3", "placebo", "multiverse"}


def test_a_run_killed_in_training_resumes_to_the_same_bytes(finished, checkout):
    model = "corpora/nyt/models/0"
    targets = ("trustworthy_table5", f"results/quickstart/{model}/vectors.npy")
    command = checkout.command("--cores", "2", "--profile", "profiles/quickstart", *targets)
    process = subprocess.Popen(
        command,
        cwd=checkout.path,
        env=checkout.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    log = checkout.path / "logs/quickstart/train_vectors/nyt_0.log"
    deadline = time.monotonic() + 120
    while not log.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert process.poll() is None, "the run ended before it could be killed"
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert not (checkout.results / model / "vectors.npy").exists()
    assert checkout.quickstart("--unlock").returncode == 0
    result = checkout.quickstart(*targets)
    assert result.returncode == 0, result.stderr
    for name in ("vectors.npy", "vocabulary.txt", "inclusion.npy"):
        undisturbed = (finished.results / model / name).read_bytes()
        assert (checkout.results / model / name).read_bytes() == undisturbed
    assert checkout.values().items() <= finished.values().items()
    assert not list(checkout.results.rglob("*.tmp"))


def test_one_more_bootstrap_trains_one_more_model_a_corpus(own):
    planned = own.planned("--config", "bad_seeds={bootstraps: 3}")
    assert planned["train_vectors"] == 2
    assert not planned.keys() & {"read_corpus", "prepare_corpus", "tag_corpus"}


def test_the_paper_run_can_be_planned_offline(finished):
    result = finished.snakemake("--dry-run", "--cores", "1")
    text = result.stdout + result.stderr
    assert result.returncode == 0, text
    assert "googlenews-300 (exact), from https" in text
    assert "fetching glove-6b-300d" in text


def test_a_role_that_nothing_can_play_is_named_with_what_to_do(finished):
    result = finished.snakemake("--dry-run", "--cores", "1", "--config", "locators=[pypi]")
    assert result.returncode == 0
    line = r"census_race +no input: garg-census-race is not here: allow https"
    assert re.search(line, result.stderr)


def test_a_wrong_configuration_is_one_line_a_problem_and_runs_nothing(checkout):
    result = checkout.quickstart("--config", "sed=3", "inputs={word2vec: [googlenews-26]}")
    assert result.returncode != 0
    lines = [line for line in result.stderr.splitlines() if line.startswith("config:")]
    assert "config: sed: unknown key; did you mean 'seed'?" in lines
    assert not checkout.results.exists()


def test_a_cell_below_its_least_fidelity_fails_the_run(own):
    own.edit(
        "resources/manifest.csv",
        "trustworthy,table5,divdist,contemporary-race,no input,",
        "trustworthy,table5,divdist,contemporary-race,subset,",
    )
    result = own.quickstart("results/quickstart/complete.txt")
    assert result.returncode != 0
    cell = "trustworthy_table5, row divdist, column contemporary-race"
    assert f"{cell}: 'no input', must be at least 'subset'" in result.stderr


def test_a_lost_file_of_a_bound_source_is_an_error_that_says_what_was_tried(checkout):
    shutil.rmtree(checkout.path / "data/winogender-occupations")
    result = checkout.quickstart(
        "data/winogender-occupations/manifest.json",
        PIP_NO_INDEX="1",
        PIP_FIND_LINKS="",
        PIP_CONFIG_FILE=os.devnull,
    )
    assert result.returncode != 0
    assert "winogender-occupations: cannot fetch occupations-stats.tsv: pypi://" in result.stderr
    assert not list((checkout.path / "data").rglob(".fetching-*"))


def test_snakemake_report_works_offline(finished):
    result = finished.quickstart("--report", "report.zip")
    assert result.returncode == 0, result.stderr
    assert (finished.path / "report.zip").stat().st_size > 100_000
    (finished.path / "report.zip").unlink()


@needs_mirror
def test_adding_the_mirror_runs_exactly_what_depends_on_it(own):
    mirror = str(Path(MIRROR).resolve())
    planned = own.planned(SOCIALBIAS_MIRROR=mirror)
    # The census and the gathered seeds, samples of GPT-2, and the word lists as upstream has them.
    assert planned["fetch"] == 7
    assert "train_vectors" not in planned
    assert measured_again(planned) >= {"table5", "placebo", "multiverse", "weat"}
    result = own.quickstart("trustworthy_table5", SOCIALBIAS_MIRROR=mirror)
    assert result.returncode == 0, result.stderr
    table = read_values(own.results / "trustworthy/table5.values.csv").set_index(["row", "column"])
    race = table.loc[("divdist", "contemporary-race")]
    assert race["fidelity"] == "substitute"
    assert "garg-census-race" in race["sources"]
    assert race["n_of"] == 104
    gender = table.loc[("divdist", "contemporary-gender@released-code")]
    assert (gender["fidelity"], gender["n_of"]) == ("subset", 104)
