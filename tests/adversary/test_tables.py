"""Decisions, printed numbers and items as tables: the number that they hold, or one line."""

from tests.adversary.given import (
    DIFFERENCE,
    FIRST,
    GROUP_FILE,
    PREDICTIONS,
    PRINTED,
    SECOND,
    decisions,
    decisions_in,
    difference,
)
from tests.adversary.table import cases, check
from tests.reliability import fault

COMPARE = "compare --decisions first.csv d.csv -o -.json"
TABLE = decisions(SECOND)
ROWS = TABLE.splitlines(keepends=True)
HALVES = decisions([x / 2 for x in SECOND])
FEW = "".join(ROWS[:20])
LINE_BREAK = "a control character or a line break in the column"


def expected(table: str) -> float:
    return difference(decisions_in(decisions(FIRST)), decisions_in(table))


@fault("decisions with other separators, line ends or order", "the same number")
@cases(
    "d.csv",
    COMPARE,
    ("plain", TABLE, DIFFERENCE),
    ("CR", TABLE.replace("\n", "\r"), DIFFERENCE),
    ("a term with loose and one with composed accents", {
        "first.csv": decisions(FIRST).replace(",t4,", ",\u00e9,"),
        "d.csv": TABLE.replace(",t4,", ",e\u0301,")}, DIFFERENCE),
    ("tabs", TABLE.replace(",", "\t"), DIFFERENCE),
    ("columns exchanged", "".join(",".join(reversed(r.strip().split(","))) + "\n" for r in ROWS),
     DIFFERENCE),
    ("more columns", TABLE.replace("\n", ",x\n").replace("decision,x", "decision,note"), DIFFERENCE),
    ("empty columns", TABLE.replace("\n", ",,\n"), DIFFERENCE),
    ("blank rows", TABLE.replace("i9,", "\n,,\ni9,"), DIFFERENCE),
    ("1e0", decisions(SECOND, "{:.0e}"), DIFFERENCE),
    ("halves", HALVES, expected(HALVES)),
    ("A4 U+2028 in a cell", TABLE.replace("i9,", "i\u20289,"), LINE_BREAK),
    ("A4 U+2028 in another column", TABLE.replace("\n", ",a\u2028b\n").replace("on,a\u2028b", "on,n"),
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
    ("German with semicolons", HALVES.replace(",", ";").replace(".", ","), "write decimals with a"),
    ("A4 no decision", TABLE.replace("i5,t5,0", "i5,t5"), "line 7: 2 cells for 3 columns"),
    ("an empty decision", TABLE.replace("i5,t5,0", "i5,t5,"), (None, "1 item lacks an answer")),
    ("A4 decision twice", TABLE.replace("\n", ",0\n").replace("on,0", "on,decision"), "two columns"),
    ("no such column", TABLE.replace("decision", "choice"), "no column decision"),
    ("no header", TABLE.partition("\n")[2], "no column item"),
    ("an empty item", TABLE.replace("i4,t4", ",t4"), "nothing in the column 'item'"),
    ("digits of Devanagari", TABLE.replace("i4,t4,1", "i4,t4,१"), (DIFFERENCE, "")),
    ("an item twice", TABLE + "i4,t4,1\n", "item i4 appears twice"),
    ("another term", TABLE.replace("i4,t4,", "i4,t5,"), "i4 has another term"),
    ("A5 cut after a row", FEW, (None, "41 items lack an answer")),
    ("A5 with --common", FEW, (None, "items"), COMPARE + " --common"),
    ("nothing in common", TABLE.replace("\ni", "\nj"), "no item in common"),
    ("empty", "", "it is empty"),
    ("a header alone", TABLE.partition("\n")[0], "there are no decisions in it"),
    ("--summary of a folder", {"d.csv": TABLE, "sub/x": ""}, "it is a folder",
     COMPARE + " --summary sub"),
    ("an open quotation", TABLE.replace("i4,", '"i4,'), "broken CSV"),
    ("quotation inside", TABLE.replace("i4,", 'i"4,'), (None, "2 items lack an answer")),
    ("Latin-1", TABLE.replace("i4", "é").encode("latin-1"), "not UTF-8"),
    ("a cell without end", TABLE.replace("i4,t4,", "i4,t4" + "x" * 200_000 + ","), ""),
    ("no decision of both", decisions([float("nan")] * 60), "no item has a decision from both"),
    ("another domain", {"a.csv": TABLE.replace("\n", ",a\n").replace("on,a", "on,domain"),
                        "b.csv": TABLE.replace("\n", ",b\n").replace("on,b", "on,domain")},
     "item i0 has another domain", "compare --decisions a.csv b.csv"),
    ("two outputs to one terminal", TABLE, "also the file of another output", COMPARE + " -o -.xml"),
    ("A3 two terms", {"a.csv": "item,term,decision\na,x,0\nb,y,0\n",
                      "b.csv": "item,term,decision\na,x,1\nb,y,1\n"}, (1, "cannot tell"),
     "compare --decisions a.csv b.csv -o -.json"),
    ("A3 five equal", {"a.csv": "item,term,decision\n" + "".join(f"{i},{i},0\n" for i in range(5))},
     (0, "cannot tell"), "compare --decisions a.csv a.csv --margin 0.05 -o -.json"),
    ("A3 no variance", {
        "a.csv": "item,term,decision\n" + "".join(f"{i},{i % 12},0\n" for i in range(60)),
        "b.csv": "item,term,decision\n" + "".join(f"{i},{i % 12},1\n" for i in range(60))},
     (1, "worse"), "compare --decisions a.csv b.csv -o -.json"),
    ("A12 --measure", TABLE, "measure: has no effect", COMPARE + " --measure weat"),
    ("-o x.md", TABLE, "must end in one of", COMPARE.replace(".json", ".md")),
    ("--margin of nothing", TABLE, (DIFFERENCE, ""), COMPARE + " --margin 1e-300"),
    ("--sequential without a margin", TABLE, "needs a margin", COMPARE + " --sequential"),
    ("--margin of 5", TABLE, "above 0 and below 1", COMPARE + " --margin 5"),
)  # fmt: skip
def test_decisions_that_are_refused(here, line):
    check(here, line)


VERDICT = "reproduce verdict printed.csv o.csv"
OWN = PRINTED


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
    ("A4 decimal commas", OWN.replace("0.", "0,"), "4 cells for 3 columns (write decimals"),
    ("a minus sign of print", OWN.replace("0.10", "\u22120.10"), "write the minus sign as -"),
    ("a cell twice", OWN + "r1,a,0.5\n", "row r1, column a appears twice"),
    ("a column twice", OWN.replace("row,", "value,", 1), ""),
    ("no value", "row,column,value\nr1,a,\n", "there is no number in it"),
    ("no cell in common", OWN.replace("r", "q").replace("qow", "row"), "no row and column is in both"),
    ("a missing row", OWN.replace("r1,a,0.10\n", ""), (None, "1 printed number is missing")),
    ("empty", "", "it is empty"),
    ("interval turned around", with_column("ci_low,ci_high", "0.9,0.1"), "ci_low is above ci_high"),
    ("E interval without its value", with_column("ci_low,ci_high", "0.91,0.95"), "the value is outside of"),
    ("another fidelity", with_column("fidelity", "perfect"), "fidelity is 'perfect'"),
    ("an open quotation", OWN.replace("r1,", '"r1,', 1), "broken CSV"),
    ("U+2028", OWN.replace("r1", "r\u20281"), LINE_BREAK),
)  # fmt: skip
def test_verdicts(here, line):
    check(here, line)


