"""The command: what it prints and writes, its exit codes, and its errors."""

import inspect
import subprocess
import sys
import tomllib

import pandas as pd
import pytest
from click.testing import CliRunner

import socialbias
from socialbias.commands.cli import cli
from socialbias.commands.settings import Options
from tests.commands.conftest import WORDS
from tests.paths import REPOSITORY


def run(*arguments):
    return CliRunner().invoke(cli, [str(a) for a in arguments])


@pytest.fixture
def groups(tmp_path):
    path = tmp_path / "groups.txt"
    path.write_text("".join(f"[{name}]\n" + "\n".join(ws) + "\n" for name, ws in WORDS.items()))
    return path


def test_the_package_installs_the_command():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    assert project["scripts"] == {"socialbias": "socialbias.commands.cli:main"}
    told = subprocess.run(
        [sys.executable, "-m", "socialbias", "--version"], capture_output=True, text=True
    )
    assert told.stdout.startswith("socialbias, version ")


@pytest.mark.parametrize(
    ("preferred", "margin", "code"),
    [(0, "0.3", 0), (0, "0.05", 4), (20, "0.05", 3), (2, "0.05", 4)],
)
def test_the_exit_status_says_what_decisions_say(tmp_path, preferred, margin, code):
    rows = [(f"i{i}", f"term {i % 20}", int(i < 20)) for i in range(40)]
    table = pd.DataFrame(rows, columns=["item", "term", "decision"])
    table.to_csv(tmp_path / "a.csv", index=False)
    table.loc[20 : 20 + preferred - 1, "decision"] = 1
    table.to_csv(tmp_path / "b.csv", index=False)
    told = run("compare", "--decisions", tmp_path / "a.csv", tmp_path / "b.csv", "--margin", margin)
    assert told.exit_code == code, told.output


def test_a_sequential_comparison_stops_early_and_names_domains(tmp_path):
    rows = [
        (i, f"term {i % 80}", i // 80 % 2, "race" if i % 80 < 9 else "gender") for i in range(800)
    ]
    table = pd.DataFrame(rows, columns=["item", "term", "decision", "domain"])
    table.to_csv(tmp_path / "a.csv", index=False)
    table.assign(decision=1).to_csv(tmp_path / "b.csv", index=False)
    asked = ("compare", "--decisions", tmp_path / "a.csv", tmp_path / "b.csv", "--sequential")
    told = run(*asked, "--margin", "0.1", "--explain")
    assert told.exit_code == 3, told.output
    assert "1 of 7 planned" in told.output
    assert "100 of 100 items" in told.output
    assert "sequential: needs a margin" in run(*asked).output
    told = run(*(each for each in asked if each != "--decisions"))
    assert (told.exit_code, told.output.count("\n")) == (1, 1)
    assert "--sequential: can only be used with --items or --decisions" in told.output


def test_items_of_one_side_only_are_told_and_nothing_passes(tmp_path):
    rows = [(f"i{i}", f"term {i % 40}", i // 40 % 2) for i in range(400)]
    table = pd.DataFrame(rows, columns=["item", "term", "decision"])
    table.to_csv(tmp_path / "a.csv", index=False)
    table.head(200).to_csv(tmp_path / "b.csv", index=False)
    asked = ("compare", "--decisions", tmp_path / "a.csv", tmp_path / "b.csv", "--margin", "0.15")
    told = run(*asked)
    assert told.exit_code == 4
    assert "200 of 400 items on 40 terms" in told.output
    # Of the ten items of a term, the last five lack: 1, 0, 1, 0, 1.
    assert "200 items lack an answer of a model: with any answers to these, " in told.output
    assert "the difference is -0.300 to 0.200" in told.output
    assert run(*asked, "--common").exit_code == 0
    for options, message in (
        (("--targets", "nurse"), "--targets: has no effect with --decisions"),
        (("--text-key", "t"), "--text-key: has no effect with --decisions"),
        (("--items", "x.csv"), "--items and --decisions: cannot be combined"),
    ):
        told = run(*asked, *options)
        assert (told.exit_code, message in told.output) == (1, True)


def test_completion_shows_every_option_by_name():
    for function in (socialbias.measure, socialbias.compare):
        named = inspect.signature(function).parameters
        assert Options.__annotations__.keys() <= named.keys()
        assert "options" not in named


def test_a_result_is_shown_in_five_lines():
    result = socialbias.measure("example", targets=["film", "family"])
    assert repr(result).splitlines() == [line for line in str(result).splitlines() if line][:5]
