"""The readers of vectors, by hand; files that are not what they seem are in tests/adversary."""

import bz2
import gzip
import os
import pickle

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_array_equal

from socialbias.embeddings import readers
from socialbias.embeddings.histwords import read_histwords
from socialbias.embeddings.readers import read_word_vectors
from socialbias.embeddings.vectors import WordVectors
from socialbias.errors import UserError
from tests.worlds.bytes import npy, zipped

# U+0085 ends no line, and a word may have a blank in it.
WORDS = ["the", "naïve", "New_York", "at name", "a\u0085b", "zoo", "the"]
WANTED = ["zoo", "at name", "naïve", "a\u0085b", "the", "at", "name", "b", "zoo"]
FOUND, PLACES = ("at name", "a\u0085b", "naïve", "the", "zoo"), [3, 4, 1, 0, 5]
# The last but one holds spaces and newlines: 0x20202020 and 0x0a0a0a0a as little-endian.
TRAPS = [*np.frombuffer(b"    \n\n\n\n", "<f4"), 1]
MATRIX = np.vstack([np.arange(15).reshape(5, 3) / 8 - 1, TRAPS, [9, 9, 9]]).astype("<f4")
MACOS = b"\x00\x05\x16\x07"


def text(words=WORDS, matrix=MATRIX, header=False, end="\n"):
    """A text of word vectors, joined by hand."""
    rows = [f"{w} {' '.join(map(str, v))}{end}" for w, v in zip(words, matrix, strict=True)]
    head = f"{len(words)} {matrix.shape[1]}\n" if header else ""
    return (head + "".join(rows)).encode()


def binary(words, matrix, newline):
    """The bytes of word2vec's binary format, joined by hand."""
    end = b"\n" if newline else b""
    entries = [w.encode() + b" " + v.tobytes() + end for w, v in zip(words, matrix, strict=True)]
    return f"{len(words)} {matrix.shape[1]}\n".encode() + b"".join(entries)


def read(path, wanted, form, *more):
    manifest = {"source": "demo", "format": form, "files": [{"path": path.name}, *more]}
    return read_word_vectors(path.parent, manifest, wanted)


def check(vectors, words=FOUND, matrix=MATRIX[PLACES]):
    assert vectors.words == words
    np.testing.assert_array_equal(vectors.matrix, matrix)
    assert vectors.matrix.dtype == np.float32


@pytest.mark.parametrize("form", ["word2vec-text", "glove-text"])
@pytest.mark.parametrize(
    ("header", "end", "name"),
    [
        (True, "\n", "vectors.txt"),
        (False, "\n", "vectors.txt.gz"),
        (True, " \n", "vectors.txt.bz2"),
        (False, "\r\n", "vectors.txt"),
        (True, "\r\n", "vectors.zip"),  # GN-GloVe: one text, and what macOS puts beside it
    ],
)
def test_text_with_or_without_header(tmp_path, form, header, end, name):
    path, body = tmp_path / name, text(header=header, end=end)
    if name.endswith(".zip"):
        path.write_bytes(zipped(("vectors300.txt", body), ("__MACOSX/._v.txt", MACOS)))
    else:
        pack = {".gz": gzip.compress, ".bz2": bz2.compress}.get(path.suffix, bytes)
        path.write_bytes(pack(body))
    check(read(path, WANTED, form))


@pytest.mark.parametrize("newline", [True, False])
@pytest.mark.parametrize("chunk", [41, 42, 43, 50, 64, 97, 1 << 10])
def test_words_that_straddle_two_chunks_are_read_whole(tmp_path, monkeypatch, newline, chunk):
    # The longest entry has 12 + 1 + 4 * 6 + 1 = 38 bytes.
    monkeypatch.setattr(readers, "CHUNK", chunk)
    rng = np.random.default_rng(0)
    words = [f"w{i}" + "x" * int(rng.integers(0, 10)) for i in range(60)]
    matrix = rng.normal(size=(60, 6)).astype("<f4")
    (tmp_path / "vectors.bin").write_bytes(binary(words, matrix, newline))
    order = np.argsort(words)
    found = read(tmp_path / "vectors.bin", words, "word2vec-binary")
    check(found, tuple(np.array(words)[order]), matrix[order])


