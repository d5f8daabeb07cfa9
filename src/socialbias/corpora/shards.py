"""Documents as parquet shards with one schema for all corpora: `id, text, metadata` (JSON).

`documents.json` beside the shards lists them in order and contains the read report; it is written
last, so that a folder without it is incomplete.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
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
    shards: list[dict] = []
    file, written, characters = None, 0, 0
    with ExitStack() as opened:
        for group in _grouped(documents, min(GROUP, shard)):
            if file is None:
                name, written = f"{len(shards):05d}.parquet", 0
                file = pq.ParquetWriter(folder / f"{name}.part", SCHEMA, compression="zstd")
                opened.enter_context(file)
                shards.append({"path": name, "documents": 0})
            columns = [
                [replace_surrogates(document.id, report) for document in group],
                [document.text for document in group],
                [replace_surrogates(ENCODER.encode(each.metadata), report) for each in group],
            ]
            arrays = [pa.array(column, pa.string()) for column in columns]
            file.write_table(pa.table(arrays, schema=SCHEMA))
            shards[-1]["documents"] += len(group)
            size = sum(map(len, columns[1]))
            written, characters = written + size, characters + size
            if written >= shard:
                opened.close()
                file = None
    if not shards:
        raise UserError(f"{folder}: the corpus has no document with text")
    for entry in shards:
        move_into_place(folder / f"{entry['path']}.part", folder / entry["path"])
    index = {
        **(provenance or {}),
        "documents": sum(entry["documents"] for entry in shards),
        "characters": characters,
        "shards": shards,
        "report": report.as_dict(),
    }
    write_text(folder / INDEX, json.dumps(index, indent=2, ensure_ascii=False) + "\n")
    return index


def _grouped(documents: Iterable[Document], size: int) -> Iterator[list[Document]]:
    """Yield documents in groups of at least so many characters; the last may have fewer."""
    group, characters = [], 0
    for document in documents:
        group.append(document)
        characters += len(document.text)
        if characters >= size:
            yield group
            group, characters = [], 0
    if group:
        yield group


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
