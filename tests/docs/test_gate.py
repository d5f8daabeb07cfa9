"""The workflow of docs/gate.md: its steps are run as GitHub's runner runs them.

What a runner would fetch is stood in for: `pip` notes what it was asked for, `fetch-models.sh`
copies two tiny models, and `socialbias` is the command of this checkout.
"""

import os
import re
import subprocess
import textwrap

import pytest
import yaml

from tests.paths import REPOSITORY

PAGE = (REPOSITORY / "docs" / "gate.md").read_text("utf-8")
WORKFLOW, USE = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)]
STEPS = WORKFLOW["jobs"]["compare"]["steps"]
RUN = [step["run"] for step in STEPS if "run" in step]
SAID = {0: "no worse", 3: "::error::the new model is worse", 4: "::warning::cannot tell"}
FAILED = "::error::the comparison failed"


def run(place, steps=RUN):
    """Each step by `bash -e`, as of a step that names no shell, until one fails."""
    summary = place / "summary.md"
    paths = f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}"
    here = {"GITHUB_STEP_SUMMARY": str(summary), "PYTHONPATH": str(REPOSITORY / "src")}
    said = ""
    for i, step in enumerate(steps):
        (script := place / f"step{i}.sh").write_text(step)
        ended = subprocess.run(
            ["bash", "-e", str(script)], cwd=place, env=os.environ | here | {"PATH": paths},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        said += ended.stdout + ended.stderr
        if ended.returncode:
            return ended.returncode, said
    return 0, said


def command(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.fixture
def place(tmp_path):
    """A checkout of a user's, with stand-ins of what the runner fetches."""
    command(tmp_path / "bin" / "pip", 'echo "$@" >> pip.txt')
    command(tmp_path / "fetch-models.sh", 'mkdir -p "$1" "$2"')
    return tmp_path


def test_the_workflow_is_one_that_github_reads():
    # YAML 1.1 reads the key `on` as true; GitHub does not.
    assert set(WORKFLOW) == {"name", True, "jobs"}
    assert WORKFLOW[True] == "pull_request"
    assert set(WORKFLOW["jobs"]["compare"]) == {"runs-on", "steps"}
    assert WORKFLOW["jobs"]["compare"]["runs-on"] == "ubuntu-latest"
    for step in STEPS:
        assert ("uses" in step) != ("run" in step)
        assert set(step) <= {"name", "uses", "with", "run", "if"}
        assert re.fullmatch(r"[\w-]+/[\w-]+@v\d+", step.get("uses", "actions/none@v1"))
    kept = STEPS[-1]
    assert kept["uses"].startswith("actions/upload-artifact")
    assert kept["if"] == "always()"
    assert f"> {kept['with']['path']} " in RUN[-1]


@pytest.mark.parametrize("code", [0, 1, 2, 3, 4, 130])
def test_the_steps_act_on_the_exit_status(place, code):
    command(place / "bin" / "socialbias", f'echo "asked: $*"; echo problem >&2; exit {code}')
    ended, said = run(place)
    assert bool(ended) == (code not in (0, 4))
    assert [each for each in (*SAID.values(), FAILED) if each in said] == [SAID.get(code, FAILED)]
    asked = (
        "asked: compare old-model new-model --items items.csv --margin .05 --sequential\nproblem\n"
    )
    assert (place / "bias.txt").read_text() == asked
    assert (place / "summary.md").read_text() == textwrap.indent(asked, "    ")
    assert (place / "pip.txt").read_text() == "install path/to/socialbias[models]\n"
    assert (place / "new-model").is_dir()


@pytest.mark.parametrize("code", [0, 1, 3, 4])
def test_the_line_for_a_shell_lets_only_no_worse_through(place, code):
    [line] = re.findall(r"`(socialbias compare .* \|\| exit 1)`", PAGE)
    command(place / "bin" / "socialbias", f"exit {code}")
    assert run(place, [line])[0] == (code != 0)
