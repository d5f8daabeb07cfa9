"""Archives from the outside world, opened as what they are: untrusted.

Nothing is written outside the target folder, nothing but plain files and folders is made, and an
archive that unfolds into more than it may is left before it has filled the disk or the memory.
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
from socialbias.sources.landing import CHUNK, DISK_FULL, Log, locked, sync_folder

GiB = 1 << 30
DAMAGED = (
    zipfile.BadZipFile,
    tarfile.TarError,
    gzip.BadGzipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,  # a compression that Python does not know
)
COMPRESSIONS = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}


@dataclass(frozen=True)
class Limits:
    """What an archive may unfold into.

    Attributes:
        total: Bytes of all files together.
        count: Members.
        single: Bytes of one file.
        ratio: Bytes that come out for one that goes in, looked at once `unnoticed` bytes are out.
        unnoticed: Bytes that are no harm, however well they were compressed.
        depth: Folders within folders.
    """

    total: int = 64 * GiB
    count: int = 200_000
    single: int = 32 * GiB
    ratio: float = 250.0
    unnoticed: int = 32 << 20
    depth: int = 32


class Refused(Exception):
    """What is wrong with an archive; told as a `UserError` with the archive's name."""


class Missing(Exception):
    """There is no such member."""


@contextmanager
def open_member(
    archive: Path, member: str, limits: Limits | None = None, inside_top: bool = False
) -> Iterator[BinaryIO]:
    """Open one file of an archive for reading; nothing is unpacked.

    Args:
        archive: A zip or tar (also .gz, .bz2, .xz) file, or one compressed file, which has a single
            member with its name less the last suffix. What it is is told by its content.
        member: The member's name. Of two that bear it a zip is refused; of a tar, which has to be
            read from its beginning, the first is taken: check what you read.
        limits: On the member, and on the archive up to it.
        inside_top: Whether the name may also be one below the archive's top folder.

    Yields:
        A binary stream that raises once a limit is passed.

    Raises:
        UserError: no such member, or one that may not be trusted, or a damaged archive.
    """
    limits = limits or Limits()
    with _one_line(archive), ExitStack() as stack:
        for entry in _entries(archive, limits, stack):
            name = entry.name.removeprefix("./")
            if member == name or (inside_top and member == name.partition("/")[2]):
                entry.check(limits)
                if entry.folder:
                    raise Refused(f"{member} is a folder")
                packed = archive.stat().st_size
                with entry.open() as stream:
                    yield io.BufferedReader(_Counted(stream, limits, packed), CHUNK)
                return
        raise Missing(f"it has no member {member}")


def unpack(
    archive: Path, folder: Path, limits: Limits | None = None, log: Log | None = None
) -> list[str]:
    """Unpack an archive, all of it or nothing.

    Args:
        archive: As in `open_member`.
        folder: Where to; replaced as a whole once everything is out and on the disk.
        limits: What it may unfold into.
        log: Told when another process is unpacking to the same folder.

    Returns:
        The names of the files, sorted, relative to the folder.

    Raises:
        UserError: the archive may not be trusted, is damaged, or the disk is full; one line.
    """
    limits = limits or Limits()
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh, old = (folder.with_name(f".{folder.name}.{x}") for x in ("unpacking", "old"))
    with locked(folder.with_name(f".{folder.name}.lock"), log), _one_line(archive):
        _remove(fresh)  # of a process that was killed
        try:
            fresh.mkdir()
            names = _extract(archive, fresh, limits)
            _remove(old)
            if folder.exists():
                folder.rename(old)
            fresh.rename(folder)
            sync_folder(folder.parent)
        except OSError as error:
            if error.errno not in DISK_FULL:
                raise
            raise UserError(f"{archive.name}: no space to unpack it to {folder}") from None
        finally:
            _remove(fresh)
            _remove(old)
    return sorted(names)


@dataclass(frozen=True)
class _Entry:
    """One member of an archive, whatever kind of archive it is."""

    name: str
    size: int
    folder: bool
    problem: str  # what makes it something else than a plain file or folder; "" when nothing does
    open: Callable[[], BinaryIO]

    def check(self, limits: Limits) -> None:
        """Refuse what is no plain file, or says itself that it is too large."""
        if self.problem:
            raise Refused(f"{_shown(self.name)} is {self.problem}")
        if self.size > limits.single:
            raise Refused(f"{_shown(self.name)} has {self.size} bytes, {limits.single} allowed")


