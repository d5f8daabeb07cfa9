"""The Dockerfile: its paths exist, and its steps work where no Docker runs."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import REPOSITORY, copy_checkout

STEPS = re.findall(r"^(COPY|RUN) (.+)$", (REPOSITORY / "Dockerfile").read_text(), re.MULTILINE)


def in_context(folder: Path) -> list[Path]:
    """What `.dockerignore`, which leaves out everything but some names, lets `COPY` take."""
    lines = (REPOSITORY / ".dockerignore").read_text().splitlines()
    assert "*" in lines
    return [folder / line.removeprefix("!") for line in lines if line.startswith("!")]


def test_every_path_of_the_dockerfile_is_there_and_not_ignored():
    copied = {path for path in in_context(REPOSITORY) if path.exists()}
    assert copied == set(in_context(REPOSITORY))
    named = [word for step in STEPS for word in step[1].split() if re.match(r"envs/\w", word)]
    assert len(named) == 4
    for name in named:
        assert (REPOSITORY / name).is_file()
        assert {REPOSITORY / name, *(REPOSITORY / name).parents} & copied


def test_only_torch_and_the_project_are_installed_without_checksums():
    installs = [command for word, command in STEPS if word == "RUN"]
    unchecked = [command for command in installs if "--require-hashes" not in command]
    assert [command.split()[-1] for command in unchecked] == ["envs/torch.txt", "."]


@pytest.mark.long
def test_the_steps_make_an_environment_that_plans_the_quickstart(tmp_path):
    context, build = tmp_path / "context", tmp_path / "build"
    copy_checkout(context)
    build.mkdir()
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    environment = {
        k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "SOCIALBIAS"))
    }
    environment["PATH"] = f"{tmp_path / 'venv/bin'}:{environment['PATH']}"

    def run(command: str, folder: Path) -> str:
        result = subprocess.run(
            command, shell=True, cwd=folder, env=environment, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    for word, rest in STEPS:
        if word == "RUN":
            run(rest, build)
        elif rest == ". .":
            for path in in_context(context):
                take(path, build / path.name)
        else:
            *names, target = rest.split()
            for name in names:
                take(context / name, build / target / Path(name).name)
    run("socialbias reproduce workflow mine", tmp_path)
    plan = run("snakemake --cores 2 --profile profiles/quickstart --dry-run", tmp_path / "mine")
    assert "fetch" in plan


def take(path: Path, target: Path) -> None:
    """Copy as `COPY` does: over what is there."""
    target.parent.mkdir(exist_ok=True)
    if path.is_dir():
        shutil.copytree(path, target, dirs_exist_ok=True)
    else:
        shutil.copy(path, target)
