"""Lines of progress: on a terminal alone, with an estimate, and gone when the result is printed."""

import os
import pty
import re
import subprocess
import sys

import pytest

from socialbias.system import progress
from tests.paths import REPOSITORY

SCRIPT = """
import sys
from socialbias.system import progress
progress.FIRST, progress.ON_TERMINAL = 0.0, float("inf")  # one line, however long it takes
from socialbias.cli import main
main()
"""


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    return now


def test_a_line_is_due_after_five_seconds_and_then_every_ten(clock):
    pace, due = progress.Pace(print), []
    for clock[0] in range(30):
        due += [clock[0]] * pace.due()
    assert due == [5, 15, 25]
    assert pace.left(29, 58) == "0:29 left"
    assert progress.time_left(60, 1, 3) == "2:00 left"


def test_nothing_is_due_without_a_reader(clock):
    pace = progress.Pace(None)
    clock[0] = 100
    assert not pace.due()
    assert pace.log is None


def of_corpus(folder, stderr):
    """Measures a corpus; returns what is printed on the standard output."""
    (folder / "groups.txt").write_text("[women]\nshe\n[men]\nhe\n")
    lines = "she is a nurse.\nhe is a pilot.\n" * 4_000  # read in several blocks
    (folder / "my.txt").write_text(lines)
    command = [sys.executable, "-c", SCRIPT, "measure", "my.txt", "--groups", "groups.txt"]
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY / "src")}
    return subprocess.run(
        [*command, "--targets", "nurse,pilot"], cwd=folder, env=environment, text=True,
        stdout=subprocess.PIPE, stderr=stderr, check=True,
    )  # fmt: skip


@pytest.mark.long  # another process
def test_progress_is_shown_on_a_terminal_and_leaves_nothing(tmp_path):
    ours, theirs = pty.openpty()
    result = of_corpus(tmp_path, theirs)
    os.close(theirs)
    shown = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert re.search(r"my.txt: \d+% read, \d+:\d\d left", shown)
    assert shown.endswith(progress.CLEARED)
    assert "\n" not in shown
    assert "read" not in result.stdout.splitlines()[0]
    assert progress.CLEARED not in result.stdout
