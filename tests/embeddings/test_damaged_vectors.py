"""Word vectors that are not what they say: each fault has one stated outcome."""

import bz2
import gzip

import numpy as np
import pytest

from socialbias.embeddings.readers import leading_words, read_word_vectors
from socialbias.embeddings.vectors import WordVectors
from socialbias.errors import UserError
from socialbias.sources.sniffing import kind_of, sniffed
from tests.reliability import fault

ROWS = {"she": [1, 2, 3], "he": [4, 5, 6], "it": [7, 8, 9]}
WIDE = np.random.default_rng(0).normal(size=(40, 20))
BOM = b"\xef\xbb\xbf"


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


def text(rows=ROWS):
    return "".join(f"{w} {' '.join(map(str, v))}\n" for w, v in rows.items()).encode()


@fault("vectors with a byte order mark (BOM) at their beginning", "it is no part of the first word")
@pytest.mark.parametrize(
    ("form", "data"),
    [
        ("glove-text", BOM + text()),
        ("word2vec-text", BOM + b"3 3\n" + text()),
        ("word2vec-binary", BOM + binary()),
    ],
)
def test_a_byte_order_mark_is_no_part_of_a_word(tmp_path, form, data):
    assert set(read(tmp_path, form, data).words) == set(ROWS)
    path = tmp_path / "v.bin"
    assert leading_words(tmp_path, manifest(path, form), 1) == ["she"]


def test_a_byte_order_mark_before_a_vocabulary(tmp_path):
    np.save(tmp_path / "m.npy", np.array(list(ROWS.values())))
    (tmp_path / "w.txt").write_bytes(BOM + "\n".join(ROWS).encode())
    found = read_word_vectors(tmp_path, manifest(tmp_path / "m.npy", "npy-text", "w.txt"), ROWS)
    assert found.words == ("he", "it", "she")


@fault("vectors in UTF-16", "one line: save them as UTF-8")
def test_utf_16_is_refused(tmp_path):
    with pytest.raises(UserError, match=r"v\.bin: the file is UTF-16: save it as UTF-8"):
        read(tmp_path, "glove-text", text().decode().encode("utf-16"))


@fault(
    "fewer or more vectors than the first line says",
    "one line with both numbers; files are read to their last byte even if every word is found",
)
@pytest.mark.parametrize(
    ("form", "data", "match"),
    [
        ("word2vec-binary", binary()[:-1], "truncated after 2 of 3 words"),
        ("word2vec-binary", binary(head="4 3\n"), "truncated after 3 of 4 words"),
        ("word2vec-binary", binary(head="2 3\n"), "goes on after the 2 words that line 1 states"),
        ("word2vec-text", b"4 3\n" + text(), "truncated after 3 of 4 words"),
        ("word2vec-text", b"2 3\n" + text(), "goes on after 2 of 2 words"),
    ],
)
def test_the_first_line_and_the_last_byte_agree(tmp_path, form, data, match):
    with pytest.raises(UserError, match=rf"v\.bin: .*{match}"):
        read(tmp_path, form, data, ["she"])


def test_an_empty_line_at_the_end_is_no_vector(tmp_path):
    assert len(read(tmp_path, "word2vec-text", b"3 3\n" + text() + b"\n").words) == 3
    assert len(read(tmp_path, "word2vec-binary", binary() + b"\n").words) == 3


@fault(
    "binary vectors of another width or precision than the first line says",
    "one line: what should be words are not text",
)
@pytest.mark.parametrize("head", [None, "40 10\n", "40 19\n", "20 30\n"])
def test_binary_vectors_of_another_width(tmp_path, head):
    rows = {f"word{i}": row for i, row in enumerate(WIDE)}
    data = binary(rows, "<f8" if head is None else "<f4", head)
    with pytest.raises(UserError, match=r"v\.bin: line 1 .* numbers of 32 bits .* are not text"):
        read(tmp_path, "word2vec-binary", data, ["word0"])


