"""Arrays of unknown length, written to `.npy` files in pieces."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from socialbias.files.atomic_write import aside

HEADER = 128  # bytes, of any length: NumPy leaves room for it to grow
BLOCK = 1 << 20  # numbers in memory at a time


class NpyWriter:
    """Writes the numbers of a part of an array to a file, behind room for a header."""

    def __init__(self, path: Path, dtype: DTypeLike):
        self.dtype, self.length = np.dtype(dtype).newbyteorder("<"), 0
        self._file = path.open("wb")
        self._file.write(bytes(HEADER))

    def add(self, values: ArrayLike) -> None:
        """Append numbers."""
        piece = np.asarray(values, self.dtype)
        self.length += len(piece)
        self._file.write(piece.data if len(piece) else b"")

    def finish(self) -> None:
        """Close the file, to which `join` gives a header."""
        self._file.close()


# Parts are read and written, not memory-mapped: mapped pages would count as this process's memory.
def blocks_of(path: Path, dtype: DTypeLike) -> Iterator[NDArray]:
    """Yield the numbers of a part, block by block."""
    dtype = np.dtype(dtype).newbyteorder("<")
    with path.open("rb") as file:
        file.seek(HEADER)
        while data := file.read(dtype.itemsize * BLOCK):
            yield np.frombuffer(data, dtype)


def rewrite(path: Path, dtype: DTypeLike, change: Callable[[NDArray], NDArray]) -> None:
    """Replace the numbers of a part by what a function makes of them."""
    position, dtype = HEADER, np.dtype(dtype).newbyteorder("<")
    with path.open("r+b") as file:
        for block in blocks_of(path, dtype):
            file.seek(position)
            position += file.write(np.asarray(change(block), dtype).tobytes())


def join(paths: Sequence[Path], path: Path, dtype: DTypeLike) -> None:
    """Append parts to the first of them, which gets its final name; the others are removed."""
    dtype = np.dtype(dtype).newbyteorder("<")
    with paths[0].open("r+b") as file:
        file.seek(0, io.SEEK_END)
        for part in paths[1:]:
            with part.open("rb") as more:
                more.seek(HEADER)
                shutil.copyfileobj(more, file)
            part.unlink()
        length = (file.tell() - HEADER) // dtype.itemsize
        file.seek(0)
        fields = {"descr": dtype.str, "fortran_order": False, "shape": (length,)}
        np.lib.format.write_array_header_1_0(file, fields)
    paths[0].replace(path)


def save_array(path: Path, values: ArrayLike, dtype: DTypeLike) -> None:
    """Write a whole array, atomically."""
    with aside(path) as part, part.open("wb") as file:
        np.save(file, np.asarray(values, np.dtype(dtype).newbyteorder("<")))
