"""What is in a downloaded file: whether it is one of its kind, and how much of it there is.

A file whose checksum nobody has published is looked at before its own is recorded for ever. Where
the registry says how many documents, words or rows a file has (`expect`), they are counted.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import lzma
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

from socialbias.errors import UserError
from socialbias.files.json_files import parse_json

OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
ZIPS = (".zip", ".whl", ".npz")
# Beginnings of what a server sends in place of a file, in lower case.
PAGES = (b"<!doctype html", b"<html", b"<error", b"<?xml")
MARKUP = (".html", ".htm", ".xhtml", ".mhtml", ".xml", ".sgm", ".svg")
# Keys of an object that says what went wrong; "errors" may be a setting of a tokenizer.
COMPLAINTS = {"error", "message", "detail", "error_description", "fault"}
MAGIC = {".parquet": b"PAR1", ".npy": b"\x93NUMPY", ".gguf": b"GGUF"}
DAMAGED = (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError, zipfile.BadZipFile, ValueError)
BLOCK = 1 << 20
EXPECTED = "are expected"  # ends the message about a file with less
# Counts are third parties', of copies of their own: one record in so many may be missing or added.
TOLERATED = 1000
LINES = ("gpt2-jsonl", "goodreads", "jsonl")  # formats of a record a line, whatever the suffix
Expected = int | Mapping[str, int]  # a number, or {"at_least": number}
# Formats of texts whose files are read document by document, and are not parts of one.
ONE_BY_ONE = ("lateral-wikipedia", "nyt-text", "goodreads", "gpt2-jsonl", "gpt2-samples", "jsonl")


def problem_with_content(path: Path, name: str, format_: str, source: str) -> str:
    """Why a file cannot be what its name and format say; "" if nothing speaks against it.

    Args:
        path: The file, under whatever name.
        name: Its own name.
        format_: The format of its source: of texts and vectors the beginning is read.
        source: The source's id.
    """
    if not path.stat().st_size:
        return "the server sent nothing: it is empty"
    kind = Path(name).suffix.lower()
    with path.open("rb") as file:
        head = file.read(4096)
    if complaint := _complaint(head, path, kind):
        return complaint
    try:
        return _problem(path, Path(name.lower()), format_) or _unreadable(
            path, name, format_, source
        )
    except DAMAGED as error:
        return f"damaged or cut short ({str(error)[:80] or type(error).__name__})"


def _complaint(head: bytes, path: Path, kind: str) -> str:
    """What a server says instead of sending a file; "" if it has sent one."""
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


def _problem(path: Path, name: Path, format_: str) -> str:
    """What is wrong with a file of this name. Damage may be an exception, too."""
    kind = name.suffix
    if kind in ZIPS:
        with zipfile.ZipFile(path) as archive:
            bad = archive.testzip()
        return f"its member {bad} is damaged" if bad else ""
    if kind in MAGIC and not _framed(path, MAGIC[kind], both=kind == ".parquet"):
        return f"not a {kind} file, or cut short"
    if kind == ".safetensors":
        return _problem_with_safetensors(path)
    if kind == ".json" and format_ not in LINES:
        parse_json(path.read_text("utf-8-sig"))
    if kind in OPENERS:
        return _problem_with_stream(path, name, format_ in LINES)
    if format_ in LINES:
        with path.open("rb") as lines:
            return _problem_with_lines(lines)
    return ""


def _problem_with_stream(path: Path, name: Path, of_lines: bool) -> str:
    """A compressed file is read to its end, where its checksum is."""
    with OPENERS[name.suffix](path, "rb") as file:
        if of_lines:
            return _problem_with_lines(file)
        start = file.read(BLOCK)
        while file.read(BLOCK):
            pass
    page = start.lstrip().lower().startswith(PAGES) and Path(name.stem).suffix not in MARKUP
    return "an error page, compressed, instead of the file" if page else ""


def _problem_with_lines(lines: IO[bytes]) -> str:
    """The first and last lines of JSON lines must be whole records."""
    first = last = b""
    for line in lines:
        first, last = first or line, line if line.strip() else last
    for which, line in (("first", first), ("last", last)):
        record = parse_json(line)
        if not isinstance(record, dict) or record.keys() <= COMPLAINTS:
            return f"its {which} line is no record: {_line(line)}"
    return ""


def _problem_with_safetensors(path: Path) -> str:
    """The header says where the last tensor ends."""
    size = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if not 2 <= length <= size - 8:
            return "not a .safetensors file, or cut short"
        header = parse_json(file.read(length))
    tensors = [entry for key, entry in header.items() if key != "__metadata__"]
    try:
        end = max((int(entry["data_offsets"][1]) for entry in tensors), default=0)
    except (KeyError, TypeError, IndexError):
        return "not a .safetensors file: its header is not one"
    return "" if 8 + length + end == size else f"{size} bytes instead of {8 + length + end}"


def _framed(path: Path, magic: bytes, *, both: bool) -> bool:
    """Whether a file begins, and if asked also ends, with its kind's mark."""
    with path.open("rb") as file:
        starts = file.read(len(magic)) == magic
        if not both:
            return starts
        file.seek(-len(magic), os.SEEK_END)
        return starts and path.stat().st_size > 2 * len(magic) and file.read() == magic


