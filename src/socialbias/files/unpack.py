"""Safe reading and unpacking of untrusted zip and tar archives.

Nothing is written outside the target folder, only regular files and folders are created, and an
archive that expands too much is abandoned before it fills the disk or the memory.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO

from socialbias.errors import UserError
from socialbias.files.paths import stays_below

MAX_MEMBERS = 200_000
MAX_RATIO = 250  # of the bytes of all members to the archive's, if there are more than
HARMLESS = 32 << 20
ZIP = (b"PK\x03\x04", b"PK\x05\x06")  # how an archive begins, and an empty one
COMPRESSIONS = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}
DAMAGED = (zipfile.BadZipFile, tarfile.TarError, gzip.BadGzipFile, zlib.error, lzma.LZMAError)
DAMAGED += (EOFError, NotImplementedError)  # the latter: a compression that Python does not support
FOLDER, LINK = "a folder", "a link or not a regular file"
# The name of a member, why it cannot be read ("" for a regular file), and what opens it.
Member = tuple[str, str, Callable[[], BinaryIO]]


class UnsafeArchive(Exception):
    """What is wrong with an archive; becomes a `UserError` with the archive's name."""


def decompressor(start: bytes) -> Callable[..., BinaryIO] | None:
    """Return what opens a compressed file with this beginning; None for any other file."""
    return next((o for magic, o in COMPRESSIONS.items() if start.startswith(magic)), None)


@contextmanager
def open_member(archive: Path, member: str, inside_top: bool = False) -> Iterator[BinaryIO]:
    """Open one file of a zip or tar (also .gz, .bz2, .xz) for reading; nothing is unpacked.

    If two members of a tar have one name, the first is taken: verify it. With `inside_top`
    the name may also be relative to the archive's top folder. A member that is missing or unsafe,
    and an archive that is damaged, are a UserError.
    """
    with _members(archive) as members:
        for name, problem, opener in members:
            if member == name or (inside_top and member == name.partition("/")[2]):
                if problem:
                    raise UnsafeArchive(f"{member} is {problem}")
                with opener() as stream:
                    yield stream
                return
        raise UserError(f"{archive.name}: it has no member {member}")


def unpack(archive: Path, folder: Path) -> None:
    """Unpack an archive into a new folder: all of it, or nothing and a UserError."""
    folder.mkdir(parents=True)
    try:
        with _members(archive) as members:
            for name, problem, opener in members:
                if problem not in ("", FOLDER):
                    raise UnsafeArchive(f"{name[:80]!a} is {problem}")
                if name not in ("", ".") and not stays_below(name):
                    raise UnsafeArchive(f"{name[:80]!a} leads elsewhere, or is no file name")
                target = folder / name
                (target if problem else target.parent).mkdir(parents=True, exist_ok=True)
                if not problem:
                    with opener() as stream, target.open("xb") as file:
                        shutil.copyfileobj(stream, file)
    except BaseException as error:
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, OSError):
            raise UserError(f"{archive.name}: cannot be unpacked: {error}") from None
        raise


@contextmanager
def _members(archive: Path) -> Iterator[Iterator[Member]]:
    """Provide the members of an archive; what is wrong with it becomes one line that names it."""
    with archive.open("rb") as file:
        start, limit = file.read(6), max(HARMLESS, MAX_RATIO * archive.stat().st_size)
    try:
        if start.startswith(ZIP):
            with zipfile.ZipFile(archive) as opened:
                yield _in_zip(opened, limit)
        else:
            with (decompressor(start) or open)(archive, "rb") as file:
                yield _in_tar(tarfile.TarFile(fileobj=_Capped(file, limit)))
    except UnsafeArchive as error:
        raise UserError(f"{archive.name}: refused, nothing was unpacked: {error}") from None
    except DAMAGED as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise UserError(f"{archive.name}: damaged, fetch it again: {reason}") from None


def _in_zip(archive: zipfile.ZipFile, limit: int) -> Iterator[Member]:
    infos = archive.infolist()
    if len(infos) > MAX_MEMBERS or sum(info.file_size for info in infos) > limit:
        raise UnsafeArchive(f"more than {MAX_MEMBERS} members, or {limit} bytes in them")
    if len({info.filename for info in infos}) < len(infos):
        raise UnsafeArchive("one of its names occurs twice")
    for info in infos:  # none is longer than it declares
        is_file = stat.S_IFMT(info.external_attr >> 16) in (0, stat.S_IFREG, stat.S_IFDIR)
        problem = FOLDER if info.is_dir() else "encrypted" if info.flag_bits & 1 else ""
        yield info.filename, problem if is_file else LINK, partial(archive.open, info)


def _in_tar(archive: tarfile.TarFile) -> Iterator[Member]:
    for number, member in enumerate(archive):
        if number == MAX_MEMBERS:
            raise UnsafeArchive(f"it has more than {MAX_MEMBERS} members")
        is_file = member.isreg() and not member.issparse()
        problem = FOLDER if member.isdir() else "" if is_file else LINK
        yield member.name.removeprefix("./"), problem, partial(archive.extractfile, member)


class _Capped:
    """A decompressed tar file, read no further than allowed, whatever its headers declare."""

    def __init__(self, file: BinaryIO, limit: int) -> None:
        self.file, self.limit = file, limit
        self.tell, self.seekable = file.tell, file.seekable

    def read(self, size: int) -> bytes:
        if size > HARMLESS:
            raise UnsafeArchive("one of its headers is too long")
        self.seek(self.tell())
        return self.file.read(size)

    def seek(self, position: int) -> int:  # in a compressed file this means reading
        if position > self.limit:
            raise UnsafeArchive(f"it expands to more than {self.limit} bytes")
        return self.file.seek(position)
