"""Outputs that would replace an input or cannot be written, and commands that are stopped."""

import json
import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from socialbias import measure
from socialbias.errors import UserError
from socialbias.files.atomic_write import write_output
from tests.adversary.given import GROUP_FILE, MEAN, PRINTED, ROWS, SENTENCES, WORDS, text
from tests.adversary.table import cases, check, check_refused, run, state
from tests.reliability import fault
from tests.worlds.bytes import npy

MEASURE = "measure good.vec --groups g.txt --targets nurse,pilot,teacher"
READ = "is read by this command; name another file"
FILES = {f"f/{i:03}.txt": line for i, line in enumerate(SENTENCES)}
TEXTS = "measure f --groups g.txt --targets nurse,pilot,teacher"
NEW = "already exists: name a new or empty folder"
MATRIX = MEASURE.replace("good.vec", "m.npy")
MATRIX_BYTES = npy(list(ROWS.values()))


@fault("an output that is an input of the same command", "one line; the input stays")
@cases(
    "x",
    MEASURE,
    ("plain", {}, (MEAN, ""), f"{MEASURE} -o -.json"),
    *(
        (f"B {name}", {}, READ, command)
        for name, command in [
            ("the groups", f"{MEASURE} -o g.txt"),
            ("the groups by another path", f"{MEASURE} -o ./../here/g.txt"),
            ("the first", "compare --decisions first.csv second.csv -o first.csv"),
            ("the second", "compare --decisions first.csv second.csv -o second.csv"),
            ("the summary", "compare --decisions first.csv second.csv --summary second.csv"),
            ("the corpus", "measure good.txt --groups g.txt --targets nurse -o good.txt"),
            ("the targets", "measure good.vec --groups gender --targets g.txt -o g.txt"),
            ("the placebo", f"{MEASURE} --baseline first.csv -o first.csv"),
            ("the items", "compare m m --items first.csv -o first.csv"),
        ]
    ),
    ("a document of the corpus", FILES, "f/003.txt: is in f, which this command reads", f"{TEXTS} -o f/003.txt"),
    ("a new file in the corpus", FILES, "f/new.txt: is in f, which", f"{TEXTS} -o f/new.txt"),
    ("the words of a matrix", {"m.npy": MATRIX_BYTES, "m.txt": "\n".join(WORDS)}, READ, f"{MATRIX} -o m.txt"),
    ("B verdict", {"o/ours.csv": PRINTED}, READ,
     "reproduce verdict printed.csv o/ours.csv -o o/ours.csv"),
    ("seeds", {"s.txt": GROUP_FILE}, READ, "audit good.txt --seeds s.txt --replicates 0 -o s.txt"),
    ("B two outputs", {}, "is also the file of another output", f"{MEASURE} -o x.csv -o ./x.csv"),
    ("a folder", {"o.csv/x": ""}, "is a folder: name a file in it", f"{MEASURE} -o o.csv"),
    ("E no folder", {}, "there is no folder no", f"{MEASURE} -o no/x.json"),
    ("a file as a folder", {}, "g.txt", f"{MEASURE} -o g.txt/x.json"),
    ("a name too long", {}, "x", f"{MEASURE} -o {'x' * 300}.csv"),
    ("another suffix", {}, "-o x.plot: its name must end in one of .txt, .csv", f"{MEASURE} -o x.plot"),
    ("a figure for a terminal", {}, "-o -.svg: its name must end", f"{MEASURE} -o -.svg"),
    ("a file for a folder", {}, "name one folder", "audit good.vec -o g.txt"),
    ("two folders", {}, "name one folder", "audit good.vec -o a -o b"),
    ("answers of another origin", {"o/items/mine": "mine", "o/bundle.json": "{}"}, NEW,
     "audit good.vec -o o"),
    ("the workflow", {"o/mine": "mine"}, NEW, "reproduce workflow o"),
    ("standard output twice", {}, "another output", f"{MEASURE} -o -.json -o -.csv"),
)  # fmt: skip
def test_outputs(here, line, monkeypatch):
    target = here / "here"
    target.mkdir()
    for path in list(here.iterdir()):
        if path.is_file():
            path.rename(target / path.name)
    monkeypatch.chdir(target)
    check(target, line)


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev//stdout", "/dev/./fd/1"])
def test_what_a_shell_has_opened_is_written_in_place(name, capfd):
    os.write(1, b"first ")
    write_output(name, b"second")
    assert capfd.readouterr().out == "first second"


