"""Lines of a file, compressed or not, with memory bounded by the longest line or document.

Errors are `UserError`s that name the file and the line. `cut=True` means that the file is known to
be truncated: then its incomplete last line is counted in the report.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, BinaryIO

from socialbias.corpora.documents import ReadReport
from socialbias.errors import UserError

MAX_LENGTH = 64 << 20  # bytes of a line, characters of a document: more is not a text corpus
BUFFER = 1 << 20
DAMAGED = (EOFError, zlib.error, OSError, zipfile.BadZipFile)  # as raised by the modules

Source = Path | Sequence[Path]


@contextmanager
def open_bytes(path: Source, member: str | None = None) -> Iterator[BinaryIO]:
    """A file as a stream of its decompressed content.

    Args:
        path: A file; gzip, bzip2 and zip are recognised by their first bytes, not by the name. Or
            several files that are parts of one, in order.
        member: Which file of a zip; optional if the zip has only one.

    Yields:
        A buffered binary stream.

    Raises:
        UserError: the file is missing, or the zip has no such member, or one that cannot be
            unpacked.
    """
    with ExitStack() as stack:
        try:
            raw = path.open("rb", buffering=0) if isinstance(path, Path) else _Parts(path)
        except OSError as error:
            raise UserError(f"{path}: cannot be read: {error.strerror}") from None
        file = stack.enter_context(io.BufferedReader(raw, BUFFER))
        magic = file.peek(10)[:10]
        if magic[:2] == b"\x1f\x8b":
            file = _buffered(stack.enter_context(gzip.GzipFile(fileobj=file)))
        elif magic[:3] == b"BZh" and magic[4:] == b"1AY&SY":
            file = _buffered(stack.enter_context(bz2.BZ2File(file)))
        elif magic[:4] == b"PK\x03\x04":
            archive = stack.enter_context(_zip(file, path))
            file = _buffered(open_member(archive, _member(archive, member, path), path))
        yield file


def check_readable(path: Path) -> None:
    """Raise the readers' usual error if a file, to be opened by a library, cannot be read."""
    try:
        path.open("rb").close()
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None


