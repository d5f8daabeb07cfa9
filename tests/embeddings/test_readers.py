import gzip
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from socialbias.embeddings import readers
from socialbias.embeddings.readers import read_word_vectors
from socialbias.errors import UserError

WORDS = ["the", "naïve", "New_York", "</s>", "zoo"]
# Coordinates whose bytes hold spaces and newlines: 0x20202020 and 0x0a0a0a0a as little-endian.
TRAPS = np.frombuffer(b"    \n\n\n\n", "<f4")
MATRIX = np.vstack([np.full(2, i, "<f4") for i in range(4)] + [TRAPS]).astype("<f4")
MATRIX = np.column_stack([MATRIX, np.ones(5, "<f4")])  # every vector has a length


def word2vec(words, matrix, newline):
    """The bytes of word2vec's binary format, joined by hand."""
    end = b"\n" if newline else b""
    entries = [w.encode() + b" " + v.tobytes() + end for w, v in zip(words, matrix, strict=True)]
    return f"{len(words)} {matrix.shape[1]}\n".encode() + b"".join(entries)


def read(path, wanted, form="word2vec-binary", *more):
    manifest = {"source": "demo", "format": form, "files": [{"path": path.name}, *more]}
    return read_word_vectors(path.parent, manifest, wanted)


@pytest.mark.parametrize("newline", [True, False], ids=["newline", "no newline"])
@pytest.mark.parametrize("name", ["vectors.bin", "vectors.bin.gz"])
def test_word2vec_binary_gives_the_wanted_words_in_alphabetical_order(tmp_path, newline, name):
    path = tmp_path / name
    body = word2vec(WORDS, MATRIX, newline)
    path.write_bytes(gzip.compress(body) if name.endswith(".gz") else body)
    got = read(path, ["zoo", "the", "absent", "naïve", "the"])
    assert got.words == ("naïve", "the", "zoo")
    np.testing.assert_array_equal(got.matrix, MATRIX[[1, 0, 4]])
    assert got.matrix.dtype == np.float32


@pytest.mark.parametrize("newline", [True, False], ids=["newline", "no newline"])
@pytest.mark.parametrize("chunk", [41, 42, 43, 50, 64, 97, 1 << 10])
def test_words_that_straddle_two_chunks_are_read_whole(tmp_path, monkeypatch, newline, chunk):
    # The longest entry has 12 + 1 + 4 * 6 + 1 = 38 bytes.
    monkeypatch.setattr(readers, "CHUNK", chunk)
    rng = np.random.default_rng(0)
    words = [f"w{i}" + "x" * int(rng.integers(0, 10)) for i in range(60)]
    matrix = rng.normal(size=(60, 6)).astype("<f4")
    path = tmp_path / "vectors.bin"
    path.write_bytes(word2vec(words, matrix, newline))
    got = read(path, words)
    order = np.argsort(words)
    assert got.words == tuple(np.array(words)[order])
    np.testing.assert_array_equal(got.matrix, matrix[order])


@pytest.mark.parametrize("header", [b"", b"5\n", b"5 two\n", b"5 2 1\n", b"\x00\x01\xff" * 40])
def test_a_file_without_the_header_is_one_clear_error(tmp_path, header):
    path = tmp_path / "vectors.bin"
    path.write_bytes(header + b"the 12345678")
    with pytest.raises(UserError, match=r"vectors\.bin: not word2vec's binary format"):
        read(path, ["the"])


def test_none_of_the_wanted_words_is_an_error_that_names_the_source(tmp_path):
    path = tmp_path / "vectors.bin"
    path.write_bytes(word2vec(WORDS, MATRIX, newline=True))
    with pytest.raises(UserError, match="demo: it has none of the requested words"):
        read(path, ["absent"])


def test_an_unknown_format_is_an_error_that_names_it(tmp_path):
    with pytest.raises(UserError, match="demo: no reader for the format 'excel'"):
        read(tmp_path / "vectors.xls", ["a"], "excel")


@pytest.fixture
def glove(tmp_path):
    """A zip as GloVe is published, with these words; returns the path and the vectors."""

    def of(words):
        matrix = np.arange(len(words) * 300).reshape(-1, 300) / 8
        lines = [f"{w} {' '.join(map(str, v))}\n" for w, v in zip(words, matrix, strict=True)]
        path = tmp_path / "glove.6B.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("glove.6B.50d.txt", "the 1 2\n")
            archive.writestr("glove.6B.300d.txt", "".join(lines).encode())
        return path, matrix

    return of


def test_glove_text_reads_the_member_of_300_dimensions(glove):
    path, matrix = glove(["the", "a\u0085b", "naïve", "the"])
    got = read(path, ["the", "a\u0085b", "naïve", "absent"], "glove-text")
    assert got.words == ("a\u0085b", "naïve", "the")
    np.testing.assert_array_equal(got.matrix, matrix[[1, 2, 0]])


def test_a_line_separator_inside_a_word_does_not_shift_the_lines_after_it(glove):
    path, matrix = glove(["a\u0085b", "\u2028", "\u001c", "zoo"])
    got = read(path, ["zoo", "b"], "glove-text")
    assert got.words == ("zoo",)
    np.testing.assert_array_equal(got.matrix, matrix[[3]])


def test_words_with_spaces_are_whole_words(glove):
    path, matrix = glove(["at name", "new york", "new"])
    got = read(path, ["at", "new", "new york"], "glove-text")
    assert got.words == ("new", "new york")
    np.testing.assert_array_equal(got.matrix, matrix[[2, 1]])


@pytest.fixture
def pair(tmp_path):
    """A matrix beside a parquet file of its words."""

    def of(words, matrix):
        np.save(tmp_path / "matrix.npy", matrix)
        pq.write_table(pa.table({"word": words}), tmp_path / "words.parquet")
        return tmp_path / "matrix.npy"

    return of


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", ["float32", "float64", "float16"])
def test_npy_and_parquet_in_either_order_of_memory(pair, order, kind):
    matrix = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]], dtype=kind, order=order)
    path = pair(["b", "a", "b"], matrix)
    got = read(path, ["b", "a", "c"], "npy-parquet", {"path": "words.parquet"})
    assert got.words == ("a", "b")
    np.testing.assert_array_equal(got.matrix, [[4, 5, 6], [1, 2, 3]])
    assert got.matrix.dtype == np.float32


def test_npy_and_parquet_of_unequal_length_are_an_error(pair):
    path = pair(["a", "b"], np.ones((3, 2)))
    with pytest.raises(UserError, match=r"matrix\.npy: 3 vectors for 2 words"):
        read(path, ["a"], "npy-parquet", {"path": "words.parquet"})
