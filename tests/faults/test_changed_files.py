"""Sources and results that change between jobs, in a small workflow: an error or a new run."""

import hashlib
import json
import os
import shutil
import subprocess

import pytest

from tests.paths import REPOSITORY

BODY = b"1\n" * 6000
SNAKEFILE = """\
rule all:
    input:
        "results/mine/sum.txt",


rule fetch:
    output:
        manifest="data/news/manifest.json",
    log:
        "logs/fetch.log",
    script:
        "fetch.py"


rule prepare:
    input:
        "data/news/manifest.json",
    output:
        folder=directory("results/mine/prepared"),
        report="results/mine/report.json",
        counts="results/mine/counts.txt",
    log:
        "logs/prepare.log",
    script:
        "prepare.py"


rule sum:
    input:
        folder="results/mine/prepared",
        report="results/mine/report.json",
        beside="results/mine/counts.txt",
    output:
        "results/mine/sum.txt",
    log:
        "logs/sum.log",
    script:
        "sum.py"
"""
HEAD = "from pathlib import Path\nfrom socialbias.pipeline.scripting import logged\n"
SCRIPTS = {
    "fetch.py": """\
from socialbias.sources.binding import Places
from socialbias.sources.fetch import fetch
from socialbias.sources.manifest import write_manifest
from socialbias.sources.registry import load_registry
with logged(snakemake) as say:
    places = Places(Path("data"), Path("mirror"), ())
    manifest = fetch(load_registry(Path("sources.yaml"))["news"], places, say)
    write_manifest(manifest, Path(snakemake.output.manifest))
""",
    "prepare.py": """\
from socialbias.sources.manifest import only_file, read_manifest
with logged(snakemake):
    text = only_file(*read_manifest(Path(snakemake.input[0]))).read_text()
    folder = Path(snakemake.output.folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "text").write_text(text)
    Path(snakemake.output.counts).write_text(text)
    Path(snakemake.output.report).write_text("{}")
""",
    "sum.py": """\
with logged(snakemake):
    numbers = (Path(snakemake.input.folder) / "text").read_text().split()
    beside = Path(snakemake.input.beside).read_text().split()
    assert len(numbers) == len(beside)
    Path(snakemake.output[0]).write_text(str(sum(map(int, numbers))))
""",
}
SOURCE = {
    **{"id": "news", "title": "News", "citation": "Nobody 2020", "licence": "MIT"},
    "files": [
        {
            "name": "a.txt",
            "bytes": len(BODY),
            "sha256": hashlib.sha256(BODY).hexdigest(),
            "locators": ["https://127.0.0.1:9/a.txt"],
        }
    ],
}


def snakemake(forked, folder, *arguments):
    """Run the workflow: its exit code, and what it said."""
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY / "src")}
    return forked.run(folder, environment, "--cores", "1", "--nocolor", *arguments)


@pytest.fixture(scope="module")
def made(forked, tmp_path_factory):
    """A folder in which the workflow has run."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "Snakefile").write_text(SNAKEFILE)
    for name, text in SCRIPTS.items():
        (folder / name).write_text(HEAD + text)
    (folder / "sources.yaml").write_text(json.dumps([SOURCE]))
    (folder / "mirror/news").mkdir(parents=True)
    (folder / "mirror/news/a.txt").write_bytes(BODY)
    code, said = snakemake(forked, folder)
    assert code == 0, said
    assert total(folder) == 6000
    return folder


@pytest.fixture
def run(made, forked, tmp_path):
    """Run the workflow again, in a copy; what it said."""
    shutil.copytree(made, tmp_path, symlinks=True, dirs_exist_ok=True)

    def run(*arguments, code=0):
        found, said = snakemake(forked, tmp_path, *arguments)
        assert found == code, said
        return said

    return run


def total(folder):
    return int((folder / "results/mine/sum.txt").read_text())


def edit(path):
    """Another number in the middle, as somebody edits a copy: what a link leads to stays."""
    body = path.read_bytes()
    path.unlink()
    path.write_bytes(body[:6000] + b"7" + body[6001:])


def line_about(said, path):
    [line] = {line for line in said.splitlines() if f"{path}: changed after it was written" in line}
    return line


def test_an_edited_source_is_an_error_whatever_makes_a_job_run_and_then_fetched_again(
    run, tmp_path
):
    edit(tmp_path / "data/news/a.txt")
    said = run("--forcerun", "prepare", code=1)
    assert "remove data/news/manifest.json and run" in line_about(said, "data/news/a.txt")
    assert not (tmp_path / "results/mine/report.json").exists()
    (tmp_path / "data/news/manifest.json").unlink()
    assert "a.txt is invalid" in run("--forcerun", "prepare")
    assert total(tmp_path) == 6000
    assert (tmp_path / "data/news/a.txt").read_bytes() == BODY


def test_a_source_put_right_again_runs_nothing_and_a_new_edition_everything(run, tmp_path):
    path = tmp_path / "data/news/a.txt"
    edit(path)
    path.write_bytes(BODY)
    run("--forcerun", "prepare")
    assert "Nothing to be done" in run()
    other = BODY.replace(b"1", b"2")
    (tmp_path / "mirror/news/a.txt").unlink()
    (tmp_path / "mirror/news/a.txt").write_bytes(other)
    file = SOURCE["files"][0] | {"sha256": hashlib.sha256(other).hexdigest()}
    (tmp_path / "sources.yaml").write_text(json.dumps([SOURCE | {"files": [file]}]))
    run("--forcerun", "fetch")
    assert total(tmp_path) == 12000


@pytest.mark.parametrize(
    ("damaged", "remedy", "options"),
    [
        ("results/mine/prepared/text", "results/mine/prepared", ("--forcerun", "sum")),
        # A file that an input stands for is noticed unasked.
        ("results/mine/counts.txt", "results/mine/counts.txt", ()),
    ],
)
def test_an_edited_result_is_an_error_and_is_made_again(run, tmp_path, damaged, remedy, options):
    edit(tmp_path / damaged)
    said = run(*options, code=1)
    assert f"remove {remedy} and run the same command again" in line_about(said, damaged)
    subprocess.run(["rm", "-r", remedy], cwd=tmp_path, check=True)
    run()
    assert total(tmp_path) == 6000
