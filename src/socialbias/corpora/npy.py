"""Arrays of unknown length, written in pieces: to `.npy` files and in memory."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

HEADER = 128  # bytes; enough for any length


class NpyWriter:
    """Writes a one-dimensional array to a file, which appears when it is complete."""

    def __init__(self, path: Path, dtype: DTypeLike):
        """Open a temporary file beside `path`."""
        self.path, self.dtype, self.length = path, np.dtype(dtype).newbyteorder("<"), 0
        self.part = path.with_name(f"{path.name}.part")
        self._file = self.part.open("wb")
        self._file.write(bytes(HEADER))

    def add(self, values: ArrayLike) -> None:
        """Append numbers."""
        piece = np.asarray(values, self.dtype)
        self.length += len(piece)
        self._file.write(piece.data if len(piece) else b"")

    def finish(self) -> None:
        """Write the header; the file is complete, but still has its temporary name."""
        header = io.BytesIO()
        fields = {"descr": self.dtype.str, "fortran_order": False, "shape": (self.length,)}
        np.lib.format.write_array_header_1_0(header, fields)
        text = header.getvalue()
        # Version 1.0 of the format: 6 bytes of magic, 2 of version, 2 of length, then the text.
        padded = text[10:].rstrip(b" \n").ljust(HEADER - 11) + b"\n"
        self._file.seek(0)
        self._file.write(text[:8] + len(padded).to_bytes(2, "little") + padded)
        self._file.close()

    def commit(self) -> None:
        """Rename the file to its final name."""
        self.part.replace(self.path)


def save_array(path: Path, values: ArrayLike, dtype: DTypeLike) -> None:
    """Write a whole array, atomically."""
    writer = NpyWriter(path, dtype)
    writer.add(values)
    writer.finish()
    writer.commit()


class GrowableArray:
    """A one-dimensional array in memory that can be appended to."""

    def __init__(self, values: ArrayLike, dtype: DTypeLike):
        self._buffer = np.array(values, dtype)
        self._length = len(self._buffer)

    def add(self, values: ArrayLike) -> None:
        """Append numbers; the capacity is doubled when needed."""
        values = np.asarray(values, self._buffer.dtype)
        end = self._length + len(values)
        if end > len(self._buffer):
            buffer = np.empty(max(end, 2 * len(self._buffer)), self._buffer.dtype)
            buffer[: self._length] = self.values
            self._buffer = buffer
        self._buffer[self._length : end] = values
        self._length = end

    @property
    def values(self) -> NDArray:
        """The current values, as a view."""
        return self._buffer[: self._length]
