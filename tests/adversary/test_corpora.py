"""Corpora that are not what they seem: the same number, or one line."""

import gzip
import json

import pandas as pd

from tests.adversary.given import LINES, SENTENCES, SHARE, jsonl
from tests.adversary.table import cases, check, run, write
from tests.reliability import fault
from tests.worlds.bytes import parquet

WORDS = "--groups g.txt --targets nurse,pilot,teacher -o -.json"
FILES = {f"f/{i:03}.txt": line for i, line in enumerate(SENTENCES)}
FOLDER = f"measure f {WORDS}"


@fault("a plain text in another encoding, case or order", "the same number")
@cases(
    "c.txt",
    f"measure c.txt {WORDS}",
    ("plain", LINES, SHARE),
    ("blank lines", LINES.replace("\n", "\n\n"), SHARE),
    ("gzip under .txt", gzip.compress(LINES.encode()), SHARE),
    ("text under .txt.gz", {"c.txt.gz": LINES}, SHARE, f"measure c.txt.gz {WORDS}"),
    ("soft hyphens in a target", LINES.replace("nurse number n0", "nur\u00adse number n0"), SHARE),
    ("no-break spaces", LINES.replace(" ", "\u00a0"), SHARE),
    ("U+2028 in a line", LINES.replace(" met", "\u2028met"), SHARE),
    ("NUL in a line", LINES.replace(" there", " \x00 there"), SHARE),
    ("--by paragraph", LINES.replace("\n", "\n\n"), SHARE, f"measure c.txt --by paragraph {WORDS}"),
)  # fmt: skip
def test_texts_that_lose_nothing(here, line):
    check(here, line)


LATIN = LINES.replace("there", "thére").encode("latin-1")


@fault("a plain text that is empty, has no target, or has markup", "one line, or a note")
@cases(
    "c.txt",
    f"measure c.txt {WORDS}",
    ("empty", "", "there is no text in it"),
    ("blank", " \n\t\n", "there is no text in it"),
    ("one line", LINES.replace("\n", " "), "document"),
    ("no target", LINES.replace("nurse", "n").replace("pilot", "p").replace("teacher", "t"), ""),
    ("no group", LINES.replace("She", "Xe").replace("He", "Xe"), ""),
    ("one group", LINES.replace("He ", "She "), (0.5, "")),
    ("Latin-1", LATIN, (SHARE, "are not UTF-8")),
    ("A9 every document twice", LINES + LINES, (SHARE, "120 documents repeat an earlier one")),
    ("A9 tags", LINES.replace("She", "<p>She").replace("\n", "</p>\n"),
     (SHARE, "documents have HTML tags")),
    ("gzip cut off", gzip.compress(LINES.encode())[:-30], "damaged or truncated"),
    ("E hyphenated targets", LINES.replace("pilot", "co-pilot"), "co-pilot",
     "measure c.txt --groups g.txt --targets co-pilot"),
    ("two targets of the same form", LINES, (SHARE, "other spellings of an earlier target: nurse"),
     "measure c.txt --groups g.txt --targets Nurse,nurse,pilot,teacher -o -.json"),
    ("a rare target", LINES + "She met a carpenter.\n", (SHARE, "(3 targets with 20 contexts"),
     f"measure c.txt {WORDS.replace('teacher', 'teacher,carpenter')}"),
    ("a target of a group", LINES, (None, "group words: she"),
     "measure c.txt --groups g.txt --targets she,nurse,pilot -o -.json"),
    ("--measure", LINES, "weat is for vectors", f"measure c.txt --measure weat {WORDS}"),
    ("--by page", LINES, "by", f"measure c.txt --by page {WORDS}"),
    ("a corpus and vectors", LINES, "compare", "compare c.txt good.vec"),
)  # fmt: skip
def test_texts_that_are_told_of(here, line):
    check(here, line)


@fault("a folder with hidden files, subfolders or other formats", "one line, or texts alone")
@cases(
    "f",
    FOLDER,
    ("plain", FILES, SHARE),
    ("compressed", {f"{n}.gz": gzip.compress(t.encode()) for n, t in FILES.items()}, SHARE),
    ("A8 hidden files", FILES | {f"f/.{i}.txt": "She met a pilot." for i in range(50)}, SHARE),
    ("A8 hidden folder", FILES | {"f/.git/a.txt": "She met a pilot."}, SHARE),
    ("A8 subfolder", FILES | {"f/sub/a.txt": "She met a pilot."}, "there are texts in its subf"),
    ("only subfolders", {f"f/sub{n[1:]}": t for n, t in FILES.items()}, ""),
    ("A8 a README", FILES | {"f/README.md": "She met a pilot."}, SHARE),
    ("mixed formats", FILES | {"f/a.csv": "text\nShe met a pilot.\n"}, "there is a.csv beside"),
    ("empty files", FILES | {f"f/e{i}.txt": "" for i in range(5)}, SHARE),
    ("A9 copies", FILES | {f"f/copy{n[2:]}": t for n, t in FILES.items()}, (SHARE, "repeat")),
    ("no text", {"f/a.md": "She met a pilot."}, "not a known kind of folder"),
    ("a UTF-16 file", FILES | {"f/u.txt": LINES.encode("utf-16")}, "u.txt: the file is UTF-16"),
)  # fmt: skip
def test_folders(here, line):
    check(here, line)


