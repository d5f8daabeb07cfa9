"""The action of this repository: its steps are run as GitHub's runner runs them; its reports."""

import csv
import os
import re
import subprocess
import sys
from dataclasses import replace
from xml.etree import ElementTree

import pytest
import yaml

from socialbias.commands.cli.outputs import junit, markdown
from socialbias.commands.compare_items import compare_decisions
from tests.paths import REPOSITORY

ACTION = yaml.safe_load((REPOSITORY / "action.yml").read_text("utf-8"))
STEPS = ACTION["runs"]["steps"]
PAGE = (REPOSITORY / "docs/commands/compare.md").read_text("utf-8")
WORKFLOW = yaml.safe_load(re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[1])
TERMS = [f"term {i % 20}" for i in range(40)]
SAME = [float(i < 20) for i in range(40)]
WORSE = [1.0] * 40
FEW = [*SAME[:20], 1.0, 1.0, *SAME[22:]]


def run(place, **inputs):
    """Run each step by bash with its variables, until one fails.

    Returns:
        The exit status, what was printed, the outputs of the step with an id, and the summary.
    """
    given = {name: entry.get("default", "") for name, entry in ACTION["inputs"].items()} | inputs
    paths = f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}"
    of_runner = {name: str(place / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    said = ""
    for step in STEPS:
        variables = {
            name: re.sub(r"\${{ inputs\.(\w+) }}", lambda match: given[match[1]], value)
            for name, value in step["env"].items()
        }
        ended = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=place, env=os.environ | of_runner | variables | {"PATH": paths},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        said += ended.stdout + ended.stderr
        if ended.returncode:
            break
    output, summary = (place / name for name in of_runner)
    texts = [path.read_text() if path.exists() else "" for path in (output, summary)]
    return ended.returncode, said, *texts


@pytest.fixture
def place(tmp_path):
    """A checkout of a user's with two files of decisions, and a `pip` that notes what it gets."""
    (tmp_path / "bin").mkdir()
    for name, text in (
        ("pip", 'echo "$@" >> pip.txt'),
        ("socialbias", f'exec "{sys.executable}" -m socialbias "$@"'),
    ):
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    for name, decisions in (("old", SAME), ("new", WORSE)):
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            rows = zip(range(40), TERMS, decisions, strict=True)
            csv.writer(file).writerows([("item", "term", "decision"), *rows])
    return tmp_path


def test_the_action_is_one_that_github_reads():
    assert ACTION["runs"]["using"] == "composite"
    assert all(set(step) <= {"id", "shell", "env", "run"} for step in STEPS)
    assert {step["shell"] for step in STEPS} == {"bash"}
    assert not any("${{" in step["run"] for step in STEPS)  # inputs are data, not code
    # YAML 1.1 reads the key `on` as true; GitHub does not.
    assert (set(WORKFLOW), WORKFLOW[True]) == ({"name", True, "jobs"}, "pull_request")
    [example] = [step for step in WORKFLOW["jobs"]["compare"]["steps"] if "margin" in str(step)]
    required = {name for name, entry in ACTION["inputs"].items() if entry.get("required")}
    assert required <= set(example["with"]) <= set(ACTION["inputs"])


def test_a_comparison_has_a_verdict_and_a_summary(place):
    ended, said, output, summary = run(
        place, first="old.csv", second="new.csv", margin="0.05", options="--decisions --seed 3",
        install="wheel.whl[models]",
    )  # fmt: skip
    assert (ended, output) == (3, "verdict=worse\n"), said
    assert (place / "pip.txt").read_text() == "install wheel.whl[models]\n"
    assert summary.startswith("### worse: decisions of")
    assert (place / "bias.xml").exists()


@pytest.mark.parametrize(
    ("status", "undecided", "ended", "verdict"),
    [
        (0, "warn", 0, "no worse"),
        (4, "warn", 0, "cannot tell"),
        (4, "fail", 4, "cannot tell"),
        (1, "warn", 1, ""),
        (2, "warn", 2, ""),
    ],
)
def test_the_steps_act_on_the_exit_status(place, status, undecided, ended, verdict):
    (place / "bin/socialbias").write_text(f"#!/bin/sh\nexit {status}\n")
    files = {"first": "old.csv", "second": "new.csv", "margin": "0.05"}
    result, said, output, _ = run(place, undecided=undecided, **files)
    assert (result, output) == (ended, f"verdict={verdict}\n")
    assert ("::error::the comparison failed" in said) == (not verdict)


def test_what_is_given_is_not_run(place):
    ended, *_ = run(place, first="old.csv; touch a", second="$(touch b)", margin=".1")
    assert ended == 1
    assert not {"a", "b"} & {path.name for path in place.iterdir()}


@pytest.mark.parametrize(
    ("decisions", "outcome"), [(SAME, None), (WORSE, "failure"), (FEW, "skipped")]
)
def test_a_verdict_is_a_test_case(decisions, outcome):
    result = compare_decisions(SAME, decisions, TERMS, margin=0.3 if outcome is None else 0.05)
    suite = ElementTree.fromstring(junit(result).encode())
    counts = {name: suite.get(name) for name in ("tests", "failures", "skipped", "errors")}
    other = {"failure": "failures"}.get(outcome, outcome)
    assert counts == dict.fromkeys(counts, "0") | {"tests": "1"} | ({other: "1"} if other else {})
    [case] = suite
    assert [part.tag for part in case] == [*([outcome] if outcome else []), "system-out"]
    if outcome:
        assert case[0].get("message").startswith(f"{result.verdict}: mean difference over terms")


def test_hostile_names_do_no_harm():
    """A title may come from a file name: XML has no control characters, and Markdown runs HTML."""
    result = compare_decisions(SAME, WORSE, TERMS)
    result = replace(result, title="a\x00]]><b>\ud800 | [x](y)\n# <img src=z>")
    [case] = ElementTree.fromstring(junit(result).encode())
    assert case.get("name") == "a?]]><b>? | [x](y)\n# <img src=z>"
    first = markdown(result).splitlines()[0]
    assert first.endswith(r"a?\]\]&gt;&lt;b&gt;? \| \[x\](y) # &lt;img src=z&gt;")
