"""Parquet tables as corpora: a row a document, or a row a line of WikiText.

Every reader is a generator of `Document`, takes the path first and a `ReadReport` second.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from socialbias.corpora import streams
from socialbias.corpora.documents import Document, ReadReport, counted
from socialbias.corpora.streams import Source, decode, must_open
from socialbias.corpora.wikipedia import wikitext_articles
from socialbias.errors import UserError

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 1000  # rows of a file that are in memory at a time
KINDS = ("documents", "wikitext")


def parquet_text(
    path: Source,
    report: ReadReport | None = None,
    *,
    rows: Literal["documents", "wikitext"] = "documents",
    text: str = "text",
    name: str | None = None,
) -> Iterator[Document]:
    r"""A table of texts.

    Args:
        path: The file, or the files that are its parts, in order.
        report: Where to count; a row without a text is empty.
        rows: What a row is: a document; or a line of WikiText with its `\n`, as Hugging Face has it
            (a blank line is an empty string), whose articles may go on from part to part.
        text: The column of the text.
        name: The column of the ids; None numbers the documents.

    Yields:
        Documents; `metadata` has the other columns. Articles are as `wikitext` gives them.

    Raises:
        UserError: a file is no such table or is damaged, a text is longer than 64 million
            characters, or WikiText does not begin with an article's heading.
    """
    if rows not in KINDS:
        raise UserError(f"rows: one of {', '.join(KINDS)}, not {rows!r}")
    report = report or ReadReport()
    if rows == "wikitext":
        records = parquet_records(path, report, (text,), (text,))
        lines = (((record[text] or "").removesuffix("\n")) for record in records)
        return counted(wikitext_articles(path, enumerate(lines, 1)), report)
    return counted(_documents(path, report, text, name), report)


def _documents(path: Source, report: ReadReport, text: str, name: str | None) -> Iterator[Document]:
    needed = (text,) if name is None else (text, name)
    for number, record in enumerate(parquet_records(path, report, needed), 1):
        body = record.pop(text) or ""
        key = number if name is None else record.pop(name)
        if len(body) > streams.LONGEST:
            raise UserError(f"{path}, row {number}: a text of more than 64 million characters")
        yield Document(str(key), body, record)


def parquet_records(
    path: Source,
    report: ReadReport,
    needed: Sequence[str],
    columns: Sequence[str] | None = None,
) -> Iterator[dict]:
    """The rows of a table.

    Args:
        path: The file, or its parts in order.
        report: Where bytes that are not UTF-8 are counted.
        needed: Columns that must be there, the first of them of strings.
        columns: Columns to read; all by default.

    Yields:
        Rows, as dictionaries; times, bytes and decimals are Python's own.

    Raises:
        UserError: a file is no such table, is damaged, or holds what Python cannot, such as a
            year beyond 9999.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    for part in [path] if isinstance(path, Path) else path:
        must_open(part)
        try:
            with pq.ParquetFile(part) as file:
                _look_at_columns(part, file.schema_arrow, needed)
                for batch in file.iter_batches(ROWS, columns=columns):
                    names = batch.schema.names
                    pairs = zip(names, batch.columns, strict=True)
                    values = [_values(column, part, name, report) for name, column in pairs]
                    for row in zip(*values, strict=True):
                        yield dict(zip(names, row, strict=True))
        except (pa.ArrowException, OSError) as error:
            what = str(error).splitlines()[0][:80]
            raise UserError(f"{part}: not parquet, or damaged ({what}): fetch it again") from None


def _look_at_columns(path: Path, schema: pa.Schema, needed: Sequence[str]) -> None:
    missing = [column for column in needed if column not in schema.names]
    if missing:
        told = ", ".join(schema.names[:12])
        raise UserError(f"{path}: no column {missing[0]!r}; its columns are {told}")
    kind = schema.field(needed[0]).type
    if not _is_text(kind):
        raise UserError(f"{path}: the column {needed[0]!r} is of {kind}, not of text")


def _is_text(kind: pa.DataType) -> bool:
    import pyarrow.types as types

    return types.is_string(kind) or types.is_large_string(kind)


def _values(column: pa.Array, path: Path, name: str, report: ReadReport) -> list:
    """The values of a column; nothing has looked at whether its strings are UTF-8."""
    import pyarrow as pa

    if not _is_text(column.type):
        try:
            return column.to_pylist()
        except (ValueError, OverflowError) as error:  # a year beyond 9999, a list of bad strings
            raise UserError(
                f"{path}: the column {name!r} of {column.type} cannot be read ({error}): leave it "
                "out of the file"
            ) from None
    found = column.cast(pa.large_string()).cast(pa.large_binary()).to_pylist()
    return [None if data is None else decode(data, report) for data in found]
