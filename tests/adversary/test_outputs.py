"""Outputs that would replace an input or cannot be written, and commands that are stopped."""

import sys

import pytest

from tests.adversary.given import GROUP_FILE, MEAN, PRINTED, SENTENCES, WORDS, matrix
from tests.adversary.table import cases, check, run
from tests.reliability import fault

MEASURE = "measure good.vec --groups g.txt --targets nurse,pilot,teacher"
READ = "is read by this command; name another file"
FILES = {f"f/{i:03}.txt": line for i, line in enumerate(SENTENCES)}
TEXTS = "measure f --groups g.txt --targets nurse,pilot,teacher"
MATRIX = MEASURE.replace("good.vec", "m.npy")


@fault(
    "an output that is an input of the same command, beside it, in its folder or another output's",
    "one line before anything is measured; the input stays",
)
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
            ("the page", f"{MEASURE} --html good.vec"),
            ("LaTeX", f"{MEASURE} --latex good.vec"),
            ("a plot", f"{MEASURE} --plot good.vec"),
            ("the first", "compare --decisions first.csv second.csv --csv first.csv"),
            ("the second", "compare --decisions first.csv second.csv --json second.csv"),
            ("the corpus", "measure good.txt --groups g.txt --targets nurse --json good.txt"),
            ("the targets", "measure good.vec --groups g.txt --targets g.txt --csv g.txt"),
            ("the placebo", f"{MEASURE} --placebo first.csv --csv first.csv"),
            ("the texts", "measure m --groups g.txt --texts good.txt --csv good.txt"),
            ("the items", "compare m m --items first.csv --csv first.csv"),
        ]
    ),
    ("a document of the corpus", FILES, READ, f"{TEXTS} --json f/003.txt"),
    ("the words of a matrix", {"m.npy": matrix(), "m.txt": "\n".join(WORDS)}, READ, f"{MATRIX} --csv m.txt"),
    ("B verdict", {"o/verdicts.csv": PRINTED}, READ, "verdict printed.csv o/verdicts.csv --out o"),
    ("audit-seeds", {"s.txt": GROUP_FILE}, READ,
     "audit-seeds s.txt --in good.txt --replicates 0 --out s"),
    ("audit", {"o/audit.json": "[]"}, READ, "audit o/audit.json --out o"),
    ("B two outputs", {}, "is also the file of another output", f"{MEASURE} --json x --csv ./x"),
    ("a folder", {"o/x": ""}, "it is a folder", f"{MEASURE} --json o"),
    ("E no folder", {}, "there is no folder no", f"{MEASURE} --json no/x.json"),
    ("a file as a folder", {}, "g.txt", f"{MEASURE} --json g.txt/x.json"),
    ("a name too long", {}, "x", f"{MEASURE} --json {'x' * 300}"),
    ("a plot without a kind", {}, ".png, .pdf or .svg", f"{MEASURE} --plot x.plot"),
    ("B a full disk", {}, "No space left", f"{MEASURE} --json /dev/full"),
    ("a full disk for a table", {}, "No space left", f"{MEASURE} --csv /dev/full"),
    ("a file for a folder", {}, "not a folder", "audit good.vec --out g.txt"),
    ("verdict into a file", {}, "g.txt", "verdict printed.csv printed.csv --out g.txt"),
)  # fmt: skip
def test_outputs(here, line, monkeypatch):
    target = here / "here"
    target.mkdir()
    for path in list(here.iterdir()):
        if path.is_file():
            path.rename(target / path.name)
    monkeypatch.chdir(target)
    check(target, line)


COMMANDS = {
    "measure": MEASURE,
    "verdict": "verdict printed.csv printed.csv",
    "lists": "lists",
}


@fault("an output that is closed (`>&-`, daemons)", "the command ends, and never with a verdict")
@pytest.mark.parametrize("command", COMMANDS)
def test_closed_output(here, monkeypatch, command):
    monkeypatch.setattr("tests.adversary.table.redirect_stdout", lambda out: _closed())
    assert run(COMMANDS[command]).status in (0, 1)


class _closed:
    """Python without an output."""

    def __enter__(self):
        self.before, sys.stdout = sys.stdout, None

    def __exit__(self, *error):
        sys.stdout = self.before


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


@fault(
    "words of a file that are LaTeX, HTML or formulas of spreadsheets",
    "they are text in every output",
)
@pytest.mark.parametrize(
    ("word", "option", "never"),
    [
        (r"\input/etc/hostname", "latex", r"\input/etc/hostname"),
        ("a&b%c$d#e_f{g}", "latex", "a&b%c$d#e_f{g}"),
        ("<script>alert(1)</script>", "html", "<script>alert(1)"),
        ('"onload="x', "html", '"onload="x'),
        ("@SUM(1)", "csv", "\n@SUM"),
        ("-1+1", "csv", "\n-1+1"),
    ],
)
def test_what_is_escaped(here, word, option, never):
    lines = [
        "item,term,decision",
        *(f'{i},"{word.replace(chr(34), chr(34) * 2)}",1' for i in range(9)),
    ]
    (here / "h.csv").write_text("\n".join(lines))
    assert run(f"compare --decisions h.csv h.csv --{option} out").status in (0, 4)
    assert never not in (here / "out").read_text()
