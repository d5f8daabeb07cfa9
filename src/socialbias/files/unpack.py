"""Safe reading and unpacking of untrusted archives.

Nothing is written outside the target folder, only regular files and folders are created, and an
archive that expands beyond the limits is abandoned before it fills the disk or the memory.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import shutil
import stat
import tarfile
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from socialbias.errors import UserError
from socialbias.files.atomic_write import CHUNK, DISK_FULL

GiB = 1 << 30
DAMAGED = (
    zipfile.BadZipFile,
    tarfile.TarError,
    gzip.BadGzipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,  # a compression that Python does not support
)
ZIP = (b"PK\x03\x04", b"PK\x05\x06")  # how an archive begins, and an empty one
COMPRESSIONS = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}


def decompressor(start: bytes) -> Callable[..., BinaryIO] | None:
    """What opens a compressed file with this beginning; None for any other file."""
    return next((o for magic, o in COMPRESSIONS.items() if start.startswith(magic)), None)


def opened_zip(file: Path | BinaryIO) -> zipfile.ZipFile:
    """A zip that begins with its first member: one behind another file is not what was named.

    Raises:
        BadZipFile: it is none, or something else stands before it.
    """
    archive = zipfile.ZipFile(file)
    if min((member.header_offset for member in archive.infolist()), default=0):
        archive.close()
        raise zipfile.BadZipFile("it stands behind another file")
    return archive


@dataclass(frozen=True)
class Limits:
    """Limits on the contents of an archive.

    Attributes:
        total: Bytes of all files together.
        count: Members.
        single: Bytes of one file.
        ratio: Compression ratio, checked once `ratio_exempt` bytes are unpacked.
        ratio_exempt: Bytes that are harmless, however well they were compressed.
        depth: Levels of nested folders.
    """

    total: int = 64 * GiB
    count: int = 200_000
    single: int = 32 * GiB
    ratio: float = 250.0
    ratio_exempt: int = 32 << 20
    depth: int = 32


class UnsafeArchive(Exception):
    """What is wrong with an archive; becomes a `UserError` with the archive's name."""


class NoSuchMember(Exception):
    """There is no such member."""


@contextmanager
def open_member(
    archive: Path, member: str, limits: Limits | None = None, inside_top: bool = False
) -> Iterator[BinaryIO]:
    """Open one file of an archive for reading; nothing is unpacked.

    Args:
        archive: A zip or tar (also .gz, .bz2, .xz) file, or one compressed file, which has a single
            member with its name less the last suffix. The type is detected from the content.
        member: The member's name. A zip with two members of that name is refused; in a tar, which
            is read from the beginning, the first one is taken: verify what you read.
        limits: Apply to the member, and to the archive up to it.
        inside_top: Whether the name may also be relative to the archive's top folder.

    Yields:
        A binary stream that raises once a limit is exceeded.

    Raises:
        UserError: there is no such member, it is unsafe, or the archive is damaged.
    """
    limits = limits or Limits()
    with _one_line(archive), ExitStack() as stack:
        for entry in _entries(archive, limits, stack):
            name = entry.name.removeprefix("./")
            if member == name or (inside_top and member == name.partition("/")[2]):
                entry.check(limits)
                if entry.folder:
                    raise UnsafeArchive(f"{member} is a folder")
                packed = archive.stat().st_size
                with entry.open() as stream:
                    yield io.BufferedReader(_CountedStream(stream, limits, packed), CHUNK)
                return
        raise NoSuchMember(f"it has no member {member}")


def unpack(archive: Path, folder: Path, limits: Limits | None = None) -> list[str]:
    """Unpack an archive, all of it or nothing.

    Args:
        archive: As in `open_member`.
        folder: Destination, which does not exist yet.
        limits: On what is unpacked.

    Returns:
        The names of the files, sorted, relative to the folder.

    Raises:
        UserError: the archive is unsafe or damaged, or the disk is full; one line.
    """
    try:
        with _one_line(archive):
            folder.mkdir(parents=True)
            return sorted(_extract(archive, folder, limits or Limits()))
    except BaseException as error:
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, OSError) and error.errno in DISK_FULL:
            raise UserError(f"{archive.name}: no space to unpack it to {folder}") from None
        raise


@dataclass(frozen=True)
class _Entry:
    """One member of an archive, whatever kind of archive it is."""

    name: str
    size: int
    folder: bool
    problem: str  # why it is not a regular file or folder; "" if it is one
    open: Callable[[], BinaryIO]

    def check(self, limits: Limits) -> None:
        """Refuse a member that is not a regular file, or whose declared size is too large."""
        name = _printable(self.name)
        if self.problem:
            raise UnsafeArchive(f"{name} is {self.problem}")
        if self.size > limits.single:
            raise UnsafeArchive(f"{name} has {self.size} bytes, {limits.single} allowed")


