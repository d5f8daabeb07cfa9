"""Corpora as packages and archives carry them: a text a file, JSON in one piece, labelled tables.

Every reader is a generator of `Document`, takes the path first and a `ReadReport` second.
"""

from __future__ import annotations

import json
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from socialbias.corpora import streams
from socialbias.corpora.documents import Document, ReadReport, counted
from socialbias.corpora.parquet import parquet_records
from socialbias.corpora.streams import (
    decode,
    is_junk,
    must_open,
    open_member,
    whole_characters,
)
from socialbias.errors import UserError

LABELS = ("neg", "pos")
PIECE = 1 << 20  # characters that are read at a time


def text_archive(
    path: Path, report: ReadReport | None = None, *, under: str = ""
) -> Iterator[Document]:
    """A zip (or wheel) with a `.txt` file for each text, such as BBC news or NYT obituaries.

    Args:
        path: The archive; it is read, never installed.
        report: Where to count.
        under: The folder of the archive in which the texts are.

    Yields:
        Texts in order of name, their blank lines left out; `id` is the name below `under`,
        `metadata` has `section`, the folder that the file is in.

    Raises:
        UserError: the archive is damaged or encrypted, has no such file, or a text is larger than
            64 MiB.
    """
    report = report or ReadReport()
    return counted(_archived(path, report, under), report)


def _archived(path: Path, report: ReadReport, under: str) -> Iterator[Document]:
    must_open(path)
    try:
        with zipfile.ZipFile(path) as archive:
            names = [n for n in archive.namelist() if n.startswith(under) and n.endswith(".txt")]
            names = sorted(name for name in names if not is_junk(name))
            if not names:
                raise UserError(f"{path}: no .txt file in it" + f" below {under}" * bool(under))
            for name in names:
                with open_member(archive, name, path) as file:
                    data = file.read(streams.LONGEST + 1)
                about = {"section": PurePosixPath(name).parent.name}
                yield Document(name[len(under) :], _text(data, path, name, report), about)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
        raise UserError(f"{path}: damaged ({error}): fetch it again") from None


def _text(data: bytes, path: Path, name: str, report: ReadReport) -> str:
    """A file's text: one newline between paragraphs, none at the ends."""
    if len(data) > streams.LONGEST:
        raise UserError(f"{path}: {name} is larger than {streams.LONGEST >> 20} MiB")
    lines = decode(data.removeprefix(b"\xef\xbb\xbf"), report).split("\n")
    return "\n".join(line.removesuffix("\r") for line in lines if line and not line.isspace())


def imdb_tar(path: Path, report: ReadReport | None = None, *, part: str = "train"):
    """The IMDB reviews as published: `aclImdb/train/pos/0_9.txt`, a file for each (Maas et al.).

    Args:
        path: `aclImdb_v1.tar.gz`.
        report: Where to count.
        part: `train` or `test`.

    Yields:
        Labelled reviews in the order of the archive; `id` is the name below the part, `metadata`
        has `label` (`pos`, `neg`). `<br />` stands for a line's end.

    Raises:
        UserError: the archive is damaged, or has no such review.
    """
    report = report or ReadReport()
    return counted(_tarred(path, report, part), report)


def _tarred(path: Path, report: ReadReport, part: str) -> Iterator[Document]:
    must_open(path)
    found = False
    try:
        with tarfile.open(path, "r|*") as archive:
            for member in archive:
                folders = PurePosixPath(member.name).parts
                if not member.isfile() or len(folders) != 4 or folders[1] != part:
                    continue
                if folders[2] not in LABELS or not folders[3].endswith(".txt"):
                    continue
                found = True
                data = archive.extractfile(member).read(streams.LONGEST + 1)
                text = _text(data, path, member.name, report)
                yield Document("/".join(folders[2:]), text, {"label": folders[2]})
    except (tarfile.TarError, zlib.error, EOFError, OSError) as error:
        raise UserError(f"{path}: damaged ({error}): fetch it again") from None
    if not found:
        raise UserError(f"{path}: no labelled reviews in the part {part!r}")


def imdb_parquet(path: Path, report: ReadReport | None = None) -> Iterator[Document]:
    """The IMDB reviews as parquet: columns `text` and `label` (0 negative, 1 positive).

    Yields:
        Reviews; `id` is the row, from 1, `metadata` has `label` (`pos`, `neg`).

    Raises:
        UserError: the file is no such table.
    """
    report = report or ReadReport()
    columns = ("text", "label")
    records = enumerate(parquet_records(path, report, columns, columns), 1)
    reviews = (Document(str(n), r["text"] or "", {"label": _label(r, path)}) for n, r in records)
    return counted(reviews, report)


def imdb_json(path: Path, report: ReadReport | None = None) -> Iterator[Document]:
    """The IMDB reviews as one JSON array of `{"t": text, "s": 1 or 0}`, read piece by piece.

    Yields:
        Reviews; `id` is the number in the file, from 1, `metadata` has `label` (`pos`, `neg`).

    Raises:
        UserError: the file is not such an array, or breaks off.
    """
    report = report or ReadReport()
    return counted(_reviews(path, report), report)


def _reviews(path: Path, report: ReadReport) -> Iterator[Document]:
    for number, record in enumerate(_array(path), 1):
        if not isinstance(record, dict) or not isinstance(record.get("t"), str):
            raise UserError(f"{path}, record {number}: not a review with `t` and `s`")
        label = _label({"label": record.get("s")}, path)
        yield Document(str(number), whole_characters(record["t"], report), {"label": label})


def _label(record: dict, path: Path) -> str:
    if record.get("label") not in (0, 1):
        raise UserError(f"{path}: a label is {record.get('label')!r}: should be 0 or 1")
    return LABELS[int(record["label"])]  # a column with gaps, and some JSON, has 1.0


def _array(path: Path) -> Iterator[object]:
    """The items of a JSON array; only a piece of the file is in memory."""
    must_open(path)
    decoder, buffer, at, begun = json.JSONDecoder(), "", 0, False
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        while True:
            piece = file.read(PIECE)
            buffer, at = buffer[at:] + piece, 0
            if len(buffer) > streams.LONGEST:
                raise UserError(f"{path}: a record of more than 64 million characters")
            if not begun:
                if buffer.lstrip()[:1] != "[":
                    raise UserError(f"{path}: not a JSON array: it begins {buffer[:40]!a}")
                at, begun = buffer.index("[") + 1, True
            while True:
                at = _next(buffer, at)
                if buffer[at : at + 1] == "]":
                    return
                try:
                    item, at = decoder.raw_decode(buffer, at)
                except json.JSONDecodeError:
                    break
                yield item
            if not piece:
                raise UserError(f"{path}: breaks off or is not JSON: fetch it again")


def _next(text: str, at: int) -> int:
    """The place of the next item: behind blanks and a comma."""
    while text[at : at + 1] in {",", " ", "\n", "\r", "\t"}:
        at += 1
    return at
