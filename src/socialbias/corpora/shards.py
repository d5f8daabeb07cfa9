"""Documents as parquet shards with one schema for all corpora: `id, text, metadata` (JSON).

`documents.json` beside the shards lists them in order and contains the read report; it is written
last, so that a folder without it is incomplete.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from socialbias.corpora.documents import Document, ReadReport
from socialbias.corpora.streams import replace_surrogates
from socialbias.errors import UserError
from socialbias.files.atomic_write import move_into_place, write_text

SCHEMA = pa.schema([("id", pa.string()), ("text", pa.string()), ("metadata", pa.string())])
GROUP = 8 << 20  # characters in memory at a time
SHARD = 256 << 20  # characters per shard
PART = 1 << 20  # characters at least of a part that is read by a process of its own
INDEX = "documents.json"


# `json.dumps` would create an encoder for each call. Times, bytes and the like become strings.
ENCODER = json.JSONEncoder(
    ensure_ascii=False,
    sort_keys=True,
    default=lambda x: x.decode("utf-8", "replace") if isinstance(x, bytes) else str(x),
)


def write_shards(
    documents: Iterable[Document],
    folder: Path,
    report: ReadReport,
    provenance: dict | None = None,
    *,
    shard: int = SHARD,
) -> dict:
    """Write documents as shards of about 256 million characters, and their index.

    Metadata that JSON cannot represent is written as strings: a time as `2020-01-31 12:00:00`,
    bytes as UTF-8 text. Lone surrogates in ids and metadata, which JSON and file names allow and
    UTF-8 does not, become U+FFFD.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / INDEX).unlink(missing_ok=True)
    for old in (*folder.glob("*.parquet"), *folder.glob("*.parquet.part")):
        old.unlink()
    writer = _Writer(folder, shard, report)
    try:
        for document in documents:
            writer.add(document)
        shards = writer.finish()
    finally:
        writer.abandon()
    if not shards:
        raise UserError(f"{folder}: the corpus has no document with text")
    index = {
        **(provenance or {}),
        "documents": sum(entry["documents"] for entry in shards),
        "characters": writer.characters,
        "shards": shards,
        "report": report.as_dict(),
    }
    write_text(folder / INDEX, json.dumps(index, indent=2, ensure_ascii=False) + "\n")
    return index


class _Writer:
    """Collects rows into groups, and groups into shards."""

    def __init__(self, folder: Path, shard: int, report: ReadReport):
        self._folder, self._shard, self._report = folder, shard, report
        self._file: pq.ParquetWriter | None = None
        self._rows: list[tuple[str, str, str]] = []
        self._pending = self._written = self._documents = 0
        self._shards: list[dict] = []
        self.characters = 0

    def add(self, document: Document) -> None:
        metadata = replace_surrogates(ENCODER.encode(document.metadata), self._report)
        name = replace_surrogates(document.id, self._report)
        self._rows.append((name, document.text, metadata))
        self._pending += len(document.text)
        self.characters += len(document.text)
        if self._pending >= min(GROUP, self._shard):
            self._write_group()

    def _write_group(self) -> None:
        if self._file is None:
            path = self._folder / f"{len(self._shards):05d}.parquet.part"
            self._file = pq.ParquetWriter(path, SCHEMA, compression="zstd")
        columns = [pa.array(column, pa.string()) for column in zip(*self._rows, strict=True)]
        self._file.write_table(pa.table(columns, schema=SCHEMA))
        self._documents += len(self._rows)
        self._written += self._pending
        self._rows, self._pending = [], 0
        if self._written >= self._shard:
            self._close()

    def _close(self) -> None:
        self._file.close()
        name = f"{len(self._shards):05d}.parquet"
        move_into_place(self._folder / f"{name}.part", self._folder / name)
        self._shards.append({"path": name, "documents": self._documents})
        self._file, self._written, self._documents = None, 0, 0

    def finish(self) -> list[dict]:
        if self._rows:
            self._write_group()
        if self._file is not None:
            self._close()
        return self._shards

    def abandon(self) -> None:
        """Close the file after an error."""
        if self._file is not None:
            self._file.close()


def read_index(path: Path) -> dict:
    """Return the index of a folder of shards."""
    return json.loads(path.read_text("utf-8"))


def read_shards(path: Path) -> Iterator[Document]:
    """Yield the documents of a folder of shards, in order."""
    for _, table in _groups(path, ["id", "text", "metadata"]):
        for name, text, metadata in zip(*(c.to_pylist() for c in table.columns), strict=True):
            yield Document(name, text, json.loads(metadata))


def read_parts(path: Path, n: int) -> list[Iterator[str]]:
    """Return the texts of a folder of shards in parts of consecutive documents."""
    index = read_index(path)
    n = max(1, min(n, index["characters"] // PART, index["documents"]))
    bounds = [index["documents"] * i // n for i in range(n + 1)]
    return [_texts(path, range(first, last)) for first, last in pairwise(bounds)]


def _texts(path: Path, numbers: range) -> Iterator[str]:
    for first, table in _groups(path, ["text"], numbers):
        wanted = table["text"][max(numbers[0] - first, 0) : numbers[-1] + 1 - first]
        yield from wanted.to_pylist()


def read_selected(path: Path, numbers: Iterable[int]) -> Iterator[tuple[int, Document]]:
    """Yield selected documents, in order; row groups without one of them are not decompressed."""
    selected = sorted(set(numbers))
    for first, table in _groups(path, ["id", "text", "metadata"], selected):
        for number in selected:
            if first <= number < first + len(table):
                row = table.slice(number - first, 1).to_pylist()[0]
                yield number, Document(row["id"], row["text"], json.loads(row["metadata"]))


def _groups(
    path: Path, columns: list[str], selected: Sequence[int] | None = None
) -> Iterator[tuple[int, pa.Table]]:
    """First document number and table of each row group with a selected document."""
    first = 0
    for entry in read_index(path)["shards"]:
        shard = path.parent / entry["path"]
        try:
            with pq.ParquetFile(shard) as file:
                for i in range(file.num_row_groups):
                    end = first + file.metadata.row_group(i).num_rows
                    if selected is None or bisect_left(selected, first) < bisect_left(
                        selected, end
                    ):
                        yield first, file.read_row_group(i, columns)
                    first = end
        except (pa.ArrowException, OSError) as error:
            raise UserError(f"{shard}: cannot be read ({str(error)[:80]}): read it again") from None
