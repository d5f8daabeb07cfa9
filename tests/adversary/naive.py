"""Independent readers: what a damaged file says, by plain loops; None where it says nothing."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import math
import re
import unicodedata
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation

import numpy as np
import spacy

from tests.adversary import given

SPACY = spacy.blank("en")
SPACY.add_pipe("sentencizer")
Rows = dict[str, list[float]]


def unpacked(data: bytes) -> bytes:
    """What is compressed, by its first bytes."""
    if data[:2] == b"\x1f\x8b":
        return gzip.decompress(data)
    return bz2.decompress(data) if data[:3] == b"BZh" else data


def decoded(data: bytes) -> str:
    return data.decode("utf-8-sig")


def number(field: str | bytes) -> float | None:
    try:
        return float(field)
    except ValueError:
        return None


def text_vectors(data: bytes) -> float | None:
    """The number of vectors as text."""
    rows: Rows = {}
    lines = [line.rstrip(b" \r") for line in unpacked(data).removeprefix(given.BOM).split(b"\n")]
    lines = [line.split(b" ") for line in lines if line.strip()]
    if len(lines[0]) == 2 and all(field.isdigit() for field in lines[0]):
        width = int(lines.pop(0)[1])
    else:
        numbers = [number(field) is not None for field in lines[0][1:]]
        width = len(numbers) - max((i + 1 for i, yes in enumerate(numbers) if not yes), default=0)
    for fields in lines:
        word = b" ".join(fields[:-width]).decode("utf-8", "replace")
        if word in given.WORDS:
            rows.setdefault(word, [number(field) for field in fields[-width:]])
    return given.bias(rows)


def binary_vectors(data: bytes) -> float | None:
    """The number of vectors in word2vec's binary format."""
    head, _, body = unpacked(data).removeprefix(given.BOM).partition(b"\n")
    n, width = map(int, head.split())
    rows: Rows = {}
    for _ in range(n):
        word, _, body = body.partition(b" ")
        row = np.frombuffer(body[: 4 * width], "<f4").astype(float).tolist()
        rows.setdefault(word.lstrip(b"\n").decode("utf-8", "replace"), row)
        body = body[4 * width :]
    return given.bias({word: row for word, row in rows.items() if word in given.WORDS})


def matrix(data: bytes) -> float | None:
    """The number of a `.npy` matrix beside the words of the valid one."""
    held = np.load(io.BytesIO(data), allow_pickle=False)
    return given.bias(dict(zip(given.WORDS, held.tolist(), strict=True)))


def seen(text: str) -> str:
    """What a reader sees of a word."""
    hidden = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))
    return unicodedata.normalize("NFC", text.translate(hidden)).strip()


def table(text: str) -> list[dict[str, str]]:
    """The rows of a table, whose header tells what separates its cells."""
    mark = max(",;\t", key=text.lstrip().partition("\n")[0].count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=mark)
    stripped = [[seen(cell) for cell in row] for row in rows]
    header, *rows = [row for row in stripped if any(row)]
    return [dict(zip(map(str.lower, header), row, strict=False)) for row in rows]


def decisions(data: bytes) -> float | None:
    """The difference of damaged decisions to the first ones."""
    rows = {row["item"]: (row["term"], number(row["decision"])) for row in table(decoded(data))}
    rows = {item: row for item, row in rows.items() if row[1] is not None}
    return given.difference(given.decisions_in(given.decisions(given.FIRST)), rows)


def equal_numbers(data: bytes) -> float | None:
    """How many numbers are those printed, to their digits."""
    own = {(row["row"], row["column"]): row["value"] for row in table(decoded(data))}
    count = 0
    for row in table(given.PRINTED):
        printed = Decimal(row["value"])
        try:
            value = Decimal(own.get((row["row"], row["column"])) or "nan")
        except InvalidOperation:
            return None
        count += value.is_finite() and abs(value - printed) <= Decimal("0.005")
    return count


def groups(data: bytes) -> float | None:
    """The number with the groups of a text."""
    lists: dict[str, list[str]] = {}
    name = ""
    for line in re.split("\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", decoded(data)):
        line = seen(line)
        if line.startswith("["):
            name = line.strip("[]").strip()
        elif line and not line.startswith("#"):
            lists.setdefault(name, []).append(line)
    return _with(lists)


def groups_of_table(data: bytes) -> float | None:
    """The number with the groups of a table."""
    lists: dict[str, list[str]] = {}
    for row in table(decoded(data)):
        lists.setdefault(row["set"], []).append(row["word"])
    return _with(lists)


def _with(lists: dict[str, list[str]]) -> float | None:
    if len(lists) != 2:  # of more groups it is another measure
        return math.nan
    return given.bias(given.ROWS, groups=lists)


def share(documents: Iterable[str]) -> float | None:
    """The number of a corpus whose contexts are its sentences of 5 to 40 tokens."""
    sentences = [
        [s for line in document.lower().split("\n") for s in SPACY(line).sents if s.text.strip()]
        for document in documents
        if document.strip()
    ]
    if np.median([len(document) for document in sentences]) >= 3:  # contexts are larger there
        return math.nan
    words = [[t.text for t in s if not t.is_space] for document in sentences for s in document]
    return given.share(set(each) for each in words if 5 <= len(each) <= 40)


def plain_text(data: bytes) -> float | None:
    """The number of a text, of a document a line, or a paragraph if there are blank lines."""
    text = unpacked(data).removeprefix(given.BOM).decode("utf-8", "replace").replace("\r\n", "\n")
    lines = text.removesuffix("\n").split("\n")
    blank = not all(line.strip() for line in lines[1:-1])
    return share(re.split(r"\n\s*\n", text) if blank else lines)


def json_lines(data: bytes) -> float | None:
    """The number of JSON lines; lines that are none are left out."""
    texts = []
    for line in unpacked(data).removeprefix(given.BOM).split(b"\n"):
        try:
            texts.append(json.loads(line.decode("utf-8", "replace"))["text"])
        except (ValueError, KeyError, TypeError):
            continue
    return share(text for text in texts if isinstance(text, str))


def csv_texts(data: bytes) -> float | None:
    """The number of a table of texts; rows of another number of cells are left out."""
    text = unpacked(data).removeprefix(given.BOM).decode("utf-8", "replace")
    header, *rows = csv.reader(io.StringIO(text.replace("\r\n", "\n"), newline=""))
    place = [name.strip() for name in header].index("text")
    return share(row[place] for row in rows if len(row) == len(header))
