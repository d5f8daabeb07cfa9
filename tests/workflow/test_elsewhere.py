"""The workflow from another folder: with --directory, and as a module of another workflow."""

import os
import shutil

import pytest

VALUES = "results/quickstart/trustworthy/table5.values.csv"
MODULE = """\
configfile: "mine.yaml"


module socialbias:
    snakefile:
        "{repository}/workflow/Snakefile"
    config:
        config["socialbias"]


use rule * from socialbias as sb_*


rule mine:
    default_target: True
    input:
        rules.sb_trustworthy_table5.input,
    output:
        "mine.txt",
    shell:
        "wc -l < {{input[0]}} > {{output}}"
"""


@pytest.fixture
def elsewhere(finished, tmp_path):
    """An empty folder with the fetched sources."""
    shutil.copytree(finished.path / "data", tmp_path / "data", copy_function=os.link)
    return type(finished)(tmp_path)


def run(elsewhere, finished, *arguments, cores=2):
    library = {"PYTHONPATH": str(finished.path / "src")}
    result = elsewhere.snakemake("--cores", str(cores), *arguments, **library)
    assert result.returncode == 0, result.stderr
    assert (elsewhere.path / VALUES).read_bytes() == (finished.path / VALUES).read_bytes()


@pytest.mark.long
def test_another_workflow_takes_it_as_a_module(elsewhere, finished):
    overlay = (finished.path / "config.quickstart.yaml").read_text("utf-8")
    indented = "".join(f"  {line}" for line in overlay.splitlines(keepends=True))
    (elsewhere.path / "mine.yaml").write_text(f"socialbias:\n{indented}", "utf-8")
    module = MODULE.format(repository=finished.path)
    (elsewhere.path / "Snakefile").write_text(module, "utf-8")
    run(elsewhere, finished)
    assert (elsewhere.path / "mine.txt").read_text().strip() == "41"


@pytest.mark.long
def test_one_artefact_alone_in_another_directory_is_the_same_bytes_on_one_core(elsewhere, finished):
    overlay = finished.path / "config.quickstart.yaml"
    arguments = ("--snakefile", str(finished.path / "Snakefile"), "--configfile", str(overlay))
    run(elsewhere, finished, *arguments, "--", "trustworthy_table5", cores=1)
    made = {p.name.split(".")[0] for p in (elsewhere.results / "trustworthy").glob("[!.]*.*")}
    assert made == {"table5"}
    assert not (elsewhere.results / "index.html").exists()
    assert elsewhere.values().items() <= finished.values().items()
    assert not (finished.path / "mine.txt").exists()
