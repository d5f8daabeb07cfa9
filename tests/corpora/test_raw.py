"""Sentences with their original characters, back from the ids."""

import numpy as np
import pytest

from socialbias.corpora.contexts import word_ids
from socialbias.corpora.raw import raw_sentences, spans_of
from socialbias.errors import UserError
from tests.worlds.texts import sharded

TEXTS = (
    "  The Nurse can't\u00a0go.  She's ILL\tnow!\n\nMr. Smith",
    "Plain.",
    "\u2003“Naïve” CAFÉ—Bar…  ΟΔΟΣ's end",
)


def pieces(sentence) -> list[str]:
    return [sentence.text[begin:end] for begin, end in sentence.spans]


@pytest.mark.parametrize("lower", ["before", "after", "never"])
def test_original_characters(tmp_path, lower):
    index, corpus = sharded(tmp_path, *TEXTS, lower=lower)
    found = list(raw_sentences(index, corpus, range(len(corpus.sentences) - 1)))
    assert [s.number for s in found] == list(range(len(found)))
    first, second = found[:2]
    assert (first.text, first.document, first.name) == ("The Nurse can't\u00a0go.", 0, "d0")
    assert first.spans == [(0, 3), (4, 9), (10, 12), (12, 15), (16, 18), (18, 19)]
    assert (second.text, second.spans[-1]) == ("She's ILL\tnow!", (13, 14))
    assert (found[-1].document, found[-1].text) == (2, TEXTS[2].strip())
    for sentence in found:
        ids = corpus.tokens[slice(*corpus.sentences[sentence.number : sentence.number + 2])]
        # a capital sigma is lower-cased by what follows it
        expected = [corpus.words[i].casefold() for i in ids]
        assert [piece.casefold() for piece in pieces(sentence)] == expected


def test_some_sentences_in_any_order(tmp_path):
    index, corpus = sharded(tmp_path, "One. Two.\nThree", "Four", "Five. Six")
    found = list(raw_sentences(index, corpus, iter([5, 1, 1, 2])))
    assert [(s.number, s.document, s.text) for s in found] == [
        (1, 0, "Two."),
        (2, 0, "Three"),
        (5, 2, "Six"),
    ]
    assert list(raw_sentences(index, corpus, [])) == []


@pytest.mark.parametrize("lower", ["before", "after"])
def test_a_letter_that_becomes_two(tmp_path, lower):
    index, corpus = sharded(tmp_path, "In İzmir. The End", "The İ", lower=lower)
    found = list(raw_sentences(index, corpus, [0, 1]))
    assert [s.text for s in found] == ["In İzmir.", "The End"]
    assert pieces(found[0]) == ["In", "İzmir", "."]


def test_spans_of_words(tmp_path):
    index, corpus = sharded(tmp_path, "A Nurse, a nurse's nurse-like Pilot")
    (sentence,) = raw_sentences(index, corpus, [0])
    spans = spans_of(sentence, corpus, word_ids(corpus, ["nurse", "pilot"]))
    found = [sentence.text[a:b] for a, b in spans]
    assert found == ["Nurse", "nurse", "nurse", "Pilot"]
    assert spans[0] == (2, 7)
    assert spans_of(sentence, corpus, np.array([], np.int64)) == []


def test_another_text(tmp_path):
    index, _ = sharded(tmp_path / "a", "the nurse left", "two words")
    _, other = sharded(tmp_path / "b", "the nurse left", "no words!")
    _, longer = sharded(tmp_path / "c", "the nurse left", "two word")
    with pytest.raises(UserError, match="document d1: 8 visible characters, but its tokens have 7"):
        list(raw_sentences(index, longer, [1]))
    with pytest.raises(UserError, match="document d1: the text has 'tw' where the corpus has 'no'"):
        list(raw_sentences(index, other, [1]))
    assert [s.text for s in raw_sentences(index, other, [0])] == ["the nurse left"]
    _, fewer = sharded(tmp_path / "d", "the nurse left")
    with pytest.raises(UserError, match="2 documents, but 1 were prepared"):
        list(raw_sentences(index, fewer, [0]))
