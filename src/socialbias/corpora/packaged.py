"""Corpora as distributed in packages and archives: text files, a JSON array, labelled tables.

Every reader is a generator of `Document` and takes the path first and a `ReadReport` second.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

from socialbias.corpora import streams
from socialbias.corpora.documents import Document, ReadReport, reader
from socialbias.corpora.parquet import parquet_records
from socialbias.corpora.streams import check_readable, decode, is_macos_metadata, open_member
from socialbias.corpora.user_files import json_texts
from socialbias.errors import UserError

LABELS = ("neg", "pos")


@reader
def text_archive(path: Path, report: ReadReport, *, under: str = "") -> Iterator[Document]:
    """Yield a zip (or wheel) with one `.txt` file per text, such as BBC news."""
    check_readable(path)
    try:
        with zipfile.ZipFile(path) as archive:
            names = [n for n in archive.namelist() if n.startswith(under) and n.endswith(".txt")]
            names = sorted(name for name in names if not is_macos_metadata(name))
            if not names:
                raise UserError(f"{path}: no .txt file in it" + f" below {under}" * bool(under))
            for name in names:
                with open_member(archive, name, path) as file:
                    data = file.read(streams.MAX_LENGTH + 1)
                if len(data) > streams.MAX_LENGTH:
                    raise UserError(f"{path}: {name} is larger than {streams.MAX_LENGTH >> 20} MiB")
                lines = decode(data.removeprefix(b"\xef\xbb\xbf"), report).split("\n")
                kept = [line.removesuffix("\r") for line in lines if line and not line.isspace()]
                metadata = {"section": PurePosixPath(name).parent.name}
                yield Document(name[len(under) :], "\n".join(kept), metadata)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
        raise UserError(f"{path}: damaged ({error}): fetch it again") from None


@reader
def imdb_parquet(path: Path, report: ReadReport) -> Iterator[Document]:
    """Yield the IMDB reviews as parquet: columns `text` and `label` (0 negative, 1 positive)."""
    columns = ("text", "label")
    for number, record in enumerate(parquet_records(path, report, columns, columns), 1):
        yield Document(str(number), record["text"] or "", {"label": _label(record["label"], path)})


def imdb_json(path: Path, report: ReadReport | None = None) -> Iterator[Document]:
    """Yield the IMDB reviews as a JSON array of `{"t": text, "s": 1 or 0}`, read incrementally."""
    for review in json_texts(path, report, text="t"):
        yield replace(review, metadata={"label": _label(review.metadata.get("s"), path)})


def _label(value: object, path: Path) -> str:
    if value not in (0, 1):
        raise UserError(f"{path}: a label is {value!r}, not 0 or 1")
    return LABELS[int(value)]  # a column with missing values, and some JSON, has 1.0