TABLE = pd.DataFrame({"text": SENTENCES, "stars": range(len(SENTENCES))})
CSV = TABLE.to_csv(index=False)
ROWS = CSV.splitlines(keepends=True)


@fault("a corpus as a table with ragged rows or other separators", "the same number, or one line")
@cases(
    "c.csv",
    f"measure c.csv {WORDS}",
    ("plain", CSV, SHARE),
    ("columns exchanged", TABLE[["stars", "text"]].to_csv(index=False), SHARE),
    ("line breaks in cells", TABLE.replace(" there", "\nthere", regex=True).to_csv(index=False), SHARE),
    ("U+2028 in cells", CSV.replace(" met", "\u2028met"), SHARE),
    ("tabs", {"c.tsv": TABLE.to_csv(index=False, sep="\t")}, SHARE, f"measure c.tsv {WORDS}"),
    ("semicolons", TABLE.to_csv(index=False, sep=";"), "put commas between them"),
    ("tabs in .csv", TABLE.to_csv(index=False, sep="\t"), "put commas between them"),
    ("commas in .tsv", {"c.tsv": CSV}, "put tabs between them", f"measure c.tsv {WORDS}"),
    ("another name", CSV.replace("text,", "body,", 1), "with --text-key"),
    ("E capitals", CSV.replace("text,", "Text,", 1), "did you mean 'Text'?"),
    ("E a blank in the header", CSV.replace("text,", "text ,", 1), SHARE),
    ("a column twice", "text,text\n" + "".join(f"{a},{a}\n" for a in SENTENCES), "two columns"),
    ("one cell too few", CSV + "She met a nurse.\n", "1 fields for 2 columns"),
    ("one cell too many", CSV + "She met a nurse.,1,2\n", "3 fields for 2 columns"),
    ("an open quotation", CSV.replace("She", '"She', 1), ""),
    ("empty", "", "without a line that names its columns"),
    ("only a header", "text,stars\n", "there is no text in it"),
)  # fmt: skip
def test_tables(here, line):
    check(here, line)


ARRAY = json.dumps([{"text": each} for each in SENTENCES])
JSONL = jsonl()


@fault("a corpus as JSON that is cut off or of another shape", "the same number, or one line")
@cases(
    "c.jsonl",
    f"measure c.jsonl {WORDS}",
    ("plain", JSONL, SHARE),
    ("blank lines", JSONL.replace("\n", "\n\n"), SHARE),
    ("lone surrogates", JSONL.replace("there", "\\ud800"), (SHARE, "not UTF-8")),
    ("one line that is none", JSONL + "{oops\n", (SHARE, "1 lines that are not of the format")),
    ("cut off", JSONL[:-9], "not JSON"),
    ("another key", jsonl("body"), "with --text-key"),
    ("E capitals", jsonl("Text"), "did you mean 'Text'?"),
    ("null", JSONL.replace('"text": "', '"text": null, "x": "'), "'text' is not a string"),
    ("an array", {"c.jsonl": ARRAY}, "let its name end in .json"),
    ("nested deeply", '{"text": ' + "[" * 100_000 + "\n", ""),
    ("a line nested deeply", JSONL + '{"text": ' + "[" * 5000 + "]" * 5000 + "}\n",
     (SHARE, "1 lines that are not of the format")),
    ("digits without end", JSONL.replace("}", f', "x": {"9" * 5000}}}', 1), (None, "")),
    ("empty", "", "there is no text in it"),
    ("array", {"c.json": ARRAY}, SHARE, f"measure c.json {WORDS}"),
    ("array cut off", {"c.json": ARRAY[:-5]}, "breaks off", f"measure c.json {WORDS}"),
    ("array without a comma", {"c.json": ARRAY.replace("}, {", "} {")}, "Expecting ',' delimiter",
     f"measure c.json {WORDS}"),
    ("empty array", {"c.json": " [ ] "}, "there is no text in it", f"measure c.json {WORDS}"),
    ("array with one string", {"c.json": ARRAY[:-1] + ', "x"]'}, "not a JSON object",
     f"measure c.json {WORDS}"),
    ("array nested deeply", {"c.json": "[" * 100_000}, "not JSON", f"measure c.json {WORDS}"),
    ("one object", {"c.json": '{\n "a": 1\n}'}, "a single object", f"measure c.json {WORDS}"),
    ("lines in .json", {"c.json": JSONL}, SHARE, f"measure c.json {WORDS}"),
    ("parquet", {"c.parquet": parquet(text=SENTENCES)}, SHARE, f"measure c.parquet {WORDS}"),
    ("parquet cut off", {"c.parquet": parquet(text=SENTENCES)[:-9]}, "parquet", f"measure c.parquet {WORDS}"),
    ("parquet of numbers", {"c.parquet": parquet(stars=[1, 2])}, "text-key",
     f"measure c.parquet {WORDS}"),
)  # fmt: skip
def test_json(here, line):
    check(here, line)


