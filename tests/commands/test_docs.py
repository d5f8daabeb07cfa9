"""What the pages of the commands and README say: options exist, and lines run."""

import re
from pkgutil import resolve_name

import click
import pytest

import socialbias
from socialbias.commands.cli import COMMANDS, cli
from tests.paths import REPOSITORY

PAGES = [*sorted((REPOSITORY / "docs/commands").glob("*.md")), REPOSITORY / "docs/library.md"]
TUTORIAL = "\n".join(path.read_text("utf-8") for path in PAGES)
REFERENCE = (REPOSITORY / "docs/api.md").read_text("utf-8")
FENCED = re.findall(r"^```(\S*)\n(.+?)^```$", TUTORIAL, re.DOTALL | re.MULTILINE)
PYTHON = [text for language, text in FENCED if language == "python"]


def test_every_option_that_the_documents_name_exists():
    known = options_of(cli)
    readme = (REPOSITORY / "README.md").read_text("utf-8")
    (section,) = re.findall(r"## Measure your own data\n(.+?)\n## ", readme, re.DOTALL)
    others = r"^sbatch .*|pip install .*|snakemake .*|--sdm conda"
    ours = re.sub(others, "", TUTORIAL + section, flags=re.MULTILINE)
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", ours))
    assert named <= known | {"--help"}


def options_of(command: click.Command) -> set[str]:
    """Return the options of a command and of those below it."""
    names = {name for each in command.params for name in each.opts}
    if isinstance(command, click.Group):
        below = (command.get_command(None, name) for name in command.list_commands(None))
        names = names.union(*map(options_of, below))
    return names


def test_there_are_seven_commands_with_at_most_80_options():
    def count(command: click.Command) -> int:
        own = sum(isinstance(each, click.Option) for each in command.params)
        below = command.commands.values() if isinstance(command, click.Group) else ()
        return own + sum(map(count, below))

    commands = [cli.get_command(None, name) for name in COMMANDS]
    assert len(commands) == 7
    assert sum(map(count, commands)) <= 80


def test_the_python_of_the_pages_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for code in PYTHON:
        exec(code, {})
    assert (tmp_path / "result.json").stat().st_size > 0
    assert (tmp_path / "result.png").stat().st_size > 0


def test_the_page_on_measures_has_every_measure():
    from socialbias.measures.registry import offered

    table = (REPOSITORY / "docs/measures.md").read_text("utf-8").partition("\n\nThe first")[0]
    missing = set(offered()) - set(re.findall(r"`([a-z-]+)`", table))
    assert not missing, "add them to the first table of docs/measures.md"


@pytest.mark.parametrize("name", socialbias.__all__)
def test_a_public_name_is_in_the_reference(name):
    assert re.search(rf"\bsocialbias\.([\w.]+\.)?{name}\b", REFERENCE)


@pytest.mark.parametrize("path", re.findall(r"\.\. auto\w+:: ([\w.]+)", REFERENCE))
def test_what_the_reference_names_exists(path):
    assert resolve_name(path).__doc__


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_in_the_table_and_on_a_page(command):
    assert re.search(rf"^\| \[?`{command}`.* \| \w", TUTORIAL, re.MULTILINE)
    assert f"socialbias {command}" in TUTORIAL
