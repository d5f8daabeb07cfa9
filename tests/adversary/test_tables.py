"""Decisions, printed numbers and items as tables: the number that they hold, or one line."""

from tests.adversary.given import (
    BOM,
    DIFFERENCE,
    FIRST,
    PRINTED,
    SECOND,
    decisions,
    decisions_in,
    difference,
)
from tests.adversary.table import cases, check
from tests.reliability import fault

COMPARE = "compare --decisions first.csv d.csv --json -"
TABLE = decisions(SECOND)
ROWS = TABLE.splitlines(keepends=True)
HALVES = decisions([x / 2 for x in SECOND])
FEW = "".join(ROWS[:20])


def expected(table: str) -> float:
    return difference(decisions_in(decisions(FIRST)), decisions_in(table))


@fault(
    "a table of decisions with other separators, line ends, encodings, order or quotation marks",
    "the same number",
)
@cases(
    "d.csv",
    COMPARE,
    ("plain", TABLE, DIFFERENCE),
    ("BOM", BOM + TABLE.encode(), DIFFERENCE),
    ("CRLF", TABLE.replace("\n", "\r\n"), DIFFERENCE),
    ("CR", TABLE.replace("\n", "\r"), DIFFERENCE),
    ("semicolons", TABLE.replace(",", ";"), DIFFERENCE),
    ("tabs", TABLE.replace(",", "\t"), DIFFERENCE),
    ("reversed", ROWS[0] + "".join(reversed(ROWS[1:])), DIFFERENCE),
    ("quoted", "".join(",".join(f'"{c}"' for c in r.strip().split(",")) + "\n" for r in ROWS),
     DIFFERENCE),
    ("blanks", TABLE.replace(",", " , "), DIFFERENCE),
    ("header in capitals", TABLE.replace("item,term", "Item, TERM"), DIFFERENCE),
    ("columns exchanged", "".join(",".join(reversed(r.strip().split(","))) + "\n" for r in ROWS),
     DIFFERENCE),
    ("more columns", TABLE.replace("\n", ",x\n").replace("decision,x", "decision,note"), DIFFERENCE),
    ("empty columns", TABLE.replace("\n", ",,\n"), DIFFERENCE),
    ("blank rows", TABLE.replace("i9,", "\n,,\ni9,"), DIFFERENCE),
    ("no newline at the end", TABLE.rstrip(), DIFFERENCE),
    ("1.0", decisions(SECOND, "{:.1f}"), DIFFERENCE),
    ("1e0", decisions(SECOND, "{:.0e}"), DIFFERENCE),
    ("halves", HALVES, expected(HALVES)),
    ("A4 U+2028 in a cell", TABLE.replace("i9,", "i\u20289,"), (None, "2 items have")),
    ("A4 U+2028 in another column", TABLE.replace("\n", ",a\u2028b\n").replace("on,a\u2028b", "on,n"),
     DIFFERENCE),
    ("A4 NEL in another column", TABLE.replace("\n", ",a\x85b\n").replace("on,a\x85b", "on,n"),
     DIFFERENCE),
    ("A4 VT in another column", TABLE.replace("\n", ",a\x0bb\n").replace("on,a\x0bb", "on,n"),
     DIFFERENCE),
    ("line breaks in another column",
     TABLE.replace("\n", ',"a\nb"\n').replace('decision,"a\nb"', "decision,n"), DIFFERENCE),
)  # fmt: skip
def test_decisions_that_lose_nothing(here, line):
    check(here, line)