OUTPUTS = ("txt", "csv", "json", "html", "tex", "md", "svg")


@fault("a file of the user's whose name ends in `.part`", "it stays")
@pytest.mark.parametrize("suffix", OUTPUTS)
def test_what_lies_beside_an_output_stays(here, suffix):
    name = f"y.{suffix}"
    (here / f"{name}.part").symlink_to("good.txt")
    (here / f".{name}.lock").write_text("mine")
    before = state(here)
    assert run(f"{MEASURE} -o {name}").status == 0
    after = state(here)
    assert after.pop(name)
    assert after == before


def test_an_output_keeps_the_mode_of_what_it_replaces_and_follows_its_link(here):
    (here / "old").write_text("old")
    (here / "old").chmod(0o640)
    (here / "x.json").symlink_to("old")
    assert run(f"{MEASURE} -o x.json -o new.csv").status == 0
    assert (here / "x.json").is_symlink()
    assert json.loads((here / "old").read_text())["n"] == 3
    assert [(here / name).stat().st_mode & 0o777 for name in ("old", "new.csv")] == [0o640, 0o644]


@fault("an output that is a pipe", "it is written in place")
def test_a_pipe_is_written_in_place(here):
    os.mkfifo("p.png")
    with ThreadPoolExecutor() as reader:
        read = reader.submit((here / "p.png").read_bytes)
        assert run(f"{MEASURE} -o p.png").status == 0
        assert read.result().startswith(b"\x89PNG")
    assert (here / "p.png").is_fifo()


@fault("links in a circle as an output", "one line")
@pytest.mark.parametrize("command", [f"{MEASURE} -o a.csv", "audit good.vec -o b"])
def test_links_in_a_circle(here, command):
    (here / "a.csv").symlink_to("b")
    (here / "b").symlink_to("a.csv")
    check_refused(run(command), "cannot be written")


@fault("an output of a function that is what its result was made from", "one line; the file stays")
@pytest.mark.parametrize("name", ["good.vec", "g.txt", "link"])
def test_a_result_does_not_replace_its_input(here, name):
    (here / "link").symlink_to("good.vec")
    result = measure("good.vec", groups="g.txt", targets=["nurse", "pilot"])
    with pytest.raises(UserError, match="the result was made from it"):
        result.to_json(name)
    assert (here / "good.vec").read_text() == text()


@fault("names of files that are not UTF-8, or steer a terminal", "such characters are replaced")
def test_names_that_cannot_be_shown(here):
    name = "caf\udce9\x1b]0;x\u202e.csv"
    (here / name).write_text((here / "first.csv").read_text())
    outputs = " ".join(f"-o x.{suffix}" for suffix in ("json", "html", "tex", "csv"))
    ended = run(f"compare --decisions '{name}' second.csv {outputs}")
    assert ended.status in (0, 3, 4), ended.err
    assert "caf\ufffd?]0;x?.csv" in ended.out
    for suffix in ("json", "html", "tex"):
        assert "caf\ufffd?" in (here / f"x.{suffix}").read_text("utf-8").replace("{]}", "]")


def test_words_that_are_not_utf_8_are_refused(here):
    for option in ("targets", "baseline"):
        command = f"measure good.vec --groups g.txt --targets pilot --{option} 'nurse,caf\udce9'"
        check_refused(run(command), "is not UTF-8")


def test_a_disk_that_is_full_leaves_the_result_of_before(here, monkeypatch):
    assert run(f"{MEASURE} -o x.json").status == 0
    before = (here / "x.json").read_bytes()

    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    ended = run(f"{MEASURE} -o x.json")
    assert (ended.status, ended.err) == (
        1,
        "Error: x.json: cannot be written (No space left on device)\n",
    )
    assert "directed bias" in ended.out
    assert (here / "x.json").read_bytes() == before
    assert not [*here.glob("*.part"), *here.glob(".*")]


@fault("a SOURCE_DATE_EPOCH that is no number", "it is as if it were not set")
def test_a_date_of_builds_that_is_none(here, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "today")
    assert run(f"{MEASURE} -o a.pdf").status == 0
    assert "SOURCE_DATE_EPOCH" not in os.environ
