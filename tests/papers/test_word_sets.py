"""Which words are the most frequent ones, for vectors in any order."""

import pytest

from socialbias.embeddings.readers import READERS, WORDS
from socialbias.errors import UserError
from socialbias.papers.word_sets import most_frequent
from socialbias.pipeline.inputs import UNORDERED
from tests.worlds import job_with, manifest


@pytest.fixture
def job(tmp_path):
    """A job that reads vectors of these formats, and GloVe if it has one."""

    def of(**formats):
        files = {}
        for role, form in formats.items():
            (tmp_path / role).mkdir()
            (tmp_path / role / "v.txt").write_text(f"the 1 2\n{role} 3 4\nrare 5 6\n")
            files[role] = manifest(tmp_path / role, role, "v.txt", format=form)
        return job_with(files)

    return of


def test_vectors_in_no_order_take_that_of_glove(job):
    assert most_frequent(job(vectors=UNORDERED[0], glove="glove-text"), 2) == ["the", "glove"]


def test_vectors_in_order_of_frequency_have_their_own(job):
    both = job(vectors="glove-text", glove="glove-text")
    assert most_frequent(both, 2) == ["the", "vectors"]
    assert most_frequent(both, 0) == []


@pytest.mark.parametrize("form", UNORDERED)
@pytest.mark.parametrize("other", [{}, {"glove": "npy-text", "word2vec": "npy-text"}])
def test_without_an_order_there_is_one_clear_error(job, form, other):
    unordered = job(vectors=form, **other)
    assert most_frequent(unordered, 0) == []
    with pytest.raises(UserError, match=r"vectors: its words are in no order.*inputs\.glove"):
        most_frequent(unordered, 5)


def test_every_format_has_an_order_or_none():
    decades = {"histwords"}  # has its own way
    assert set(READERS) - decades == set(WORDS) | set(UNORDERED)


@pytest.mark.parametrize("form", UNORDERED)
def test_others_take_that_of_glove_or_of_word2vec_where_glove_has_none(job, form):
    unordered = {"vectors": form, "glove": form, "word2vec": "glove-text"}
    assert most_frequent(job(**unordered), 2) == ["the", "word2vec"]
