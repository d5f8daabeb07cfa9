"""Opening vector files: one-line errors, and compressed text."""

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

from socialbias.embeddings.vectors import WordVectors, check_finite
from socialbias.errors import UserError
from socialbias.files.unpack import ZIP, decompressor, opened_zip

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


def as_vectors(by_word: dict[str, NDArray[np.float32]], path: Path) -> WordVectors:
    """Return words in alphabetical order with their vectors; UserError if one is not finite."""
    words = sorted(by_word)
    matrix = np.stack([by_word[word] for word in words]) if words else np.empty((0, 0), np.float32)
    vectors = WordVectors(tuple(words), matrix)
    check_finite(vectors, path)
    return vectors
