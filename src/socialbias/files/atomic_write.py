"""Atomic writes and file locks.

Everything here leaves either the old state or the new one. A killed process leaves only files with
recognisable names: `NAME.part` and `NAME.<keys>.part` (see `https`) are unfinished downloads,
`.NAME.lock` is a lock that the next process takes over.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    import pandas as pd

Log = Callable[[str], None]
CHUNK = 1 << 20
# Two keys of 8 hexadecimal digits: the address and the version (see `https`).
PARTIAL = re.compile(r"\.[0-9a-f]{8}-[0-9a-f]{8}\.part$")
DISK_FULL = {errno.ENOSPC, errno.EDQUOT}
NO_LOCKS = {errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS}


def part_path(target: Path) -> Path:
    """The name under which a file is written before it is verified."""
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
    """A temporary name under which to write a file, which is then moved into place.

    If writing fails, the temporary file is removed and an existing file does not change.
    """
    part = part_path(target)
    try:
        yield part
        move_into_place(part, target)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def alone(target: Path) -> Iterator[Path]:
    """As `aside`, for a file that two processes may write at once: each waits for the other."""
    with locked(target.with_name(f".{target.name}.lock")), aside(target) as part:
        yield part


@contextmanager
def folder_aside(target: Path) -> Iterator[Path]:
    """A temporary folder to write into, which then replaces the target."""
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


def copy_stream(stream: BinaryIO, target: Path, limit: int | None) -> None:
    """Copy a stream to a file.

    Args:
        stream: Read to its end.
        target: Overwritten.
        limit: Maximum number of bytes; None for no limit.

    Raises:
        OSError: the stream is longer.
    """
    received = 0
    with target.open("wb") as file:
        while chunk := stream.read(CHUNK):
            received += len(chunk)
            if limit is not None and received > limit:
                raise OSError(f"more than the {limit} bytes expected")
            file.write(chunk)


@contextmanager
def locked(path: Path, log: Log | None = None) -> Iterator[None]:
    """Hold a lock that the system releases when this process ends, however it ends.

    Args:
        path: The lock file; it exists only while a process holds or waits for the lock.
        log: Called once if another process holds it.
    """
    handle = _acquire(path, log)
    try:
        yield
    finally:
        # Unlink before unlocking: a process that waits for this file notices that it is gone.
        path.unlink(missing_ok=True)
        os.close(handle)


def _acquire(path: Path, log: Log | None) -> int:
    """An open, locked file that still exists under its name."""
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _flock(handle, path, log)
            if path.exists() and os.path.samestat(os.fstat(handle), path.stat()):
                return handle
        except FileNotFoundError:
            pass  # its holder removed it between the two checks
        except BaseException:
            os.close(handle)
            raise
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
