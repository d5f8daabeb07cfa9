"""What to say of an error that a full disk made: which file, how much, how much is free."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from socialbias.files.atomic_write import DISK_FULL

# How libraries say it that pass the system's number on only as text, or not at all: pyarrow, numpy
# (`637600 requested and 76768 written`), PyTorch.
SAID = re.compile(
    r"No space left on device|Disk quota exceeded|\d+ requested and \d+ written"
    r"|PytorchStreamWriter failed writing|unexpected pos \d+ vs \d+"
)


def full_disk(error: BaseException) -> str | None:
    """One line on an error that a full disk made; None for any other.

    Args:
        error: As it was caught, with its traceback, from which the file and the data are taken.
    """
    causes = list(_causes(error))
    numbers = {getattr(cause, "errno", None) for cause in causes}
    if not (numbers & DISK_FULL or any(SAID.search(str(cause)) for cause in causes)):
        return None
    frames = [frame for cause in causes for frame in _frames(cause)]
    path = next(filter(None, (_named(cause) for cause in causes)), None) or _path(frames)
    size = next(filter(None, map(_data, frames)), None)
    folder = next((p for p in (path or Path()).absolute().parents if p.is_dir()), Path())
    wanted = f"{size:,} bytes were to be written, " if size else ""
    free = shutil.disk_usage(folder).free
    return (
        f"{path or folder}: the disk is full: {wanted}{free:,} are free in {folder}: free some "
        "space, and start the same command again: it goes on from what is finished"
    )


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _named(error: BaseException) -> Path | None:
    name = getattr(error, "filename", None)
    return Path(name) if isinstance(name, str) else None


def _frames(error: BaseException) -> list[FrameType]:
    """The frames of a traceback, the innermost first."""
    frames, trace = [], error.__traceback__
    while trace is not None:
        frames.append(trace.tb_frame)
        trace = trace.tb_next
    return frames[::-1]


def _path(frames: list[FrameType]) -> Path | None:
    """The file that was being written: the path, or the open file, nearest to the error."""
    for frame in frames:
        for value in frame.f_locals.values():
            name = getattr(value, "name", None) if hasattr(value, "write") else value
            if isinstance(name, Path) or (value is not name and isinstance(name, str)):
                return Path(name)
    return None


def _data(frame: FrameType) -> int | None:
    """The size of what was being written: an array, a table, or text."""
    for value in frame.f_locals.values():
        size = getattr(value, "nbytes", None)
        if isinstance(value, bytes | str) and len(value) > 1 << 12:
            size = len(value)
        if isinstance(size, int) and size:
            return size
    return None