def test_provenance_lists_the_documents_that_were_read(here):
    write(here, "f", FILES | {"f/README.md": "x", "f/.a.txt": "x"})
    said = json.loads(run(FOLDER).out)
    assert [file["name"] for file in said["provenance"][0]["files"]] == [n[2:] for n in FILES]


OTHERS = " ".join(a + b + c for a in "bdfgk" for b in "aeiou" for c in "l")  # in each sentence
DATED = pd.DataFrame({
    "text": [each.replace("there", OTHERS) for each in SENTENCES],
    "date": [f"{1990 + i % 10}-0{1 + i % 9}-15" for i in range(len(SENTENCES))],
    "outlet": [f"outlet {i % 3}" for i in range(len(SENTENCES))],
})  # fmt: skip
OVER = "measure c.csv --groups g.txt --targets nurse,pilot --baseline others.txt --over"
FOUND = (None, "change per 10 years")


def dated(**columns) -> dict[str, str]:
    """The dated texts with other columns, and the placebo words."""
    return {
        "c.csv": DATED.assign(**columns).to_csv(index=False),
        "others.txt": OTHERS.replace(" ", "\n"),
    }


@fault("dates and strata that are missing or of few periods", "a table with a note, or one line")
@cases(
    "c.csv",
    f"{OVER} date",
    ("plain", dated(), FOUND),
    ("years as numbers", dated(date=range(1990, 1990 + len(SENTENCES))), FOUND),
    ("times", dated(date=DATED["date"] + "T09:30:00Z"), FOUND),
    ("months", dated(), (None, "change per year"), f"{OVER} date:month"),
    ("no months", dated(date="1990"), "date '1990' has no month", f"{OVER} date:month"),
    ("strata", dated(), (None, "3 strata by outlet"),
     f"{OVER} date --stratify outlet --explain"),
    ("strata that do not overlap", dated(outlet=DATED["date"]), FOUND,
     f"{OVER} date --stratify outlet"),
    ("seven periods", dated(date=[f"{1990 + i % 7}" for i in range(len(SENTENCES))]),
     (None, "only 7 periods: changes over fewer than 8 have no interval")),
    ("one period", dated(date="1990"), "all texts are of 1990: a trend needs 2 periods"),
    ("no such column", dated(), "no 'day'; there are date, outlet", f"{OVER} day"),
    ("an empty date", dated(date=["1990", "", *DATED["date"][2:]]), "c.csv, text 2: date is empty"),
    ("the year 0", dated(date=["1990", "0000-01", *DATED["date"][2:]]), "'0000-01' is not a date"),
    ("month 13", dated(date=["1990", "1990-13", *DATED["date"][2:]]), "text 2: date '1990-13' is"),
    ("an empty stratum", dated(outlet=""), "text 1: outlet is empty",
     f"{OVER} date --stratify outlet"),
    ("another period", dated(), "a period is year, decade, month, not 'day'", f"{OVER} date:day"),
    ("few placebo words", dated() | {"others.txt": "bal\nbel\n"}, "only 2 words of others.txt occur"),
    ("JSON lines", {"c.jsonl": DATED.to_json(orient="records", lines=True)} | dated(), FOUND,
     OVER.replace("c.csv", "c.jsonl") + " date"),
    ("plain text", {"c.txt": LINES} | dated(), "c.txt, text c.txt:1: no 'date'",
     OVER.replace("c.csv", "c.txt") + " date"),
    ("vectors", dated(), "over: has no effect on vectors", "measure good.vec --over date"),
    ("--stratify alone", dated(), "stratify: has no effect without over",
     "measure c.csv --stratify outlet"),
)  # fmt: skip
def test_dates(here, line):
    check(here, line)