def _extract(archive: Path, folder: Path, limits: Limits) -> list[str]:
    """Write every member into an empty folder."""
    spelling: dict[tuple[str, ...], tuple[str, ...]] = {}
    files: dict[tuple[str, ...], str] = {}
    unpacked = 0
    packed = archive.stat().st_size
    with ExitStack() as stack:
        for entry in _entries(archive, limits, stack):
            entry.check(limits)
            parts = _safe_parts(entry.name, limits)
            if entry.folder and not parts:
                continue  # the archive's root folder
            if not parts:
                raise UnsafeArchive("one of its files has no name")
            _check_collision(parts, entry, spelling, files)
            target = folder.joinpath(*parts)
            if entry.folder:
                target.mkdir(parents=True, exist_ok=True)
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            with entry.open() as stream:
                unpacked = _write(_CountedStream(stream, limits, packed, unpacked), target)
    return list(files.values())


def _write(stream: _CountedStream, target: Path) -> int:
    """Write one file; returns the total of bytes unpacked so far."""
    with target.open("xb") as file:
        while chunk := stream.read(CHUNK):
            file.write(chunk)
    return stream.unpacked


def _check_collision(
    parts: tuple[str, ...],
    entry: _Entry,
    spelling: dict[tuple[str, ...], tuple[str, ...]],
    files: dict[tuple[str, ...], str],
) -> None:
    """Refuse a name that already exists, on this file system or on a case-insensitive one."""
    name = _printable(entry.name)
    key: tuple[str, ...] = ()
    for end, part in enumerate(parts, start=1):
        key = (*key, unicodedata.normalize("NFC", part).casefold())
        file = end == len(parts) and not entry.folder
        if spelling.get(key, parts[:end]) != parts[:end]:
            raise UnsafeArchive(f"{name} differs from another name only by case")
        if key in files and file:
            raise UnsafeArchive(f"{name} occurs twice")
        if key in files or (file and key in spelling):
            raise UnsafeArchive(f"{'/'.join(parts[:end])!a} is both a file and a folder")
        spelling[key] = parts[:end]
    if not entry.folder:
        files[key] = "/".join(parts)


def _safe_parts(name: str, limits: Limits) -> tuple[str, ...]:
    """The parts of a member's name.

    Raises:
        UnsafeArchive: it leads out of the folder, or is not a valid name on every system.
    """
    shown = _printable(name)
    if name.startswith("/") or re.match(r"[A-Za-z]:", name):
        raise UnsafeArchive(f"{shown} is an absolute path")
    if "\\" in name or any(unicodedata.category(c) in ("Cc", "Cs") for c in name):
        raise UnsafeArchive(f"{shown} has characters that are not allowed in a file name")
    parts = tuple(part for part in name.split("/") if part not in ("", "."))
    if ".." in parts:
        raise UnsafeArchive(f"{shown} leads out of the folder")
    if len(parts) > limits.depth:
        raise UnsafeArchive(f"{shown} is {len(parts)} folders deep, {limits.depth} allowed")
    if any(len(part.encode()) > 255 for part in parts):
        raise UnsafeArchive(f"{shown} has a part of more than 255 bytes")
    return parts


def _entries(archive: Path, limits: Limits, stack: ExitStack) -> Iterator[_Entry]:
    """The members of an archive, up to the allowed number."""
    with archive.open("rb") as file:
        start = file.read(512)
    if start.startswith(ZIP):
        yield from _zip_entries(archive, limits, stack)
        return
    opener = decompressor(start)
    if opener is not None:
        with opener(archive) as file:
            start = file.read(512)
    named_tar = re.search(r"\.(tar(\.\w+)?|tgz|tbz2?|txz)$", archive.name.lower())
    if start[257:262] == b"ustar" or named_tar:
        yield from _tar_entries(archive, opener or Path.open, limits, stack)
    elif opener is not None:
        yield _Entry(archive.stem, 0, False, "", lambda: opener(archive))
    else:
        raise UnsafeArchive("it is not a zip, tar, gz, bz2 or xz file")


def _zip_entries(archive: Path, limits: Limits, stack: ExitStack) -> Iterator[_Entry]:
    """The members of a zip file."""
    guarded = stack.enter_context(_GuardedFile(archive, limits))
    opened = stack.enter_context(zipfile.ZipFile(guarded))
    infos = opened.infolist()
    if len(infos) > limits.count:
        raise UnsafeArchive(f"it has {len(infos)} members, {limits.count} allowed")
    total = sum(info.file_size for info in infos)
    if total > limits.total:
        raise UnsafeArchive(f"it expands to {total} bytes, {limits.total} allowed")
    seen: set[str] = set()
    for info in infos:
        if info.orig_filename in seen:
            raise UnsafeArchive(f"{_printable(info.filename)} occurs twice")
        seen.add(info.orig_filename)
    for info in infos:
        kind = stat.S_IFMT(info.external_attr >> 16)
        problem = "encrypted" if info.flag_bits & 1 else ""
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            problem = "a link" if kind == stat.S_IFLNK else "not a regular file"
        if "\0" in info.orig_filename:
            problem = "a name with a null character"
        name, folder = info.filename, info.is_dir()
        yield _Entry(name, info.file_size, folder, problem, lambda i=info: opened.open(i))


