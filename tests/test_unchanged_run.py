"""workflow/unchanged.py: what `make quickstart` asks before it starts Snakemake."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import REPOSITORY

SCRIPT = REPOSITORY / "workflow/unchanged.py"


@pytest.fixture
def folder(tmp_path):
    """A folder with a finished run, recorded."""
    for name in ("src/a.py", "results/mine/index.html", "data/news/manifest.json", "config.yaml"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("1")
    assert unchanged(tmp_path, "--record") == 0
    return tmp_path


def unchanged(folder: Path, *arguments: str, **variables: str) -> int:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("SOCIALBIAS_")}
    command = [sys.executable, str(SCRIPT), *arguments, "results/mine"]
    return subprocess.run(command, cwd=folder, env=inherited | variables, check=False).returncode


@pytest.mark.parametrize(
    "name", ["src/a.py", "results/mine/index.html", "data/news/manifest.json", "config.yaml"]
)
def test_a_file_that_is_edited_or_gone_is_a_change(folder, name):
    assert unchanged(folder) == 0
    (folder / name).write_text("22")
    assert unchanged(folder) == 1
    (folder / name).unlink()
    assert unchanged(folder) == 1


def test_a_new_file_or_variable_is_a_change_and_bytecode_is_none(folder):
    (folder / "src/__pycache__").mkdir()
    (folder / "src/__pycache__/a.pyc").write_text("1")
    assert unchanged(folder) == 0
    assert unchanged(folder, SOCIALBIAS_CACHE="elsewhere") == 1
    (folder / "src/b.py").write_text("1")
    assert unchanged(folder) == 1


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("# path: mine.vec\nmirror: null\n", 0),
        ("mirror: elsewhere\n", 1),
        ("subjects: {mine: {path: my.vec, kind: vectors}}\n", 1),
    ],
)
def test_where_the_configuration_names_a_file_elsewhere_snakemake_decides(folder, text, code):
    (folder / "config.yaml").write_text(text)
    assert unchanged(folder, "--record") == 0
    assert unchanged(folder) == code


def test_with_a_mirror_or_without_a_record_snakemake_decides(folder):
    assert unchanged(folder, SOCIALBIAS_MIRROR=str(folder)) == 1
    (folder / ".snakemake/unchanged").unlink()
    assert unchanged(folder) == 1


def commands(*arguments: str) -> str:
    """What `make quickstart` would do."""
    command = ["make", "--dry-run", "quickstart", *arguments]
    environment = {name: value for name, value in os.environ.items() if name != "PUBLIC"}
    return subprocess.check_output(command, cwd=REPOSITORY, env=environment, text=True)


def test_public_files_are_fetched_before_a_run_is_planned_and_only_if_something_has_changed():
    steps = ("unchanged.py results", "public_files --configfile", "bin/snakemake")
    first, second, third = (commands().index(step) for step in steps)
    assert first < second < third
    assert "public_files" not in commands("PUBLIC=no")
