"""Users' own corpora: plain text, JSON lines and tables."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from socialbias.corpora import streams
from socialbias.corpora.documents import Document, ReadReport, counted
from socialbias.corpora.streams import LineBuffer, Source, json_lines, lines, text_field
from socialbias.errors import UserError


def plain_text(
    path: Path,
    report: ReadReport | None = None,
    *,
    unit: Literal["file", "paragraph", "line"] = "file",
    member: str | None = None,
) -> Iterator[Document]:
    """Plain text files.

    Args:
        path: A file, or a folder whose `*.txt` and `*.txt.gz` files are read in order of name.
        report: Where to count.
        unit: What a document is: a file, a paragraph (lines up to a blank one), or a line.
        member: Which file of a zip.

    Yields:
        Texts; `id` is the file's name for files, otherwise its name, a colon and the number of the
        document's first line; `metadata` has `file`.

    Raises:
        UserError: the folder has no such file, a document has more than 64 million characters, or
            a file cannot be read.
    """
    if unit not in UNITS:
        raise UserError(f"unit must be one of {', '.join(UNITS)}, not {unit!r}")
    report = report or ReadReport()
    files = [path]
    if path.is_dir():
        files = sorted(p for p in path.iterdir() if p.name.endswith((".txt", ".txt.gz")))
        if not files:
            raise UserError(f"{path}: no *.txt or *.txt.gz in this folder")
    texts = (t for p in files for t in UNITS[unit](p, lines(p, report, member=member)))
    return counted(texts, report)


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


def json_documents(
    path: Source,
    report: ReadReport | None = None,
    *,
    text: str = "text",
    name: str | None = None,
    numbered: bool = False,
    cut: bool = False,
    member: str | None = None,
) -> Iterator[Document]:
    """JSON lines.

    Args:
        path: The file.
        report: Where to count.
        text: The key of the text.
        name: The key of the id; None to number the lines.
        numbered: Use the line number for a record without an id, which is otherwise an error.
        cut: The file is known to be truncated.
        member: Which file of a zip.

    Yields:
        Texts; `metadata` has the other keys.

    Raises:
        UserError: a line is not a JSON object with these keys, or the file cannot be read.
    """
    report = report or ReadReport()
    records = json_lines(path, report, cut=cut, member=member)
    return counted(_documents(path, records, report, text, name, numbered), report)


def _documents(
    path: Source,
    records: Iterable[tuple[int, dict]],
    report: ReadReport,
    text: str,
    name: str | None,
    numbered: bool,
) -> Iterator[Document]:
    """Numbered records as documents."""
    for number, record in records:
        where = f"{path}, line {number}"
        body = text_field(record, text, where, report)
        if name is not None and name not in record and not numbered:
            raise UserError(f"{where}: no key {name!r}")
        metadata = {key: value for key, value in record.items() if key not in (text, name)}
        yield Document(str(record.get(name, number)), body, metadata)


def csv_documents(
    path: Source,
    report: ReadReport | None = None,
    *,
    text: str = "text",
    name: str | None = None,
    delimiter: str = ",",
    member: str | None = None,
) -> Iterator[Document]:
    """A table with a header; a quoted field may contain line breaks.

    Args:
        path: The file.
        report: Where to count.
        text: The column of the text.
        name: The column of the ids; None to number the rows.
        delimiter: Separator of the columns.
        member: Which file of a zip.

    Yields:
        Texts; `metadata` has the other columns, as strings.

    Raises:
        UserError: there is no such column, a row has more or fewer fields than the header, a
            quotation is not closed, or the file cannot be read.
    """
    report = report or ReadReport()
    columns = [text] if name is None else [text, name]
    records = _csv_records(path, lines(path, report, member=member), report, columns, delimiter)
    return counted(_documents(path, records, report, text, name, numbered=False), report)


def _csv_records(
    path: Source,
    numbered: Iterable[tuple[int, str]],
    report: ReadReport,
    columns: list[str],
    delimiter: str,
) -> Iterator[tuple[int, dict]]:
    """Number and record of each row; the columns must exist."""
    # The csv module's limit, 128 KiB per field, is global to the process: only ever raise it.
    csv.field_size_limit(max(csv.field_size_limit(), streams.MAX_LENGTH))
    rows = csv.reader((f"{line}\n" for _, line in numbered), delimiter=delimiter, strict=True)
    try:
        header = next(rows, [])
        if missing := [column for column in columns if column not in header]:
            existing = ", ".join(header[:12])
            raise UserError(f"{path}: no column {missing[0]!r}; its columns are {existing}")
        for number, row in enumerate(rows, 1):
            if not row:
                report.notes["blank lines"] += 1
                continue
            if len(row) != len(header):
                raise UserError(
                    f"{path}, line {rows.line_num}: {len(row)} fields for {len(header)} columns"
                )
            yield number, dict(zip(header, row, strict=True))
    except csv.Error as error:
        raise UserError(f"{path}, line {rows.line_num}: not a table ({error})") from None
