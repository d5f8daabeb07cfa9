"""Both rules on passages judged by hand."""

import pytest

from socialbias.datasets.gap import read_gap
from socialbias.errors import UserError
from socialbias.papers.trustworthy import exclusive_rule
from socialbias.papers.trustworthy.exclusive_rule import evidence
from tests.worlds.jobs import summarised
from tests.worlds.numbers import numbers

HEADER = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL\n"
LISTS = {"v": {"female": ["she", "her"], "male": ["he", "his"]}}
PASSAGES = [
    # One sentence, she alone: both names are given female; she is Ann.
    ("Ann told Bea that she won.", "she", "Ann", "TRUE", "Bea", "FALSE"),
    # Both groups together: the exclusive rule gives nothing; her is Cora.
    ("Cora and Dora left. He saw her.", "her", "Cora", "TRUE", "Dora", "FALSE"),
]


@pytest.fixture
def gap(tmp_path):
    """Writes passages as a part of GAP and reads them."""

    def of(passages, header=HEADER):
        lines = [
            f"x\t{text}\t{p}\t0\t{a}\t{text.index(a)}\t{at}\t{b}\t{text.index(b)}\t{bt}\tu"
            for text, p, a, at, b, bt in passages
        ]
        (tmp_path / "gap.tsv").write_text(header + "\n".join(lines) + "\n")
        return read_gap(tmp_path, {"files": [{"path": "gap.tsv"}]})

    return of


def test_another_table_is_one_clear_line(gap):
    with pytest.raises(UserError, match="no column 'A-coref'; its columns are ID, Text"):
        gap(PASSAGES, HEADER.replace("A-coref", "A-what"))


def counts(table, window, rule):
    part = table[(table["window"] == window) & (table["rule"] == rule)]
    return part[["passage", "hits", "given", "wanted", "given_wanted"]].values.tolist()


def test_what_the_rules_make_of_contexts_by_hand(gap):
    table = evidence(gap(PASSAGES), LISTS)
    # Of the second passage the first sentence has neither group.
    assert counts(table, "1", "exclusive") == [[0, 1, 2, 1, 1], [1, 0, 0, 1, 0]]
    # The whole has both: nothing for the exclusive rule, two groups for each name for the other.
    assert counts(table, "passage", "exclusive") == [[0, 1, 2, 1, 1], [1, 0, 0, 1, 0]]
    assert counts(table, "passage", "any-word") == [[0, 1, 2, 1, 1], [1, 1, 4, 1, 2]]


def test_windows_hold_the_name(gap):
    # Four sentences; the name in the second is in two windows of three, the other name in all.
    text = "Old times. Ann ran. Bea sat. Then she won."
    table = evidence(gap([(text, "she", "Ann", "TRUE", "Bea", "FALSE")]), LISTS)
    # Ann: sentences 1-3 (no group) and 2-4 (she); Bea: the same two windows.
    assert counts(table, "3", "exclusive") == [[0, 1, 2, 2, 1]]
    assert counts(table, "1", "exclusive") == [[0, 0, 0, 1, 0]]


def test_precision_recall_and_their_differences(gap):
    result = numbers(summarised(exclusive_rule, evidence(gap(PASSAGES), LISTS)))
    expected = {
        ("precision passage", "exclusive@v"): 1 / 2,
        ("precision passage", "any-word@v"): 2 / 6,
        ("recall passage", "exclusive@v"): 1 / 2,
        ("recall passage", "any-word@v"): 1,
        ("gender passage", "exclusive@v"): 1,
        ("gender passage", "any-word@v"): 2 / 3,
        ("recall passage", "difference@v"): -1 / 2,
    }
    assert {cell: result[cell] for cell in expected} == pytest.approx(expected)


def test_the_same_rule_twice_has_no_difference(gap):
    # Only one gender occurs: the second condition never bites.
    records = summarised(exclusive_rule, evidence(gap(PASSAGES[:1] * 8), LISTS))
    for record in (r for r in records if r["column"] == "difference@v"):
        assert [record[k] for k in ("value", "ci_low", "ci_high")] == [0] * 3
