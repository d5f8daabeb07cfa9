"""The oracle of the text measure, on a text small enough to count by hand."""

import pytest

from tests.oracles.slow_text import association_counts, kept_sentences, voted_label, windows

GROUPS = {"female": ["she", "woman"], "male": ["he", "man"]}
SHE, HE, NEITHER, NURSE, BOTH = (
    f"{words} . . .".split() for words in ("she slept", "he slept", "it slept", "a nurse", "he she")
)


def test_sentences_of_5_to_40_tokens_are_kept():
    document = [["a"] * length for length in (4, 5, 40, 41)]
    assert [len(s) for s in kept_sentences(document)] == [5, 40]


def test_windows_slide_by_one_and_the_last_can_be_lost():
    assert windows([1, 2, 3], 2) == [[1, 2], [2, 3]]
    assert windows([1, 2, 3], 2, keep_last=False) == [[1, 2]]
    assert windows([1, 2], 2, keep_last=False) == windows([1, 2], 3) == []


@pytest.mark.parametrize(
    ("n", "female", "male", "none"),
    [
        (1, 0, 0, 1),  # NURSE alone
        (2, 1, 1, 0),  # SHE NURSE, NURSE HE
        (3, 0, 0, 2),  # SHE NURSE HE has both, NURSE HE BOTH too
        (4, 0, 0, 1),
        (5, 0, 0, 0),
    ],
)
def test_counts_by_hand(n, female, male, none):
    """Of the two documents the second never has a nurse, and no window crosses their border."""
    documents = [[SHE, NURSE, ["too", "short"], HE, BOTH], [SHE, SHE]]
    found = association_counts(documents, {"nurse": ["nurse", "nurses"]}, GROUPS, n)
    assert found == {"nurse": {"female": female, "male": male, "N/A": none}}


@pytest.mark.parametrize(
    ("sentences", "n", "label"),
    [
        ([NURSE, SHE, HE, NEITHER, HE], 1, "male"),  # one vote to two
        ([NURSE, SHE, HE, NEITHER, HE], 2, "male"),  # f, both, m, m
        ([NURSE, SHE, HE, NEITHER, HE], 3, "male"),  # both, both, m
        ([NURSE, SHE, HE, NEITHER, HE], 5, "N/A"),
        ([HE, NURSE, NURSE, NURSE, SHE], 1, "female"),  # a tie: the alphabetically first
        ([NURSE, NEITHER, BOTH, NURSE, NURSE], 1, "N/A"),
    ],
)
def test_votes_by_hand(sentences, n, label):
    assert voted_label(sentences, GROUPS, n) == label
