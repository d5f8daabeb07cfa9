"""Atomic writes and file locks.

Everything here leaves either the old state or the new one. In this project's own folders a killed
process leaves only files with recognisable names: `NAME.part` and `NAME.<keys>.part` (see `https`)
are unfinished downloads, `.NAME.lock` is a lock that the next process takes over. Beside a file
that a user named nothing may have a name that the user's own files could have (`write_output`).
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from socialbias.errors import UserError

if TYPE_CHECKING:
    import pandas as pd

Log = Callable[[str], None]
CHUNK = 1 << 20
OPENED = re.compile(r"/(?:dev|proc/self)/fd/(\d+)|/dev/std(out|err)")  # what a shell has opened
# Two keys of 8 hexadecimal digits: the address and the version (see `https`).
PARTIAL = re.compile(r"\.[0-9a-f]{8}-[0-9a-f]{8}\.part$")
DISK_FULL = {errno.ENOSPC, errno.EDQUOT}
# How libraries say it that pass the system's number on only as text, or not at all: pyarrow, numpy
# (`637600 requested and 76768 written`), PyTorch.
DISK_FULL_TEXT = re.compile(
    r"No space left on device|Disk quota exceeded|\d+ requested and \d+ written"
    r"|PytorchStreamWriter failed writing|unexpected pos \d+ vs \d+"
)
NO_LOCKS = {errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS}


def part_path(target: Path) -> Path:
    """Return the name under which a file is written before it is verified."""
    return target.with_name(f"{target.name}.part")


def partial_downloads(target: Path) -> list[Path]:
    """Files left by interrupted downloads of a file, the newest first."""
    length = len(target.name)
    parts = [
        path
        for path in target.parent.glob("*.part")
        if path.name.startswith(target.name) and PARTIAL.fullmatch(path.name[length:])
    ]
    return sorted(parts, key=lambda path: path.stat().st_mtime, reverse=True)


def move_into_place(part: Path, target: Path) -> None:
    """Flush a complete file to the disk, then rename it to its final name."""
    with part.open("rb") as file:
        os.fsync(file.fileno())
    part.replace(target)
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Flush a folder's entries to the disk: otherwise a power failure may undo a rename."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_text(path: Path, text: str) -> None:
    """Write a small text file atomically."""
    with aside(path) as part:
        part.write_text(text, "utf-8", newline="\n")


@contextmanager
def aside(target: Path) -> Iterator[Path]:
    """Provide a temporary name under which to write a file, which is then moved into place.

    If writing fails, the temporary file is removed and an existing file does not change.
    """
    part = part_path(target)
    try:
        yield part
        move_into_place(part, target)
    finally:
        part.unlink(missing_ok=True)


def write_output(path: Path | str, data: bytes, *, append: bool = False) -> None:
    """Write a file that a user named, whole or not at all, with the mode of what it replaces.

    What cannot be replaced is written in place: a pipe, a device, and what a shell has opened.
    """
    try:
        if opened := OPENED.fullmatch(str(Path(path))):
            number = opened[1] or {"out": 1, "err": 2}[opened[2]]
            with os.fdopen(os.dup(int(number)), "wb") as file:  # goes on where the last one ended
                file.write(data)
            return
        target = Path(path).resolve()
        mode = target.stat().st_mode if target.exists() else None
        if append or not (mode is None or stat.S_ISREG(mode)):
            with target.open("ab" if append else "wb") as file:
                file.write(data)
            return
        part = target.with_name(f".{secrets.token_hex(16)}.part")
        try:
            with part.open("xb") as file:  # a new file: no link is followed
                file.write(data)
            if mode is not None:
                part.chmod(stat.S_IMODE(mode))
            move_into_place(part, target)
        finally:
            part.unlink(missing_ok=True)
    except (OSError, RuntimeError, ValueError) as error:  # such as for links in a circle
        reason = getattr(error, "strerror", None) or error
        raise UserError(f"{path}: cannot be written ({reason})") from None


def check_output_folder(folder: Path) -> None:
    """Raise UserError if a folder cannot be written, or is not empty."""
    try:
        place = next(p for p in (folder, *folder.absolute().parents) if os.path.lexists(p))
        if not place.is_dir():
            raise UserError(f"{folder}: cannot be written ({place} is not a folder)")
        if not os.access(place, os.W_OK):
            raise UserError(f"{folder}: cannot be written ({place} is read-only)")
        if place == folder and any(folder.iterdir()):
            raise UserError(f"{folder}: already exists: name a new or empty folder")
    except OSError as error:
        raise UserError(f"{folder}: cannot be written ({error.strerror})") from None


@contextmanager
def folder_aside(target: Path) -> Iterator[Path]:
    """Provide a temporary folder to write into, which then replaces the target."""
    part = part_path(target)
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    yield part
    shutil.rmtree(target, ignore_errors=True)
    part.rename(target)


def write_parquet(path: Path | str, table: pd.DataFrame, **options: Any) -> None:
    """Write a table atomically; options are those of `DataFrame.to_parquet`."""
    with aside(Path(path)) as part:
        table.to_parquet(part, **options)


def copy_stream(stream: BinaryIO, target: Path, limit: int) -> None:
    """Copy a stream to a file."""
    received = 0
    with target.open("wb") as file:
        while chunk := stream.read(CHUNK):
            received += len(chunk)
            if received > limit:
                raise OSError(f"more than the {limit} bytes expected")
            file.write(chunk)


@contextmanager
def locked(path: Path, log: Log | None = None) -> Iterator[None]:
    """Hold a lock that the system releases when this process ends, however it ends."""
    while True:  # until the locked file still exists under its name
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _flock(handle, path, log)
            if path.exists() and os.path.samestat(os.fstat(handle), path.stat()):
                break
        except FileNotFoundError:
            pass  # its holder removed it between the two checks
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
    try:
        yield
    finally:
        # Unlink before unlocking: a process that waits for this file notices that it is gone.
        path.unlink(missing_ok=True)
        os.close(handle)


def _flock(handle: int, path: Path, log: Log | None) -> None:
    """Lock an open file, waiting as long as it takes."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        if log:
            name = path.name[1:].removesuffix(".lock")
            log(f"another process is working on {name}: waiting")
        fcntl.flock(handle, fcntl.LOCK_EX)
    except OSError as error:
        if error.errno not in NO_LOCKS:
            raise
        if log:
            log(f"{path.parent} does not support locks: run only one process that fetches files")


def full_disk(error: BaseException | None, folder: Path) -> str | None:
    """Return one line on an error that a full disk made: where, and how much is free.

    None for another error. Where the error names no file, the folder is this one.
    """
    while error is not None:
        if getattr(error, "errno", None) in DISK_FULL or DISK_FULL_TEXT.search(str(error)):
            path = Path(getattr(error, "filename", None) or folder)
            near = next(x for x in (path, *path.absolute().parents) if x.is_dir())
            return (
                f"{path}: the disk is full: {shutil.disk_usage(near).free:,} bytes are free in "
                f"{near}: free some space, and start the same command again: it goes on from what "
                "is finished"
            )
        error = error.__cause__ or error.__context__
    return None
