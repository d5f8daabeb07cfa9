"""The print audits on the published tables: named findings, each with its arithmetic."""

from __future__ import annotations

import pytest

from socialbias.papers import print_audit as run
from socialbias.papers.stereoset import print_audit as stereoset
from socialbias.reporting import print_checks as machinery
from tests.paths import PUBLISHED
from tests.shortened import later

pytestmark = pytest.mark.printed


@pytest.fixture(scope="module")
def checks():
    return run.audit(PUBLISHED)


@pytest.fixture(scope="module")
def by_place(checks):
    return {(c.paper, c.place, c.kind): c for c in checks}


def test_every_check_is_complete_and_a_disagreement_has_a_stated_premise_and_an_explanation(
    checks, by_place
):
    assert len(by_place) == len(checks)  # no place is checked twice
    for check in checks:
        assert check.verdict in machinery.VERDICTS
        assert all([check.paper, check.place, check.kind, check.printed, check.implied])
        assert check.premise
        assert check.arithmetic
        assert check.stated or check.verdict != machinery.DISAGREES
        assert not (check.stated and check.verdict == machinery.CONDITIONAL)
        told = bool(check.explanation), bool(check.conclusion)
        assert told == ((check.verdict != machinery.AGREES),) * 2, check.place
        assert check.against
    assert sum(c.verdict == machinery.AGREES for c in checks) > 0.85 * len(checks)
    table = run.checks_table(checks)
    assert table["paper"].drop_duplicates().tolist() == list(machinery.PAPERS)
    assert table.equals(run.checks_table(list(reversed(checks))))


NAMED = [
    # paper, place, kind, printed, implied starts with, verdict; arithmetic beside each.
    # 88.7 * 39.4 / 50 = 69.90
    ("stereoset", "Table 6, intersentence, bert-large", "icat", "71.0", "69.9", "does not agree"),
    # 1026 + 3208 + 3996 + 623 = 8853
    ("stereoset", "Table 1, intrasentence, cats, total", "sum", "8498", "8853", "does not agree"),
    # (1026 * 7.98 + 3208 * 8.30 + 3996 * 7.63 + 623 * 8.18) / 8853 = 70399.90 / 8853 = 7.952
    ("stereoset", "Table 1, intra total, mean_length_words", "mean", "8.02", "7.95",
     "does not agree if"),
    ("stereoset", "Sections 4.3 and 9.1, validators of an instance", "prose", "5", "4",
     "does not agree"),
    ("stereoset", "Section 7, mean lms, one set of models for all", "claim",
     "6 means compared with each other", "no set of models gives more than 4", "does not agree if"),
    # 1 - 6 * 16 / 720 = 0.8667
    ("stereoset", "Section 7, rho(lms, ss), against Table 4", "correlation", "0.87", "0.87",
     "agrees"),
    ("stereoset", "Table 1, overall, target_terms, against Table 10", "tables", "321", "333",
     "does not agree"),
    ("stereoset", "Section 7 against Table 4, xlnet-base to xlnet-large, ss", "claim",
     "grows with size", "54.1 to 54.0", "does not agree"),
    # (57.5 + 61.7) / 2 = 59.6
    ("stereoset", "Table 4, bert-base, ss, against Table 6", "pooled", "58.3", "59.6",
     "does not agree if"),
    ("trustworthy", "Table 8, text-automated wikipedia, lists-3 spearman_rho", "attainable",
     "0.85", "attainable by truncation only", "by truncation"),
    # -0.055 is larger than 0.026 without its sign
    ("trustworthy", "Section 6 against Table 7, targeted metric, by magnitude", "claim",
     "8 of 8 reduced", "7 of 8 reduced", "does not agree if"),
    # 0.018 to 0.018 hides a change of less than 0.001, so seven is possible before rounding
    ("trustworthy", "Section 6 against Table 7, our metric", "claim", "7 of 8 amplified",
     "6 of 8 by the printed digits, 5 to 7 before rounding", "agrees"),
    # -0.041 + 0.089 = 0.048, each within 0.0005
    ("trustworthy", "Table 6, soldier, L3;L1", "sum", "0.049", "0.048", "agrees"),
    # 1 - 6 * 5.5 / 504 corrected for the tie: 39 / sqrt(41.5 * 42) = 0.934
    ("trustworthy", "Table 4, 3 sentences, rho, against Table 3", "tables", "0.898", "0.934",
     "does not agree"),
    # Sizes permuted over four families: 8 of the 24 orders reach -0.730.
    ("stereoset", "Section 7 against Table 4, corpus size and lms", "correlation",
     "no correlation", "rho = -0.730", "undecided"),
    # Print names four papers and counts three, but does not say that all four were surveyed.
    ("bad_seeds", "Table 3, adapted from lexical resources, against section 4", "tables", "3",
     "4 to 18", "does not agree if"),
    ("bad_seeds", "Figure 3 (c) in appendix A.2, paired sets", "pairs", "17", "20",
     "does not agree"),
    # 7244457 / 8888 = 815.08
    ("bad_seeds", "Table 2, nyt, mean_document_length", "mean", "815", "815", "agrees"),
]  # fmt: skip


