"""Word vectors in gensim's pickles, read as records: nothing of gensim or numpy is called."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from socialbias.embeddings.files import MAX_DIMENSIONS, one_line_errors
from socialbias.errors import UserError
from socialbias.files.unpickle import MAX_BYTES, Record, loads

# The class, and its list of words, in gensim 3 and 4.
VECTORS = {
    "gensim.models.keyedvectors.Word2VecKeyedVectors": "index2word",
    "gensim.models.keyedvectors.KeyedVectors": "index_to_key",
}
OTHERWISE = "if you trust the file, load it in gensim and save_word2vec_format('my.vec')"
BESIDE = ".vectors.npy"  # after the file's name: a matrix that is too large for the pickle
DTYPE = "numpy.dtype"
NUMPY = ("numpy.core.multiarray", "numpy._core.multiarray")  # before numpy 2, and since
ARRAY, STRING = (tuple(f"{part}.{name}" for part in NUMPY) for name in ("_reconstruct", "scalar"))
ADMITTED = (*VECTORS, "gensim.models.keyedvectors.Vocab", "numpy.ndarray", DTYPE, *ARRAY, *STRING)


def read_keyed_vectors(path: Path) -> tuple[list[str], NDArray[np.float32] | Path]:
    """Read what gensim 3 or 4 wrote with `KeyedVectors.save`: n distinct words and their vectors.

    Vectors are (n, d), or the `.npy` file beside the pickle that has them. A file of another kind,
    or that asks for anything else, is a UserError; nothing was executed.
    """
    with one_line_errors(path), path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    try:
        model = loads(data, str(path), ADMITTED)
    except UserError as error:
        raise UserError(f"{error}; {OTHERWISE}") from None
    state = model.state if isinstance(model, Record) and model.of in VECTORS else None
    listed = state.get(VECTORS[model.of]) if isinstance(state, dict) else None
    if not isinstance(listed, list):
        raise UserError(f"{path}: not word vectors saved by gensim; {OTHERWISE}")
    try:
        words = [_word(entry) for entry in listed]
        beside = path.with_name(path.name + BESIDE)
        matrix = _matrix(state["vectors"]) if "vectors" in state else beside
    except (ValueError, TypeError, IndexError, AttributeError) as error:
        raise UserError(f"{path}: {ascii(str(error))[1:-1][:80]}") from None
    if isinstance(matrix, Path):
        if not matrix.is_file():
            raise UserError(f"{path}: its vectors should be beside it in {matrix.name}")
    elif len(matrix) != len(words):
        raise UserError(f"{path}: {len(matrix)} vectors for {len(words)} words")
    if len(set(words)) != len(words):
        raise UserError(f"{path}: a word stands in it twice")
    return words, matrix


def _word(entry: object) -> str:
    """Return a string, or the one in numpy's scalar: its type, and four bytes a character."""
    if isinstance(entry, str):
        return entry
    if not isinstance(entry, Record) or entry.of not in STRING:
        raise ValueError("one of its words is no string")
    kind, content = entry.arguments
    if _kind(kind) != f"<U{len(content) // 4}":
        raise ValueError("one of its words is no string of its type")
    return content.decode("utf-32-le").rstrip("\0")


def _matrix(entry: object) -> NDArray[np.float32]:
    """Return a matrix of 32-bit numbers, row by row."""
    if not isinstance(entry, Record) or entry.of not in ARRAY:
        raise ValueError("its vectors are no array")
    _, (n, d), kind, by_column, content = entry.state
    if _kind(kind) != "<f4" or by_column is not False or not isinstance(content, bytes):
        raise ValueError("its vectors are not 32-bit numbers, row by row")
    if not 0 < d <= MAX_DIMENSIONS or n <= 0 or len(content) != 4 * n * d:
        raise ValueError(f"its vectors are not {n} x {d} numbers")
    return np.frombuffer(content, "<f4").reshape(n, d)


def _kind(entry: object) -> str:
    """Return a type with its byte order, such as `<f4`."""
    if not isinstance(entry, Record) or entry.of != DTYPE:
        raise ValueError("a type that is none")
    return entry.state[1] + entry.arguments[0]
