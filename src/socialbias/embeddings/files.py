"""Opening vector files: one-line errors, compressed text, matrices in blocks."""

from __future__ import annotations

import io
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from socialbias.embeddings.vectors import NO_NPY, WordVectors, check_finite
from socialbias.errors import UserError
from socialbias.files.unpack import ZIP, decompressor, opened_zip

BLOCK = 1 << 22  # bytes read at a time
BOM = b"\xef\xbb\xbf"
MAX_DIMENSIONS = 100_000  # more means that the file is in another format


@contextmanager
def one_line_errors(name: Path | str) -> Iterator[None]:
    """Turn the errors of a missing, unreadable or damaged file into a UserError of one line."""
    try:
        yield
    except FileNotFoundError:
        raise UserError(f"{name}: no such file") from None
    except (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, OSError) as error:
        if getattr(error, "errno", None):  # from the system; decompressors set none
            raise UserError(f"{name}: cannot be read ({error.strerror})") from None
        raise UserError(f"{name}: damaged or truncated ({error}): fetch it again") from None


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Provide the file as a stream, decompressed if its first bytes say so, whatever its name.

    A zip gives its only member, or the one with 300 dimensions.
    """
    with ExitStack() as stack:
        stack.enter_context(one_line_errors(path))
        with path.open("rb") as file:
            start = file.read(6)
        if start.startswith(ZIP) and zipfile.is_zipfile(path):
            archive = stack.enter_context(opened_zip(path))
            names = [n for n in archive.namelist() if n[-1] != "/"]
            names = [n for n in names if not n.startswith("__MACOSX/")]
            chosen = names if len(names) == 1 else [n for n in names if n.endswith(".300d.txt")]
            if any(name.endswith("data.pkl") for name in names):
                raise UserError(f"{path}: it looks like weights of PyTorch: name their folder")
            if len(chosen) != 1:
                listed = ", ".join(names[:8]) or "nothing"
                raise UserError(f"{path}: it contains {listed}: unpack the one to read")
            file = stack.enter_context(archive.open(chosen[0]))
        else:
            file = stack.enter_context((decompressor(start) or open)(path, "rb"))
        yield io.BufferedReader(file, 1 << 20)


def npy_shape(file: BinaryIO, name: str) -> tuple[tuple[int, int], np.dtype]:
    """Return shape and type of a matrix in `.npy` format; the file is then at its first number.

    It is a UserError if it is not of numbers, or not stored row by row.
    """
    try:
        version = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0
        if version != (1, 0):
            read = np.lib.format.read_array_header_2_0
        shape, by_column, kind = read(file)
    except NO_NPY as error:
        raise UserError(f"{name}: not a .npy file ({str(error)[:60]})") from None
    if len(shape) != 2 or by_column or kind.kind != "f" or not 0 < shape[1] <= MAX_DIMENSIONS:
        raise UserError(f"{name}: not a matrix of numbers stored row by row")
    return shape, kind


def npy_blocks(file: BinaryIO, name: str, n: int) -> Iterator[NDArray]:
    """Yield the n rows of a matrix in `.npy` format, in blocks (m, d) of floats as they are stored.

    See `npy_shape`; another number of rows, or a truncated file, is a UserError too.
    """
    shape, kind = npy_shape(file, name)
    if shape[0] != n:
        raise UserError(f"{name}: {shape[0]} vectors for {n} words")
    width = shape[1] * kind.itemsize
    for start in range(0, n, block := max(1, BLOCK // width)):
        rows = min(block, n - start)
        data = file.read(rows * width)
        if len(data) != rows * width:
            raise UserError(f"{name}: truncated: fetch it again")
        yield np.frombuffer(data, kind).reshape(rows, shape[1])


def as_vectors(by_word: dict[str, NDArray[np.float32]], path: Path) -> WordVectors:
    """Return words in alphabetical order with their vectors; UserError if one is not finite."""
    words = sorted(by_word)
    matrix = np.stack([by_word[word] for word in words]) if words else np.empty((0, 0), np.float32)
    vectors = WordVectors(tuple(words), matrix)
    check_finite(vectors, path)
    return vectors