@pytest.mark.parametrize(("paper", "place", "kind", "text", "implied", "outcome"), NAMED)
def test_named_findings(by_place, paper, place, kind, text, implied, outcome):
    check = by_place[paper, place, kind]
    assert check.printed == text
    assert check.implied.startswith(implied)
    assert check.verdict == outcome


@pytest.mark.parametrize(
    ("lms", "ss", "low", "best", "high"),
    [
        # 88.65 * 39.35 / 50, 88.7 * (100 - 60.6) / 50 and 88.75 * 39.45 / 50
        ("88.7", "60.6", 69.76755, 69.8956, 70.02375),
        # ss from 49.95 to 50.05 reaches 50, where icat is lms; at least 49.95 * 49.95 / 50.
        ("50.0", "50.0", 49.90005, 50.0, 50.05),
    ],
)
def test_icat_by_hand_and_at_its_fold(lms, ss, low, best, high):
    found = stereoset.icat_range(machinery.bounds(lms), ss)
    assert (found.low, found.best, found.high) == pytest.approx((low, best, high))


def changed(text):
    """Another number with as many digits, or a number where there is none."""
    digits = [i for i, letter in enumerate(text.partition("e")[0]) if letter.isdigit()]
    if not digits:
        return "0.7"
    first = next((i for i in digits if text[i] != "0"), digits[-1])
    return text[:first] + ("1" if text[first] == "9" else "9") + text[first + 1 :]


class Watched(dict):
    """A table that notes which cells are read."""

    def __init__(self, table):
        super().__init__(table)
        self.read = set()

    def __getitem__(self, key):
        self.read.add(key)
        return super().__getitem__(key)

    def items(self):
        self.read |= set(self)
        return super().items()

    def values(self):
        return [value for _, value in self.items()]


def outcome(family, tables, paper, name, key, text):
    """The checks where a cell has another value; "refused" where it cannot be read."""
    table = dict(tables[name])
    table[key] = table[key]._replace(value=text)
    try:
        return list(family(machinery.Printed(tables | {name: table}, paper)))
    except (KeyError, ValueError, ArithmeticError):
        return "refused"


# Tables in which a family looks for one value: this one would be found.
SEARCHED = {
    ("bad_seeds", "bound", "bad_seeds_table4"): "1.00",
    ("stereoset", "tables", "stereoset_table10"): "0.01",
}
FAMILIES = [
    (paper, number) for paper, module in run.MODULES.items() for number in range(len(module.AUDIT))
]


@pytest.mark.parametrize(("paper", "number"), later(FAMILIES, 12))
def test_a_change_of_any_cell_that_a_check_reads_changes_its_result(paper, number):
    family = run.MODULES[paper].AUDIT[number]
    tables = {name: Watched(table) for name, table in machinery.read_tables(PUBLISHED).items()}
    before = list(family(machinery.Printed(tables, paper)))
    read = [(name, key) for name, table in tables.items() for key in sorted(table.read)]
    assert read
    unseen = []
    for name, key in read:
        text = tables[name].get(key).value
        other = "" if text and before[0].kind == "N/A" else changed(text)
        other = SEARCHED.get((paper, before[0].kind, name), other)
        unseen += [(name, key)] * (outcome(family, tables, paper, name, key, other) == before)
    assert not unseen