def _extract(archive: Path, folder: Path, limits: Limits) -> list[str]:
    """Write every member below an empty folder."""
    spelling: dict[tuple[str, ...], tuple[str, ...]] = {}
    files: dict[tuple[str, ...], str] = {}
    out = 0
    packed = archive.stat().st_size
    with ExitStack() as stack:
        for entry in _entries(archive, limits, stack):
            entry.check(limits)
            parts = _safe_parts(entry.name, limits)
            if entry.folder and not parts:
                continue  # the archive's own folder
            if not parts:
                raise Refused("one of its files has no name")
            _check_collision(parts, entry, spelling, files)
            target = folder.joinpath(*parts)
            if entry.folder:
                target.mkdir(parents=True, exist_ok=True)
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            with entry.open() as stream:
                out = _write(_Counted(stream, limits, packed, out), target)
    for path in [folder, *(p for p in folder.rglob("*") if p.is_dir())]:
        sync_folder(path)
    return list(files.values())


def _write(stream: _Counted, target: Path) -> int:
    """Write one file; returns the bytes that are out by now."""
    with target.open("xb") as file:
        while piece := stream.read(CHUNK):
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())
    return stream.out


def _check_collision(
    parts: tuple[str, ...],
    entry: _Entry,
    spelling: dict[tuple[str, ...], tuple[str, ...]],
    files: dict[tuple[str, ...], str],
) -> None:
    """Refuse a name that is there already, on this file system or on one that ignores case."""
    name = _shown(entry.name)
    key: tuple[str, ...] = ()
    for end, part in enumerate(parts, start=1):
        key = (*key, unicodedata.normalize("NFC", part).casefold())
        file = end == len(parts) and not entry.folder
        if spelling.get(key, parts[:end]) != parts[:end]:
            raise Refused(f"{name} differs from another name only by case")
        if key in files and file:
            raise Refused(f"{name} is there twice")
        if key in files or (file and key in spelling):
            raise Refused(f"{'/'.join(parts[:end])!a} is both a file and a folder")
        spelling[key] = parts[:end]
    if not entry.folder:
        files[key] = "/".join(parts)


def _safe_parts(name: str, limits: Limits) -> tuple[str, ...]:
    """The parts of a member's name.

    Raises:
        Refused: it leads out of the folder, or cannot be a name everywhere.
    """
    shown = _shown(name)
    if name.startswith("/") or re.match(r"[A-Za-z]:", name):
        raise Refused(f"{shown} is an absolute path")
    if "\\" in name or any(unicodedata.category(c) in ("Cc", "Cs") for c in name):
        raise Refused(f"{shown} has characters that no file name should have")
    parts = tuple(part for part in name.split("/") if part not in ("", "."))
    if ".." in parts:
        raise Refused(f"{shown} leads out of the folder")
    if len(parts) > limits.depth:
        raise Refused(f"{shown} is {len(parts)} folders deep, {limits.depth} allowed")
    if any(len(part.encode()) > 255 for part in parts):
        raise Refused(f"{shown} has a part of more than 255 bytes")
    return parts


def _entries(archive: Path, limits: Limits, stack: ExitStack) -> Iterator[_Entry]:
    """The members of an archive, at most as many as are allowed."""
    with archive.open("rb") as file:
        start = file.read(512)
    if start.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        yield from _zip_entries(archive, limits, stack)
        return
    opener = next((o for magic, o in COMPRESSIONS.items() if start.startswith(magic)), None)
    if opener is not None:
        with opener(archive) as file:
            start = file.read(512)
    named_tar = re.search(r"\.(tar(\.\w+)?|tgz|tbz2?|txz)$", archive.name.lower())
    if start[257:262] == b"ustar" or named_tar:
        yield from _tar_entries(archive, opener or Path.open, limits, stack)
    elif opener is not None:
        yield _Entry(archive.stem, 0, False, "", lambda: opener(archive))
    else:
        raise Refused("it is no zip, tar, gz, bz2 or xz file")


def _zip_entries(archive: Path, limits: Limits, stack: ExitStack) -> Iterator[_Entry]:
    """The members of a zip file."""
    guarded = stack.enter_context(_GuardedFile(archive, limits))
    opened = stack.enter_context(zipfile.ZipFile(guarded))
    infos = opened.infolist()
    if len(infos) > limits.count:
        raise Refused(f"it has {len(infos)} members, {limits.count} allowed")
    total = sum(info.file_size for info in infos)
    if total > limits.total:
        raise Refused(f"it unfolds into {total} bytes, {limits.total} allowed")
    seen: set[str] = set()
    for info in infos:
        if info.orig_filename in seen:
            raise Refused(f"{_shown(info.filename)} is there twice")
        seen.add(info.orig_filename)
    for info in infos:
        kind = stat.S_IFMT(info.external_attr >> 16)
        problem = "encrypted" if info.flag_bits & 1 else ""
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            problem = "a link" if kind == stat.S_IFLNK else "no plain file"
        if "\0" in info.orig_filename:
            problem = "a name with an end in its middle"
        name, folder = info.filename, info.is_dir()
        yield _Entry(name, info.file_size, folder, problem, lambda i=info: opened.open(i))