SHARED = "label,probability:Yes,probability:No,group\n"
SHARED += "".join(f"{x},{{0}},{{1}},{g}\n" for x in ("Yes", "No") for g in "ab")


@fault("predictions in ragged rows, or of one group", "one line, or a note")
@cases(
    "p.csv",
    "measure p.csv --predictions",
    ("plain", PREDICTIONS, (None, "fairness of p.csv: 80 predictions, 2 groups")),
    ("empty", "", "it is empty"),
    ("one group", PREDICTIONS.replace(",b", ",a"), "only one group"),
    ("no prediction", PREDICTIONS.replace("prediction", "guess"), "needs a column prediction,"),
    ("a group that is empty", PREDICTIONS.replace("y,y,a", "y,y,", 1), (None, "of 80 rows: 1 without group")),
    ("two kinds", "score,prediction,group\n1,1,a\n", "keep one kind"),
    ("NaN in capitals", "score,group\n1,a\nNAN,b\n", "'NAN' is not a number"),
    ("words beside a probability", "label,probability,group\nyes,.4,a\nno,.1,b\n", "probability:CLASS"),
    ("a probability of 1.5", "label,probability,group\n1,1.5,a\n0,0,b\n", "line 2: probability '1.5'"),
    ("a probability that is NaN", "label,probability,group\n1,nan,a\n0,0,b\n", "only one group"),
    ("classes 1 and 1.0", "label,prediction,group\n1,1.0,a\n0,0.0,a\n1,0.0,b\n0,1.0,b\n", (None, "accuracy")),
    ("a class without its probability", "label,probability:y,group\ny,1,a\nn,1,b\n", "no column probability:n"),
    ("probabilities that add up to 1.4", SHARED.format(0.4, 1.0), "line 2: the probabilities of"),
    ("labels of one group each", "label,prediction,group\n1,1,a\n0,0,b\n", "each label occurs in one"),
    ("a line break in a group", PREDICTIONS.replace(",a\n", ',"a\nworse"\n'), LINE_BREAK),
    ("vectors", {}, "no column of groups", "measure good.vec --predictions"),
    ("-o -.md", PREDICTIONS, (None, "We measured the fairness of p.csv: "),
     "measure p.csv --predictions -o -.md"),
    ("output onto the input", PREDICTIONS, "is read by this command",
     "measure p.csv --predictions -o p.csv"),
)  # fmt: skip
def test_predictions(here, line):
    check(here, line)


