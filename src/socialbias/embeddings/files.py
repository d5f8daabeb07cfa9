"""Opening vector files: one-line errors, and compressed text."""

from __future__ import annotations

import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from socialbias.corpora.streams import open_bytes
from socialbias.embeddings.vectors import WordVectors, check_finite
from socialbias.errors import UserError

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
    """Provide the file as a stream, decompressed if its first bytes say so, whatever its name."""
    with one_line_errors(path):
        path.open("rb").close()
        with open_bytes(path) as file:
            yield file


def as_vectors(by_word: dict[str, NDArray[np.float32]], path: Path) -> WordVectors:
    """Return words in alphabetical order with their vectors; UserError if one is not finite."""
    words = sorted(by_word)
    matrix = np.stack([by_word[word] for word in words]) if words else np.empty((0, 0), np.float32)
    vectors = WordVectors(tuple(words), matrix)
    check_finite(vectors, path)
    return vectors
