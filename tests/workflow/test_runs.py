"""The workflow as a user runs it."""

import os
import re
import signal
import subprocess
import sys

import numpy as np
import pytest

from socialbias.reporting.values import NO_INPUT, read_values
from tests.conftest import QUICKSTART, SAID
from tests.waiting import until


def test_quickstart_makes_every_artefact_and_says_where_the_page_is(finished):
    assert (finished.results / "index.html").stat().st_size > 50_000
    for artefact in ("trustworthy/table3", "trustworthy/table5", "bad_seeds/table4"):
        for kind in ("values.csv", "csv", "tex", "html", "pdf", "svg", "png", "comparison.csv"):
            assert (finished.results / f"{artefact}.{kind}").stat().st_size > 0
    # Where no number has an input there is nothing to draw.
    assert (finished.results / "trustworthy/agreement.values.csv").exists()
    assert not (finished.results / "trustworthy/agreement.png").exists()
    draws = {p.parts[-3:-1]: len(np.load(p)) for p in finished.results.rglob("resampled.npy")}
    # Of these weights alone the reduction is read.
    assert draws == {("bert", "given"): 2, ("bert", "random"): 0}
    # The encoder read its text in two shards, which are gone; its control in one job.
    assert {p.parts[-3:-1] for p in finished.results.rglob("mentions.parquet")} == {
        ("given", "chosen")
    }
    assert not list(finished.results.rglob("shards/*.npz"))
    said = (finished.path / SAID).read_text("utf-8")
    assert "the page: results/quickstart/index.html" in said


def test_without_a_mirror_labour_statistics_stand_in_and_race_has_no_input(finished):
    table = read_values(finished.results / "trustworthy/table5.values.csv")
    gender = table[table["column"] == "contemporary-gender@released-code"]
    assert set(gender["fidelity"]) == {"substitute"}
    assert gender["sources"].str.contains("winogender-occupations").all()
    race = table[table["column"] == "contemporary-race"]
    assert set(race["fidelity"]) == {NO_INPUT}
    assert race["note"].str.contains("the source garg-census-race is missing").all()


PAGE = "writing the page: results/quickstart/index.html"
COMPLETE = "checking every cell against its inputs"


def made_again(*targets, evidence=()):
    """The jobs that make artefacts again from values on, and some evidence, and what shows them."""
    jobs = [f"{kind}: {target}" for kind in ("values", "figure") for target in targets]
    return sorted([*jobs, *(f"evidence: {name}" for name in evidence), PAGE, COMPLETE])


PRIOR = "src/socialbias/measures/embedding_measures.py"
TABLE5 = "src/socialbias/papers/trustworthy/table5"
# Edits, and a setting, that have no job in common.
APART = (
    # The values of one table.
    (
        f"{TABLE5}.py",
        "fit = paired_spearman(",
        "assert len(bias)\n        fit = paired_spearman(",
    ),
    # A label.
    ("src/socialbias/papers/trustworthy/weat.yaml", "WEAT 7: maths", "WEAT 7 (maths)"),
    # What one artefact alone uses.
    ("src/socialbias/stats/matching.py", "BAND = 0.2 ", "BAND = 0.3 "),
)
STYLE = "figures={overrides: {trustworthy_table3: {width: 5}}}"
MANZINI = (
    PRIOR,
    "return np.abs(cosine_matrix(matrix, words).mean(axis=1))",
    "return np.abs(cosine_matrix(matrix, words).mean(axis=1)) + 0",
)
# Edits that run nothing, neither alone nor together.
IDLE = (
    # The reading of the registry.
    (
        "src/socialbias/sources/registry.py",
        "    sources: dict[str, Source] = {}\n",
        "    sources: dict[str, Source] = {}\n    assert entries\n",
    ),
    # A comment, a docstring, and a remark in a declaration.
    (PRIOR, "    means = ", "    # Two groups only.\n    means = "),
    ("src/socialbias/measures/divdist.py", "Divide each row by its sum", "Scale each row"),
    (f"{TABLE5}.yaml", "rows:\n", "# In order of age.\nrows:\n"),
    # What jobs request.
    ("resources/requests.yaml", "times: 1.8", "times: 3.6"),
)


def test_edits_and_a_style_run_exactly_what_depends_on_each(draft, planned):
    with draft.edited(*APART):
        jobs = planned(draft, "--config", STYLE)
    edited = ("trustworthy table5", "trustworthy weat", "validation placebo")
    expected = made_again(*edited, evidence=["validation placebo"])
    assert jobs == sorted([*expected, "figure: trustworthy table3"])


def test_an_edited_measure_runs_what_measures_by_the_registry(draft, planned):
    edited = ["trustworthy table5", "validation placebo"]
    edited += ["trustworthy table3", "trustworthy weat"]  # the kernel's, which take any measure
    with draft.edited(MANZINI):
        assert planned(draft) == made_again(*edited, evidence=edited)


def test_edits_that_change_no_number_run_nothing(draft, planned):
    with draft.edited(*IDLE):
        assert planned(draft) == []


