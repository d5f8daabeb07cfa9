"""HistWords: word vectors by decade, read from the published zip."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from socialbias.embeddings.files import as_vectors, one_line_errors
from socialbias.embeddings.vectors import NO_NPY, WordVectors
from socialbias.errors import UserError
from socialbias.files import unpickle


@dataclass(frozen=True)
class Decade:
    """One decade of HistWords: its vectors, and which words are missing."""

    year: int  # the first
    vectors: WordVectors  # the requested words that it has, in alphabetical order
    absent: tuple[str, ...]  # requested words of the vocabulary all of whose rows are zero


def read_histwords(path: Path, words: Iterable[str], years: Iterable[int]) -> Iterator[Decade]:
    """Yield HistWords' SGNS vectors of some decades (Hamilton, Leskovec and Jurafsky 2016).

    A decade is a matrix `sgns/<year>-w.npy` and a pickled list of its words,
    `sgns/<year>-vocab.pkl`, which the restricted unpickler reads. The decades are already aligned.
    As in the code of Bommasani and Liang 2022 (`fetch_coha_word2vec_embeddings`), words are in
    lower case, of rows that are then one word the last counts, and a word that is missing
    from the decade is a zero vector. A decade that is missing, or whose files are not in this
    format, is a UserError.
    """
    requested = set(words)
    with _decades(path) as files:
        for year in sorted(set(years)):
            if year not in files:
                available = ", ".join(map(str, sorted(files))) or "none"
                raise UserError(f"{path}: no decade {year}; it has {available}")
            vocabulary, name = _vocabulary(files[year][0]), f"{path}: {year}-w.npy"
            with files[year][1].open("rb") as file:
                matrix = _matrix(file, name)
            if len(matrix) != len(vocabulary):
                raise UserError(f"{name}: {len(matrix)} vectors for {len(vocabulary)} words")
            rows = {word: i for i, word in enumerate(vocabulary) if word in requested}
            there = {vocabulary[i] for i in np.flatnonzero(matrix.any(axis=1))}
            vectors = as_vectors({w: matrix[i].astype(np.float32) for w, i in rows.items()}, path)
            yield Decade(year, vectors, tuple(sorted(rows.keys() - there)))


def size_of(path: Path) -> dict[str, int]:
    """Return the number of decades, and of words and dimensions of the smallest."""
    shapes = []
    with _decades(path) as files:
        for year, (_, matrix) in files.items():
            with matrix.open("rb") as file:
                shapes.append(_matrix(file, f"{path}: {year}-w.npy").shape)
    if not shapes:
        raise UserError(f"{path}: no decade, such as sgns/1990-w.npy with sgns/1990-vocab.pkl")
    words, dimensions = map(min, zip(*shapes, strict=True))
    return {"decades": len(shapes), "words": words, "dimensions": dimensions}


def leading_words(path: Path, year: int, limit: int) -> list[str]:
    """Return the first words of a decade's vocabulary, which is sorted by decreasing frequency."""
    with _decades(path) as files:
        if year not in files:
            raise UserError(f"{path}: no decade {year}")
        return list(dict.fromkeys(_vocabulary(files[year][0])))[:limit]


@contextmanager
def _decades(path: Path) -> Iterator[dict[int, tuple[zipfile.Path, zipfile.Path]]]:
    """Provide the vocabulary and matrix of each year, as paths that can be opened."""
    with one_line_errors(path), zipfile.ZipFile(path) as archive:
        decades = {}
        for file in (zipfile.Path(archive, name) for name in archive.namelist()):
            match = re.fullmatch(r"(\d{4})-w\.npy", file.name)
            if match and "__MACOSX" not in str(file):
                decades[int(match[1])] = (file.parent / f"{match[1]}-vocab.pkl", file)
        # The full bundle also has vocabularies of other methods, elsewhere than beside the matrix.
        yield {year: pair for year, pair in decades.items() if pair[0].exists()}


def _vocabulary(file: zipfile.Path) -> list[str]:
    """Return the words of a decade in lower case, in the order of the rows."""
    with file.open("rb") as stream:
        words = unpickle.loads(stream.read(unpickle.MAX_BYTES + 1), str(file))
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise UserError(f"{file}: not a list of words")
    return [word.lower() for word in words]


def _matrix(file: BinaryIO, name: str) -> NDArray:
    """Return the matrix of a decade."""
    try:
        matrix = np.lib.format.read_array(file, allow_pickle=False)
    except NO_NPY as error:
        raise UserError(f"{name}: not a .npy file, or truncated ({str(error)[:60]})") from None
    if matrix.ndim != 2 or matrix.dtype.kind != "f":
        raise UserError(f"{name}: not a matrix of numbers")
    return matrix