def test_the_published_zip_is_read_in_300_dimensions(tmp_path):
    glove = (
        (f"glove.6B.{d}d.txt", text(["the", "of"], np.full((2, d), d))) for d in (50, 100, 300)
    )
    (path := tmp_path / "glove.6B.zip").write_bytes(zipped(*glove))
    got = read(path, ["the", "of", "in"], "glove-text")
    check(got, ("of", "the"), np.full((2, 300), 300))


@pytest.fixture
def pair(tmp_path):
    """A matrix beside its words, as text and as parquet."""
    np.save(tmp_path / "m.npy", MATRIX)
    (tmp_path / "words.txt").write_text("\n".join(WORDS) + "\n", "utf-8", newline="\n")
    pq.write_table(pa.table({"word": WORDS}), tmp_path / "words.parquet")
    return tmp_path


@pytest.mark.parametrize(("order", "kind"), [("C", "f4"), ("F", "f8"), ("C", "f2")])
@pytest.mark.parametrize(
    ("form", "first", "second"),
    [
        ("npy-parquet", "m.npy", "words.parquet"),
        ("npy-text", "m.npy", "words.txt"),
        ("npy-text", "words.txt", "m.npy"),
    ],
)
def test_a_matrix_beside_its_words(pair, order, kind, form, first, second):
    np.save(pair / "m.npy", MATRIX.astype(kind, order=order))
    expected = MATRIX[PLACES].astype(kind).astype(np.float32)
    check(read(pair / first, WANTED, form, {"path": second}), FOUND, expected)


@pytest.mark.parametrize(
    ("name", "form", "match"),
    [
        ("v.bin", "word2vec-text", r"v\.bin: no such file"),
        ("v.bin", "word2vec-binary", r"v\.bin: no such file"),
        (".", "word2vec-text", r"cannot be read \(Is a directory\)"),
        ("v.xls", "excel", "demo: no reader for the format 'excel'"),
        ("words.txt", "word2vec-binary", r"words\.txt: not word2vec's binary format"),
        ("v.vec", "word2vec-text", "demo: it has none of the requested words"),
    ],
)
def test_what_cannot_be_read_is_named(pair, name, form, match):
    (pair / "v.vec").write_bytes(text())
    (pair / "words.txt").write_bytes(b"5 2 1\nthe 12345678")
    with pytest.raises(UserError, match=match):
        read(pair / name, ["absent"], form)


def test_a_source_of_several_embeddings_is_refused(tmp_path):
    with pytest.raises(UserError, match=r"demo: not the files of one embedding: w2v_0\.txt, w2v_1"):
        read(tmp_path / "w2v_0.txt", ["a"], "word2vec-text", {"path": "w2v_1.txt"})


# HistWords: three decades of five words. In 1910 "Man" and "man" fall together once lower-cased,
# and the row of "nurse" is all zeros; in 1920 the row of "man" is.
VOCABULARIES = {
    1900: ["the", "man", "woman", "nurse", "café"],
    1910: ["the", "Man", "man", "nurse", "café"],
    1920: ["the", "Man", "man", "nurse", "café"],
}
ZEROS = {1900: [], 1910: [3], 1920: [2]}
ASKED = ["man", "nurse", "café", "Man", "absent"]


def protocol_0(words):
    """What Python 2's cPickle writes for a list of unicode strings."""
    body = [b"V" + w.encode("raw_unicode_escape") + b"\np%d\na" % i for i, w in enumerate(words, 2)]
    return b"(lp1\n" + b"".join(body) + b"."


def matrix_of(year):
    matrix = np.arange(1, 21, dtype=np.float64).reshape(5, 4) + year
    matrix[ZEROS[year]] = 0
    return matrix


@pytest.fixture
def histwords(tmp_path):
    folder = tmp_path / "unpacked"
    (folder / "sgns").mkdir(parents=True)
    for year, words in VOCABULARIES.items():
        np.save(folder / "sgns" / f"{year}-w.npy", matrix_of(year))
        (folder / "sgns" / f"{year}-vocab.pkl").write_bytes(protocol_0(words))
    (folder / "sgns" / "1910-c.npy").write_bytes(b"context vectors, not read")
    (folder / "svd").mkdir()  # as in the full bundle
    (folder / "svd" / "1910-vocab.pkl").write_bytes(protocol_0(["of"]))
    (folder / "svd" / "1910-u.npy").write_bytes(b"not read")
    members = ((str(p.relative_to(folder)), p.read_bytes()) for p in folder.rglob("*.*"))
    (path := tmp_path / "coha-word_sgns.zip").write_bytes(zipped(("sgns/", b""), *members))
    return path


