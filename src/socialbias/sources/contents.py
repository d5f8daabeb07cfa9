"""What is in a downloaded file: whether it is one of its kind, and how much of it there is.

A file whose checksum nobody has published is looked at before its own is recorded for ever. Where
the registry says how many documents, words or rows a file has (`expect`), they are counted.
"""

from __future__ import annotations

import csv
import gzip
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from socialbias.errors import UserError
from socialbias.files.json_files import parse_json
from socialbias.sources.registry import Source, SourceFile
from socialbias.sources.request import MAX_BYTES

# Beginnings of what a server sends in place of a file, in lower case.
PAGES = (b"<!doctype html", b"<html", b"<error", b"<?xml")
MARKUP = (".html", ".xml")
# Keys of an object that says what went wrong; "errors" may be a setting of a tokenizer.
COMPLAINTS = {"error", "message", "detail", "error_description", "fault"}
DAMAGED = (EOFError, zlib.error, gzip.BadGzipFile, zipfile.BadZipFile, ValueError)
MAX_LINE = 64 << 20  # bytes read at a time
EXPECTED = "are expected"  # ends the message about a file with less
# Counts are third parties', of copies of their own: one record in so many may be missing or added.
TOLERATED = 1000
LINES = ("gpt2-jsonl", "goodreads", "jsonl")  # formats of a record a line, whatever the suffix
Expected = int | Mapping[str, int]  # a number, or {"at_least": number}


def problem_with_content(path: Path, name: str, format_: str) -> str:
    """Return why a file cannot be what its name and format say; "" if nothing speaks against it."""
    if not path.stat().st_size:
        return "the server sent nothing: it is empty"
    name = name.lower()
    kind = Path(name).suffix
    with path.open("rb") as file:
        head = file.read(4096)
    if complaint := _complaint(head, path, kind):
        return complaint
    try:
        if kind == ".zip":
            with zipfile.ZipFile(path) as archive:
                _check_size(sum(member.file_size for member in archive.infolist()))
                bad = archive.testzip()
            return f"its member {bad} is damaged" if bad else ""
        if kind == ".gz" or format_ in LINES:  # read to the end, where the checksum of a .gz is
            with (gzip.open if kind == ".gz" else open)(path, "rb") as lines:
                first, last = _ends(lines)
            if format_ in LINES:
                return _problem_with_lines(first, last)
        if kind == ".json":
            parse_json(path.read_text("utf-8-sig"))
    except DAMAGED as error:
        return f"damaged or cut short ({str(error)[:80] or type(error).__name__})"
    return ""


def _complaint(head: bytes, path: Path, kind: str) -> str:
    """Return what a server says instead of sending a file; "" if it has sent one."""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.lower().startswith(PAGES) and kind not in MARKUP:
        return f"an error page instead of the file: {_line(start)}"
    if start.startswith(b"{") and len(head) < 4096:  # complaints are short
        try:
            message = parse_json(path.read_bytes())
        except ValueError:
            return ""
        if isinstance(message, dict) and {key.lower() for key in message} & COMPLAINTS:
            return f"an error message instead of the file: {_line(start)}"
    return ""


def _ends(lines: BinaryIO) -> tuple[bytes, bytes]:
    """Return the first line and the last one that is not blank."""
    first, last, size = b"", b"", 0
    while line := lines.readline(MAX_LINE):
        first, last, size = first or line, line if line.strip() else last, size + len(line)
        _check_size(size)
    return first, last


def _check_size(unpacked: int) -> None:
    if unpacked > MAX_BYTES:
        raise ValueError(f"it unpacks to more than {MAX_BYTES >> 30} GiB")


def _problem_with_lines(first: bytes, last: bytes) -> str:
    """Return why the first or the last line of JSON lines is no whole record; "" if both are."""
    for which, line in (("first", first), ("last", last)):
        record = parse_json(line)
        if not isinstance(record, dict) or record.keys() <= COMPLAINTS:
            return f"its {which} line is no record: {_line(line)}"
    return ""


def _line(text: bytes) -> str:
    return " ".join(text[:200].decode("utf-8", "replace").split())[:80]


def counted(path: Path, source: Source, file: SourceFile) -> dict:
    """Return how much there is of each thing that the registry expects in a file.

    The file may be under another name than its own. If it is not of its source's format, or
    damaged, that is a UserError.
    """
    stat = path.stat()
    stamp = (stat.st_size, stat.st_ctime_ns, stat.st_ino)  # a file that changes is counted anew
    try:
        counts = _counted(stamp, path, file.name, source.format, source.id, tuple(file.expect))
    except UserError as error:
        raise UserError(str(error).replace(str(path), file.name)) from None
    return {what: counts[what] for what in file.expect}


@lru_cache
def _counted(
    _stamp: tuple, file: Path, name: str, format_: str, source: str, wanted: tuple[str, ...]
) -> dict[str, int]:
    if "documents" in wanted:  # with those that have no text
        from socialbias.corpora.documents import ReadReport
        from socialbias.corpora.readers import READERS
        from socialbias.corpora.recipes import recipe
        from socialbias.corpora.streams import SKIPPED

        report = ReadReport()
        for _ in READERS[format_](file, report, **recipe("", source).get("options", {})):
            pass
        skipped = report.notes[f"lines {SKIPPED}"] if format_ in LINES else 0
        return {"documents": report.documents + report.empty + skipped}
    if "words" in wanted:
        return _words(file, format_)
    suffix = Path(name).suffix
    if suffix == ".parquet":
        import pyarrow.parquet as pq

        return {"rows": pq.read_metadata(file).num_rows}
    with file.open(encoding="utf-8-sig", newline="") as text:
        rows = csv.reader(text, delimiter="\t" if suffix == ".tsv" else ",")
        return {"rows": sum(1 for row in rows if row) - 1}  # without the heading


def difference(expected: Mapping[str, Expected], counts: Mapping[str, int]) -> tuple[str, bool]:
    """Return how counts differ from what was expected, "" if they do not, and whether slightly.

    A count may differ by 0.1 %. One that has only a lower limit, `{"at_least": number}`, may not be
    below it.
    """
    problems, slight = [], True
    for key, number in expected.items():
        if isinstance(number, Mapping):
            least = number["at_least"]
            if counts[key] < least:
                problems.append(f"{counts[key]:,} {key} where at least {least:,} {EXPECTED}")
                slight = False
        elif counts[key] != number:
            problems.append(f"{counts[key]:,} {key} where {number:,} {EXPECTED}")
            slight &= abs(counts[key] - number) * TOLERATED <= number
    return ", ".join(problems), slight


def _words(file: Path, format_: str) -> dict[str, int]:
    """Return the words of word vectors, and numbers in each; of decades also how many."""
    from socialbias.embeddings.files import opened
    from socialbias.embeddings.histwords import size_of
    from socialbias.embeddings.readers import READERS, WORDS, sizes

    if format_ == "histwords":
        return size_of(file)
    if format_ == "word2vec-binary":
        with opened(file) as stream:
            words, dimensions = sizes(stream, file)
        return {"words": words, "dimensions": dimensions}
    first = next(WORDS[format_]([file]), None)
    vectors: Iterator = READERS[format_]([file], {first} if first else set())
    _, vector = next(vectors, (None, None))
    if vector is None:
        raise UserError(f"{file}: it has no word")
    return {"words": sum(1 for _ in WORDS[format_]([file])), "dimensions": len(vector)}
