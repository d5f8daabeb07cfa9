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
VERDICT = "verdict printed.csv printed.csv"
NEW = "already exists: name a new or empty folder"
MATRIX = MEASURE.replace("good.vec", "m.npy")
MATRIX_BYTES = npy(list(ROWS.values()))


@fault("an output that is an input of the same command", "one line; the input stays")
@cases(
    "x",
    MEASURE,
    ("plain", {}, (MEAN, ""), f"{MEASURE} --json -"),
    *(
        (f"B {name}", {}, READ, command)
        for name, command in [
            ("the vectors", f"{MEASURE} --json good.vec"),
            ("the vectors by another path", f"{MEASURE} --json ./../here/good.vec"),
            ("the groups", f"{MEASURE} --csv g.txt"),
            ("a plot", f"{MEASURE} --plot good.vec"),
            ("the first", "compare --decisions first.csv second.csv --csv first.csv"),
            ("the corpus", "measure good.txt --groups g.txt --targets nurse --json good.txt"),
            ("the targets", "measure good.vec --groups g.txt --targets g.txt --csv g.txt"),
            ("the texts", "measure m --groups g.txt --texts good.txt --csv good.txt"),
            ("the items", "compare m m --items first.csv --csv first.csv"),
        ]
    ),
    ("a document of the corpus", FILES, READ, f"{TEXTS} --json f/003.txt"),
    ("the words of a matrix", {"m.npy": MATRIX_BYTES, "m.txt": "\n".join(WORDS)}, READ, f"{MATRIX} --csv m.txt"),
    ("a matrix beside its words", {"v.kv": "", "v.kv.vectors.npy": MATRIX_BYTES}, READ,
     MEASURE.replace("good.vec", "v.kv") + " --json v.kv.vectors.npy"),
    ("B verdict", {"o/verdicts.csv": PRINTED}, READ, "verdict printed.csv o/verdicts.csv --out o"),
    ("audit-seeds", {"s.txt": GROUP_FILE}, READ,
     "audit-seeds s.txt --in good.txt --replicates 0 --out s"),
    ("audit", {"o/audit.json": "[]"}, READ, "audit o/audit.json --out o"),
    ("B two outputs", {}, "is also the file of another output", f"{MEASURE} --json x --csv ./x"),
    ("a folder", {"o/x": ""}, "it is a folder", f"{MEASURE} --json o"),
    ("E no folder", {}, "there is no folder no", f"{MEASURE} --json no/x.json"),
    ("a name too long", {}, "x", f"{MEASURE} --json {'x' * 300}"),
    ("a plot without a kind", {}, ".png, .pdf or .svg", f"{MEASURE} --plot x.plot"),
    ("B a full disk", {}, "No space left", f"{MEASURE} --json /dev/full"),
    ("a file for a folder", {}, "not a folder", "audit good.vec --out g.txt"),
    ("a page of another origin", {"o/index.html": "mine"}, NEW, f"{VERDICT} --out o"),
    ("answers of another origin", {"o/items/mine": "mine", "o/bundle.json": "{}"}, NEW,
     "audit good.vec --out o"),
    ("the workflow", {"o/mine": "mine"}, NEW, "workflow o"),
    ("a stem without a name", {}, "name a prefix", "audit-seeds g.txt --in good.vec --out ."),
    ("seeds of another origin", {"s.txt": GROUP_FILE, "s.audit.txt": "mine"},
     "name another prefix", "audit-seeds s.txt --in good.txt --replicates 0"),
    ("standard output twice", {}, "another output", f"{MEASURE} --json - --csv /dev/stdout"),
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


OUTPUTS = ("json", "csv", "html", "latex", "methods", "plot")


@fault("a file of the user's whose name ends in `.part`", "it stays")
@pytest.mark.parametrize("option", OUTPUTS)
def test_what_lies_beside_an_output_stays(here, option):
    name = f"y.{'svg' if option == 'plot' else option}"
    (here / f"{name}.part").symlink_to("good.txt")
    (here / f".{name}.lock").write_text("mine")
    before = state(here)
    assert run(f"{MEASURE} --{option} {name}").status == 0
    after = state(here)
    assert after.pop(name)
    assert after == before


def test_an_output_keeps_the_mode_of_what_it_replaces_and_follows_its_link(here):
    (here / "old").write_text("old")
    (here / "old").chmod(0o640)
    (here / "x").symlink_to("old")
    assert run(f"{MEASURE} --json x --csv new").status == 0
    assert (here / "x").is_symlink()
    assert json.loads((here / "old").read_text())["n"] == 3
    assert [(here / name).stat().st_mode & 0o777 for name in ("old", "new")] == [0o640, 0o644]


@fault("an output that is a pipe, or a file that the shell has opened", "it is written in place")
def test_a_pipe_is_written_in_place(here):
    os.mkfifo("p.png")
    with ThreadPoolExecutor() as reader, (here / "opened").open("w+b") as opened:
        read = reader.submit((here / "p.png").read_bytes)
        name = f"/dev/fd/{opened.fileno()}"
        assert run(f"{MEASURE} --plot p.png --json {name}").status == 0
        assert read.result().startswith(b"\x89PNG")
        assert json.loads((here / "opened").read_text())["n"] == 3
    assert (here / "p.png").is_fifo()


@fault("links in a circle as an output", "one line")
@pytest.mark.parametrize(
    "command", [f"{MEASURE} --json", f"{VERDICT} --out", "audit good.vec --out"]
)
def test_links_in_a_circle(here, command):
    (here / "a").symlink_to("b")
    (here / "b").symlink_to("a")
    check_refused(run(f"{command} a"), "cannot be written")


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
    outputs = " ".join(f"--{option} {option}" for option in ("json", "html", "latex", "csv"))
    ended = run(f"compare --decisions '{name}' second.csv {outputs}")
    assert ended.status in (0, 3, 4), ended.err
    assert "caf\ufffd?]0;x?.csv" in ended.out
    for option in ("json", "html", "latex"):
        assert "caf\ufffd?" in (here / option).read_text("utf-8").replace("{]}", "]")


def test_a_disk_that_is_full_leaves_the_result_of_before(here, monkeypatch):
    assert run(f"{MEASURE} --json x.json").status == 0
    before = (here / "x.json").read_bytes()

    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    ended = run(f"{MEASURE} --json x.json")
    assert (ended.status, ended.err) == (
        1,
        "Error: x.json: cannot be written (No space left on device)\n",
    )
    assert "directed bias" in ended.out
    assert (here / "x.json").read_bytes() == before
    assert not [*here.glob("*.part"), *here.glob(".*")]
