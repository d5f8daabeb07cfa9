"""Readers of word vectors on damaged files: finite vectors of one width, or one line."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialbias.embeddings.readers import leading_words, read_word_vectors
from tests.property.damage import damaged, few, reads_or_says_why
from tests.reliability import fault

WORDS = ["she", "he", "naïve", "it"]
MATRIX = np.array([[1, 2, -3], [0.5, 0, 1], [2, 2, 2], [0, 1, 0]], "<f4")
ROWS = list(zip(WORDS, MATRIX, strict=True))
BINARY = b"4 3\n" + b"".join(w.encode() + b" " + v.tobytes() for w, v in ROWS)
TEXT = "".join(f"{w} {' '.join(map(str, v))}\n" for w, v in ROWS).encode()
FORMS = {
    "word2vec-binary": BINARY,
    "word2vec-text": b"4 3\n" + TEXT,
    "glove-text": TEXT,
}


def npy(matrix):
    file = io.BytesIO()
    np.save(file, matrix)
    return file.getvalue()


def check(vectors):
    """A result is valid: distinct words, one width, finite numbers."""
    assert len(set(vectors.words)) == len(vectors.words) == len(vectors.matrix)
    assert vectors.matrix.ndim == 2
    assert np.isfinite(vectors.matrix).all()


@fault(
    "any bytes, or a file damaged in up to three places, read as word vectors of any format",
    "finite vectors of one width, or one line that names the file; never another error",
)
@pytest.mark.parametrize("form", FORMS)
@few
@given(data=st.data())
def test_vectors(tmp_path, form, data):
    path = tmp_path / "v.bin"
    manifest = {"source": path.name, "format": form, "files": [{"path": path.name}]}
    found = reads_or_says_why(
        path,
        data.draw(damaged(FORMS[form])),
        lambda path: read_word_vectors(path.parent, manifest, WORDS),
    )
    if found is not None:
        check(found)
    read = reads_or_says_why(
        path, path.read_bytes(), lambda path: leading_words(path.parent, manifest, 3)
    )
    assert read is None or len(set(read)) == len(read) <= 3


@few
@given(matrix=damaged(npy(MATRIX)), words=damaged("\n".join(WORDS).encode()))
def test_a_matrix_and_its_words(tmp_path, matrix, words):
    files = [{"path": "m.npy"}, {"path": "m.txt"}]
    manifest = {"source": "m.", "format": "npy-text", "files": files}

    (tmp_path / "m.txt").write_bytes(words)
    found = reads_or_says_why(
        tmp_path / "m.npy",
        matrix,
        lambda path: read_word_vectors(path.parent, manifest, WORDS),
        "m.txt",
        "m.: it has none",
    )
    if found is not None:
        check(found)