class _Decompressed(io.RawIOBase):
    """Returns what is decompressed so far, so that damage further on does not affect it."""

    def __init__(self, file):
        self._file = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        data = self._file.read1(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def _buffered(file) -> io.BufferedReader:
    return io.BufferedReader(_Decompressed(file), BUFFER)


class _Parts(io.RawIOBase):
    """Several files read as one."""

    def __init__(self, paths: Sequence[Path]):
        self._files = [path.open("rb", buffering=0) for path in paths]

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        while self._files and not (n := self._files[0].readinto(buffer)):
            self._files.pop(0).close()
        return n if self._files else 0

    def close(self) -> None:
        for file in self._files:
            file.close()
        super().close()


def _zip(file: BinaryIO, path: Source) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(file)
    except zipfile.BadZipFile as error:
        raise UserError(f"{path}: damaged zip ({error}): fetch it again") from None


def open_member(archive: zipfile.ZipFile, name: str, path: Source) -> IO[bytes]:
    """A member of a zip as a stream.

    Args:
        archive: The zip.
        name: The member.
        path: Where the zip is, for the error.

    Raises:
        UserError: it is encrypted, or Python does not support its compression.
    """
    try:
        return archive.open(name)
    except RuntimeError as error:  # includes NotImplementedError, for unsupported compression
        advice = "unpack it, and repack it as a plain zip without a password"
        raise UserError(f"{path}: {error}: {advice}") from None


def _member(archive: zipfile.ZipFile, member: str | None, path: Source) -> str:
    """The requested member, or the only one."""
    names = [n for n in archive.namelist() if not n.endswith("/") and not is_macos_metadata(n)]
    if member in names or (member is None and len(names) == 1):
        return member or names[0]
    listed = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
    problem = "name a member" if member is None else f"no member {member!r}"
    raise UserError(f"{path}: {problem}: it contains {listed or 'nothing'}")


def is_macos_metadata(name: str) -> bool:
    """Whether a member of a zip is metadata added by macOS."""
    return name.startswith("__MACOSX/") or Path(name).name.startswith("._")


def raw_lines(
    path: Source, report: ReadReport, *, cut: bool = False, member: str | None = None
) -> Iterator[tuple[int, bytes]]:
    r"""Number (from 1) and bytes of each line, including its `\n`; a byte order mark is removed.

    Raises:
        UserError: a line is longer than `MAX_LENGTH`, the file is UTF-16, or its compressed data
            is damaged or, without `cut`, incomplete.
    """
    number = 0
    try:
        with open_bytes(path, member) as file:
            while line := file.readline(MAX_LENGTH + 1):
                number += 1
                if len(line) > MAX_LENGTH:
                    raise UserError(
                        f"{path}, line {number}: longer than {MAX_LENGTH >> 20} MiB: "
                        "is this the right file and format?"
                    )
                yield number, _without_bom(line, path) if number == 1 else line
    except DAMAGED as error:
        if not (cut and isinstance(error, EOFError)):
            raise UserError(
                f"{path}: compressed data truncated or damaged after line {number} ({error}): "
                "fetch it again"
            ) from None
        report.truncated += 1


def _without_bom(line: bytes, path: Source) -> bytes:
    if line.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UserError(f"{path}: the file is UTF-16: save it as UTF-8")
    return line.removeprefix(b"\xef\xbb\xbf")


def lines(
    path: Source, report: ReadReport, *, cut: bool = False, member: str | None = None
) -> Iterator[tuple[int, str]]:
    r"""As `raw_lines`, as text without the line end (`\n` or `\r\n`, and no other)."""
    for number, data in raw_lines(path, report, cut=cut, member=member):
        yield number, decode(data, report).removesuffix("\n").removesuffix("\r")


def decode(data: bytes, report: ReadReport) -> str:
    """UTF-8 as text; invalid sequences become U+FFFD and are counted."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
        report.bad_bytes += text.count("\ufffd") - data.count(b"\xef\xbf\xbd")
        return text


def json_lines(
    path: Source, report: ReadReport, *, cut: bool = False, member: str | None = None
) -> Iterator[tuple[int, dict]]:
    """Number and object of each line of JSON lines; blank lines are counted and skipped.

    Raises:
        UserError: a line is not a JSON object, for example in an error page saved as data or a
            truncated file.
    """
    for number, data in raw_lines(path, report, cut=cut, member=member):
        if not data.strip():
            report.notes["blank lines"] += 1
            continue
        try:
            record = json.loads(decode(data, report))
        except (ValueError, RecursionError) as error:
            if cut and number > 1 and not data.endswith(b"\n"):
                report.truncated += 1
                return
            raise UserError(
                f"{path}, line {number}: not JSON ({str(error)[:60]}): an error page saved as "
                f"data, or a truncated file? It begins {ascii(data[:40])[2:-1]}"
            ) from None
        if not isinstance(record, dict):
            raise UserError(f"{path}, line {number}: not a JSON object")
        yield number, record


def text_field(record: dict, key: str, where: str, report: ReadReport) -> str:
    """A string of a record; its lone surrogates become U+FFFD and are counted.

    Raises:
        UserError: the record has no such key, or its value is not a string.
    """
    if not isinstance(record.get(key), str):
        problem = f"{key!r} is not a string" if key in record else f"no key {key!r}"
        keys = ", ".join(map(str, list(record)[:12]))
        raise UserError(f"{where}: {problem}; its keys are {keys}")
    return replace_surrogates(record[key], report)


def replace_surrogates(text: str, report: ReadReport) -> str:
    """Replace lone surrogates, which JSON allows and UTF-8 does not, by U+FFFD."""
    if text.isascii():
        return text
    data = text.encode("utf-8", "surrogatepass")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        fixed = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
        report.bad_bytes += fixed.count("\ufffd") - text.count("\ufffd")
        return fixed


class LineBuffer:
    """Lines that together form one document, no longer than `MAX_LENGTH`."""

    def __init__(self, path: Source):
        self._path, self._lines, self._size = path, [], 0

    def add(self, line: str, number: int) -> None:
        """Append a line; `number` is its line number, for error messages."""
        self._size += len(line) + 1
        if self._size > MAX_LENGTH:
            raise UserError(
                f"{self._path}, line {number}: a document of more than {MAX_LENGTH >> 20} million "
                "characters: is this the right format?"
            )
        self._lines.append(line)

    def take(self) -> str:
        """The lines joined by newlines; the buffer is emptied."""
        text = "\n".join(self._lines)
        self._lines, self._size = [], 0
        return text
