import bz2
import gzip
import os
import pickle
import tracemalloc
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from socialbias.embeddings import files, readers
from socialbias.embeddings.histwords import read_histwords
from socialbias.embeddings.readers import read_word_vectors
from socialbias.errors import UserError

WORDS = ["the", "naïve", "New_York", "at name", "a\u0085b", "zoo"]
MATRIX = np.arange(18).reshape(6, 3) / 8 - 1


def text(words=WORDS, matrix=MATRIX, header=False, end="\n"):
    """A text of word vectors, joined by hand."""
    rows = [f"{w} {' '.join(map(str, v))}{end}" for w, v in zip(words, matrix, strict=True)]
    head = f"{len(words)} {matrix.shape[1]}\n" if header else ""
    return (head + "".join(rows)).encode()


def read(path, wanted, form, *more):
    manifest = {"source": "demo", "format": form, "files": [{"path": path.name}, *more]}
    return read_word_vectors(path.parent, manifest, wanted)


def zipped(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


@pytest.mark.parametrize("form", ["word2vec-text", "glove-text"])
@pytest.mark.parametrize("header", [True, False], ids=["header", "no header"])
@pytest.mark.parametrize("end", ["\n", " \n", "\r\n"], ids=["lf", "blank lf", "crlf"])
@pytest.mark.parametrize(
    "name", ["vectors.txt", "vectors.txt.gz", "vectors.txt.bz2", "vectors.zip"]
)
def test_text_with_or_without_header(tmp_path, form, header, end, name):
    path, body = tmp_path / name, text(header=header, end=end)
    if name.endswith(".zip"):  # GN-GloVe: one text, and what macOS puts beside it
        zipped(path, {"vectors300.txt": body, "__MACOSX/._vectors300.txt": b"\x00\x05\x16\x07"})
    else:
        pack = {".gz": gzip.compress, ".bz2": bz2.compress}.get(path.suffix, bytes)
        path.write_bytes(pack(body))
    got = read(path, ["zoo", "at name", "naïve", "a\u0085b", "at", "name", "b"], form)
    assert got.words == ("at name", "a\u0085b", "naïve", "zoo")
    np.testing.assert_array_equal(got.matrix, MATRIX[[3, 4, 1, 5]])
    assert got.matrix.dtype == np.float32


def test_the_first_line_of_a_text_without_header_is_a_word(tmp_path):
    path = tmp_path / "vectors300.txt"
    path.write_bytes(text())
    np.testing.assert_array_equal(read(path, ["the"], "word2vec-text").matrix, MATRIX[[0]])


def test_a_source_of_several_embeddings_is_refused(tmp_path):
    path = tmp_path / "w2v_0.txt"
    with pytest.raises(UserError, match=r"demo: not the files of one embedding: w2v_0\.txt, w2v_1"):
        read(path, ["w2v_1"], "word2vec-text", {"path": "w2v_1.txt"})


def test_a_word_that_stands_twice_in_a_text_keeps_its_first_vector(tmp_path):
    path = tmp_path / "v.txt"
    path.write_bytes(text(["a", "b", "a"], MATRIX[:3]))
    np.testing.assert_array_equal(read(path, ["a"], "word2vec-text").matrix, MATRIX[[0]])


GLOVE = {f"glove.6B.{d}d.txt": text(["the", "of"], np.full((2, d), d)) for d in (50, 100, 300)}


def test_the_published_zip_is_read_in_300_dimensions(tmp_path):
    got = read(zipped(tmp_path / "glove.6B.zip", GLOVE), ["the", "of", "in"], "glove-text")
    assert got.words == ("of", "the")
    np.testing.assert_array_equal(got.matrix, np.full((2, 300), 300))


def test_a_zip_of_several_others_is_an_error_that_lists_them(tmp_path):
    path = zipped(tmp_path / "glove.zip", {"a.50d.txt": b"a 1", "b.50d.txt": b"a 1"})
    with pytest.raises(UserError, match=r"it contains a\.50d\.txt, b\.50d\.txt: unpack the one"):
        read(path, ["the"], "glove-text")


def test_a_file_without_lines_is_not_read_into_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(readers, "MAX_LINE", 1000)
    path = tmp_path / "v.txt"
    path.write_bytes(b"a 1 2\n" + b"x" * 5000)
    with pytest.raises(UserError, match=r"v\.txt: not a text file of word vectors"):
        read(path, ["the"], "word2vec-text")


@pytest.mark.parametrize("form", ["word2vec-text", "word2vec-binary"])
def test_a_file_that_is_not_there_or_damaged_is_named(tmp_path, form):
    with pytest.raises(UserError, match=r"v\.bin: no such file"):
        read(tmp_path / "v.bin", ["the"], form)
    path = tmp_path / "v.txt.gz"
    path.write_bytes(gzip.compress(text(matrix=np.random.default_rng(0).random((6, 300))))[:-400])
    with pytest.raises(UserError, match=r"v\.txt\.gz: "):
        read(path, ["zoo!"], form)


@pytest.mark.parametrize("name", ["v.bin.bz2", "v.bin.gz"])
@pytest.mark.parametrize("form", ["word2vec-text", "word2vec-binary"])
def test_a_compressed_file_of_garbage_is_named(tmp_path, form, name):
    (tmp_path / name).write_bytes(b"no such compression")
    with pytest.raises(UserError, match=rf"{name}: not (a text file of|word2vec's)"):
        read(tmp_path / name, ["the"], form)


def test_a_folder_in_the_place_of_a_file_is_named(tmp_path):
    with pytest.raises(UserError, match=r"cannot be read \(Is a directory\)"):
        read(tmp_path, ["the"], "word2vec-text")


@pytest.mark.parametrize(
    ("form", "words", "gone"),
    [
        ("npy-text", "words.txt", "m.npy"),
        ("npy-text", "words.txt", "words.txt"),
        ("npy-parquet", "words.parquet", "m.npy"),
        ("npy-parquet", "words.parquet", "words.parquet"),
    ],
)
def test_a_matrix_or_its_words_that_are_not_there_are_named(tmp_path, form, words, gone):
    np.save(tmp_path / "m.npy", MATRIX)
    (tmp_path / "words.txt").write_text("\n".join(WORDS) + "\n", "utf-8", newline="\n")
    pq.write_table(pa.table({"word": WORDS}), tmp_path / "words.parquet")
    (tmp_path / gone).unlink()
    with pytest.raises(UserError, match=f"{gone}: no such file"):
        read(tmp_path / "m.npy", ["zoo"], form, {"path": words})


def test_words_that_are_no_parquet_or_no_words_are_refused(tmp_path):
    np.save(tmp_path / "m.npy", MATRIX)
    (tmp_path / "words.parquet").write_bytes(b"PAR1 and then nothing of the kind")
    with pytest.raises(UserError, match=r"words\.parquet: damaged or not parquet"):
        read(tmp_path / "m.npy", ["zoo"], "npy-parquet", {"path": "words.parquet"})
    pq.write_table(pa.table({"word": [1, 2]}), tmp_path / "words.parquet")
    with pytest.raises(UserError, match=r"words\.parquet: not a column of words"):
        read(tmp_path / "m.npy", ["zoo"], "npy-parquet", {"path": "words.parquet"})


def test_npy_beside_a_text_of_its_words(tmp_path):
    np.save(tmp_path / "m.npy", MATRIX)
    (tmp_path / "words.txt").write_text("\n".join(WORDS) + "\n", "utf-8", newline="\n")
    for first, second in (("m.npy", "words.txt"), ("words.txt", "m.npy")):
        got = read(tmp_path / first, ["zoo", "a\u0085b", "b"], "npy-text", {"path": second})
        assert got.words == ("a\u0085b", "zoo")
        np.testing.assert_array_equal(got.matrix, MATRIX[[4, 5]].astype(np.float32))


def test_a_binary_file_is_never_in_memory_as_a_whole(tmp_path):
    path, d = tmp_path / "v.bin", 300
    signs = [np.where(np.arange(d) > each, -1, 1) for each in range(30)]  # no two words alike
    rows = [b"w%d " % i + (i * signs[i // 1000]).astype("<f4").tobytes() for i in range(30_000)]
    path.write_bytes(b"30000 300\n" + b"".join(rows))  # 36 MB
    del rows
    tracemalloc.start()
    try:
        got = read(path, [f"w{i}" for i in range(1, 30_000, 1000)] + ["last"], "word2vec-binary")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 16 << 20
    assert [int(row[0]) for row in got.matrix] == [int(word[1:]) for word in got.words]
    assert len(got.words) == 30


# HistWords: three decades of five words. In 1910 "Man" and "man" fall together once lower-cased,
# and the row of "nurse" is all zeros; in 1920 the row of "man" is.
VOCABULARIES = {
    1900: ["the", "man", "woman", "nurse", "café"],
    1910: ["the", "Man", "man", "nurse", "café"],
    1920: ["the", "Man", "man", "nurse", "café"],
}
ZEROS = {1900: [], 1910: [3], 1920: [2]}


def protocol_0(words):
    """What Python 2's cPickle writes for a list of unicode strings."""
    body = [b"V" + w.encode("raw_unicode_escape") + b"\np%d\na" % i for i, w in enumerate(words, 2)]
    return b"(lp1\n" + b"".join(body) + b"."


def matrix_of(year):
    matrix = np.arange(1, 21, dtype=np.float64).reshape(5, 4) + year
    matrix[ZEROS[year]] = 0
    return matrix


@pytest.fixture(params=["zip", "folder"])
def histwords(request, tmp_path):
    folder = tmp_path / "unpacked"
    (folder / "sgns").mkdir(parents=True)
    for year, words in VOCABULARIES.items():
        np.save(folder / "sgns" / f"{year}-w.npy", matrix_of(year))
        (folder / "sgns" / f"{year}-vocab.pkl").write_bytes(protocol_0(words))
    (folder / "sgns" / "1910-c.npy").write_bytes(b"context vectors, not read")
    (folder / "svd").mkdir()  # as in the full bundle
    (folder / "svd" / "1910-vocab.pkl").write_bytes(protocol_0(["of"]))
    (folder / "svd" / "1910-u.npy").write_bytes(b"not read")
    if request.param == "folder":
        return folder
    members = {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*.*")}
    return zipped(tmp_path / "coha-word_sgns.zip", {"sgns/": b"", **members})


WANTED = ["man", "nurse", "café", "Man", "absent"]


def chosen(path, year):
    """The decade, and the first coordinate of each word."""
    [decade] = read_histwords(path, WANTED, [year])
    rows = zip(decade.vectors.words, decade.vectors.matrix, strict=True)
    return decade, {word: int(row[0]) for word, row in rows}


def test_histwords_take_the_last_spelling_and_keep_rows_of_zeros(histwords, monkeypatch):
    monkeypatch.setattr(files, "BLOCK", 2 * 4 * 8)  # two rows at a time
    decade, got = chosen(histwords, 1900)
    assert got == {"man": 1905, "nurse": 1913, "café": 1917}
    assert decade.absent == ()
    decade, got = chosen(histwords, 1910)
    assert got == {"man": 1919, "nurse": 0, "café": 1927}
    assert decade.absent == ("nurse",)
    decade, got = chosen(histwords, 1920)  # the zero row of "man" comes after that of "Man"
    assert got == {"man": 0, "nurse": 1933, "café": 1937}
    assert decade.absent == ()


def test_histwords_years(histwords):
    assert [d.year for d in read_histwords(histwords, WANTED)] == [1900, 1910, 1920]
    assert [d.year for d in read_histwords(histwords, WANTED, range(1900, 1911, 10))] == [
        1900,
        1910,
    ]
    with pytest.raises(UserError, match="no decade 1930; it has 1900, 1910, 1920"):
        list(read_histwords(histwords, WANTED, [1900, 1930]))


@pytest.mark.parametrize(
    ("name", "data", "match"),
    [
        ("1900-vocab.pkl", pickle.dumps({"the": 1}), "not a list of words"),
        ("1900-vocab.pkl", pickle.dumps([1, 2]), "not a list of words"),
        ("1900-vocab.pkl", pickle.dumps(os.mkdir), r"asks for \w+\.mkdir: refused"),
        ("1900-vocab.pkl", protocol_0(["a"] * 4), "5 vectors for 4 words"),
        ("1900-w.npy", b"<!DOCTYPE html>", r"1900-w\.npy: not a \.npy file"),
        ("1900-w.npy", None, "truncated"),
        ("1900-w.npy", "objects", "not a matrix of numbers stored row by row"),
        ("1900-w.npy", "by column", "not a matrix of numbers stored row by row"),
    ],
)
def test_histwords_of_another_kind_is_one_clear_error(tmp_path, name, data, match):
    np.save(tmp_path / "1900-w.npy", MATRIX[:5])
    (tmp_path / "1900-vocab.pkl").write_bytes(protocol_0(VOCABULARIES[1900]))
    if data is None:
        data = (tmp_path / name).read_bytes()[:-3]
    if data == "objects":
        np.save(tmp_path / name, np.full((5, 3), None), allow_pickle=True)
    elif data == "by column":
        np.save(tmp_path / name, np.asfortranarray(MATRIX[:5]))
    else:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(UserError, match=match) as caught:
        list(read_histwords(tmp_path, WANTED))
    assert "\n" not in str(caught.value)