def _tar_entries(archive: Path, opener, limits: Limits, stack: ExitStack) -> Iterator[_Entry]:
    """The members of a tar file, as it is read."""
    file = stack.enter_context(opener(archive, "rb"))
    guarded = _GuardedStream(file, limits, archive.stat().st_size)
    opened = stack.enter_context(tarfile.TarFile(fileobj=guarded, mode="r"))
    for number, member in enumerate(opened, start=1):
        if number > limits.count:
            raise Refused(f"it has more than {limits.count} members")
        yield _Entry(
            member.name,
            member.size,
            member.isdir(),
            _tar_problem(member),
            lambda m=member: opened.extractfile(m),
        )


def _tar_problem(member: tarfile.TarInfo) -> str:
    """What makes a member something else than a plain file or folder."""
    if member.issym() or member.islnk():
        return "a link"
    if member.issparse():
        return "a file with holes"
    if not (member.isreg() or member.isdir()):
        return "no plain file"
    try:
        tarfile.data_filter(member, "/nowhere")  # what Python itself would refuse
    except tarfile.FilterError as error:
        return f"refused: {str(error).splitlines()[0]}"
    return ""


class _Counted(io.RawIOBase):
    """A member's bytes, counted: what an archive says of its sizes is not believed."""

    def __init__(self, stream: BinaryIO, limits: Limits, packed: int, out: int = 0):
        self.stream, self.limits, self.packed = stream, limits, packed
        self.out = out  # bytes of all members so far
        self.single = 0

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer) -> int:
        """Read what is there, and stop where a limit is passed."""
        piece = self.stream.read(len(buffer))
        buffer[: len(piece)] = piece
        self.single += len(piece)
        self.out += len(piece)
        if self.single > self.limits.single:
            raise Refused(f"a member has more than {self.limits.single} bytes")
        _check_total(self.out, self.packed, self.limits)
        return len(piece)


class _GuardedFile(io.FileIO):
    """A zip file whose list of members may not fill the memory."""

    def __init__(self, path: Path, limits: Limits):
        super().__init__(path)
        self.most = max(4 << 20, 160 * limits.count)

    def read(self, size: int = -1) -> bytes:
        """Read, but never more at once than a list of members may have."""
        if size is None or size < 0:
            size = max(0, os.fstat(self.fileno()).st_size - self.tell())
        if size > self.most:
            raise Refused("its list of members is too long")
        return super().read(size)


class _GuardedStream:
    """An uncompressed tar file, of which no more is read than may come out.

    Headers count too: those of tar may say themselves how long they are.
    """

    def __init__(self, file: BinaryIO, limits: Limits, packed: int):
        self.file, self.packed = file, packed
        # Each member has a header and is filled up to a block.
        total = limits.total + 4096 * limits.count
        self.limits = Limits(total=total, ratio=limits.ratio, unnoticed=limits.unnoticed)
        self.tell = file.tell

    def read(self, size: int) -> bytes:
        """Read, but never more at once than we or a sound header ask for."""
        if size > 4 * CHUNK:
            raise Refused("one of its headers is too long")
        _check_total(self.file.tell() + size, self.packed, self.limits, size)
        return self.file.read(size)

    def seek(self, position: int) -> int:
        """Go forward, which in a compressed file means to read."""
        while position - self.file.tell() > CHUNK:
            before = self.file.tell()
            self.file.seek(before + CHUNK)
            _check_total(self.file.tell(), self.packed, self.limits)
            if self.file.tell() == before:
                break
        return self.file.seek(position)


def _check_total(out: int, packed: int, limits: Limits, slack: int = 0) -> None:
    """Refuse an archive that unfolds into too much."""
    if out > limits.total + slack:
        raise Refused(f"it unfolds into more than {limits.total} bytes")
    if out > limits.unnoticed + slack and out > limits.ratio * max(packed, 1) + slack:
        raise Refused(f"it unfolds into more than {limits.ratio:.0f} times its size")


@contextmanager
def _one_line(archive: Path) -> Iterator[None]:
    """Tell what is wrong with an archive in one line that names it."""
    try:
        yield
    except Missing as error:
        raise UserError(f"{archive.name}: {error}") from None
    except Refused as error:
        raise UserError(f"{archive.name}: refused, nothing of it is used: {error}") from None
    except DAMAGED as error:
        what = (str(error).splitlines() or [type(error).__name__])[0]
        raise UserError(f"{archive.name}: damaged, fetch it again: {what}") from None


def _remove(folder: Path) -> None:
    """Remove a folder if it is there."""
    if folder.is_symlink() or folder.is_file():
        folder.unlink()
    elif folder.exists():
        shutil.rmtree(folder)


def _shown(name: str) -> str:
    """A member's name as it may be printed: short, on one line, without surprises."""
    return ascii(name if len(name) <= 80 else f"{name[:77]}...")
