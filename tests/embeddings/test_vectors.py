import numpy as np
import pytest
from numpy.testing import assert_array_equal

from socialbias.embeddings.vectors import WordVectors
from socialbias.errors import UserError
from tests.reliability import fault


@pytest.fixture
def vectors():
    matrix = np.array([[1, 2], [3, 4], [5, 6]], dtype=np.float32)
    return WordVectors(("he", "she", "nurse"), matrix)


def test_known_words_keep_their_order_without_repeats(vectors):
    assert vectors.known(["nurse", "absent", "he", "nurse"]) == ["nurse", "he"]
    assert vectors.known([]) == []


def test_known_pairs_drop_both_partners_together(vectors):
    first, second = ["she", "woman", "nurse", "he"], ["he", "nurse", "man", "she"]
    assert vectors.known_pairs(first, second) == [["she", "he"], ["he", "she"]]
    assert vectors.known_pairs(["a"], ["b"]) == [[], []]


def test_lists_of_unequal_length_are_no_pairs(vectors):
    with pytest.raises(ValueError, match="zip"):
        vectors.known_pairs(["she", "he"], ["he"])


def test_rows_follow_the_words_asked_for_in_float64(vectors):
    rows = vectors.rows(["nurse", "he", "nurse"])
    assert_array_equal(rows, [[5, 6], [1, 2], [5, 6]])
    assert rows.dtype == np.float64


def test_a_word_without_a_vector_is_a_key_error(vectors):
    with pytest.raises(KeyError, match="absent"):
        vectors.rows(["he", "absent"])


def test_only_keeps_some_words_in_the_order_asked_for(vectors):
    part = vectors.only(["nurse", "absent", "he"])
    assert part.words == ("nurse", "he")
    assert_array_equal(part.rows(["he", "nurse"]), [[1, 2], [5, 6]])


def test_only_of_unknown_words_is_empty_and_keeps_the_dimensions(vectors):
    part = vectors.only(["absent"])
    assert part.words == ()
    assert part.matrix.shape == (0, 2)


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


@fault("vectors of a run that were cut", "one line: remove the folder, and run again")
def test_saved_vectors_that_were_damaged(vectors, tmp_path):
    def refused(match):
        with pytest.raises(UserError, match=rf"professions: {match}.*: remove"):
            WordVectors.load(folder)

    vectors.save(folder := tmp_path / "professions")
    whole = (folder / "vectors.npy").read_bytes()
    (folder / "vectors.npy").write_bytes(whole[:-4])
    refused("its word vectors are damaged")
    (folder / "vectors.npy").write_bytes(whole)
    (folder / "vocabulary.txt").write_text("she\n")
    refused("1 words, but 3 x 2 numbers")
    (folder / "vocabulary.txt").unlink()
    refused(".*No such file or directory")
