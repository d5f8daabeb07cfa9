"""Pairs of sentences that follow each other, and pairs that do not."""

import numpy as np
import pytest

from socialbias.errors import UserError
from socialbias.models.next_sentence import next_sentence_pairs, sentences

DOCUMENTS = [[f"this is sentence {i} of {d}" for i in range(5 + d)] for d in range(6)]


def numbers(sentence: str) -> tuple[int, int]:
    """The document and the place of a sentence."""
    words = sentence.split()
    return int(words[-1]), int(words[3])


@pytest.mark.parametrize("n", [0, 20, 39])
@pytest.mark.parametrize("seed", range(5))
def test_pairs_follow_or_are_of_two_documents(n, seed):
    table = next_sentence_pairs(DOCUMENTS, n, np.random.default_rng(seed))
    places = sum(len(document) - 1 for document in DOCUMENTS)
    assert len(table) == 2 * ((n + 1) // 2 or places)
    for first, second, label, document in table.itertuples(index=False):
        (d, i), (other, j) = numbers(first), numbers(second)
        assert document == d
        assert (other, j) == (d, i + 1) if label else other != d
    positive, negative = table[table["label"] == 1], table[table["label"] == 0]
    assert positive["first"].tolist() == negative["first"].tolist()
    assert len(set(positive["first"])) == len(positive)
    # A second sentence by itself tells nothing.
    assert sorted(positive["second"]) == sorted(negative["second"])


def test_short_and_long_sentences_are_left_out():
    long = "one two three four five six seven"
    documents = [["a b c", "d e f", "too short", "g h i", long, "j k l", "m n o"]] * 2
    table = next_sentence_pairs(documents, 0, np.random.default_rng(1), longest=6)
    follow = table[table["label"] == 1]
    assert set(zip(follow["first"], follow["second"], strict=True)) == {
        ("a b c", "d e f"),
        ("j k l", "m n o"),
    }


def test_too_little_text():
    rng = np.random.default_rng(1)
    with pytest.raises(UserError, match="39 sentences that another follows"):
        next_sentence_pairs(DOCUMENTS, 80, rng)
    with pytest.raises(UserError, match="from one document"):
        next_sentence_pairs(DOCUMENTS[:1], 0, rng)
    with pytest.raises(UserError, match="use more documents"):
        next_sentence_pairs([], 0, rng)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rained . They left !", ["It rained.", "They left!"]),
        ("Mr. Hill met J. S. Bach. He sang.", ["Mr. Hill met J. S. Bach.", "He sang."]),
        ("of v. 3 and of 3.5 litres", ["of v. 3 and of 3.5 litres"]),
        ("one line\nAnother one", ["one line", "Another one"]),
        (
            "The well @-@ known 3 @,@ 000 ( or 4 ) men 's \" choir \" , I 'm told , sang .",
            ["The well-known 3,000 (or 4) men's \"choir\", I'm told, sang."],
        ),
        ("the nurses ' home ; it is n't far", ["the nurses' home; it isn't far"]),
        ("Plain text, (as usual): isn't it?", ["Plain text, (as usual): isn't it?"]),
        ("", []),
    ],
)
def test_sentences_are_as_a_reader_would_type_them(text, expected):
    assert sentences(text) == expected