@fault(
    "decisions in ragged rows, doubled columns or items, decimal commas, percentages, or of another "
    "encoding; items of one file only; too few terms, no variance, or no items in common",
    "one line; without enough terms or variance no verdict",
)
@cases(
    "d.csv",
    COMPARE,
    ("A4 decimal commas", decisions([x / 2 for x in SECOND]).replace(".", ","), "write decimals"),
    ("A4 German whole", TABLE.replace(",0\n", ",0,0\n").replace(",1\n", ",1,0\n"), "4 cells for 3"),
    ("German with semicolons", HALVES.replace(",", ";").replace(".", ","), "write decimals with a"),
    ("A4 no decision", TABLE.replace("i5,t5,0", "i5,t5"), "line 7: 2 cells for 3 columns"),
    ("an empty decision", TABLE.replace("i5,t5,0", "i5,t5,"), (None, "1 item has a decision of only")),
    ("A4 decision twice", TABLE.replace("\n", ",0\n").replace("on,0", "on,decision"), "two columns"),
    ("no such column", TABLE.replace("decision", "choice"), "no column decision"),
    ("no header", TABLE.partition("\n")[2], "no column item"),
    ("percentages", decisions([100 * x for x in SECOND]), "not a number from 0 to 1"),
    ("percent signs", decisions(SECOND, "{:.0%}"), "write a share"),
    ("flipped signs", decisions([-x for x in SECOND], "{:.1f}"), "not a number from 0 to 1"),
    ("7", TABLE.replace("i4,t4,1", "i4,t4,7"), "line 6: the decision '7'"),
    ("-1", TABLE.replace("i4,t4,1", "i4,t4,-1"), "line 6: the decision '-1'"),
    ("infinity", TABLE.replace("i4,t4,1", "i4,t4,inf"), "line 6: 'inf' is not a number"),
    ("NaN", TABLE.replace("i4,t4,1", "i4,t4,nan"), (None, "1 item has a decision of only one")),
    ("an empty item", TABLE.replace("i4,t4", ",t4"), "nothing in the column 'item'"),
    ("an empty term", TABLE.replace("i4,t4", "i4,"), "nothing in the column 'term'"),
    ("yes", TABLE.replace("i4,t4,1", "i4,t4,yes"), "line 6: 'yes' is not a number"),
    ("true", TABLE.replace(",1\n", ",True\n"), "'True' is not a number"),
    ("digits of Devanagari", TABLE.replace("i4,t4,1", "i4,t4,१"), (DIFFERENCE, "")),
    ("1_0", TABLE.replace("i4,t4,1", "i4,t4,1_0"), "line 6"),
    ("an item twice", TABLE + "i4,t4,1\n", "item i4 appears twice"),
    ("another term", TABLE.replace("i4,t4,", "i4,t5,"), "i4 has another term"),
    ("A5 cut in a row", TABLE[: len(TABLE) // 2], ""),
    ("A5 cut after a row", FEW, (None, "41 items have a decision of only one")),
    ("A5 three of all", "".join(ROWS[:4]), (None, "57 items have a decision of only one")),
    ("A5 with --common", FEW, (None, "items"), COMPARE + " --common"),
    ("nothing in common", TABLE.replace("\ni", "\nj"), "no item in common"),
    ("empty", "", "it is empty"),
    ("only a header", ROWS[0], "no item in common"),
    ("an open quotation", TABLE.replace("i4,", '"i4,'), "broken CSV"),
    ("quotation inside", TABLE.replace("i4,", 'i"4,'), (None, "2 items have a decision of only")),
    ("UTF-16", TABLE.encode("utf-16"), "not UTF-8"),
    ("Latin-1", TABLE.replace("i4", "é").encode("latin-1"), "not UTF-8"),
    ("NUL", TABLE.replace("i4,", "i\x004,"), (None, "2 items have a decision of only one")),
    ("JSON", '[{"item": 1}]', "no column"),
    ("HTML", "<html>\n<body>a,b</body>\n</html>", "no column"),
    ("a folder", {"d.csv/x": ""}, "d.csv"),
    ("not there", {}, "no such file"),
    ("a million digits", TABLE.replace("i4,t4,1", "i4,t4," + "1" * 10**6), "line 6"),
    ("a cell without end", TABLE.replace("i4,t4,", "i4,t4" + "x" * 200_000 + ","), ""),
    ("A3 two terms", {"a.csv": "item,term,decision\na,x,0\nb,y,0\n",
                      "b.csv": "item,term,decision\na,x,1\nb,y,1\n"}, (1, "cannot tell"),
     "compare --decisions a.csv b.csv --json -"),
    ("A3 five equal", {"a.csv": "item,term,decision\n" + "".join(f"{i},{i},0\n" for i in range(5))},
     (0, "cannot tell"), "compare --decisions a.csv a.csv --margin 0.05 --json -"),
    ("A3 no variance", {
        "a.csv": "item,term,decision\n" + "".join(f"{i},{i % 12},0\n" for i in range(60)),
        "b.csv": "item,term,decision\n" + "".join(f"{i},{i % 12},1\n" for i in range(60))},
     (1, "worse"), "compare --decisions a.csv b.csv --json -"),
    ("A12 --measure", TABLE, "measure: has no effect", COMPARE + " --measure weat"),
    ("A12 --targets", TABLE, "targets: has no effect", COMPARE + " --targets x"),
    ("--groups", TABLE, "groups: has no effect", COMPARE + " --groups gender"),
    ("--placebo", TABLE, "placebo", COMPARE + " --placebo the"),
    ("--layer", TABLE, "layer: has no effect", COMPARE + " --layer 1"),
    ("--items too", TABLE, "cannot be combined", COMPARE + " --items d.csv"),
    ("--margin of 5", TABLE, "above 0 and below 1", COMPARE + " --margin 5"),
)  # fmt: skip
def test_decisions_that_are_refused(here, line):
    check(here, line)


VERDICT = "verdict printed.csv o.csv"
OWN = PRINTED


def scaled(change) -> str:
    head, *rows = PRINTED.splitlines()
    cells = [row.rsplit(",", 1) for row in rows]
    return "".join(
        f"{line}\n" for line in [head, *(f"{a},{change(float(b)):.4g}" for a, b in cells)]
    )


def with_column(name: str, value: str) -> str:
    head, *rows = PRINTED.splitlines()
    return "".join(f"{line}\n" for line in [f"{head},{name}", *(f"{row},{value}" for row in rows)])


@fault(
    "printed numbers and one's own in ragged rows, with doubled or missing cells, decimal commas, "
    "percentages, intervals without their value",
    "one line; what loses nothing gives the same verdicts",
)
@cases(
    "o.csv",
    VERDICT,
    ("plain", OWN, (None, "16 equal")),
    ("BOM", BOM + OWN.encode(), (None, "16 equal")),
    ("CRLF", OWN.replace("\n", "\r\n"), (None, "16 equal")),
    ("semicolons", OWN.replace(",", ";"), (None, "16 equal")),
    ("reversed", "row,column,value\n" + "\n".join(reversed(OWN.splitlines()[1:])), (None, "16 equal")),
    ("more digits", OWN.replace("0.80", "0.8012"), (None, "16 equal")),
    ("A4 decimal commas", OWN.replace("0.", "0,"), "4 cells for 3 columns (write decimals"),
    ("A4 decimal commas in both", {"p.csv": OWN.replace("0.", "0,")}, "4 cells for 3 columns",
     "verdict p.csv p.csv"),
    ("decimal commas, semicolons", OWN.replace(",", ";").replace("0.", "0,"), "write decimals"),
    ("percent signs", OWN.replace("\n", "%\n").replace("value%", "value"), "write a share"),
    ("E times 100", scaled(lambda x: 100 * x), (None, "about 100 times the printed ones")),
    ("E negated", scaled(lambda x: -x), (None, "with the other sign")),
    ("E one minus", scaled(lambda x: 1 - x), (None, "about 1 minus the printed ones")),
    ("a cell too few", OWN + "r9,a\n", "2 cells for 3 columns"),
    ("a cell too many", OWN + "r9,a,1,2\n", "4 cells for 3 columns"),
    ("a cell twice", OWN + "r1,a,0.5\n", "row r1, column a appears twice"),
    ("a column twice", OWN.replace("row,", "value,", 1), ""),
    ("no value", "row,column,value\nr1,a,\n", "there is no number in it"),
    ("NaN", "row,column,value\nr1,a,nan\n", "there is no number in it"),
    ("a word", OWN + "r9,a,none\n", "'none' is not a number"),
    ("infinity", OWN + "r9,a,inf\n", "'inf' is not a number"),
    ("no cell in common", OWN.replace("r", "q").replace("qow", "row"), "no row and column is in both"),
    ("a missing row", OWN.replace("r1,a,0.10\n", ""), (None, "1 printed number is missing")),
    ("only a header", "row,column,value\n", "there is no number in it"),
    ("empty", "", "it is empty"),
    ("interval turned around", with_column("ci_low,ci_high", "0.9,0.1"), "ci_low is above ci_high"),
    ("E interval without its value", with_column("ci_low,ci_high", "0.91,0.95"), "the value is outside of"),
    ("one end of an interval", with_column("ci_low", "0.1"), (None, "")),
    ("n below 0", with_column("n", "-3"), "n is below 0"),
    ("n with a comma", with_column("n", '"1,000"'), "write decimals with a point"),
    ("n of halves", with_column("n", "1.5"), (None, "")),
    ("another fidelity", with_column("fidelity", "perfect"), "fidelity is 'perfect'"),
    ("an open quotation", OWN.replace("r1,", '"r1,', 1), "broken CSV"),
    ("U+2028", OWN.replace("r1", "r\u20281"), (None, "missing")),
    ("UTF-16", OWN.encode("utf-16"), "not UTF-8"),
    ("not there", {}, "no such file"),
    ("a folder", {"o.csv/x": ""}, "o.csv"),
    ("no digits printed", {"p.csv": OWN.replace("0.10", "about 0.1")}, "is not a number",
     "verdict p.csv printed.csv"),
    ("standard input", "", "standard input is not read", "verdict - -"),
)  # fmt: skip
def test_verdicts(here, line):
    check(here, line)


POWER = "power {} --bias {}"


@fault("a sample size for a bias that cannot be", "one line")
@cases(
    "x",
    "",
    ("no such measure", "", "did you mean", POWER.format("wheat", 0.1)),
    ("0", "", "", POWER.format("weat", 0)),
    ("NaN", "", "", POWER.format("weat", "nan")),
    ("infinity", "", "", POWER.format("decisions", "inf")),
    ("a word", "", "", POWER.format("weat", "much")),
    ("n of 0", "", "", POWER.format("weat", 0.5) + " --n 0"),
    ("n below 0", "", "", POWER.format("weat", 0.5) + " --n -3"),
    ("no command", "", "did you mean 'measure'?", "mesure good.vec"),
    ("no option", "", "No such option", "measure good.vec --target nurse"),
    ("no subject", "", "Missing argument", "measure"),
    ("an empty subject", "", "not ''", "measure ''"),
    ("no such subject", "", "no such file", "measure none.vec"),
    ("standard input", "", "standard input is not read", "measure -"),
    ("an unknown kind", {"x.doc": "x"}, "not a known kind of file", "measure x.doc"),
    ("no such list", "", "did you mean", "lists gendr"),
)
def test_commands(here, line):
    check(here, line)
