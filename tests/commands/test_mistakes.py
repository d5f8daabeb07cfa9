"""What a newcomer does wrong: each is one line that says what, where and what to do."""

import errno
import os
import re
import signal
import sys
from dataclasses import replace

import click
import numpy as np
import pytest
from click.testing import CliRunner

import socialbias
from socialbias.commands import cli as command
from socialbias.commands.cli import cli
from socialbias.embeddings.words.lists import targets_of
from socialbias.measurement.spelling import meant
from socialbias.measurement.verdicts import would_tell

GROUPS = "[women]\nshe\n[men]\nhe\n"
LINES = ["She is a nurse here today.", "He was the pilot of that ship."] * 30
PRINTED = "row,column,value\na,x,0.5\n"


def run(*arguments):
    return CliRunner().invoke(cli, [str(a) for a in arguments])


@pytest.fixture
def here(tmp_path, monkeypatch, hand):
    """A folder with vectors (`hand.vec`), a corpus, groups and tables."""
    monkeypatch.chdir(tmp_path)
    files = {
        "groups.txt": GROUPS,
        "corpus.txt": "\n".join(LINES) + "\n",
        "good.csv": "item,term,decision\na,x,1\nb,y,0\nc,z,1\n",
        "printed.csv": PRINTED,
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    return tmp_path


class Panic(BaseException):
    """As libraries in Rust raise it."""


HAND = ("measure", "hand.vec", "--groups", "groups.txt", "--targets", "nurse,pilot")
CORPUS = ("measure", "corpus.txt", "--groups", "groups.txt", "--targets", "nurse,pilot")
VERDICT = ("reproduce", "verdict", "printed.csv")


def test_a_misspelt_path_is_named_also_without_the_package_of_the_hub(here, monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    told = run("measure", "hand").output
    assert told.startswith("Error: hand: no such file or folder; ")
    assert "pip install 'socialbias[models]'" in told


def test_an_output_that_is_full_is_one_line(monkeypatch, capsys):
    def full(**options):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(command, "cli", full)
    with pytest.raises(SystemExit) as ended:
        command.main()
    assert ended.value.code == 1
    assert capsys.readouterr().err == "Error: the output: No space left on device\n"


@pytest.mark.parametrize(
    ("raised", "status", "message"),
    [
        (KeyboardInterrupt(), 130, "Error: interrupted\n"),
        (click.Abort(), 130, "Error: interrupted\n"),
        (
            ValueError("two\nlines"),
            1,
            "Error: ValueError: two lines (this is a bug in socialbias",
        ),
        (MemoryError(), 1, "Error: memory ran out: free some"),
        (
            RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to get 9 bytes"),
            1,
            "Error: memory ran out: free some",
        ),
        (
            ImportError("libopenblas.so: cannot open shared object file"),
            1,
            "Error: a library cannot be loaded: libopenblas.so: cannot open shared object file\n",
        ),
        (
            ModuleNotFoundError("No module named 'torch'", name="torch"),
            1,
            "Error: a library cannot be loaded: this needs torch: pip install 'socialbias[mod",
        ),
        (Panic("backtracks"), 1, "Error: Panic: backtracks (this is a bug in socialbias"),
        (SystemExit(3), 3, ""),
        (RecursionError("deep"), 1, "Error: RecursionError: deep (this is a bug in socialbias"),
    ],
)
def test_what_fails_never_ends_with_a_verdict(monkeypatch, capsys, raised, status, message):
    def failing(**options):
        raise raised

    monkeypatch.delenv("SOCIALBIAS_DEBUG", raising=False)
    monkeypatch.setattr(command, "cli", failing)
    with pytest.raises(SystemExit) as ended:
        command.main()
    assert ended.value.code == status
    assert capsys.readouterr().err.startswith(message)


def test_without_snakemake_there_is_a_hint(here, monkeypatch):
    (here / "workflow").mkdir()
    (here / "workflow" / "Snakefile").touch()
    (here / "config.yaml").touch()
    monkeypatch.setitem(sys.modules, "snakemake", None)
    told = run("reproduce", "paper", "stereoset", "table6", "--model", "m", "--dry-run")
    assert told.exit_code == 1
    assert told.output == "Error: the workflow needs snakemake: pip install 'socialbias[all]'\n"


def test_seeds_are_counted_where_no_vectors_are_trained(here):
    found = socialbias.audit_seeds(here / "corpus.txt", here / "groups.txt", replicates=0)
    assert found.sets[["n", "n_of"]].to_numpy().tolist() == [[1, 1], [1, 1]]
    assert found.words["count"].tolist() == [30, 30]
    assert "not in the vocabulary" not in str(found)


def test_a_difference_of_shares_stays_within_them():
    # Three terms: by Student's t the interval of 1/3 would be far beyond 1.
    found = socialbias.compare_decisions([1, 0, 1], [1, 1, 1], ["x", "y", "z"])
    assert (found.value, found.low, found.high) == (pytest.approx(1 / 3), -1, 1)
    assert np.isnan(found.detectable)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_why_few_terms_have_no_verdict_is_told(n):
    for sides in ([[1] * n, [0] * n], [[0] * n, [1] * n], [[1] * n] * 2):
        found = socialbias.compare_decisions(*sides, list("abcde"[:n]), margin=0.9)
        assert found.verdict == "cannot tell"
        assert f"{n} term" in found.notes[-1]
        assert "with fewer than 6 the verdict is always 'cannot tell'" in found.notes[-1]


def test_what_cannot_be_is_not_called_detectable(hand):
    # An effect size is 2 at most; with two words a set no sample shows so much.
    (found := hand.with_name("sets.txt")).write_text("[a]\nnurse\n[b]\npilot\n")
    told = socialbias.measure(hand, {"w": ["she", "her"], "m": ["he", "his"]}, found, "weat")
    known = replace(told, detectable=2.5, unit="standard deviations")
    assert re.search("detectable +nothing: the sample is too small", str(known))
    assert "1.500 or more, with 80 % power" in str(replace(known, detectable=1.5))


@pytest.mark.parametrize("arguments", [[], ["reproduce"]])
def test_without_a_command_the_help_has_lines(monkeypatch, capsys, arguments):
    monkeypatch.setattr(sys, "argv", ["socialbias", *arguments])
    with pytest.raises(SystemExit):
        command.main()
    assert "\nCommands:\n" in "".join(capsys.readouterr())


@pytest.mark.parametrize(
    ("word", "known", "expected"),
    [
        ("carpnter", ["carpet", "carpenter"], "carpenter"),  # a packaged word
        ("zorbels", ["zebra", "zorbel", "zorbelx"], "zorbel"),  # the more frequent
        ("zrobel", ["zorbel"], "zorbel"),  # two letters exchanged
        ("Zorbel", ["zorbel"], "zorbel"),
        ("zorbel", ["bezorl", "zorbelling"], None),  # two slips
        ("pilot", ["pivot"], None),  # a packaged word is spelt rightly
        ("xem", ["hem", "gem"], None),  # too short to tell
    ],
)
def test_what_was_meant_is_a_packaged_word_or_a_single_slip_away(word, known, expected):
    found = meant([word], known, targets_of([word]))
    assert found == ({word: expected} if expected else {})


def test_of_a_vocabulary_no_more_is_read_than_may_have_been_meant():
    taken = iter(f"word{i}" for i in range(10**6))
    meant(["pliot"], taken, targets_of(["pliot"]))
    assert next(taken) == "word50000"
    whole = iter(["pilot"])
    assert meant(["pilot"], whole, targets_of(["pilot"])) == {}
    assert next(whole) == "pilot"  # nothing was read: nothing was to be guessed


@pytest.mark.parametrize(
    "arguments",
    [
        ["measure", "pipe.vec"],
        ["measure", "pipe.jsonl"],
        ["compare", "--decisions", "pipe.csv", "pipe.csv"],
        ["compare", "hand.vec", "hand.vec", "--items", "pipe.csv"],
        ["reproduce", "verdict", "pipe.csv", "pipe.csv"],
        ["audit", "pipe.jsonl", "--seeds", "groups.txt"],
        ["audit", "corpus.txt", "--seeds", "pipe.csv"],
        [*HAND[:3], "pipe.csv"],
    ],
)
def test_a_pipe_is_not_waited_for(here, arguments):
    for end in ("vec", "jsonl", "csv"):
        os.mkfifo(here / f"pipe.{end}")
    signal.alarm(30)  # which would end a test that waits
    told = run(*arguments)
    signal.alarm(0)
    assert told.exit_code == 1
    assert "a pipe or device: save what comes from it as a file" in told.output


def test_what_a_shell_has_open_is_read_once(here):
    with (here / "good.csv").open() as one, (here / "good.csv").open() as other:
        told = run("compare", "--decisions", *(f"/dev/fd/{f.fileno()}" for f in (one, other)))
    assert "mean difference over terms" in told.output


def test_of_one_target_in_a_corpus_the_mean_has_the_interval_of_its_row(here):
    found = socialbias.measure("corpus.txt", "groups.txt", "nurse")
    [row] = found.rows
    # All contexts agree, and so would all plain resamples.
    assert found.value == row.value == 0.5
    assert found.low < 0.5
    assert found.low == pytest.approx(row.low, abs=0.02)
    assert found.statistic == "mean over targets (1 target with 20 contexts or more)"


@pytest.mark.parametrize(
    ("columns", "option"),
    [
        ("item,term,decision", "`compare --decisions`"),
        ("item,term,context,stereotype,anti-stereotype", "`compare --items`"),
    ],
)
def test_a_table_without_texts_is_sent_to_the_option_that_reads_it(here, columns, option):
    (here / "table.csv").write_text(f"{columns}\n" + ",".join("1" * len(columns.split(","))))
    told = run("compare", "table.csv", "table.csv").output
    assert told == f"Error: table.csv: no text; {option} reads such a file\n"


def test_a_mean_of_no_target_names_none(here):
    (here / "few.txt").write_text(LINES[0] + "\n" + LINES[1] + "\n")
    told = run("measure", "few.txt", *CORPUS[2:4], "--targets", "nurse").output
    assert "(0 targets with 20 contexts or more): -" in told


def test_an_unknown_list_is_answered_with_where_the_names_are():
    told = run("lists", "nonsense").output
    assert told == "Error: no list is called 'nonsense'; `socialbias lists` shows them all\n"


@pytest.mark.parametrize(("margin", "times"), [(0.5, "4"), (0.3, "11"), (0.0279, "1,300")])
def test_how_many_times_as_many_is_written_out(margin, times):
    assert f"about {times} times as many terms" in would_tell(1, margin, "as many terms")
