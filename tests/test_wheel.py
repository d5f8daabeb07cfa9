"""The wheel: what travels in it, and what it can do beside NumPy, SciPy and click alone."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import click
import numpy as np
import pytest
import scipy
from gensim.test.utils import datapath

import socialbias
from socialbias.pipeline.folder import NAMES
from tests.paths import REPOSITORY, copy_checkout, known_files

ROOT = REPOSITORY
# What runs leave in a checkout.
JUNK = ("data/a.json", "results/a.csv", ".snakemake/a.json", "resources/sources.yaml.part")
JUNK += ("workflow/rules/.a.smk.swp", "src/socialbias/__pycache__/a.pyc")
# A reference run of one number.
REFERENCE = {
    "reference.json": '{"version": "commit abc", "written": "2030-01-02"}',
    "inputs.csv": "source,title\nnews,News 1990\n",
    "numbers.csv": "paper,artefact,row,column,value,ci_low,ci_high,n,n_unit,unit,sources,weak,"
    "note\n"
    "validation,passport,directed,rank,0.5,0.25,0.75,4,worlds,,news,,elsewhere\n",
}
CORE = """
commands.cli commands.cli.compare commands.cli.lists commands.cli.measure commands.compare
commands.measure commands.measure_vectors commands.result commands.subjects embeddings.debiasing
embeddings.files embeddings.histwords embeddings.readers embeddings.vectors embeddings.words.lists
files.paths files.reference measurement.instruments measurement.vectors measures.coherence
measures.divdist measures.embedding_measures measures.fairness measures.passport measures.pca_bias
measures.weat reporting.plain_values stats.clustered stats.correlation stats.matching stats.seeding
stats.similarity
"""
IMPORT_ALL = """
import importlib, pkgutil, socialbias
from socialbias.errors import missing_package
for module in pkgutil.walk_packages(socialbias.__path__, "socialbias."):
    try:
        importlib.import_module(module.name)
        print(module.name, "is there")
    except ModuleNotFoundError as error:
        print(module.name, missing_package(error))
"""


COMMAND = """
import sys
from socialbias.commands.cli import cli
sys.stderr = sys.stdout
sys.argv = ["socialbias", *{arguments!r}]
try:
    cli()
except SystemExit as end:
    print("exit", end.code)
"""


def command(*arguments: str) -> str:
    """Code that runs `socialbias` and says its exit code in the last line."""
    return COMMAND.format(arguments=list(arguments))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Built in a copy, since building leaves files behind, in which something has run."""
    copy = tmp_path_factory.mktemp("copy")
    copy_checkout(copy)
    for name in JUNK:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).touch()
    shutil.rmtree(copy / "results/reference", ignore_errors=True)
    (copy / "results/reference").mkdir()
    for name, text in REFERENCE.items():
        (copy / "results/reference" / name).write_text(text)
    build = "from hatchling.build import build_wheel; build_wheel('.')"
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
    files = known_files()
    expected = {name.removeprefix("src/") for name in files if name.startswith("src/")}
    expected |= {f"socialbias/{name}" for name in files if name.startswith("resources/")}
    expected |= {f"socialbias/workflow/{name}" for name in of_workflow(files)}
    expected |= {"socialbias/CITATION.cff"} | {f"socialbias/reference/{name}" for name in REFERENCE}
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert inside == expected


def test_the_reference_run_is_read_in_an_empty_folder_without_pandas(in_core):
    told = in_core(
        "import socialbias, numpy as np\n"
        "print(socialbias.reference('numbers')[0]['value'])\n"
        "names = ('she', 'he', 'nurse', 'pilot')\n"
        "words = dict(zip(names, np.random.default_rng(0).random((4, 3))))\n"
        "result = socialbias.measure(words, {'f': ['she'], 'm': ['he']}, ['nurse', 'pilot'])\n"
        "print(result.passport.known['rank'].number, result.passport.version)\n"
    )
    assert told.splitlines()[:2] == ["0.5", "0.50 [0.25, 0.75] commit abc"]


def of_workflow(files):
    """Those that the workflow starts from."""
    return {name for name in files if name.split("/")[0] in NAMES}


def test_the_command_writes_the_workflow_to_a_folder_and_over_nothing(in_core, tmp_path):
    folder = tmp_path / "new" / "mine"
    told = in_core(command("reproduce", "workflow", str(folder)))
    wrote, ended = told.splitlines()
    assert wrote.startswith(f"wrote {folder}. To run the quickstart there, install the extra `all`")
    assert ended == "exit 0"
    written = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert written == of_workflow(known_files()) | {"workflow/VERSION"}
    assert all(
        (folder / name).read_bytes() == (ROOT / name).read_bytes()
        for name in ("Snakefile", "config.yaml")
    )
    (folder / "config.yaml").write_text("mine")
    assert in_core(command("reproduce", "workflow", str(folder))).splitlines() == [
        f"Error: {folder}: already exists: name a new or empty folder",
        "exit 1",
    ]
    assert (folder / "config.yaml").read_text() == "mine"


