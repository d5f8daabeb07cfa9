"""What a newcomer does wrong: each is one line that says what, where and what to do."""

import errno
import os
import re
import signal
import sys
from dataclasses import replace

import click
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import socialbias
from socialbias.commands import cli as command
from socialbias.commands.cli import cli
from socialbias.embeddings.words.lists import targets_of
from socialbias.measurement.spelling import meant

GROUPS = "[women]\nshe\n[men]\nhe\n"
LINES = ["She is a nurse here today.", "He was the pilot of that ship."] * 30
PRINTED = "row,column,value\na,x,0.5\n"


def run(*arguments):
    return CliRunner().invoke(cli, [str(a) for a in arguments])


@pytest.fixture
def here(tmp_path, monkeypatch, hand):
    """A folder with vectors (`hand.vec`), a corpus, groups, and files that are broken."""
    monkeypatch.chdir(tmp_path)
    files = {
        "groups.txt": GROUPS,
        "corpus.txt": "\n".join(LINES) + "\n",
        "empty.txt": "",
        "empty.jsonl": "",
        "empty.csv": "",
        "semicolons.csv": "id;text\n1;she\n",
        "good.csv": "item,term,decision\na,x,1\nb,y,0\nc,z,1\n",
        "seven.csv": "item,term,decision\na,x,1\nb,y,7\nc,z,1\n",
        "printed.csv": PRINTED,
        "heading.csv": "row,column,value\n",
        "nan.csv": "row,column,value\na,x,nan\n",
        "backwards.csv": "row,column,value,ci_low,ci_high\na,x,0.5,0.9,0.1\n",
        "fewer.csv": "row,column,value,n\na,x,0.5,-3\n",
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    for name in ("folder", "folder.csv"):
        (tmp_path / name).mkdir()
    return tmp_path


class Panic(BaseException):
    """As libraries in Rust raise it."""


HAND = ("measure", "hand.vec", "--groups", "groups.txt", "--targets", "nurse,pilot")
CORPUS = ("measure", "corpus.txt", "--groups", "groups.txt", "--targets", "nurse,pilot")
REQUIRED = {  # arguments, by command
    "measure": "a.vec",
    "compare": "a.vec b.vec",
    "audit": "a.vec",
    "reproduce": "paper trustworthy table5",
    "verify": "folder",
    "power": "weat --bias 1",
    "lists": "",
}
VERDICT = ("reproduce", "verdict", "printed.csv")
DECISIONS = ("compare", "--decisions", "good.csv")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["measure", ""], "an argument is empty: give a value"),
        (["measure", "hands.vec"], "hands.vec: no such file or folder; did you mean 'hand.vec'?"),
        (["measure", "folder"], "or texts (*.txt); name any other file itself"),
        ([*HAND, "--seed", "-1"], "Invalid value for '--seed': -1 is not in the range x>=0"),
        ([*HAND[:-1], "proffesions"], "has a vector: proffesions; did you mean 'professions'?"),
        ([*HAND[:-1], "no.txt"], "'no.txt'; socialbias lists shows the packaged ones"),
        ([*HAND, "-o", "folder.csv"], "folder.csv: cannot be written (it is a folder)"),
        ([*HAND, "-o", "no/x.csv"], "no/x.csv: cannot be written (there is no folder no)"),
        ([*HAND, "-o", "hand.vec"], "-o hand.vec: its name must end in one of .txt, .csv, .json"),
        ([*HAND, "-o", "groups.txt"], "groups.txt: is read by this command; name another"),
        ([*DECISIONS, "good.csv", "-o", "good.csv"], "good.csv: is read by this command"),
        ([*HAND, "-o", "a.csv", "-o", "./a.csv"], "a.csv: is also the file of another output"),
        (["measure", "empty.txt"], "empty.txt: there is no text in it"),
        (["measure", "empty.jsonl"], "empty.jsonl: there is no text in it"),
        (["measure", "empty.csv"], "empty.csv: it is empty, without a line that names its columns"),
        (["measure", "semicolons.csv"], "its columns are id;text: put commas between them"),
        ([*CORPUS, "--association", "cosine"], "association: has no effect on a corpus"),
        ([*CORPUS[:-1], "profesions"], "did you mean 'professions'?"),
        (
            ["compare", "hand.vec", "corpus.txt"],
            "hand.vec (vectors) and corpus.txt (corpus): compare",
        ),
        (["compare", "hand.vec", "hand.vec", "--margin", "nan"], "margin: must be above 0"),
        (["compare", "hand.vec", "hand.vec", "--margin", "0"], "margin: must be above 0"),
        (
            [*DECISIONS, "good.csv", "--margin", "5"],
            "a share of the items above 0 and below 1, not 5",
        ),
        (
            [*DECISIONS, "seven.csv"],
            "seven.csv, line 3: the decision '7' is not a number from 0 to 1",
        ),
        (["audit", "hand.vec", "-o", "groups.txt"], "groups.txt is not a folder"),
        (
            ["audit", "hand.vec", "--seeds", "groups.txt", "--by", "line"],
            "are only for a corpus",
        ),
        (
            ["reproduce", "verdict", "printed.csv", "heading.csv"],
            "heading.csv: there is no number in it",
        ),
        ([*VERDICT, "nan.csv"], "nan.csv: there is no number in it"),
        (
            ["reproduce", "verdict", "printed.csv", "backwards.csv"],
            "line 2: ci_low is above ci_high",
        ),
        ([*VERDICT, "fewer.csv"], "fewer.csv, line 2: n is below 0"),
        (["lists", "gender", "--language", "de"], "--language: has no effect with the name of a"),
        (
            ["audit", "hand.vec", "--seeds", "groups.txt", "--replicates", "5"],
            "replicates: has no effect on vectors (hand.vec)",
        ),
        (["audit", "hand.vec", "--n", "9"], "n is only for models"),
        (["audit", "hand.vec", "--replicates", "9"], "--replicates: can only be used with --seeds"),
        (
            ["audit", "hand.vec", "--seeds", "groups.txt", "--only", "weat"],
            "--only: has no effect with --seeds",
        ),
        ([*HAND, "--only", "weat"], "No such option"),
        ([*DECISIONS, "good.csv", "--layer", "1"], "--layer: has no effect with --decisions"),
        ([*DECISIONS, "good.csv", "--summary", "no/x"], "no/x: cannot be written (there is no f"),
        (
            [*DECISIONS, "good.csv", "--summary", "./a.csv", "-o", "a.csv"],
            "--summary ./a.csv: is also the file of -o",
        ),
        ([*VERDICT[1:], "printed.csv"], "did you mean 'reproduce verdict'?"),
    ],
)
def test_a_mistake_is_one_line_and_nothing_is_written(here, arguments, message):
    before = sorted(here.rglob("*"))
    told = run(*arguments)
    assert told.exit_code == (2 if "Usage: " in told.output else 1)
    [error] = [line for line in told.output.splitlines() if line.startswith("Error: ")]
    assert message in error
    assert sorted(here.rglob("*")) == before


