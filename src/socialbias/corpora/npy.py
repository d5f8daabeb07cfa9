"""Arrays written to `.npy` files, whole or piece by piece."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from socialbias.files.atomic_write import aside

BLOCK = 1 << 20  # numbers in memory at a time


# Files are read, not memory-mapped: mapped pages would count as this process's memory.
def blocks_of(path: Path, dtype: DTypeLike) -> Iterator[NDArray]:
    """Yield the numbers of a file that has nothing else, block by block."""
    with path.open("rb") as file:
        while data := file.read(np.dtype(dtype).itemsize * BLOCK):
            yield np.frombuffer(data, dtype)


def save_blocks(path: Path, blocks: Iterable[NDArray], length: int, dtype: str) -> None:
    """Write an array of a known length from its blocks, atomically."""
    with aside(path) as part, part.open("wb") as file:
        fields = {"descr": dtype, "fortran_order": False, "shape": (length,)}
        np.lib.format.write_array_header_1_0(file, fields)
        for block in blocks:
            file.write(np.asarray(block, dtype).tobytes())


def save_array(path: Path, values: ArrayLike, dtype: DTypeLike) -> None:
    """Write a whole array, atomically."""
    with aside(path) as part, part.open("wb") as file:
        np.save(file, np.asarray(values, np.dtype(dtype).newbyteorder("<")))
