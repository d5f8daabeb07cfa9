"""The Dockerfile: its paths exist, and its steps work where no Docker runs."""

import re
from pathlib import Path

from tests.paths import REPOSITORY

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
