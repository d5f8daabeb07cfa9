"""Cases of bad input: the files, the command that reads them, and what must come of it."""

from __future__ import annotations

import io
import json
import shlex
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import pytest

from socialbias.commands.cli import main
from socialbias.pipeline import preview

Content = str | bytes | Mapping[str, str | bytes]
ENDS = {0, 3, 4}  # of a command that gives a number; `compare` tells its verdict by it
LONGEST = 1000  # characters of an error
TOLD = ("notes", "missing", "meant", "verdict", "statistic", "n")  # of a result, in sentences


class Case(NamedTuple):
    """One line of the table.

    Attributes:
        name: What is wrong; `A1` to `G` before it: a case of the review that began the table.
        content: What the file holds, or several files by name.
        expected: The number that must come out; a text that the one line of the error must have; or
            a number (None: any; a command: the number that it gives) and a text that the output
            must have.
    """

    name: str
    content: Content
    expected: float | str | tuple[float | str | None, str]


class Ended(NamedTuple):
    """How a command ended."""

    status: int
    out: str
    err: str


def cases(file: str, command: str, *rows: tuple) -> pytest.MarkDecorator:
    """Parametrise a test with a command and what its file may hold; a fourth item is a command."""
    made = [
        pytest.param((file, row[3] if len(row) > 3 else command, Case(*row[:3])), id=row[0])
        for row in rows
    ]
    return pytest.mark.parametrize("line", made)


def run(command: str) -> Ended:
    """Run a command in this process, through the function that the installed one calls.

    `plan` is `make plan`, which is no command of `socialbias`.
    """
    words = shlex.split(command)
    out, err, status = io.StringIO(), io.StringIO(), 0
    argv = patch.object(sys, "argv", words if words[:1] == ["plan"] else ["socialbias", *words])
    with argv, redirect_stdout(out), redirect_stderr(err):
        try:
            preview.main() if words[:1] == ["plan"] else main()
        except SystemExit as ended:
            status = ended.code or 0
    if isinstance(status, str):  # what Python prints when it exits
        return Ended(1, out.getvalue(), f"Error: {status}")
    return Ended(status, out.getvalue(), err.getvalue())


def write(folder: Path, file: str, content: Content) -> None:
    """Write a case's files."""
    for name, data in (content if isinstance(content, Mapping) else {file: content}).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())


def state(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def check(folder: Path, line: tuple[str, str, Case]) -> None:
    """Run a case and assert that what must come of it does."""
    file, command, case = line
    write(folder, file, case.content)
    before = state(folder)
    ended = run(command)
    if isinstance(case.expected, str):
        check_refused(ended, case.expected)
    else:
        value, text = case.expected if isinstance(case.expected, tuple) else (case.expected, "")
        assert ended.status in ENDS, ended.err
        result = json.loads(ended.out) if ended.out.startswith("{") else {}
        told = str({key: result[key] for key in TOLD}) if result else ended.out
        assert text in told + ended.err
        if isinstance(value, str):
            value = json.loads(run(value).out)["value"]
        if value is not None:
            assert result["value"] == pytest.approx(value, abs=2e-5)
    assert before.items() <= state(folder).items()


def check_refused(ended: Ended, text: str) -> None:
    """Assert that a command ended with one line that has a text, and gave nothing else."""
    assert ended.status in (1, 2), ended
    errors = [line for line in ended.err.splitlines() if line.startswith("Error: ")]
    assert len(errors) == 1, ended.err
    assert text in errors[0], ended.err
    assert len(errors[0]) < LONGEST
    assert "bug in socialbias" not in errors[0]
    assert ended.out == "" or "cannot be written" in errors[0]  # what was measured is shown