@fault(
    "vectors in another byte order, or of lengths that no training gives",
    "one line with their median length; without this, every similarity would be 0",
)
@pytest.mark.parametrize(
    "data", [binary(kind=">f4"), binary({w: np.array(v) * 1e-9 for w, v in ROWS.items()})]
)
def test_vectors_of_implausible_length(tmp_path, data):
    with pytest.raises(UserError, match=r"v\.bin: the median length of its vectors is .*e-"):
        read(tmp_path, "word2vec-binary", data)


@fault(
    "a line of a text of vectors with too few or too many numbers", "one line: the entry's number"
)
@pytest.mark.parametrize("wrong", ["it 7 8\n", "it 7 8 9 10\n", "it 7 8 x\n", "other 7 8\n"])
def test_ragged_rows(tmp_path, wrong):
    data = text().replace(b"it 7 8 9\n", wrong.encode())
    with pytest.raises(UserError, match=r"v\.bin, entry 3: not 3 numbers after the word"):
        read(tmp_path, "glove-text", data)


@fault("a vector with NaN or infinity for a word that is asked for", "one line with the word")
@pytest.mark.parametrize("number", ["nan", "inf", "-Infinity"])
def test_numbers_that_are_none(tmp_path, number):
    data = text().replace(b"8", number.encode())
    with pytest.raises(UserError, match=r"v\.bin: the vector of 'it' is not finite"):
        read(tmp_path, "glove-text", data)


@fault("a word that has two vectors", "the first counts")
@pytest.mark.parametrize("form", ["glove-text", "word2vec-binary"])
def test_a_word_that_stands_twice(tmp_path, form):
    data = text() + b"she 0 0 1\n"
    if form == "word2vec-binary":
        data = binary(head="4 3\n") + b"she " + np.array([0, 0, 1], "<f4").tobytes()
    assert read(tmp_path, form, data, ["she"]).matrix.tolist() == [[1, 2, 3]]


@fault("words in another encoding than UTF-8", "they equal no word; the others are found")
def test_words_that_are_not_utf_8(tmp_path):
    data = text() + b"caf\xe9 1 1 1\n"
    assert len(read(tmp_path, "glove-text", data, [*ROWS, "café"]).words) == 3
    assert leading_words(tmp_path, manifest(tmp_path / "v.bin", "glove-text"), 4)[3] == "caf\ufffd"


@fault("a `.npy` matrix with bytes behind its last row", "one line: it is not what its header says")
def test_bytes_behind_a_matrix(tmp_path):
    np.save(tmp_path / "m.npy", np.array(list(ROWS.values())))
    with (tmp_path / "m.npy").open("ab") as file:
        file.write(b"more")
    (tmp_path / "w.txt").write_text("\n".join(ROWS))
    with pytest.raises(UserError, match=r"m\.npy: 4 bytes after its last vector"):
        read_word_vectors(tmp_path, manifest(tmp_path / "m.npy", "npy-text", "w.txt"), ROWS)


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
DECIMALS = text({word: [f"{x:.4f}" for x in row] for word, row in MANY.items()})
HEAD = b"60 20\n"


@fault(
    "a text of word vectors under `.txt` with a byte order mark, compressed under a name that does "
    "not say so, or whose first words contain a blank",
    "it is read as word vectors",
)
@pytest.mark.parametrize("head", [b"", HEAD], ids=["without sizes", "with sizes"])
@pytest.mark.parametrize(
    "change",
    [
        lambda data: BOM + data,
        gzip.compress,
        bz2.compress,
        lambda data: data.replace(b"word0 ", b"new york ").replace(b"word1 ", b"los angeles "),
    ],
    ids=["BOM", "gzip", "bzip2", "blanks"],
)
def test_text_that_is_recognised(tmp_path, head, change):
    path = tmp_path / "v.txt"
    path.write_bytes(change(head + DECIMALS))
    assert kind_of(path) == "vectors"
    [form, _] = sniffed(path, "vectors")
    vectors = read_word_vectors(tmp_path, manifest(path, form), MANY)
    words = [word for word in MANY if word in vectors.index]
    assert len(words) >= 58
    np.testing.assert_allclose(vectors.rows(words), [MANY[w] for w in words], atol=1e-4)


