"""How files come to lie where they belong: whole, on the disk, by one process at a time.

Everything here leaves either the old state or the new one. What a killed process leaves behind is
named so that it can be told apart: `NAME.part` and `NAME.<key>.part` (see `https`) are downloads on
their way, `.NAME.lock` is a lock that the next process takes over.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

Log = Callable[[str], None]
CHUNK = 1 << 20
# Two keys of 8 digits: where it comes from, and which version of it (see `https`).
PART = re.compile(r"\.[0-9a-f]{8}-[0-9a-f]{8}\.part$")
DISK_FULL = {errno.ENOSPC, errno.EDQUOT}
NO_LOCKS = {errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS}


def arrival_of(target: Path) -> Path:
    """The name under which a file arrives, before it is known to be right."""
    return target.with_name(f"{target.name}.part")


def parts_of(target: Path) -> list[Path]:
    """What interrupted downloads of a file have left beside it, the newest first."""
    length = len(target.name)
    parts = [
        path
        for path in target.parent.glob("*.part")
        if path.name.startswith(target.name) and PART.fullmatch(path.name[length:])
    ]
    return sorted(parts, key=lambda path: path.stat().st_mtime, reverse=True)


def land(arrival: Path, target: Path) -> None:
    """Rename a complete file to its place, on the disk before anyone can see it."""
    with arrival.open("rb") as file:
        os.fsync(file.fileno())
    arrival.replace(target)
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Write a folder's entries to the disk: a rename is lost with the power otherwise."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_text(path: Path, text: str) -> None:
    """Write a small text file atomically."""
    arrival = arrival_of(path)
    try:
        arrival.write_text(text, "utf-8")
        land(arrival, path)
    finally:
        arrival.unlink(missing_ok=True)


@contextmanager
def aside(target: Path) -> Iterator[Path]:
    """A name under which a file can be written; afterwards it is renamed to its place.

    Where writing fails, the file of that name is removed and the old one stays as it was.
    """
    arrival = arrival_of(target)
    try:
        yield arrival
        land(arrival, target)
    finally:
        arrival.unlink(missing_ok=True)


def copy_stream(stream: BinaryIO, target: Path, limit: int | None) -> None:
    """Copy a stream to a file.

    Args:
        stream: Read to its end.
        target: Overwritten.
        limit: Bytes that it may have at most; None for any number.

    Raises:
        OSError: the stream has more.
    """
    received = 0
    with target.open("wb") as file:
        while piece := stream.read(CHUNK):
            received += len(piece)
            if limit is not None and received > limit:
                raise OSError(f"more than the {limit} bytes expected")
            file.write(piece)


@contextmanager
def locked(path: Path, log: Log | None = None) -> Iterator[None]:
    """Hold a lock that the system releases when this process ends, however it ends.

    Args:
        path: The lock file; it is there only while someone holds or wants the lock.
        log: Told once when another process holds it.
    """
    handle = _take(path, log)
    try:
        yield
    finally:
        # The name goes before the lock: who waits for this file sees that it is no longer there.
        path.unlink(missing_ok=True)
        os.close(handle)


def _take(path: Path, log: Log | None) -> int:
    """An open lock file that is ours and that still bears its name."""
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _flock(handle, path, log)
            if path.exists() and os.path.samestat(os.fstat(handle), path.stat()):
                return handle
        except FileNotFoundError:
            pass  # its holder removed it between the two looks
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
            log(f"another process is at work on {path.name[1:].removesuffix('.lock')}: waiting")
        fcntl.flock(handle, fcntl.LOCK_EX)
    except OSError as error:
        if error.errno not in NO_LOCKS:
            raise
        if log:
            log(f"{path.parent} knows no locks: let no second process fetch the same file")
