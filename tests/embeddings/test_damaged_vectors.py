"""Word vectors that are not what they say: each fault has one stated outcome."""

import numpy as np
import pytest

from socialbias.embeddings.readers import read_word_vectors
from socialbias.embeddings.vectors import WordVectors
from socialbias.errors import UserError
from socialbias.sources.sniffing import kind_of
from tests.reliability import fault

ROWS = {"she": [1, 2, 3], "he": [4, 5, 6], "it": [7, 8, 9]}


def manifest(path, form, *more):
    files = [{"path": path.name}, *({"path": name} for name in more)]
    return {"source": "demo", "format": form, "files": files}


def read(tmp_path, form, data, words=tuple(ROWS)):
    path = tmp_path / "v.bin"
    path.write_bytes(data)
    return read_word_vectors(tmp_path, manifest(path, form), words)


def binary(rows=ROWS, kind="<f4", head=None):
    d = len(next(iter(rows.values())))
    entries = (w.encode() + b" " + np.array(v, kind).tobytes() for w, v in rows.items())
    return (head or f"{len(rows)} {d}\n").encode() + b"".join(entries)


@fault(
    "vectors of a run that were cut, or have another number of words than rows",
    "one line: the folder, and that the run makes it again once it is removed",
)
def test_saved_vectors_that_were_damaged(tmp_path):
    folder = tmp_path / "professions"
    WordVectors(tuple(ROWS), np.array(list(ROWS.values()), np.float32)).save(folder)
    whole = (folder / "vectors.npy").read_bytes()
    (folder / "vectors.npy").write_bytes(whole[:-4])
    with pytest.raises(UserError, match=r"professions: its word vectors are damaged .*: remove"):
        WordVectors.load(folder)
    (folder / "vectors.npy").write_bytes(whole)
    (folder / "vocabulary.txt").write_text("she\n")
    with pytest.raises(UserError, match="professions: 1 words, but 3 x 3 numbers: remove"):
        WordVectors.load(folder)
    (folder / "vocabulary.txt").unlink()
    with pytest.raises(UserError, match=r"professions: .*No such file or directory.*: remove"):
        WordVectors.load(folder)


RANDOM = np.random.default_rng(1).normal(size=(60, 20)).astype("<f4")
MANY = {f"word{i}": row for i, row in enumerate(RANDOM)}


def test_text_with_numbers_is_a_corpus(tmp_path):
    path = tmp_path / "c.txt"
    path.write_text("In 1990 and 1991 there were 3 4\nShe met 12 nurses, 13 doctors.\n" * 60)
    assert kind_of(path) == "corpus"


@fault(
    "numbers of 16 bits, with a first line that states half of their number",
    "one line: the numbers have 16 bits",
)
@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_half_precision_with_half_the_width(tmp_path, kind):
    lengths = np.linalg.norm(RANDOM, axis=1, keepdims=True)
    for rows in (RANDOM, RANDOM / lengths, RANDOM / 10):
        halves = rows.astype("<f2")
        if kind == "bfloat16":
            halves = (rows.astype("<f4").view("<u4") >> 16).astype("<u2")
        body = b"".join(
            w.encode() + b" " + row.tobytes() for w, row in zip(MANY, halves, strict=True)
        )
        with pytest.raises(UserError, match="its numbers have 16 bits each: save them with 32"):
            read(tmp_path, "word2vec-binary", b"60 10\n" + body, MANY)
        read(tmp_path, "word2vec-binary", binary(dict(zip(MANY, rows, strict=True))), MANY)