def test_a_misspelt_path_is_named_also_without_the_package_of_the_hub(here, monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    told = run("measure", "hand").output
    assert told.startswith("Error: hand: no such file or folder; if it is a model on the Hugging")
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


@pytest.mark.parametrize(
    "raised",
    [
        KeyboardInterrupt(),
        ValueError("odd"),
        Panic("backtracks"),
        MemoryError(),
        ImportError("libopenblas.so"),
        OSError(errno.ENOSPC, "No space left on device"),
    ],
    ids=lambda error: type(error).__name__,
)
@pytest.mark.parametrize("name", REQUIRED)
def test_no_command_fails_with_a_traceback_or_a_verdict(monkeypatch, capsys, name, raised):
    """Whatever is raised within a command, or while its module is imported."""

    def failing(*arguments, **options):
        raise raised

    monkeypatch.delenv("SOCIALBIAS_DEBUG", raising=False)
    monkeypatch.setattr(sys, "argv", ["socialbias", name, *REQUIRED[name].split()])
    for place, attribute in (
        (cli.get_command(None, name), "callback"),
        (command, "import_module"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(place, attribute, failing)
            with pytest.raises(SystemExit) as ended:
                command.main()
        assert ended.value.code == (130 if isinstance(raised, KeyboardInterrupt) else 1)
        error = capsys.readouterr().err.removeprefix("\n")  # behind ^C
        assert error.startswith("Error: ")
        assert error.count("\n") == 1


def test_every_command_is_tried():
    assert REQUIRED.keys() == command.COMMANDS.keys()


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


def test_a_number_without_a_known_null_says_so(hand):
    told = str(socialbias.measure(hand, {"w": ["she", "her"], "m": ["he", "his"]}, "nurse,pilot",
                                   "mac"))  # fmt: skip
    assert re.search("without bias +unknown for this measure", told)
    assert "larger: closer to the words of all groups" in told


def test_of_words_in_vectors_the_table_has_no_n(hand):
    groups = {"w": ["she", "her"], "m": ["he", "his"]}
    lines = socialbias.measure(hand, groups, "nurse,pilot", "association").to_csv().splitlines()
    columns = lines[0].split(",")
    assert columns[:4] == ["target", "value", "low", "high"]
    assert not {"n", "note", "percentile"} & {*columns}


def test_what_cannot_be_is_not_called_detectable(hand):
    # An effect size is 2 at most; with two words a set no sample shows so much.
    (found := hand.with_name("sets.txt")).write_text("[a]\nnurse\n[b]\npilot\n")
    told = socialbias.measure(hand, {"w": ["she", "her"], "m": ["he", "his"]}, found, "weat")
    known = replace(told, detectable=2.5, unit="standard deviations")
    assert re.search("detectable +nothing: the sample is too small", str(known))
    assert "1.500 or more, with 80 % power" in str(replace(known, detectable=1.5))


def test_a_verdict_shows_no_n_where_none_was_given(here):
    (here / "ours.csv").write_text("row,column,value,n\na,x,0.5,\n")
    told = run("reproduce", "verdict", "printed.csv", "ours.csv", "-o", "-.csv")
    assert told.output.splitlines() == [
        "row,column,printed,value,fidelity,verdict,detail",
        "a,x,0.5,0.5,exact,equal,rounded",
    ]


def test_a_dash_in_a_folder_is_a_file(here):
    assert run(*VERDICT, "printed.csv", "-o", "./-.csv").output.startswith("1 equal\n")
    assert "a,x,0.5,0.5" in (here / "-.csv").read_text()


@pytest.mark.parametrize("arguments", [[], ["reproduce"]])
def test_without_a_command_the_help_has_lines(monkeypatch, capsys, arguments):
    monkeypatch.setattr(sys, "argv", ["socialbias", *arguments])
    with pytest.raises(SystemExit):
        command.main()
    assert "\nCommands:\n" in "".join(capsys.readouterr())


def test_a_misspelt_word_of_a_group_is_told_too(here):
    (here / "slip.txt").write_text(
        GROUPS.replace("she", "she\nwmoan").replace("he\n", "he\nqqqq\n")
    )
    (here / "more.vec").write_text((here / "hand.vec").read_text().replace("her", "woman"))
    words = ("--groups", "slip.txt", "--targets", "nurse,pilot")
    told = run("measure", "more.vec", *words, "--measure", "association")
    assert "wmoan (woman?)" in told.output
    assert "qqqq (" not in told.output


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


@pytest.mark.parametrize("end", ["csv", "tsv", "jsonl", "json", "parquet"])
def test_a_text_under_another_name_is_asked_for_by_its_key(here, end):
    table = pd.DataFrame({"body": LINES, "stars": 5})
    path = here / f"mine.{end}"
    if end == "parquet":
        table.to_parquet(path)
    elif end.startswith("json"):
        table.to_json(path, orient="records", lines=end == "jsonl")
    else:
        table.to_csv(path, index=False, sep="," if end == "csv" else "\t")
    told = run("measure", path.name, *CORPUS[2:])
    assert told.exit_code == 1
    assert "body, stars" in told.output
    assert "name the key or column of the text with --text-key" in told.output
    assert run("measure", path.name, "--text-key", "body", *CORPUS[2:]).exit_code == 0


def test_of_one_target_in_a_corpus_the_mean_has_the_interval_of_its_row(here):
    found = socialbias.measure("corpus.txt", "groups.txt", "nurse")
    [row] = found.rows
    # All contexts agree, and so would all plain resamples.
    assert found.value == row.value == 0.5
    assert found.low < 0.5
    assert found.low == pytest.approx(row.low, abs=0.02)
    assert found.statistic == "mean over targets (1 target with 20 contexts or more)"
