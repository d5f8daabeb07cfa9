"""Arrays of unknown length, one piece after the other: in `.npy` files and in memory."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

HEADER = 128  # bytes; room for any length


class NpyWriter:
    """A one-dimensional array on its way to a file, which appears when it is complete."""

    def __init__(self, path: Path, dtype: DTypeLike):
        """Begin; the data goes to a file beside `path` until `close`."""
        self.path, self.dtype, self.length = path, np.dtype(dtype).newbyteorder("<"), 0
        self.arrival = path.with_name(f"{path.name}.part")
        self._file = self.arrival.open("wb")
        self._file.write(bytes(HEADER))

    def add(self, values: ArrayLike) -> None:
        """Append numbers."""
        piece = np.asarray(values, self.dtype)
        self.length += len(piece)
        self._file.write(piece.data if len(piece) else b"")

    def finish(self) -> None:
        """Write the header; the file is complete, but does not have its name yet."""
        header = io.BytesIO()
        about = {"descr": self.dtype.str, "fortran_order": False, "shape": (self.length,)}
        np.lib.format.write_array_header_1_0(header, about)
        text = header.getvalue()
        # Version 1 of the format: 6 bytes of magic, 2 of version, 2 of length, then the text.
        words = text[10:].rstrip(b" \n").ljust(HEADER - 11) + b"\n"
        self._file.seek(0)
        self._file.write(text[:8] + len(words).to_bytes(2, "little") + words)
        self._file.close()

    def land(self) -> None:
        """Give the file its name."""
        self.arrival.replace(self.path)


def save_array(path: Path, values: ArrayLike, dtype: DTypeLike) -> None:
    """Write a whole array, atomically."""
    writer = NpyWriter(path, dtype)
    writer.add(values)
    writer.finish()
    writer.land()


class Growing:
    """A one-dimensional array in memory to which numbers are appended."""

    def __init__(self, values: ArrayLike, dtype: DTypeLike):
        self._room = np.array(values, dtype)
        self._length = len(self._room)

    def add(self, values: ArrayLike) -> None:
        """Append numbers; room for more is made by doubling."""
        values = np.asarray(values, self._room.dtype)
        end = self._length + len(values)
        if end > len(self._room):
            room = np.empty(max(end, 2 * len(self._room)), self._room.dtype)
            room[: self._length] = self.values
            self._room = room
        self._room[self._length : end] = values
        self._length = end

    @property
    def values(self) -> NDArray:
        """What there is so far, as a view."""
        return self._room[: self._length]