@pytest.fixture
def installed(wheel, tmp_path):
    """Runs a Python that has the wheel, and what else is installed here."""
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    python = venv / "bin/python"
    ask = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = subprocess.run(ask, check=True, capture_output=True, text=True).stdout.strip()
    # Packages of a folder that is named so come last, and what it names in turn is not read: an
    # editable `socialbias`.
    Path(site, "here.pth").write_text(sysconfig.get_path("purelib"))
    install = ["install", "--quiet", "--no-index", "--no-deps", str(wheel)]
    subprocess.run([sys.executable, "-m", "pip", "--python", python, *install], check=True)
    environment = {
        k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "SOCIALBIAS"))
    }

    def run(*arguments: str, cwd: Path = tmp_path) -> subprocess.CompletedProcess:
        return subprocess.run(
            [python, "-m", *arguments],
            cwd=cwd, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip

    return run


@pytest.mark.long
def test_the_pipeline_runs_without_a_checkout(installed, tmp_path):
    folder = tmp_path / "mine"
    assert installed("socialbias", "reproduce", "workflow", "mine").returncode == 0
    shutil.copy(datapath("pang_lee_polarity_fasttext.vec"), tmp_path / "my.vec")
    asked = ("socialbias", "reproduce", "paper", "trustworthy", "table5", "--vectors")
    refused = installed(*asked, "my.vec")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "`socialbias reproduce workflow FOLDER` writes a folder" in refused.stderr

    def succeeds(*arguments):
        result = installed(*arguments, cwd=folder)
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout + result.stderr

    workflow = ("snakemake", "--cores", "2", "--profile", "profiles/quickstart")
    assert "fetch" in succeeds(*workflow, "--dry-run")
    assert "evidence" in succeeds(*asked, "../my.vec", "--dry-run")
    assert "stereoset_table6" in succeeds("socialbias.pipeline.targets")
    assert "run 'paper': what has to be fetched" in succeeds("socialbias.pipeline.preview")
    succeeds(*workflow, "trustworthy_special_cases")
    made = folder / "results/quickstart/trustworthy/special_cases.values.csv"
    assert made.read_text().startswith("artefact,row,column,value")
    assert "Nothing to be done" in succeeds(*workflow, "--dry-run", "trustworthy_special_cases")


@pytest.fixture(scope="module")
def lines(in_core) -> list[str]:
    """What each module says when it is imported."""
    return in_core(IMPORT_ALL).splitlines()


def test_the_measures_need_no_extra_and_every_other_module_misses_what_one_has(lines):
    assert {f"socialbias.{name} is there" for name in CORE.split()} <= set(lines)
    line = r"socialbias\.[\w.]+ (is there|this needs \w+: pip install 'socialbias\[[\w,]+\]')"
    assert [other for other in lines if not re.fullmatch(line, other)] == []


def test_the_lines_of_the_docs_run(in_core):
    library = (ROOT / "docs/library.md").read_text("utf-8")
    blocks = re.findall(r"```python\n(.+?)```", library, re.DOTALL)
    [lines] = [block for block in blocks if "import numpy" in block]  # the others need a file
    public = f"from socialbias import {', '.join(socialbias.__all__)}\n"
    assert in_core(public + lines, "-W", "error") == ""


def test_the_command_measures_vectors_in_core_and_asks_for_an_extra_in_a_line(in_core, tmp_path):
    lines = [f"{word} {i % 3 + 1} {i % 5 - 1} 1" for i, word in enumerate(("she", "he", "nurse"))]
    (tmp_path / "my.vec").write_text("\n".join(lines) + "\n")
    (tmp_path / "corpus.csv").write_text("text\nno words\n")
    measured = ["measure", str(tmp_path / "my.vec"), "--targets", "nurse"]
    told = in_core(command(*measured)).splitlines()
    assert told[0] == "directed bias of 1 target between female and male in my.vec"
    assert told[-1] == "exit 0"
    assert "groups  religion" in in_core(command("lists"))
    told = in_core(command("measure", str(tmp_path / "corpus.csv")))
    line = r"Error: this needs \w+: pip install 'socialbias\[text\]'"
    assert re.fullmatch(line, told.splitlines()[-2])
    assert told.splitlines()[-1] == "exit 1"
    told = in_core(command(*measured, "-o", "x.png"))
    assert "this needs matplotlib: pip install 'socialbias[plot]'" in told
