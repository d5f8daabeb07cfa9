"""`audit --workflow`: what is asked of the workflow, and what is refused."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from socialbias.api import papers
from socialbias.auditing.by_workflow import ROLES, TARGETS
from socialbias.cli import cli
from socialbias.config import Config
from tests.declared import DECLARATIONS

PAPERS = Path(papers.__file__).parents[1] / "papers"


def audit(*arguments):
    return CliRunner().invoke(cli, ["audit", *map(str, arguments)])


@pytest.fixture
def checkout(pretended):
    """A folder that looks like a checkout, in which a workflow writes a table."""

    def write(results):
        (folder := results / "stereoset").mkdir(exist_ok=True)
        (folder / "table6.html").touch()

    return pretended(write)


def overlay_of(root, command):
    [path] = (part for part in command if part.endswith("own.json"))
    found = json.loads((root / path).read_text())
    Config.model_validate(found)
    return found


def test_a_model_is_a_row_of_its_own_and_on_the_hub_it_is_not_downloaded_here(checkout):
    root, asked = checkout
    told = audit("gpt2@v1", "--workflow", "--profile", "slurm", "--", "--jobs", "5")
    assert told.exit_code == 0, told.output
    [command] = asked
    assert overlay_of(root, command) == {
        "run": "own-gpt2",
        "subjects": {"my-gpt2": {"hub": "gpt2@v1", "kind": "model"}},
        "inputs": {},
    }
    assert command[command.index("--profile") + 1] == "profiles/slurm"
    assert command[command.index("--jobs") :] == ["--jobs", "5", "--", *TARGETS["model"]]
    assert f"in {root}: snakemake --cores 1" in told.output
    assert f"wrote {root / 'results/own-gpt2/stereoset/table6.html'}" in told.output


def test_vectors_play_the_papers_role(checkout, reviews):
    root, asked = checkout
    assert audit(reviews, "--workflow", "--dry-run").exit_code == 0
    [command] = asked
    found = overlay_of(root, command)
    [name] = found["subjects"]
    assert found["inputs"] == {"word2vec": [name]}
    assert "--dry-run" in command
    assert "config.quickstart.yaml" in command
    assert command[-len(TARGETS["vectors"]) :] == list(TARGETS["vectors"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--workflow", "--items", 3),
            "--items: has no effect with --workflow: set it in config.yaml",
        ),
        (("--profile", "slurm"), "--profile: has no effect without --workflow"),
        (("--", "--jobs"), "options after --: has no effect without --workflow"),
    ],
)
def test_options_of_the_other_way_are_refused(checkout, reviews, arguments, message):
    told = audit(reviews, *arguments)
    assert (told.exit_code, told.output) == (1, f"Error: {message}\n")


def test_without_a_checkout_a_line_says_what_it_would_give(tmp_path, reviews, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = audit(reviews, "--workflow")
    assert (told.exit_code, told.output.count("\n")) == (1, 1)
    assert "`socialbias workflow FOLDER` writes a folder" in told.output


@pytest.mark.parametrize("kind", TARGETS)
def test_what_is_made_has_a_place_for_such_a_subject(kind):
    artefacts = DECLARATIONS.artefacts
    for target in TARGETS[kind]:
        paper, name = target.split("_", 1)
        assert target in artefacts
        text = (PAPERS / paper / f"{name}.yaml").read_text()
        assert (ROLES[kind] or "{model}").removeprefix("corpus_") in text
