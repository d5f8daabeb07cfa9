"""The wheel: what travels in it, and what it can do beside NumPy, SciPy and click alone."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import click
import numpy as np
import pytest
import scipy

import socialbias
from tests.paths import REPOSITORY

ROOT = REPOSITORY
MADE_BY_RUNS = {".pyc", ".lock", ".part"}
CORE = """
api.comparing api.estimate api.instruments api.lists api.measuring api.of_vectors api.rendering
api.result api.subjects cli cli.compare cli.lists cli.measure
debias.subspace embeddings.files embeddings.histwords embeddings.readers embeddings.vectors
measures.coherence measures.divdist measures.fairness measures.pca_bias measures.prior
measures.similarity measures.weat paths seeding stats.clustered stats.correlation
stats.matching stats.resampling
"""
IMPORT_ALL = """
import importlib, pkgutil, socialbias
for module in pkgutil.walk_packages(socialbias.__path__, "socialbias."):
    try:
        importlib.import_module(module.name)
        print(module.name, "is there")
    except ModuleNotFoundError as error:
        print(error)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Built in a copy, since building leaves files behind."""
    copy = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("*.egg-info", "__pycache__")
    for name in ("src", "resources"):
        shutil.copytree(ROOT / name, copy / name, symlinks=True, ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    build = "from setuptools.build_meta import build_wheel; build_wheel('.')"
    subprocess.run([sys.executable, "-c", build], cwd=copy, check=True, capture_output=True)
    (path,) = copy.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def in_core(wheel, tmp_path_factory):
    """Runs code in another folder, where the wheel and what it asks for is all there is."""
    site, elsewhere = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("elsewhere")
    zipfile.ZipFile(wheel).extractall(site)
    for package in (np, scipy, click):
        folder = Path(package.__file__).parent
        for part in (folder, folder.with_name(f"{folder.name}.libs")):
            if part.exists():
                (site / part.name).symlink_to(part)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    environment["PYTHONPATH"] = str(site)

    def run(code: str, *flags: str) -> str:
        command = [sys.executable, "-S", *flags, "-c", code]  # -S: without site-packages
        result = subprocess.run(
            command, cwd=elsewhere, env=environment, capture_output=True, text=True, check=False
        )
        assert result.returncode == 0, result.stderr
        return result.stdout

    return run


def test_everything_that_the_library_reads_is_in_the_wheel_and_nothing_else(wheel):
    expected = {"socialbias/resources/word_lists/trustworthy.yaml", "socialbias/__init__.py"}
    for folder, _, names in os.walk(ROOT / "src/socialbias", followlinks=True):
        paths = (Path(folder, name) for name in names)
        kept = (path for path in paths if path.suffix not in MADE_BY_RUNS)
        expected |= {path.relative_to(ROOT / "src").as_posix() for path in kept}
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert inside == expected


def test_resources_are_where_the_library_is(in_core):
    assert socialbias.resources() == ROOT / "resources"
    name = "word_lists/trustworthy.yaml"
    told = in_core(f"import socialbias; print((socialbias.resources() / {name!r}).read_text())")
    assert told == (ROOT / "resources" / name).read_text("utf-8") + "\n"


@pytest.fixture(scope="module")
def lines(in_core) -> list[str]:
    """What each module says when it is imported."""
    return in_core(IMPORT_ALL).splitlines()


def test_the_measures_need_no_extra_and_every_other_module_says_which_one(lines):
    assert {f"socialbias.{name} is there" for name in CORE.split()} <= set(lines)
    line = r"socialbias\.[\w.]+ (is there|needs \w+: pip install 'socialbias\[[\w,]+\]')"
    assert [other for other in lines if not re.fullmatch(line, other)] == []


@pytest.mark.parametrize(
    ("module", "needs"),
    [
        ("contextual.models", "torch: pip install 'socialbias[models]'"),
        ("embeddings.light_gensim", "gensim: pip install 'socialbias[text]'"),
        ("yaml_files", "yaml: pip install 'socialbias[text]'"),
        ("sources.http", "requests: pip install 'socialbias[workflow]'"),
        ("api.of_models", "pandas: pip install 'socialbias[models,text]'"),
        ("auditing.of_probes", "pandas: pip install 'socialbias[all]'"),
        ("reporting.values", "pandas: pip install 'socialbias[workflow]'"),
    ],
)
def test_the_extra_is_the_one_that_the_module_takes(lines, module, needs):
    assert f"socialbias.{module} needs {needs}" in lines


def test_a_package_that_others_miss_is_none_of_this_library_s_business(in_core):
    code = """
import importlib.util, socialbias
print(importlib.util.find_spec("torch"))
try:
    import torch
except ModuleNotFoundError as error:
    print(error)
"""
    assert in_core(code).splitlines() == ["None", "No module named 'torch'"]


def test_the_lines_of_the_docs_run(in_core):
    library = (ROOT / "docs/library.md").read_text("utf-8")
    (lines,) = re.findall(r"```python\n(.+?)```", library, re.DOTALL)
    public = f"from socialbias import {', '.join(socialbias.__all__)}\n"
    assert in_core(public + lines, "-W", "error") == ""


def test_the_command_measures_vectors_in_core_and_asks_for_an_extra_in_a_line(in_core, tmp_path):
    lines = [f"{word} {i % 3 + 1} {i % 5 - 1} 1" for i, word in enumerate(("she", "he", "nurse"))]
    (tmp_path / "my.vec").write_text("\n".join(lines) + "\n")
    (tmp_path / "corpus.csv").write_text("text\nno words\n")
    code = """
import sys
from socialbias.cli import cli
sys.argv = ["socialbias", *{arguments!r}]
try:
    cli()
except SystemExit as end:
    sys.stderr.flush()
    print("exit", end.code)
"""
    measured = ["measure", str(tmp_path / "my.vec"), "--targets", "nurse"]
    told = in_core(code.format(arguments=measured)).splitlines()
    assert told[0] == "directed bias of 1 target between female and male in my.vec"
    assert told[-1] == "exit 0"
    assert "groups  religion" in in_core(code.format(arguments=["lists"]))
    fails = code.replace("import sys", "import sys; sys.stderr = sys.stdout", 1)
    told = in_core(fails.format(arguments=["measure", str(tmp_path / "corpus.csv")]))
    line = r"Error: this needs \w+: pip install 'socialbias\[text\]'"
    assert re.fullmatch(line, told.splitlines()[-2])
    assert told.splitlines()[-1] == "exit 2"
    told = in_core(fails.format(arguments=[*measured, "--plot", "x.png"]))
    assert "needs matplotlib" in told
    assert "pip install 'socialbias[workflow]'" in told
