"""Spans and BILOU by hand."""

import pytest

from socialbias.measures.spans import Span, bilou, bilou_tags, f1, may_follow, spans

IOB2 = ["B-LOC", "I-LOC", "I-LOC", "B-PER", "O", "B-LOC", "B-LOC", "I-LOC"]
BILOU = ["B-LOC", "I-LOC", "L-LOC", "U-PER", "O", "U-LOC", "B-LOC", "L-LOC"]


def test_iob2_becomes_bilou():
    assert bilou(IOB2) == BILOU == bilou(BILOU)
    assert spans(IOB2) == spans(BILOU)
    assert bilou(["O"]) == ["O"]
    assert bilou([]) == []


def test_tags_of_two_classes():
    assert bilou_tags(["A", "B"]) == ["O", "B-A", "I-A", "L-A", "U-A", "B-B", "I-B", "L-B", "U-B"]


@pytest.mark.parametrize("tags", [BILOU, ["O"], ["U-PER", "U-PER"]])
def test_what_is_written_is_allowed(tags):
    both = zip(["O", *tags], [*tags, "O"], strict=True)
    assert all(may_follow(tag, other) for other, tag in both)


@pytest.mark.parametrize(
    ("other", "tag"),
    [("O", "I-A"), ("O", "L-A"), ("B-A", "O"), ("B-A", "L-B"), ("I-A", "U-A"), ("L-A", "I-A")],
)
def test_what_is_not_allowed(other, tag):
    assert not may_follow(tag, other)


def test_f1_by_hand():
    """Two of three are found among four."""
    gold = [{Span(0, 1, "A"), Span(2, 3, "B")}, {Span(0, 2, "A")}]
    said = [{Span(0, 1, "A"), Span(2, 3, "A")}, {Span(0, 2, "A"), Span(3, 4, "B")}]
    assert f1(gold, said) == pytest.approx(4 / 7)
    assert f1(gold, [set(), set()]) == 0
