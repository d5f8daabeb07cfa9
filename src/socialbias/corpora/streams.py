"""Lines of a file, compressed or not, with memory bounded by the longest line or document.

Errors are `UserError`s that name the file and the line. `cut=True` means that the file is known to
be truncated: then its incomplete last line is counted in the report. A few lines that are not of
the format are counted and skipped (see `OddLines`); more of them are an error.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, BinaryIO, TypeVar

from socialbias.corpora.documents import ReadReport
from socialbias.errors import UserError
from socialbias.files.json_files import parse_json
from socialbias.system.progress import Pace

MAX_LENGTH = 64 << 20  # bytes of a line, characters of a document: more is not a text corpus
BUFFER = 1 << 20
ZIP = (b"PK\x03\x04", b"PK\x05\x06")  # how an archive begins, and an empty one
COMPRESSIONS = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}
DAMAGED = (EOFError, zlib.error, OSError, zipfile.BadZipFile)  # as raised by the modules
ODD_PER = 1000  # lines of a file, of which one may be odd
FEWEST_ODD = 10  # odd lines that a short file may have
HOPELESS = 1000  # odd lines after which a file is given up where a tenth of it is odd
ARRAY = re.compile(rb"\s*\[\s*(\{|$)")  # how an array of objects begins, on a line or several
SKIPPED = "that are not of the format, skipped"  # such as lines

Source = Path | Sequence[Path]  # a corpus in one table, or in several
Made = TypeVar("Made")


class OddLines:
    """Lines of a file that are not of its format: counted, and an error if there are many.

    One line in 1,000 may be odd, and ten in a short file, but never most of them. The error names
    the first one, and what was expected of it.

    Args:
        report: Where to count.
        note: What has become of them, the report's note.
    """

    def __init__(self, report: ReadReport, note: str = f"lines {SKIPPED}"):
        self._report, self._note, self._first, self._n = report, note, "", 0

    def log(self, problem: str, number: int) -> None:
        """Count an odd line."""
        self._first, self._n = self._first or problem, self._n + 1
        self._report.notes[self._note] += 1
        if self._n > HOPELESS and 10 * self._n > number:
            self.check(number)

    def check(self, number: int) -> None:
        """Judge a file of so many lines, not counting blank ones."""
        if self._n > max(FEWEST_ODD, number // ODD_PER) or 2 * self._n > number:
            alike = f" ({self._n:,} of {number:,} lines have a problem)"
            raise UserError(f"{self._first}{alike * (self._n > 1)}")


class _Raw(io.FileIO):
    """A file that shows how much of it has been read, and the time that the rest takes."""

    def __init__(self, path: Path):
        super().__init__(path)
        self._pace, self._label = Pace(None), path.name
        self._size = max(path.stat().st_size, 1)

    def readinto(self, buffer) -> int:
        if self._pace.due():
            at = self.tell()
            left = self._pace.left(at, self._size)
            self._pace.log(f"{self._label}: {at / self._size:.0%} read, {left}")
        return super().readinto(buffer)


@contextmanager
def open_bytes(path: Path, member: str | None = None) -> Iterator[BinaryIO]:
    """Provide a file as a stream of its decompressed content."""
    with ExitStack() as stack:
        check_readable(path)
        file = stack.enter_context(io.BufferedReader(_Raw(path), BUFFER))
        magic = file.peek(10)[:10]
        if openers := [o for start, o in COMPRESSIONS.items() if magic.startswith(start)]:
            file = _buffered(stack.enter_context(openers[0](file)))
        elif magic.startswith(ZIP):
            try:
                archive = stack.enter_context(zipfile.ZipFile(file))
                if min((member.header_offset for member in archive.infolist()), default=0):
                    raise zipfile.BadZipFile("it stands behind another file")
            except zipfile.BadZipFile as error:
                raise UserError(f"{path}: damaged zip ({error}): fetch it again") from None
            file = _buffered(open_member(archive, _member(archive, member, path), path))
        begins = file.peek(BUFFER)[:-1]  # the last byte may be half of a line end
        has_old_ends = b"\r" in begins and b"\n" not in begins  # of a Mac before 2001
        yield _buffered(file, b"\r") if has_old_ends else file


def check_readable(path: Path) -> None:
    """Raise UserError if a file cannot be read."""
    try:
        path.open("rb").close()
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None


class _Decompressed(io.RawIOBase):
    """Returns what is decompressed so far, so that damage further on does not affect it.

    Its lines end with a newline.
    """

    def __init__(self, file, line_end: bytes):
        self._file, self._line_end = file, line_end

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        data = self._file.read1(len(buffer)).replace(self._line_end, b"\n")
        buffer[: len(data)] = data
        return len(data)


def _buffered(file, line_end: bytes = b"\n") -> io.BufferedReader:
    return io.BufferedReader(_Decompressed(file, line_end), BUFFER)


def open_member(archive: zipfile.ZipFile, name: str, path: Path) -> IO[bytes]:
    """Return a member of a zip as a stream."""
    try:
        return archive.open(name)
    except RuntimeError as error:  # includes NotImplementedError, for unsupported compression
        advice = "unpack it, and repack it as a plain zip without a password"
        raise UserError(f"{path}: {error}: {advice}") from None


def _member(archive: zipfile.ZipFile, member: str | None, path: Path) -> str:
    """Return the requested member; or the only one, or that of GloVe with 300 dimensions."""
    names = [n for n in archive.namelist() if not n.endswith("/") and not is_macos_metadata(n)]
    if any(name.endswith("data.pkl") for name in names):
        raise UserError(f"{path}: it looks like weights of PyTorch: name their folder")
    if member is not None:
        chosen = [name for name in names if name == member]
    else:
        chosen = names if len(names) == 1 else [n for n in names if n.endswith(".300d.txt")]
    if len(chosen) == 1:
        return chosen[0]
    listed = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
    problem = f"no member {member!r}: " if member else ""
    advice = "unpack the one to read"
    raise UserError(f"{path}: {problem}it contains {listed or 'nothing'}: {advice}")


def is_macos_metadata(name: str) -> bool:
    """Return whether a member of a zip is metadata added by macOS."""
    return name.startswith("__MACOSX/") or Path(name).name.startswith("._")


def raw_lines(
    path: Path, report: ReadReport, *, cut: bool = False, member: str | None = None
) -> Iterator[tuple[int, bytes]]:
    r"""Yield number (from 1) and bytes of each line, including its `\n`.

    A byte order mark is removed.
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
                if number == 1:
                    check_utf_8(line, path)
                    line = line.removeprefix(b"\xef\xbb\xbf")
                yield number, line
    except DAMAGED as error:
        if not (cut and isinstance(error, EOFError)):
            raise UserError(
                f"{path}: compressed data truncated or damaged after line {number} ({error}): "
                "fetch it again"
            ) from None
        report.truncated += 1


