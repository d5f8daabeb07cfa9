"""Reading word vectors in the formats in which they are published.

Every reader takes the words that are wanted and streams: a file of three million words is never
in memory as a whole. A word that stands twice keeps its first vector.
"""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from socialbias.embeddings.vectors import WordVectors
from socialbias.errors import UserError

CHUNK = 1 << 22  # bytes read at a time; far more than one word and its vector


def read_word_vectors(folder: Path, manifest: dict, wanted: Iterable[str]) -> WordVectors:
    """Read the wanted words from a fetched source.

    Args:
        folder: The folder in which the source's files lie.
        manifest: The source's manifest; its `format` says how to read.
        wanted: The words to look for.

    Returns:
        The wanted words that the source has, in alphabetical order.

    Raises:
        UserError: the format is unknown or a file is not of that format.
    """
    paths = [folder / file["path"] for file in manifest["files"]]
    readers = {
        "word2vec-binary": word2vec_binary,
        "glove-text": glove_text,
        "npy-parquet": npy_parquet,
    }
    if manifest["format"] not in readers:
        raise UserError(f"{manifest['source']}: no reader for the format {manifest['format']!r}")
    found: dict[str, np.ndarray] = {}
    for word, vector in readers[manifest["format"]](paths, set(wanted)):
        found.setdefault(word, vector)
    words = sorted(found)
    if not words:
        raise UserError(f"{manifest['source']}: none of the wanted words is in it")
    return WordVectors(tuple(words), np.stack([found[word] for word in words]))


def word2vec_binary(paths: list[Path], wanted: set[str]) -> Iterator[tuple[str, np.ndarray]]:
    """Mikolov's binary format: `n d`, then each word, a space, d little-endian float32.

    Some writers put a newline behind each vector and some do not; both are read. A name that ends
    in `.gz` is decompressed on the way.
    """
    targets = {word.encode() for word in wanted}
    with _open(paths[0]) as file:
        n, d = _header(file, paths[0])
        for i, (word, vector) in enumerate(_entries(file, n, width=4 * d)):
            if vector is None:
                raise UserError(f"{paths[0]}: ends after {i} of {n} words: fetch it again")
            if word in targets:
                yield word.decode(), np.frombuffer(vector, "<f4")


def glove_text(paths: list[Path], wanted: set[str]) -> Iterator[tuple[str, np.ndarray]]:
    r"""GloVe's text format, from the 300-dimensional member of the published zip.

    Lines end at `\n` only and are split from the right: words may hold spaces and U+0085.
    """
    path = paths[0]
    with zipfile.ZipFile(path) as archive, archive.open("glove.6B.300d.txt") as file:
        targets = {word.encode() for word in wanted}
        for line in io.BufferedReader(file, 1 << 20):
            if line.split(b" ", 1)[0] not in targets:
                continue
            word, *numbers = line.rstrip(b"\n").rsplit(b" ", 300)
            yield word.decode(), np.array(numbers, dtype=np.float32)


def npy_parquet(paths: list[Path], wanted: set[str]) -> Iterator[tuple[str, np.ndarray]]:
    """A matrix in `.npy` beside a parquet file whose only column is the words in its order."""
    import pyarrow.parquet as pq

    matrix = np.load(paths[0], mmap_mode="r", allow_pickle=False)
    words = pq.read_table(paths[1]).column(0).to_pylist()
    if len(words) != len(matrix):
        raise UserError(f"{paths[0]}: {len(matrix)} vectors for {len(words)} words")
    for i, word in enumerate(words):
        if word in wanted:
            yield word, np.array(matrix[i], dtype=np.float32)


def _open(path: Path) -> BinaryIO:
    """The file as a buffered stream, decompressed where its name says so."""
    return gzip.open(path) if path.suffix == ".gz" else path.open("rb")


def _header(file: BinaryIO, path: Path) -> tuple[int, int]:
    """The two numbers of the first line."""
    try:
        n, d = map(int, file.readline(64).split())
    except ValueError:
        raise UserError(f"{path}: not word2vec's binary format: no `n d` in line 1") from None
    return n, d


def _entries(file: BinaryIO, n: int, width: int) -> Iterator[tuple[bytes, bytes | None]]:
    """Each word with the bytes of its vector; None where the file ends too early."""
    buffer, start = b"", 0
    for _ in range(n):
        space = buffer.find(b" ", start)
        if space < 0 or space + 1 + width > len(buffer):
            buffer, start = buffer[start:] + file.read(CHUNK), 0
            space = buffer.find(b" ")
        end = space + 1 + width
        if space < 0 or end > len(buffer):
            yield b"", None
            return
        yield buffer[start:space].lstrip(b"\n"), buffer[space + 1 : end]
        start = end