@fault(
    "a text of word vectors under `.txt` with decimal commas, or with tabs, commas or semicolons "
    "between its numbers",
    "one line at once, with what to write; it is never taken for a corpus",
)
@pytest.mark.parametrize("head", [b"", HEAD], ids=["without sizes", "with sizes"])
@pytest.mark.parametrize("change", [(b".", b","), (b" ", b"\t"), (b" ", b","), (b" ", b";")])
def test_text_that_is_refused(tmp_path, head, change):
    path = tmp_path / "v.txt"
    path.write_bytes(head + DECIMALS.replace(*change))
    assert kind_of(path) == "vectors"
    [form, _] = sniffed(path, "vectors")
    with pytest.raises(UserError, match="separate them by blanks, and write decimals with a point"):
        read_word_vectors(tmp_path, manifest(path, form), MANY)


def test_text_with_numbers_is_a_corpus(tmp_path):
    path = tmp_path / "c.txt"
    path.write_text("In 1990 and 1991 there were 3 4\nShe met 12 nurses, 13 doctors.\n" * 60)
    assert kind_of(path) == "corpus"


@fault(
    "a vocabulary in capitals, in quotation marks, or with `/c/en/`, `\u2581` or a part of speech",
    "one line that shows how the file writes one of the words",
)
@pytest.mark.parametrize("how", ["{}", '"{}"', "/c/en/{}", "\u2581{}", "\u0120{}", "{}_NOUN"])
def test_words_written_in_another_way(tmp_path, how):
    rows = {how.format(word.upper()): row for word, row in MANY.items()}
    shown = how.format("WORD0")
    with pytest.raises(UserError, match=f"none of the requested words; it writes '{shown}': write"):
        read(tmp_path, "glove-text", text(rows), MANY)
    with pytest.raises(UserError, match="requested words; it begins with 'word0', 'word1'"):
        read(tmp_path, "glove-text", text(MANY), ["nurse"])


@fault("sizes in the first line that no file has (`50000000000 50`)", "one line that repeats them")
@pytest.mark.parametrize("form", ["word2vec-text", "word2vec-binary"])
@pytest.mark.parametrize(
    "sizes", ["50000000000 20", "99999999999999999999 20", "60 50000000", "0 20", "-5 20", "60 0"]
)
def test_impossible_sizes(tmp_path, form, sizes):
    n, d = sizes.split()
    with pytest.raises(UserError, match=f"line 1 says that it has {n} words of {d} numbers"):
        read(tmp_path, form, f"{sizes}\n".encode() + DECIMALS, MANY)


def test_sizes_of_thousands_of_digits(tmp_path):
    with pytest.raises(UserError, match=r"line 1 says that it has 9{20} words of 20 numbers: not"):
        read(tmp_path, "word2vec-text", b"9" * 5000 + b" 20\n" + DECIMALS, MANY)


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


@fault("a word whose vector has (almost) no length", "the word is missing")
@pytest.mark.parametrize("factor", [0, 1e-30, 1e-9])
def test_a_vector_without_a_direction(tmp_path, factor):
    rows = MANY | {"word7": factor * MANY["word7"]}
    vectors = read(tmp_path, "word2vec-binary", binary(rows), MANY)
    assert set(MANY) - set(vectors.words) == {"word7"}
    assert len(vectors.matrix) == 59


@fault(
    "vectors that are all (almost) equal, as after quantisation with an offset",
    "one line: they are almost equal",
)
@pytest.mark.parametrize("rows", [np.ones((60, 20)), RANDOM.round() + 1000])
def test_vectors_that_are_all_alike(tmp_path, rows):
    data = binary(dict(zip(MANY, rows, strict=True)))
    with pytest.raises(UserError, match="its vectors are almost equal"):
        read(tmp_path, "word2vec-binary", data, MANY)