def check_utf_8(begins: bytes, path: Path) -> None:
    """UserError if a file that begins so is UTF-16."""
    if begins.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UserError(f"{path}: the file is UTF-16: save it as UTF-8")


def lines(path: Path, report: ReadReport, **options) -> Iterator[tuple[int, str]]:
    r"""As `raw_lines`, as text without the line end (`\n` or `\r\n`, and no other)."""
    for number, data in raw_lines(path, report, **options):
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
    path: Path,
    report: ReadReport,
    make: Callable[[int, dict, str], Made],
    *,
    cut: bool = False,
    member: str | None = None,
) -> Iterator[Made]:
    """Yield what is made of each line of JSON lines; blank lines are counted and skipped."""
    odd, n = OddLines(report), 0
    for number, data in raw_lines(path, report, cut=cut, member=member):
        if not data.strip():
            report.notes["blank lines"] += 1
            continue
        n += 1
        where = f"{path}, line {number}"
        try:
            made = make(number, _json_object(data, where, report), where)
        except UserError as error:
            if not data.endswith(b"\n") and data.lstrip()[:1] == b"{" and not _is_json(data):
                if cut and number > 1:
                    report.truncated += 1
                    return
                raise
            odd.log(str(error), n)
        else:
            yield made
    odd.check(n)


def _json_object(data: bytes, where: str, report: ReadReport) -> dict:
    if ARRAY.match(data):
        advice = "if the file is one array of objects, let its name end in .json"
        raise UserError(f"{where}: not a JSON object but an array: {advice}")
    try:
        record = parse_json(decode(data, report))
    except ValueError as error:
        raise UserError(
            f"{where}: not JSON ({str(error)[:60]}): an error page saved as data, or a truncated "
            f"file? It begins {ascii(data[:40])[2:-1]}"
        ) from None
    if not isinstance(record, dict):
        raise UserError(f"{where}: not a JSON object")
    return record


def _is_json(data: bytes) -> bool:
    try:
        parse_json(data.decode("utf-8", "replace"))
    except ValueError:
        return False
    return True


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
        """Return the lines joined by newlines; the buffer is emptied."""
        text = "\n".join(self._lines)
        self._lines, self._size = [], 0
        return text