@pytest.mark.parametrize(
    ("year", "firsts", "absent"),
    [
        (1900, {"man": 1905, "nurse": 1913, "café": 1917}, ()),
        (1910, {"man": 1919, "nurse": 0, "café": 1927}, ("nurse",)),
        # The zero row of "man" comes after that of "Man".
        (1920, {"man": 0, "nurse": 1933, "café": 1937}, ()),
    ],
)
def test_histwords_take_the_last_spelling_and_keep_rows_of_zeros(histwords, year, firsts, absent):
    [decade] = read_histwords(histwords, ASKED, [year])
    rows = zip(decade.vectors.words, decade.vectors.matrix, strict=True)
    assert {word: int(row[0]) for word, row in rows} == firsts
    assert decade.absent == absent


def test_histwords_years(histwords):
    def years(of):
        return [decade.year for decade in read_histwords(histwords, ASKED, of)]

    assert years(range(1900, 1911, 10)) == [1900, 1910]
    with pytest.raises(UserError, match="no decade 1930; it has 1900, 1910, 1920"):
        years([1900, 1930])


@pytest.mark.parametrize(
    ("name", "data", "match"),
    [
        ("1900-vocab.pkl", pickle.dumps({"the": 1}), "not a list of words"),
        ("1900-vocab.pkl", pickle.dumps([1, 2]), "not a list of words"),
        ("1900-vocab.pkl", pickle.dumps(os.mkdir), r"asks for \w+\.mkdir: refused"),
        ("1900-vocab.pkl", protocol_0(["a"] * 4), "5 vectors for 4 words"),
        ("1900-w.npy", b"<!DOCTYPE html>", r"1900-w\.npy: not a \.npy file"),
        ("1900-w.npy", lambda matrix: matrix[:-3], "truncated"),
        ("1900-w.npy", npy(np.full((5, 3), None)), "Object arrays cannot be loaded"),
        ("1900-w.npy", npy(np.ones((5, 3), int)), "not a matrix of numbers"),
    ],
)
def test_histwords_of_another_kind_is_one_clear_error(tmp_path, name, data, match):
    members = {"1900-w.npy": npy(MATRIX[:5]), "1900-vocab.pkl": protocol_0(VOCABULARIES[1900])}
    members[name] = data(members[name]) if callable(data) else data
    (path := tmp_path / "h.zip").write_bytes(zipped(*members.items()))
    with pytest.raises(UserError, match=match) as caught:
        list(read_histwords(path, ASKED, [1900]))
    assert "\n" not in str(caught.value)


# --- vectors in memory, and saved -----------------------------------------------------------


@pytest.fixture
def vectors():
    matrix = np.array([[1, 2], [3, 4], [5, 6]], dtype=np.float32)
    return WordVectors(("he", "she", "nurse"), matrix)


def test_known_pairs_drop_both_partners_together(vectors):
    first, second = ["she", "woman", "nurse", "he"], ["he", "nurse", "man", "she"]
    assert vectors.known_pairs(first, second) == [["she", "he"], ["he", "she"]]
    assert vectors.known_pairs(["a"], ["b"]) == [[], []]


def test_what_is_saved_is_read_back_and_the_bytes_are_the_same_each_time(tmp_path):
    words = ("a\u0085b", "naïve", "null", "\u2028", "")
    matrix = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
    for folder in (tmp_path / "one" / "two", tmp_path / "again"):
        WordVectors(words, matrix).save(folder)
        back = WordVectors.load(folder)
        assert back.words == words
        assert_array_equal(back.matrix, matrix)
    for name in ("vectors.npy", "vocabulary.txt"):
        first = (tmp_path / "one" / "two" / name).read_bytes()
        assert first == (tmp_path / "again" / name).read_bytes()


def test_a_carriage_return_inside_a_word_does_not_shift_the_words_after_it(tmp_path):
    words = ("c\rd", "e\r", "f")
    WordVectors(words, np.eye(3, dtype=np.float32)).save(tmp_path)
    assert WordVectors.load(tmp_path).words == words