def _tar_entries(archive: Path, opener, limits: Limits, stack: ExitStack) -> Iterator[_Entry]:
    """The members of a tar file, as they are read."""
    file = stack.enter_context(opener(archive, "rb"))
    guarded = _GuardedStream(file, limits, archive.stat().st_size)
    opened = stack.enter_context(tarfile.TarFile(fileobj=guarded, mode="r"))
    for number, member in enumerate(opened, start=1):
        if number > limits.count:
            raise UnsafeArchive(f"it has more than {limits.count} members")
        yield _Entry(
            member.name,
            member.size,
            member.isdir(),
            _tar_problem(member),
            lambda m=member: opened.extractfile(m),
        )


def _tar_problem(member: tarfile.TarInfo) -> str:
    """Why a member is not a regular file or folder; "" if it is one."""
    if member.issym() or member.islnk():
        return "a link"
    if member.issparse():
        return "a sparse file"
    if not (member.isreg() or member.isdir()):
        return "not a regular file"
    try:
        tarfile.data_filter(member, "/nowhere")  # Python's own checks
    except tarfile.FilterError as error:
        return f"refused: {str(error).splitlines()[0]}"
    return ""


class _CountedStream(io.RawIOBase):
    """A member's bytes, counted: the sizes that an archive declares are not trusted."""

    def __init__(self, stream: BinaryIO, limits: Limits, packed: int, unpacked: int = 0):
        self.stream, self.limits, self.packed = stream, limits, packed
        self.unpacked = unpacked  # bytes of all members so far
        self.single = 0

    def readable(self) -> bool:
        """Always true."""
        return True

    def readinto(self, buffer) -> int:
        """Read some bytes, and raise once a limit is exceeded."""
        chunk = self.stream.read(len(buffer))
        buffer[: len(chunk)] = chunk
        self.single += len(chunk)
        self.unpacked += len(chunk)
        if self.single > self.limits.single:
            raise UnsafeArchive(f"a member has more than {self.limits.single} bytes")
        _check_total(self.unpacked, self.packed, self.limits)
        return len(chunk)


class _GuardedFile(io.FileIO):
    """A zip file whose list of members cannot fill the memory."""

    def __init__(self, path: Path, limits: Limits):
        super().__init__(path)
        self.max_read = max(4 << 20, 160 * limits.count)

    def read(self, size: int = -1) -> bytes:
        """Read, but never more at once than the largest allowed list of members."""
        if size is None or size < 0:
            size = max(0, os.fstat(self.fileno()).st_size - self.tell())
        if size > self.max_read:
            raise UnsafeArchive("its list of members is too long")
        return super().read(size)


class _GuardedStream:
    """A decompressed tar file, read no further than the limits allow.

    Headers count too, because a tar header may declare its own length.
    """

    def __init__(self, file: BinaryIO, limits: Limits, packed: int):
        self.file, self.packed = file, packed
        # Each member has a header and is padded to a full block.
        total = limits.total + 4096 * limits.count
        self.limits = Limits(total=total, ratio=limits.ratio, ratio_exempt=limits.ratio_exempt)
        self.tell = file.tell

    def read(self, size: int) -> bytes:
        """Read, but never more at once than this module or a valid header requests."""
        if size > 4 * CHUNK:
            raise UnsafeArchive("one of its headers is too long")
        _check_total(self.file.tell() + size, self.packed, self.limits, size)
        return self.file.read(size)

    def seek(self, position: int) -> int:
        """Seek forward, which in a compressed file means reading."""
        while position - self.file.tell() > CHUNK:
            before = self.file.tell()
            self.file.seek(before + CHUNK)
            _check_total(self.file.tell(), self.packed, self.limits)
            if self.file.tell() == before:
                break
        return self.file.seek(position)


def _check_total(unpacked: int, packed: int, limits: Limits, slack: int = 0) -> None:
    """Refuse an archive that expands too much."""
    if unpacked > limits.total + slack:
        raise UnsafeArchive(f"it expands to more than {limits.total} bytes")
    allowed = max(limits.ratio_exempt, limits.ratio * max(packed, 1))
    if unpacked > allowed + slack:
        raise UnsafeArchive(f"it expands to more than {limits.ratio:.0f} times its size")


@contextmanager
def _one_line(archive: Path) -> Iterator[None]:
    """Report what is wrong with an archive in one line that names it."""
    try:
        yield
    except NoSuchMember as error:
        raise UserError(f"{archive.name}: {error}") from None
    except UnsafeArchive as error:
        raise UserError(f"{archive.name}: refused, nothing was unpacked: {error}") from None
    except DAMAGED as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise UserError(f"{archive.name}: damaged, fetch it again: {reason}") from None


def _printable(name: str) -> str:
    """A member's name that is safe to print: short, on one line, in ASCII."""
    return ascii(name if len(name) <= 80 else f"{name[:77]}...")
