"""Files of words, groups and targets, and words on the command line: as meant, or one line."""

from tests.adversary.given import GROUP_FILE, GROUPS, MEAN, ROWS, bias
from tests.adversary.table import cases, check
from tests.reliability import fault

GROUPED = "measure good.vec --groups {} --targets nurse,pilot,teacher -o -.json"
CSV = "set,word\n" + "".join(f"{g},{w}\n" for g, words in GROUPS.items() for w in words)


@fault("a file of groups that is ragged, open or doubled", "as it is meant, or one line")
@cases(
    "w.txt",
    GROUPED.format("w.txt"),
    ("plain", GROUP_FILE, MEAN),
    ("no-break spaces", GROUP_FILE.replace("she", "\u00a0she"), MEAN),
    ("invisible characters", GROUP_FILE.replace("she", "s\u200bhe"), MEAN),
    ("a word of both groups", GROUP_FILE.replace("his", "his\nshe"), (None, "she")),
    ("a heading twice", GROUP_FILE + "[women]\nshe\n", "appears twice"),
    ("an open heading", GROUP_FILE.replace("[men]", "[men"), "not a heading"),
    ("an empty group", GROUP_FILE + "[none]\n", "the set 'none' has no words"),
    ("one group", "[women]\nshe\nher\n", "group"),
    ("no heading", "she\nher\n", "group"),
    ("a word without end", GROUP_FILE + "x" * 10**6, "longer than 100 characters"),
    ("a formula", GROUP_FILE + "=cmd|' /C calc'!A0", "formulas"),
    ("empty", "", "there are no words"),
    ("Latin-1", GROUP_FILE.encode() + "é".encode("latin-1"), "UTF-8"),
    ("NUL", GROUP_FILE + "a\0b\n", "control character"),
    ("misspelt", GROUP_FILE.replace("his", "hiss"), (None, "hiss")),
    *(
        (f"CSV: {name}", {"w.csv": data}, expected, GROUPED.format("w.csv"))
        for name, data, expected in [
            ("plain", CSV, MEAN),
            ("no word", CSV + "men\n", "1 cell for 2 columns"),
            ("a column twice", CSV.replace("set,word", "word,word"), ""),
            ("no header", CSV.partition("\n")[2], "no column set"),
            ("an open quotation", CSV.replace("she", '"she'), "broken CSV"),
            ("a formula", CSV + "men,=1+1\n", "formulas"),
            ("a line break in a word", CSV + 'men,"a\nb"\n', "line break"),
            ("U+2028 in a word", CSV + "men,a\u2028b\n", "line break"),
        ]
    ),
    ("YAML", {"w.yaml": "women: [she, her]\n"}, "is not a heading", GROUPED.format("w.yaml")),
)  # fmt: skip
def test_groups(here, line):
    check(here, line)


ALL = "measure good.vec --groups g.txt --targets {} -o -.json"


@fault("targets that are misspelt, doubled, empty, of a group or in a file", "a note, or one line")
@cases(
    "t.txt",
    ALL.format("t.txt"),
    ("plain", "nurse\npilot\nteacher\n", MEAN),
    ("CSV", {"t.csv": "set,word\na,nurse\na,pilot\na,teacher\n"}, MEAN, ALL.format("t.csv")),
    ("more words than a path takes", "", MEAN, ALL.format("nurse,pilot,teacher" + ",nurse" * 900)),
    ("invisible characters", "", MEAN, ALL.format("nu\u200brse,\ufeffpilot,\u061ctea\u2063cher\ufe0f")),
    ("A1 both cases", "", (None, "Nurse"), ALL.format("Nurse,nurse,pilot")),
    ("misspelt", "", (bias(ROWS, ["nurse"]), "'pliot': 'pilot'"), ALL.format("nurse,pliot")),
    ("all misspelt", "", "pliot (pilot?)", ALL.format("pliot")),
    ("a misspelt list", "", "did you mean 'professions'?", ALL.format("proffesions")),
    ("C LaTeX", "", (bias(ROWS, ["nurse"]), "input"), ALL.format(r"'nurse,\input/etc/hostname'")),
    ("a formula", "=1+1\nnurse\n", "formulas"),
    ("A12 sets that share words", {"s.txt": "[a]\nnurse\npilot\n[b]\npilot\nteacher\n"},
     (None, "pilot"), "measure good.vec --groups g.txt --targets s.txt --measure weat -o -.json"),
    ("one set of two", "nurse\npilot\n", "a WEAT needs two sets",
     "measure good.vec --groups g.txt --targets t.txt --measure weat"),
    ("a word of two of three groups", {"3.txt": GROUP_FILE + "[all]\nthe\nshe\n"}, (None, "she"),
     "measure good.vec --groups 3.txt --targets nurse -o -.json"),
)  # fmt: skip
def test_targets(here, line):
    check(here, line)


@fault("seed sets that are audited: of words that no corpus has, in a pipe, or empty", "one line")
@cases(
    "s.txt",
    "audit good.txt --seeds s.txt --replicates 0",
    ("plain", GROUP_FILE, (None, "women: 1 of 2 distinct words")),
    ("empty", "", "there are no words"),
    ("none of the corpus", "[a]\nxyzzy\n[b]\nplugh\n", (None, "0 of 1")),
    ("no such corpus", GROUP_FILE, "no such file", "audit none.txt --seeds s.txt"),
    ("B output onto the input", {"s.txt": GROUP_FILE}, "is read by this command",
     "audit good.txt --seeds s.txt --replicates 0 -o s.txt"),
    ("output onto the corpus", {"s.csv": CSV.replace("women", "a")}, "is read by this command",
     "audit good.txt --seeds s.csv --replicates 0 -o good.txt"),
    ("--by of vectors", GROUP_FILE, "only for a corpus", "audit good.vec --seeds s.txt --by line"),
)  # fmt: skip
def test_seed_sets(here, line):
    check(here, line)
