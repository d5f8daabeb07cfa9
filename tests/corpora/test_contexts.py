"""Contexts of a corpus of three documents, worked by hand.

Each line is a sentence. Kept are those of five tokens or more:

    document 0            nurse her | (short) | he | -
    document 1            nurse pilot | she him
    document 2            (short)

so that document 0 keeps three sentences, rows 0 to 2, document 1 keeps two, rows 3 and 4, and
document 2 none.
"""

from functools import partial

import pytest

from socialbias.corpora.contexts import (
    contexts_of,
    kept_sentences,
    match,
    match_blocks,
    word_presence,
)
from socialbias.corpora.prepared import Corpus
from socialbias.errors import UserError
from tests.worlds import texts

TEXTS = (
    "The nurse saw Her there\ntoo short nurse\nhe was not at home\none two three four five",
    "a nurse and a pilot left\nshe said so to him",
    "pilot he",
)
TARGETS = {"nurse": ["nurse"], "pilot": ["pilot"], "flyer": ["Pilot", "aviator"]}
GROUPS = {"female": ["she", "her"], "male": ["he", "him"]}
F, M = 1, 2


prepared = partial(texts.prepared, tokenizer="whitespace")


@pytest.fixture
def corpus(tmp_path) -> Corpus:
    return prepared(tmp_path, *TEXTS)


def found(contexts) -> list[tuple[int, int, int, int]]:
    """First row, target, document and mask of each context."""
    columns = (contexts.firsts, contexts.targets, contexts.documents, contexts.masks)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_kept_sentences(corpus):
    kept = kept_sentences(corpus)
    assert kept.numbers.tolist() == [0, 2, 3, 4, 5]
    assert kept.starts.tolist() == [0, 8, 13, 18, 24]
    assert kept.ends.tolist() == [5, 13, 18, 24, 29]
    assert kept.documents.tolist() == [0, 0, 0, 1, 1]
    assert kept_sentences(corpus, 1, 3).numbers.tolist() == [1, 6]
    assert kept_sentences(corpus, 6, 6).numbers.tolist() == [4]
    assert kept_sentences(corpus, documents=(1, 3)).numbers.tolist() == [4, 5]


def test_words_are_whole_in_lower_case_and_once_in_a_list(tmp_path):
    corpus = prepared(tmp_path, "Nurse nurses NURSE She shell", lower="never")
    groups = {"female": ["she", "She", "two words"], "male": ["hell"]}
    matches = match(corpus, {"nurse": ["nurse"], "absent": ["pilot"]}, groups)
    assert matches.groups == {"female": ("she", "two words"), "male": ("hell",)}
    assert found(contexts_of(matches, 1)) == [(0, 0, 0, F)]


def test_a_corpus_without_any_of_the_words(corpus):
    matches = match(corpus, {"x": ["xyz"]}, {"g": ["uvw"]})
    contexts = contexts_of(matches, 3)
    assert found(contexts) == []
    assert word_presence(matches, contexts).shape == (0, 1)
    none_kept = match(corpus, TARGETS, GROUPS, shortest=30, longest=31)
    assert found(contexts_of(none_kept, 1)) == []


def test_blocks_change_nothing(corpus, monkeypatch):
    whole = match(corpus, TARGETS, GROUPS)
    for at_once in (1, 12, 25):
        monkeypatch.setattr("socialbias.corpora.prepared.BLOCK_TOKENS", at_once)
        blocks = match(corpus, TARGETS, GROUPS)
        assert blocks.sentences.numbers.tolist() == whole.sentences.numbers.tolist()
        for n in (1, 2, 3):
            assert found(contexts_of(blocks, n)) == found(contexts_of(whole, n))
    parts = list(match_blocks(corpus, TARGETS, GROUPS))
    assert [part.first for part in parts] == [0, 1]
    assert [found(contexts_of(part, 2)) for part in parts] == [
        [(0, 0, 0, F | M)],
        [(0, 0, 1, F | M), (0, 1, 1, F | M), (0, 2, 1, F | M)],
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        {"targets": {}},
        {"groups": {}},
        {"groups": {str(i): ["a"] for i in range(65)}},
        {"shortest": 0},
        {"shortest": 9, "longest": 8},
        {"max_window": 0},
    ],
)
def test_what_cannot_be_matched(corpus, arguments):
    with pytest.raises(UserError, match="contexts: "):
        match(corpus, **({"targets": TARGETS, "groups": GROUPS} | arguments))


def test_sixty_four_groups(tmp_path):
    corpus = prepared(tmp_path, "nurse w0 w63 c d")
    groups = {str(i): [f"w{i}"] for i in range(64)}
    contexts = contexts_of(match(corpus, {"nurse": ["nurse"]}, groups), 1)
    assert contexts.masks.tolist() == [1 + 2**63]


@pytest.mark.parametrize("n", [0, 3])
def test_windows_beyond_reach(corpus, n):
    with pytest.raises(UserError, match="match with a larger max_window"):
        contexts_of(match(corpus, TARGETS, GROUPS, max_window=2), n)
