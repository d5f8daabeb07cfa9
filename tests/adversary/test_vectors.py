"""Word vectors that are not what they seem: the same number, or one line."""

import csv
import gzip

import numpy as np
import pandas as pd

from tests.adversary.given import BOM, GROUPS, MEAN, ROWS, TARGETS, WIDTH, bias, binary, text
from tests.adversary.table import cases, check
from tests.reliability import fault
from tests.worlds.bytes import npy, zipped

HEAD = f"{len(ROWS)} {WIDTH}\n"
TEXT, SIZED = text(), text(head=HEAD)
WORDS = "--groups g.txt --targets nurse,pilot,teacher -o -.json"
AGAIN = "fetch or save it again"
PLAIN = "separate them by blanks, tabs or commas, and write decimals with a point"


def row(word: str, numbers: str, data: str = TEXT) -> str:
    """The text with other numbers for a word."""
    lines = data.splitlines(keepends=True)
    return "".join(f"{word} {numbers}\n" if each.split()[0] == word else each for each in lines)


NAMED = ",".join(["word", *(f"d{i}" for i in range(WIDTH))]) + "\n" + TEXT.replace(" ", ",")
QUOTED = pd.DataFrame(ROWS).T.to_csv(quoting=csv.QUOTE_ALL)


def texts(*names: str) -> bytes:
    """A zip of vectors under these names."""
    return zipped(*((name, TEXT) for name in names))


def without(*words: str) -> dict[str, list[float]]:
    return {word: numbers for word, numbers in ROWS.items() if word not in words}


def with_row(word: str, numbers: list[float]) -> dict[str, list[float]]:
    return ROWS | {word: numbers}


@fault("vectors in another encoding, order or notation", "the same number")
@cases(
    "v.vec",
    f"measure v.vec {WORDS}",
    ("plain", TEXT, MEAN),
    ("blank line in the middle", SIZED.replace("nurse", "\nnurse"), MEAN),
    ("blank line before", "   \n" + TEXT, MEAN),
    ("a header of one more, as fastText's", f"{len(ROWS) + 1} {WIDTH}\n" + TEXT, MEAN),
    ("a header of one less", f"{len(ROWS) - 1} {WIDTH}\n" + TEXT, MEAN),
    ("tabs", TEXT.replace(" ", "\t"), MEAN),
    ("a tab behind the word", SIZED.replace(" -", "\t-").replace(" 0", "\t0"), MEAN),
    ("E .tsv", {"v.tsv": TEXT.replace(" ", "\t")}, MEAN, f"measure v.tsv {WORDS}"),
    ("E .csv", {"v.csv": NAMED}, MEAN, f"measure v.csv {WORDS}"),
    ("E .csv of pandas", {"v.csv": pd.DataFrame(ROWS).T.to_csv()}, MEAN, f"measure v.csv {WORDS}"),
    ("E .csv in quotes, compressed", {"v.csv.gz": gzip.compress(QUOTED.encode())}, MEAN,
     f"measure v.csv.gz {WORDS}"),
    ("E .zip", {"v.zip": texts("v.txt")}, MEAN, f"measure v.zip {WORDS}"),
    ("E a zip of binary vectors", {"v.zip": zipped(("v.bin", binary()))}, MEAN,
     f"measure v.zip {WORDS}"),
    ("another suffix", {"v.glove": TEXT}, MEAN, f"measure v.glove {WORDS}"),
    ("zip of two", texts("a.txt", "b.txt"), "unpack the one to read"),
    ("E .txt", {"v.txt": TEXT}, MEAN, f"measure v.txt {WORDS}"),
    ("E .txt, BOM, compressed", {"v.txt": gzip.compress(BOM + SIZED.encode())}, MEAN,
     f"measure v.txt {WORDS}"),
    ("E .txt, a blank in the first word", {"v.txt": "new york " + "1 " * WIDTH + "\n" + TEXT}, MEAN,
     f"measure v.txt {WORDS}"),
    ("empty zip", texts(), "it contains nothing"),
    ("exponents", text(form="{:.6e}"), MEAN),
    ("a word that is not UTF-8", TEXT.encode() + b"caf\xe9 " + b"1 " * WIDTH + b"\n", MEAN),
    ("a word that is a number", TEXT + "2000 " + "1 " * WIDTH + "\n", MEAN),
    ("a word of a control character", TEXT + "a\x00b " + "1 " * WIDTH + "\n", MEAN),
    ("NaN of another word", TEXT + "else " + "nan " * WIDTH + "\n", "of 'else' is not finite"),
    ("a word twice, another", TEXT + "nurse " + "0.5 " * WIDTH + "\n", MEAN),
    ("A7 scaled by 1e-9", text({w: [x * 1e-9 for x in r] for w, r in ROWS.items()}, form="{:.9e}"),
     "median length"),
    ("A6 doubled", text({w: [x * 2 for x in r] for w, r in ROWS.items()}), MEAN),
)  # fmt: skip
def test_what_loses_nothing(here, line):
    check(here, line)


