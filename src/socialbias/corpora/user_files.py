"""Users' own corpora: plain text, JSON and tables."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from socialbias.corpora import streams
from socialbias.corpora.documents import Document, ReadReport, counted, reader
from socialbias.corpora.streams import (
    DAMAGED,
    LineBuffer,
    check_utf_8,
    decode,
    json_lines,
    lines,
    open_bytes,
    replace_surrogates,
)
from socialbias.errors import UserError, nearest
from socialbias.files.json_files import parse_json

TEXTS = (".txt", ".txt.gz")
OTHER_FORMATS = (".jsonl", ".jsonl.gz", ".json", ".json.gz", ".csv", ".csv.gz", ".tsv", ".tsv.gz")
OTHER_FORMATS += (".parquet",)
MARKS, OTHERS = {",": "commas", "\t": "tabs"}, set(",;\t|")  # between columns
PEEKED = 4096  # bytes of a JSON file that tell what it is
MAX_ARRAY = 512 << 20  # bytes of a JSON array, which is in memory as a whole


@reader
def plain_text(
    path: Path,
    report: ReadReport,
    *,
    unit: Literal["file", "paragraph", "line"] = "file",
    member: str | None = None,
) -> Iterator[Document]:
    """Plain text files."""
    if unit not in UNITS:
        raise UserError(f"unit must be one of {', '.join(UNITS)}, not {unit!r}")
    files = text_files(path) if path.is_dir() else [path]
    return (t for p in files for t in UNITS[unit](p, lines(p, report, member=member)))


def text_files(folder: Path) -> list[Path]:
    """Return the documents of a folder of texts, in order of name: hidden files are none."""
    files = sorted(
        path
        for path in folder.rglob("*")
        if path.name.endswith((*TEXTS, *OTHER_FORMATS)) and path.is_file()
        if not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )
    texts = [path for path in files if path.name.endswith(TEXTS)]
    if not texts:
        raise UserError(f"{folder}: no *.txt or *.txt.gz in this folder")
    if below := [path.parent.relative_to(folder) for path in texts if path.parent != folder]:
        advice = "name one folder, or put the texts to read into one"
        raise UserError(f"{folder}: there are texts in its subfolder {below[0]}, too: {advice}")
    if others := [path.name for path in files if path not in texts and path.parent == folder]:
        advice = "name the file to read, or a folder of texts alone"
        raise UserError(f"{folder}: there is {others[0]} beside {texts[0].name}: {advice}")
    return texts


def _whole_file(path: Path, numbered: Iterable[tuple[int, str]]) -> Iterator[Document]:
    body = LineBuffer(path)
    for number, line in numbered:
        body.add(line, number)
    yield Document(path.name, body.take(), {"file": path.name})


def _paragraphs(path: Path, numbered: Iterable[tuple[int, str]]) -> Iterator[Document]:
    body, first = LineBuffer(path), 0
    for number, line in numbered:
        if line.strip():
            first = first or number
            body.add(line, number)
        elif first:
            yield Document(f"{path.name}:{first}", body.take(), {"file": path.name})
            first = 0
    if first:
        yield Document(f"{path.name}:{first}", body.take(), {"file": path.name})


def _each_line(path: Path, numbered: Iterable[tuple[int, str]]) -> Iterator[Document]:
    for number, line in numbered:
        yield Document(f"{path.name}:{number}", line, {"file": path.name})


UNITS = {"file": _whole_file, "paragraph": _paragraphs, "line": _each_line}


@reader
def json_documents(
    path: Path,
    report: ReadReport,
    *,
    text: str = "text",
    name: str | None = None,
    numbered: bool = False,
    **options,
) -> Iterator[Document]:
    """JSON lines."""

    def make(number: int, record: dict, where: str) -> Document:
        return _of_object(record, text, name, number, where, report, numbered)

    return json_lines(path, report, make, **options)


def json_texts(
    path: Path,
    report: ReadReport | None = None,
    *,
    text: str = "text",
    name: str | None = None,
    member: str | None = None,
) -> Iterator[Document]:
    """Return a JSON array of objects, which is read whole; or JSON lines, by whatever name."""
    report, data = report or ReadReport(), b""
    try:
        with open_bytes(path, member) as file:
            begins = file.peek(PEEKED)[:PEEKED].removeprefix(codecs.BOM_UTF8).lstrip()
            check_utf_8(file.peek(2), path)
            if begins[:1] == b"[":
                data = file.read(MAX_ARRAY + 1)
    except DAMAGED as error:
        raise UserError(f"{path}: damaged ({error}): fetch it again") from None
    if len(data) > MAX_ARRAY:
        advice = "save one object a line, in a file that ends in .jsonl"
        raise UserError(f"{path}: an array of more than {MAX_ARRAY >> 20} MiB: {advice}")
    if data:
        return counted(_of_array(path, data, report, text, name), report)
    if begins[:1] == b"{" and begins[1:].lstrip(b" \t")[:1] in (b"\n", b"\r"):
        shape = "a single object over several lines"
        raise UserError(f"{path}: {shape}: save an array of objects, or one object a line")
    return json_documents(path, report, text=text, name=name, member=member)


def _of_array(
    path: Path, data: bytes, report: ReadReport, text: str, name: str | None
) -> Iterator[Document]:
    try:
        entries = parse_json(decode(data.removeprefix(codecs.BOM_UTF8), report))
    except ValueError as error:
        problem = f"not JSON, or the file breaks off ({str(error)[:60]})"
        raise UserError(f"{path}: {problem}") from None
    for number, record in enumerate(entries, 1):
        where = f"{path}, entry {number}"
        if not isinstance(record, dict):
            raise UserError(f"{where}: not a JSON object with a key {text!r}")
        yield _of_object(record, text, name, number, where, report)


def _of_object(
    record: dict,
    text: str,
    name: str | None,
    number: int,
    where: str,
    report: ReadReport,
    numbered: bool = False,
) -> Document:
    """Return a JSON object as a document."""
    keys = ", ".join(map(str, list(record)[:12]))
    if text not in record:
        raise UserError(f"{where}: no key {text!r}; its keys are {keys}{nearest(text, record)}")
    if not isinstance(record[text], str):
        raise UserError(f"{where}: {text!r} is not a string; its keys are {keys}")
    body = replace_surrogates(record[text], report)
    if name is not None and name not in record and not numbered:
        raise UserError(f"{where}: no key {name!r}")
    return _document(record, text, name, number, body)


def _document(record: dict, text: str, name: str | None, number: int, body: str) -> Document:
    """Return a record as a document, called by its number where it has no id."""
    metadata = {key: value for key, value in record.items() if key not in (text, name)}
    return Document(str(record.get(name, number)), body, metadata)


@reader
def csv_documents(
    path: Path,
    report: ReadReport,
    *,
    text: str = "text",
    name: str | None = None,
    delimiter: str = ",",
    member: str | None = None,
) -> Iterator[Document]:
    """Yield the rows of a table with a header; a quoted field may contain line breaks."""
    # The csv module's limit, 128 KiB per field, is global to the process: only ever raise it.
    csv.field_size_limit(max(csv.field_size_limit(), streams.MAX_LENGTH))
    numbered = lines(path, report, member=member)
    rows = csv.reader((f"{line}\n" for _, line in numbered), delimiter=delimiter, strict=True)
    header = _header(path, rows, [text] if name is None else [text, name], delimiter)
    try:
        for number, row in enumerate(rows, 1):
            if not row:
                report.notes["blank lines"] += 1
                continue
            if len(row) != len(header):
                problem = f"{len(row)} fields for {len(header)} columns"
                raise UserError(f"{path}, line {rows.line_num}: {problem}")
            record = dict(zip(header, row, strict=True))
            yield _document(record, text, name, number, record[text])
    except csv.Error as error:
        raise UserError(f"{path}, line {rows.line_num}: not a table ({error})") from None


def _header(path: Path, rows: Iterator[list[str]], columns: list[str], delimiter: str) -> list[str]:
    """Return the names of the columns."""
    try:
        header = next(rows, [])
    except csv.Error as error:
        raise UserError(f"{path}, line 1: not a table ({error})") from None
    header = [name.strip() for name in header]
    if not header:
        raise UserError(f"{path}: it is empty, without a line that names its columns")
    if twice := [column for column in header if column and header.count(column) > 1]:
        raise UserError(f"{path}: two columns are called {twice[0]!r}")
    if missing := [column for column in columns if column not in header]:
        existing = ", ".join(header[:12])
        alone = len(header) == 1 and any(mark in existing for mark in OTHERS - {delimiter})
        hint = nearest(missing[0], header)
        if alone:
            hint = f": put {MARKS.get(delimiter, repr(delimiter))} between them"
        raise UserError(f"{path}: no column {missing[0]!r}; its columns are {existing}{hint}")
    return header
