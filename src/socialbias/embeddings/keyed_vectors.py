"""Word vectors in gensim's pickles, read as records: nothing of gensim or numpy is called."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from socialbias.embeddings.files import MAX_DIMENSIONS, one_line_errors
from socialbias.errors import UserError
from socialbias.sources.unpickle import MAX_BYTES, Record, load_records

VECTORS = "gensim.models.keyedvectors.Word2VecKeyedVectors"
DTYPE = "numpy.dtype"
NUMPY = ("numpy.core.multiarray", "numpy._core.multiarray")  # before numpy 2, and since
ARRAY, STRING = (tuple(f"{part}.{name}" for part in NUMPY) for name in ("_reconstruct", "scalar"))
ADMITTED = (VECTORS, "gensim.models.keyedvectors.Vocab", "numpy.ndarray", DTYPE, *ARRAY, *STRING)


def read_keyed_vectors(path: Path) -> tuple[list[str], NDArray[np.float32]]:
    """Read what gensim 3 wrote with `KeyedVectors.save` into a single file.

    Args:
        path: A pickle of a `Word2VecKeyedVectors` with `index2word` and `vectors`.

    Returns:
        n distinct words, and their vectors, (n, d).

    Raises:
        UserError: the file is not of that kind, or asks for anything else; nothing was executed.
    """
    with one_line_errors(path), path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    model = load_records(data, str(path), ADMITTED)
    state = model.state if isinstance(model, Record) and model.of == VECTORS else None
    if not isinstance(state, dict) or not isinstance(state.get("index2word"), list):
        raise UserError(f"{path}: not word vectors saved by gensim")
    try:
        words = [_word(entry) for entry in state["index2word"]]
        matrix = _matrix(state.get("vectors"))
    except (ValueError, TypeError, IndexError, AttributeError) as error:
        raise UserError(f"{path}: {ascii(str(error))[1:-1][:80]}") from None
    if len(matrix) != len(words):
        raise UserError(f"{path}: {len(matrix)} vectors for {len(words)} words")
    if len(set(words)) != len(words):
        raise UserError(f"{path}: a word stands in it twice")
    return words, matrix


def _word(entry: object) -> str:
    """A string, or numpy's scalar of one: its type, and its characters in four bytes each."""
    if isinstance(entry, str):
        return entry
    if not isinstance(entry, Record) or entry.of not in STRING:
        raise ValueError("one of its words is no string")
    kind, content = entry.arguments
    if _kind(kind) != f"<U{len(content) // 4}":
        raise ValueError("one of its words is no string of its type")
    return content.decode("utf-32-le").rstrip("\0")


def _matrix(entry: object) -> NDArray[np.float32]:
    """A matrix of 32-bit numbers, row by row."""
    if not isinstance(entry, Record) or entry.of not in ARRAY:
        raise ValueError("its vectors are no array")
    _, (n, d), kind, by_column, content = entry.state
    if _kind(kind) != "<f4" or by_column is not False or not isinstance(content, bytes):
        raise ValueError("its vectors are not 32-bit numbers, row by row")
    if not 0 < d <= MAX_DIMENSIONS or n <= 0 or len(content) != 4 * n * d:
        raise ValueError(f"its vectors are not {n} x {d} numbers")
    return np.frombuffer(content, "<f4").reshape(n, d)


def _kind(entry: object) -> str:
    """A type with its byte order, such as `<f4`."""
    if not isinstance(entry, Record) or entry.of != DTYPE:
        raise ValueError("a type that is none")
    return entry.state[1] + entry.arguments[0]