def _unreadable(path: Path, name: str, format_: str, source: str) -> str:
    """Why the reader of the format cannot read the beginning; "" if it can or is not asked."""
    try:
        if format_ == "word2vec-binary":
            _words(path, format_)
        elif format_ in ("word2vec-text", "glove-text"):
            _first_vector(path, format_)
        elif format_ in ONE_BY_ONE:
            next(_read(path, format_, source), None)
    except UserError as error:
        return str(error).replace(str(path), name)
    return ""


def _line(text: bytes) -> str:
    return " ".join(text[:200].decode("utf-8", "replace").split())[:80]


def counted(path: Path, name: str, format_: str, source: str, wanted: tuple[str, ...]) -> dict:
    """How much there is of what the registry expects in a file.

    Args:
        path: The file, under whatever name.
        name: Its own name.
        format_: The format of its source, which selects the reader.
        source: The source's id.
        wanted: Any of `documents`, `decades`, `words`, `dimensions`, `rows`.

    Returns:
        By what is wanted, its number.

    Raises:
        UserError: the file is not of that format, or damaged.
    """
    stat = path.stat()
    stamp = (stat.st_size, stat.st_ctime_ns, stat.st_ino)
    return dict(_counted(stamp, str(path), name, format_, source, wanted))


@lru_cache
def _counted(
    stamp: tuple, path: str, name: str, format_: str, source: str, wanted: tuple[str, ...]
) -> tuple:
    del stamp  # a file that changes is counted anew
    file = Path(path)
    try:
        if "documents" in wanted:
            counts = {"documents": _documents(file, format_, source)}
        elif "words" in wanted:
            counts = _words(file, format_)
        else:
            counts = {"rows": _rows(file, Path(name).suffix)}
    except UserError as error:
        raise UserError(str(error).replace(path, name)) from None
    return tuple((key, counts[key]) for key in wanted)


def difference(expected: Mapping[str, Expected], counts: Mapping[str, int]) -> tuple[str, bool]:
    """How what was found differs from what was expected.

    Args:
        expected: By what is counted, how much there should be: a number, or `{"at_least": number}`.
        counts: By the same, how much there is.

    Returns:
        Both numbers of each count that differs, in words, or ""; and whether each differs by 0.1 %
        at most, which is tolerated. A count that has only a lower limit may not be below it.
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


def shortfall(expected: Mapping[str, Expected], counts: Mapping[str, int]) -> str:
    """How what was found differs from what was expected; "" if it does not, or hardly."""
    problem, slight = difference(expected, counts)
    return "" if slight else problem


def _documents(file: Path, format_: str, source: str) -> int:
    """Records of a corpus, with those that have no text, whatever the reader makes of them."""
    from socialbias.corpora.documents import ReadReport
    from socialbias.corpora.streams import SKIPPED

    report = ReadReport()
    for _ in _read(file, format_, source, report):
        pass
    records = report.documents + report.empty
    return records + report.notes[f"lines {SKIPPED}"] if format_ in LINES else records


def _read(file: Path, format_: str, source: str, report: Any = None) -> Iterator:
    """The documents of a corpus."""
    from socialbias.corpora.readers import READERS
    from socialbias.corpora.recipes import recipe

    return READERS[format_](file, report, **recipe("", source).get("options", {}))


def _words(file: Path, format_: str) -> dict[str, int]:
    """Words of word vectors, and numbers in each; of several decades also how many."""
    from socialbias.embeddings.files import open_binary
    from socialbias.embeddings.histwords import size_of
    from socialbias.embeddings.readers import WORDS, sizes

    if format_ == "histwords":
        return size_of(file)
    if format_ == "word2vec-binary":
        with open_binary(file) as opened:
            words, dimensions = sizes(opened, file)
    else:
        dimensions = len(_first_vector(file, format_))
        words = sum(1 for _ in WORDS[format_]([file]))
    return {"words": words, "dimensions": dimensions}


def _first_vector(file: Path, format_: str) -> Any:
    from socialbias.embeddings.readers import READERS, WORDS

    first = next(WORDS[format_]([file]), None)
    for _, vector in READERS[format_]([file], {first} if first else set()):
        return vector
    raise UserError(f"{file}: it has no word")


def _rows(file: Path, suffix: str) -> int:
    """Rows of a table, without its heading."""
    if suffix == ".parquet":
        import pyarrow.parquet as pq

        return pq.read_metadata(file).num_rows
    with file.open(encoding="utf-8-sig", newline="") as text:
        rows = csv.reader(text, delimiter="\t" if suffix == ".tsv" else ",")
        return sum(1 for row in rows if row) - 1
