"""The workflow as a module of another one, in another folder."""

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


@pytest.mark.long
def test_another_workflow_takes_it_as_a_module(finished, tmp_path):
    shutil.copytree(finished.path / "data", tmp_path / "data", copy_function=os.link)
    elsewhere = type(finished)(tmp_path)
    overlay = (finished.path / "config.quickstart.yaml").read_text("utf-8")
    indented = "".join(f"  {line}" for line in overlay.splitlines(keepends=True))
    (tmp_path / "mine.yaml").write_text(f"socialbias:\n{indented}", "utf-8")
    (tmp_path / "Snakefile").write_text(MODULE.format(repository=finished.path), "utf-8")
    library = {"PYTHONPATH": str(finished.path / "src")}
    result = elsewhere.snakemake("--cores", "2", **library)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / VALUES).read_bytes() == (finished.path / VALUES).read_bytes()
    assert (tmp_path / "mine.txt").read_text().strip() == "41"
