"""What prints into a pipe ends quietly when its reader has left, as behind `| head`."""

import os
import subprocess
import sys

import pytest

from tests.paths import REPOSITORY

VECTORS = "4 2\nshe 1 0\nhe 0 1\nnurse 3 1\npilot 1 3\n"
GROUPS = "[women]\nshe\n[men]\nhe\n"
WORDS = ("--groups", "groups.txt", "--targets", "nurse,pilot")


def unread(*arguments, cwd=REPOSITORY):
    """Exit code and what is said on stderr, with a standard output that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    paths = os.environ | {"PYTHONPATH": str(REPOSITORY / "src")}
    command = [sys.executable, "-m", *arguments]
    ended = subprocess.run(
        command, cwd=cwd, env=paths, stdout=writer, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writer)
    return ended.returncode, ended.stderr


@pytest.fixture
def place(tmp_path):
    (tmp_path / "my.vec").write_text(VECTORS)
    (tmp_path / "groups.txt").write_text(GROUPS)
    return tmp_path


def test_what_make_prints_may_be_left():
    assert unread("socialbias.pipeline.targets") == (0, "")


def test_a_result_is_written_whoever_reads_the_rest(place):
    told = unread("socialbias", "measure", "my.vec", *WORDS, "-o", "my.csv", cwd=place)
    assert told == (0, "")
    assert (place / "my.csv").read_text().startswith("target,value")


COMMANDS = [
    ["compare", "--decisions", "same.csv", "same.csv", "--margin", "0.5"],
    ["measure", "my.vec", *WORDS, "-o", "-.json"],
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_reader_who_left_changes_no_verdict(place, arguments):
    lines = "".join(f"{i},term {i % 9},{i % 2}\n" for i in range(90))
    (place / "same.csv").write_text(f"item,term,decision\n{lines}")
    assert unread("socialbias", *arguments, cwd=place) == (0, "")
    closed = ["sh", "-c", 'exec "$0" -m socialbias "$@" >&-', sys.executable, *arguments]
    paths = os.environ | {"PYTHONPATH": str(REPOSITORY / "src")}
    ended = subprocess.run(closed, cwd=place, env=paths, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