REFERENCE = "measure good.txt --groups g.txt --targets nurse --reference r.csv"
SHARES = "group,share\nwomen,{}\nmen,{}\n"


@fault("shares of groups that do not add up to 1", "one line")
@cases(
    "r.csv",
    REFERENCE,
    ("less than 1", SHARES.format(0.4, 0.4), "must add up to 1, not 0.800"),
    ("a group twice", SHARES.format(0.4, 0.5) + "women,0.5\n", "line 4: the group women appears twice"),
    ("a group too many", SHARES.format(0.5, 0.5) + "others,0\n", "each of women, men needs a share"),
    ("other groups", SHARES.replace("women", "she").format(0.5, 0.5), "each of women, men needs a share"),
    ("misspelt", {}, "must be uniform, corpus or a file", REFERENCE.replace("r.csv", "unifrom")),
    ("of vectors", SHARES.format(0.5, 0.5), "has no effect on vectors",
     REFERENCE.replace("good.txt", "good.vec")),
    ("output onto it", SHARES.format(0.5, 0.5), "is read by this command", f"{REFERENCE} -o r.csv"),
)  # fmt: skip
def test_references(here, line):
    check(here, line)


POWER = "power {} --bias {}"


@fault("a sample size for a bias that cannot be", "one line")
@cases(
    "x",
    "",
    ("no such measure", "", "did you mean", POWER.format("wheat", 0.1)),
    ("no command", "", "did you mean 'measure'?", "mesure good.vec"),
    ("no subject", "", "Missing argument", "measure"),
    ("an empty subject", "", "an argument is empty", "measure ''"),
    ("an empty output", "", "-o is empty", "measure good.vec -o ''"),
    ("an empty choice", "", "--items is empty", "compare good.vec good.vec --items="),
    ("no such subject", "", "no such file", "measure none.vec"),
    ("an unknown kind", {"x.doc": "x"}, "not a known kind of file", "measure x.doc"),
    ("a header without end", {"x.csv": "x" * 5000 + ",b\nc,d\n"}, "xxx ...", "measure x.csv"),
    ("no such list", "", "did you mean", "lists gendr"),
    ("a device", "", "a pipe or device", "measure /dev/null"),
    ("an address with a login", "", "cannot be measured", "measure https://me:secret@localhost/v.vec"),
    ("a language that is no tag", "", "must be a tag", "measure good.vec --language de_DE"),
    ("sets of groups of one name", {"a/g.txt": GROUP_FILE}, "two sets are called 'g'",
     "measure good.vec --groups g.txt,a/g.txt --targets nurse"),
    ("a set without a name", "", "no file is called ''", "measure good.vec --groups g.txt,, --targets a"),
    ("vectors and a corpus", "", "compare two corpora", "measure good.vec good.txt --groups g.txt"),
    ("a folder of nothing", {"f/x": ""}, "name any other file itself", "measure f"),
    ("a seed below 0", "", "-1 is not in the range x>=0", "measure good.vec --seed -1"),
    ("targets that are no file", "", "socialbias lists shows the packaged", "measure good.vec --targets a.txt"),
    ("an association in texts", "", "association: has no effect on a corpus",
     "measure good.txt --groups g.txt --targets nurse --association cosine"),
    ("a margin of NaN", "", "margin: must be above 0", "compare good.vec good.vec --margin nan"),
    ("a margin of 0", "", "margin: must be above 0", "compare good.vec good.vec --margin 0"),
    ("a decision of 7", {"d.csv": "item,term,decision\na,x,1\nb,y,7\n"}, "line 3: the decision '7'",
     "compare --decisions first.csv d.csv"),
    ("a sample size below 0", {"n.csv": "row,column,value,n\nr1,a,0.5,-3\n"}, "line 2: n is below 0",
     "reproduce verdict printed.csv n.csv"),
    ("the language of a list", "", "--language: has no effect", "lists gender --language de"),
    ("replicates of vectors", "", "replicates: has no effect on vectors",
     "audit good.vec --seeds g.txt --replicates 5"),
    ("items of vectors", "", "n is only for models", "audit good.vec --n 9"),
    ("replicates alone", "", "can only be used with --seeds", "audit good.vec --replicates 9"),
    ("instruments of seeds", "", "--only: has no effect", "audit good.vec --seeds g.txt --only weat"),
    ("an option of another command", "", "No such option", "measure good.vec --only weat"),
    ("a layer of decisions", "", "--layer: has no effect", "compare --decisions first.csv first.csv --layer 1"),
    ("a summary in no folder", "", "there is no folder", "compare --decisions first.csv first.csv --summary no/x"),
    ("a summary onto an output", "", "is also the file of -o",
     "compare --decisions first.csv first.csv --summary ./a.csv -o a.csv"),
)  # fmt: skip
def test_commands(here, line):
    check(here, line)