@fault(
    "text of vectors that is cut off, ragged, doubled, sparse, without words, of decimal "
    "commas, of UTF-16, or whose first line states sizes that it has not",
    "one line: the file, the entry, and what to do",
)
@cases(
    "v.vec",
    f"measure v.vec {WORDS}",
    ("only sizes", HEAD, "truncated after 0 of"),
    ("a page of HTML", "<!doctype html>\n<html><body>Not found</body></html>\n", PLAIN),
    ("JSON", '{"she": [1, 2]}\n', PLAIN),
    ("UTF-16", TEXT.encode("utf-16"), "UTF-16: save it as UTF-8"),
    ("UTF-16 without a mark", TEXT.encode("utf-16-le"), PLAIN),
    ("decimal commas", TEXT.replace(".", ","), PLAIN),
    ("numbers alone", "0.1\t0.2\n0.3\t0.4\n", "put each word before its numbers"),
    ("sparse", "she 3:0.1 7:0.2\nnurse 1:0.1 2:0.3\n", "its vectors are sparse"),
    ("quotes", TEXT.replace("nurse ", '"nurse" '), (None, "nurse")),
    ("two blanks", TEXT.replace(" ", "  "), AGAIN),
    ("a number too few", row("nurse", "1 " * (WIDTH - 1)), AGAIN),
    ("a word among the numbers", row("nurse", "1 x " + "1 " * (WIDTH - 2)), PLAIN),
    ("NaN", row("nurse", "nan " * WIDTH), "the vector of 'nurse' is not finite"),
    ("cut in a line", SIZED[: len(SIZED) // 2], AGAIN),
    ("cut after a line", HEAD + "".join(TEXT.splitlines(keepends=True)[:20]), "truncated after 20"),
    ("doubled with sizes", SIZED + TEXT, "goes on after"),
    ("E absurd sizes", f"50000000000 {WIDTH}\n" + TEXT, "not sizes of word vectors"),
    ("sizes of thousands of digits", "9" * 5000 + f" {WIDTH}\n" + TEXT, "not sizes of word"),
    ("no word", f"0 {WIDTH}\n" + TEXT, "not sizes of word vectors"),
    ("no dimension", f"{len(ROWS)} 0\n" + TEXT, "not sizes of word vectors"),
    ("too many dimensions", f"{len(ROWS)} 50000000\n" + TEXT, "not sizes of word vectors"),
    ("a dimension too few", f"{len(ROWS)} {WIDTH - 1}\n" + TEXT, AGAIN),
    ("two words too many", f"{len(ROWS) + 2} {WIDTH}\n" + TEXT, "truncated after"),
    ("two words too few", f"{len(ROWS) - 2} {WIDTH}\n" + TEXT, "goes on after"),
    ("one line without end", "she" + " 1" * 200_000, PLAIN),
    ("gzip cut off", gzip.compress(TEXT.encode())[:-20], "damaged or truncated"),
    ("gzip with a flipped byte", gzip.compress(TEXT.encode())[:-6] + b"\0" * 6, "damaged or trunc"),
    ("a zip behind the text", TEXT.encode() + texts("v.txt"), "numbers after the word"),
    ("a zip behind another", texts("a.txt") + texts("v.txt"), "stands behind another file"),
)  # fmt: skip
def test_text_that_is_none(here, line):
    check(here, line)


@fault("a vocabulary in capitals, or with `/c/en/` or tags", "one line shows how words are written")
@cases(
    "v.vec",
    f"measure v.vec {WORDS}",
    *(
        (name, text({how.format(w.upper() if up else w): r for w, r in ROWS.items()}), expected)
        for name, how, up, expected in [
            ("E capitals", "{}", True, "it writes 'SHE': write your words like that"),
            ("E ConceptNet", "/c/en/{}", False, "it writes '/c/en/she': write your words"),
            ("E SentencePiece", "\u2581{}", False, "it writes '\u2581she': write your words"),
            ("quotation marks", '"{}"', False, "it writes '\"she\"': write your words"),
        ]
    ),
    ("one target in capitals", TEXT.replace("nurse", "Nurse"), (None, "nurse")),
    ("no target", text(without(*TARGETS)), "targets: none of them has a vector"),
    ("one target only", text(without("pilot", "teacher")), (bias(ROWS, ["nurse"]), "pilot")),
    ("no word of a group", text(without(*GROUPS["men"])), "men"),
    ("one word of a group", text(without("his")), (bias(without("his")), "his")),
)
def test_words_that_are_written_differently(here, line):
    check(here, line)


OFFSET = {w: [float(round(128 + 20 * x)) for x in row] for w, row in ROWS.items()}


@fault("vectors that are zero, or all alike", "the word is missing, or one line")
@cases(
    "v.vec",
    f"measure v.vec {WORDS}",
    ("A7 a target is zero", text(with_row("nurse", [0] * WIDTH)),
     (bias(without("nurse")), "nurse")),
    ("A7 a group word is zero", text(with_row("she", [0] * WIDTH)), (bias(without("she")), "she")),
    ("almost zero", text(with_row("nurse", [1e-12] * WIDTH), form="{:.4e}"),
     (bias(without("nurse")), "nurse")),
    ("A7 all zero", text(dict.fromkeys(ROWS, [0] * WIDTH)), "median length"),
    ("A7 all equal", text(dict.fromkeys(ROWS, [1] * WIDTH)), "its vectors are almost equal"),
    ("A7 uint8 with offset", text(OFFSET, form="{:.0f}"), "its vectors are almost equal"),
)  # fmt: skip
def test_vectors_without_a_direction(here, line):
    check(here, line)


HALVES = {w: row * 2 for w, row in ROWS.items()}
BINARY = binary()


def brain(rows: dict[str, list[float]]) -> bytes:
    """As bfloat16, under a first line that states half of the width."""
    body = b"".join(
        w.encode() + b" " + (np.array(r, "<f4").view("<u4") >> 16).astype("<u2").tobytes()
        for w, r in rows.items()
    )
    return f"{len(rows)} {WIDTH}\n".encode() + body


@fault("binary vectors of another width, precision or length", "one line")
@cases(
    "v.bin",
    f"measure v.bin {WORDS}",
    ("plain", BINARY, MEAN),
    ("newline after each", binary(head=HEAD).replace(b"her ", b"\nher ", 1), MEAN),
    ("only sizes", HEAD.encode(), "truncated after 0"),
    ("cut by a byte", BINARY[:-1], "truncated after"),
    ("cut in half", BINARY[: len(BINARY) // 2], "truncated after"),
    ("doubled", BINARY + BINARY, "continues after"),
    ("a byte too many", BINARY + b"x", "continues after"),
    ("a word too many", binary(head=f"{len(ROWS) + 1} {WIDTH}\n"), "truncated after"),
    ("a word too few", binary(head=f"{len(ROWS) - 1} {WIDTH}\n"), "continues after"),
    ("half the width", binary(head=f"{len(ROWS)} {WIDTH // 2}\n"), "continues after"),
    ("float64 of half the width", binary(ROWS, "<f8", f"{len(ROWS)} {WIDTH * 2}\n"), ""),
    ("A12 float16 of half the width", binary(HALVES, "<f2", f"{len(ROWS)} {WIDTH}\n"), "16 bits"),
    ("bfloat16 of half the width", brain(HALVES), "16 bits"),
    ("float16", binary(kind="<f2"), "truncated after"),
    ("another byte order", binary(kind=">f4"), ""),
    ("text", TEXT, MEAN),
    ("fastText", b"\xba\x16\x4f\x2f" + BINARY, "looks like a fastText model: take the .vec"),
    ("no vectors", "She met a pilot.\n", "not word2vec's binary format"),
    ("absurd sizes", binary(head=f"50000000000 {WIDTH}\n"), "not sizes of word vectors"),
    ("zero", binary(with_row("nurse", [0] * WIDTH)), (bias(without("nurse")), "nurse")),
    ("NaN", binary(with_row("nurse", [np.nan] * WIDTH)), "the vector of 'nurse' is not finite"),
    ("A7 uint8 with offset", binary(OFFSET), "its vectors are almost equal"),
)
def test_binary_vectors(here, line):
    check(here, line)


MATRIX, NAMES = np.array(list(ROWS.values())), "\n".join(ROWS)


@fault("a `.npy` matrix of another size or type", "the same number, or one line")
@cases(
    "m.npy",
    f"measure m.npy {WORDS}",
    ("big-endian", {"m.npy": npy(MATRIX.astype(">f8")), "m.txt": NAMES}, MEAN),
    ("by column", {"m.npy": npy(np.asfortranarray(MATRIX)), "m.txt": NAMES}, MEAN),
    ("other name of the words", {"m.npy": npy(MATRIX), "vocabulary.txt": NAMES}, MEAN),
    ("no words", npy(MATRIX), "its words, one a line, should be beside it"),
    ("a word too few", {"m.npy": npy(MATRIX[1:]), "m.txt": NAMES}, "vectors for"),
    ("a word too many", {"m.npy": npy(MATRIX), "m.txt": "more\n" + NAMES}, "vectors for"),
    ("a blank line", {"m.npy": npy(MATRIX), "m.txt": NAMES.replace("nurse", "\nnurse")}, "vectors"),
    ("words that are not UTF-8", {"m.npy": npy(MATRIX), "m.txt": NAMES.encode() + b"\xff"}, "UTF-8"),
    ("one row", {"m.npy": npy(MATRIX[0]), "m.txt": NAMES}, "not a .npy matrix of numbers"),
    ("objects", {"m.npy": npy(MATRIX.astype(object)), "m.txt": NAMES}, "not a .npy matrix"),
    ("cut off", {"m.npy": npy(MATRIX)[:-9], "m.txt": NAMES}, "not a .npy matrix"),
    ("more behind", {"m.npy": npy(MATRIX) + b"more", "m.txt": NAMES}, "4 bytes after its last"),
    ("NaN", {"m.npy": npy(MATRIX * np.nan), "m.txt": NAMES}, "is not finite"),
    ("uint8 with offset", {"m.npy": npy((128 + 20 * MATRIX).astype("u1")), "m.txt": NAMES},
     "its vectors are almost equal"),
    ("a folder", {"f/vectors.npy": npy(MATRIX), "f/vocabulary.txt": NAMES}, MEAN,
     f"measure f {WORDS}"),
    ("a folder without words", {"f/vectors.npy": npy(MATRIX)}, "not a known kind of folder",
     f"measure f {WORDS}"),
)  # fmt: skip
def test_matrices(here, line):
    check(here, line)


TWICE = text({w: [2 * x for x in r] for w, r in ROWS.items()})
SIZE = "--measure rnd-euclidean"


@fault("vectors compared by a measure in their own units", "one line")
@cases(
    "twice.vec",
    "compare good.vec twice.vec --groups g.txt --targets nurse,pilot,teacher",
    ("A6 distances in other units", TWICE, "rnd-euclidean",
     f"compare good.vec twice.vec --groups g.txt --targets nurse,pilot {SIZE}"),
    ("--layer", TWICE, "layer", "measure good.vec --groups g.txt --targets nurse --layer 1"),
    ("--common", TWICE, "--common", "compare good.vec twice.vec --common"),
    ("--association", TWICE, "association",
     "measure good.vec --groups g.txt --targets nurse --measure weat --association cosine"),
    ("--normalize", TWICE, "normalize",
     "measure good.vec --groups g.txt --targets nurse --measure association --normalize sum"),
    ("margin below 0", TWICE, "margin", "compare good.vec twice.vec --margin -1"),
)  # fmt: skip
def test_what_cannot_be_compared(here, line):
    check(here, line)