DEMO = """\
target: fairness_demo
title: "Beside Table 7: a demonstration"
shows: How many words the vectors have.
unit: words
digits: 0
rows: {word2vec: {label: words, needs: [word2vec]}, letters: {label: letters, needs: [word2vec]}}
columns: {words: words}
values:
  inputs: [vectors/professions/word2vec]
"""
DEMO_MODULE = '''\
"""A demonstration."""

from socialbias.papers.inputs import read_vectors
from socialbias.reporting.values import value


def summarise(job):
    """All cells."""
    vectors = read_vectors(job, "professions")["word2vec"]
    numbers = {"word2vec": len(vectors.words), "letters": len("".join(vectors.words))}
    return [value(row, "words", number, unit="words") for row, number in numbers.items()]
'''


def test_a_new_artefact_is_two_files_and_runs_none_of_the_others(own, planned, forked):
    folder = own.path / "src/socialbias/papers/fairness"
    (folder / "demo.yaml").write_text(DEMO)
    (folder / "demo.py").write_text(DEMO_MODULE)
    assert planned(own) == made_again("fairness demo")
    code, said = forked.run(own.path, own.environment(), *QUICKSTART, "fairness_demo")
    assert code == 0, said
    _, cell = read_values(own.results / "fairness/demo.values.csv").to_dict("records")
    folder = own.results / "embeddings/googlenews-wefe-13k/professions"
    assert cell["value"] == len((folder / "vocabulary.txt").read_text().split())
    assert (cell["fidelity"], cell["sources"]) == ("subset", "googlenews-wefe-13k")
    assert (own.results / "fairness/demo.png").stat().st_size > 1000


def test_the_seed_runs_every_random_step_and_no_reading(draft, planned):
    jobs = planned(draft, "trustworthy", "validation", "--config", "seed=7")
    assert not any(job.startswith(("reading the word", "fetching")) for job in jobs)
    evidence = {job for job in jobs if job.startswith("evidence: ")}
    assert evidence == {
        "evidence: trustworthy probe_bert",
        "evidence: trustworthy table3",
        "evidence: validation placebo",
    }


@pytest.mark.parametrize(
    "overlay", ["", pytest.param("config.quickstart.yaml", marks=pytest.mark.long)]
)
def test_a_run_can_be_planned_and_the_plan_has_the_costs_of_its_jobs(finished, forked, overlay):
    """The paper run too, offline."""
    overlays = ["--configfile", overlay] if overlay else []
    options = ("--dry-run", "--forceall", "--cores", "1", *overlays)
    code, said = forked.run(finished.path, finished.environment(), *options)
    assert code == 0, said
    if not overlay:
        assert re.search(r"run 'paper': 46 inputs: \d+ exact", said)
        assert "fetching glove-6b-300d" in said
    counted = re.search(r"^total +(\d+)$", said, re.MULTILINE)
    command = [sys.executable, "-m", "socialbias.pipeline.preview", *overlays]
    told = subprocess.run(
        command, cwd=finished.path, env=finished.environment(), capture_output=True, text=True
    )
    assert told.returncode == 0, told.stderr
    # All but the rule that asks for everything.
    assert f"in all {int(counted[1]) - 1}" in " ".join(told.stdout.split())
    assert " on 8 cores" in told.stdout


def test_a_wrong_configuration_is_one_line_a_problem_and_runs_nothing(checkout, forked):
    wrong = ("--config", "sed=3", "inputs={word2vec: [googlenews-26]}")
    code, said = forked.run(checkout.path, checkout.environment(), *QUICKSTART, *wrong)
    assert code != 0
    lines = [line for line in said.splitlines() if line.startswith("config:")]
    assert "config: sed: unknown key; did you mean 'seed'?" in lines
    with (checkout.path / "config.quickstart.yaml").open("a") as file:
        file.write("run: other\n")
    code, said = forked.run(checkout.path, checkout.environment(), *QUICKSTART)
    assert code != 0
    lines = [line for line in said.splitlines() if "twice" in line]
    assert len(lines) == 1
    assert re.fullmatch(r".*quickstart\.yaml: line \d+: the key 'run' appears twice", lines[0])
    assert not checkout.results.exists()
    assert not (checkout.path / "results/other").exists()


def test_a_cell_that_is_empty_though_its_inputs_are_there_fails_the_run(own, forked):
    start = "    records, biases = []"
    own.edit(f"{TABLE5}.py", start, f"    table = table.head(0)\n{start}")
    code, said = forked.run(
        own.path, own.environment(), *QUICKSTART, "results/quickstart/complete.txt"
    )
    assert code != 0
    cell = "trustworthy_table5, row 'divdist', column 'contemporary-gender@released-code'"
    assert f"{cell}: no input, though its inputs are substitute" in said


@pytest.mark.long  # the small quickstart once more
def test_a_run_that_is_killed_twice_resumes_to_the_same_bytes(checkout, finished):
    """First Snakemake alone, whose jobs live on, and then the whole group."""
    for kill in (os.kill, os.killpg):
        made = len(list(checkout.results.rglob("*.*")))
        process = subprocess.Popen(
            checkout.command(*QUICKSTART), cwd=checkout.path, env=checkout.environment(),
            stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        until(lambda made=made: len(list(checkout.results.rglob("*.*"))) > made + 20)
        kill(process.pid, signal.SIGKILL)
        process.wait()
        assert checkout.quickstart("--unlock").returncode == 0
    result = checkout.quickstart(forked=True)
    assert result.returncode == 0, result.stderr
    assert checkout.values() == finished.values()
    assert not [path for name in ("*.part", "*.tmp") for path in checkout.results.rglob(name)]
