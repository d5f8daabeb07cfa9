"""Parquet tables as corpora: one row per document, or one row per line of WikiText.

Every reader is a generator of `Document` and takes the path first and a `ReadReport` second.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from socialbias.corpora import streams
from socialbias.corpora.documents import Document, ReadReport, reader
from socialbias.corpora.streams import Source, check_readable, decode
from socialbias.corpora.wikipedia import wikitext_articles
from socialbias.errors import UserError

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 1000  # rows of a file in memory at a time
KINDS = ("documents", "wikitext")


@reader
def parquet_text(
    path: Source,
    report: ReadReport,
    *,
    rows: Literal["documents", "wikitext"] = "documents",
    text: str = "text",
    name: str | None = None,
) -> Iterator[Document]:
    """Yield the texts of a table."""
    if rows not in KINDS:
        raise UserError(f"rows must be one of {', '.join(KINDS)}, not {rows!r}")
    if rows == "wikitext":
        records = parquet_records(path, report, (text,), (text,))
        lines = (((record[text] or "").removesuffix("\n")) for record in records)
        yield from wikitext_articles(path, enumerate(lines, 1))
        return
    required = (text,) if name is None else (text, name)
    for number, record in enumerate(parquet_records(path, report, required), 1):
        body = record.pop(text) or ""
        key = number if name is None else record.pop(name)
        if len(body) > streams.MAX_LENGTH:
            raise UserError(f"{path}, row {number}: a text of more than 64 million characters")
        yield Document(str(key), body, record)


def parquet_records(
    path: Source,
    report: ReadReport,
    required: Sequence[str],
    columns: Sequence[str] | None = None,
) -> Iterator[dict]:
    """Yield the rows of a table."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for part in [path] if isinstance(path, Path) else path:
        check_readable(part)
        try:
            with pq.ParquetFile(part) as file:
                schema = file.schema_arrow
                if missing := [column for column in required if column not in schema.names]:
                    existing = ", ".join(schema.names[:12])
                    raise UserError(f"{part}: no column {missing[0]!r}; its columns are {existing}")
                if not _is_text(kind := schema.field(required[0]).type):
                    raise UserError(f"{part}: the column {required[0]!r} contains {kind}, not text")
                for batch in file.iter_batches(ROWS, columns=columns):
                    names = batch.schema.names
                    pairs = zip(names, batch.columns, strict=True)
                    values = [_values(column, part, name, report) for name, column in pairs]
                    for row in zip(*values, strict=True):
                        yield dict(zip(names, row, strict=True))
        except (pa.ArrowException, OSError) as error:
            reason = str(error).splitlines()[0][:80]
            raise UserError(f"{part}: damaged or not parquet ({reason}): fetch it again") from None


def _is_text(kind: pa.DataType) -> bool:
    import pyarrow.types as types

    return types.is_string(kind) or types.is_large_string(kind)


def _values(column: pa.Array, path: Path, name: str, report: ReadReport) -> list:
    """Return the values of a column; pyarrow does not check that strings are valid UTF-8."""
    import pyarrow as pa

    if not _is_text(column.type):
        try:
            return column.to_pylist()
        except (ValueError, OverflowError) as error:  # a year beyond 9999, a list of bad strings
            raise UserError(
                f"{path}: cannot read the column {name!r} of {column.type} ({error}): remove it "
                "from the file"
            ) from None
    encoded = column.cast(pa.large_string()).cast(pa.large_binary()).to_pylist()
    return [None if data is None else decode(data, report) for data in encoded]
