"""The sentences on top of the page, on counts that can be checked by eye."""

from socialbias.papers.trustworthy.directed import NO_CONTEXT
from socialbias.reporting.summary import (
    LARGER_INPUT,
    NO_NAME,
    MissingInput,
    agreement,
    claims,
    coverage,
    false_decisions,
    what_would_fill,
)
from socialbias.reporting.values import TOO_SPARSE

NOTHING = {
    **dict.fromkeys(("exact", "compatible", "differs", "undecided"), 0),
    **dict.fromkeys(("agrees", "identical", "contradicts", "undecided_columns"), 0),
    **dict.fromkeys(("passed_if_shuffled", "agrees_if_shuffled"), 0.0),
}
MISSING = [
    MissingInput("word2vec", "Word2vec vectors of English.", "news is not here: get news"),
    MissingInput("names", "Vectors, for first names.", "news is not here: get news"),
    MissingInput("glove", "GloVe vectors (Pennington et al. 2014).", "wiki: unpack it; or buy it"),
    MissingInput("census", "Share of women: by profession.", "census is not here"),
]


def test_agreement_says_columns_and_what_chance_gives():
    columns = {"agrees": 14, "identical": 4, "contradicts": 2, "undecided_columns": 28}
    assert agreement(NOTHING | columns | {"agrees_if_shuffled": 1.19}) == (
        "Of the 48 columns that could be compared with a paper's, 18 order their rows as the paper "
        "does, 2 contradict it and 28 are undecided; by chance alone 1.2 would agree. "
        "No number is judged by itself: that needs the papers' own inputs."
    )


def test_agreement_says_numbers_that_were_judged_one_by_one():
    judged = {"exact": 1200, "compatible": 30, "differs": 1, "undecided": 2}
    assert agreement(NOTHING | judged | {"passed_if_shuffled": 44.26}) == (
        "No column of numbers could be compared with a paper's. "
        "Of the 1,233 numbers that were judged one by one, 1,200 are exact, 30 compatible, "
        "1 differs and 2 are undecided; by chance 44.3 would be exact or compatible."
    )


def claim(verdict, fidelity="exact", kind=""):
    return {"verdict": verdict, "fidelity": fidelity, "kind": kind}


def test_claims_says_what_holds_and_what_was_decided_on_other_data():
    tested = [claim("holds", "subset"), claim("holds", "substitute"), claim("fails", "own")]
    tested += [claim("open")] * 2 + [claim("no input", "no input")]
    assert claims(tested) == (
        "Of 6 claims of the papers, 2 hold, 1 fails, 2 are open and 1 has no input. "
        "Tested on other inputs than the paper's: 2 of the 3 that hold or fail."
    )
    uncounted = [claim("holds", kind="by definition"), claim("open", kind="cannot be shown")]
    assert claims(tested + uncounted) == (
        f"{claims(tested)} Not counted: 2 that are true by definition or cannot be shown."
    )


def test_claims_of_which_none_is_decided():
    assert claims([claim("open")]) == (
        "Of 1 claim of the papers, 0 hold, 0 fail, 1 is open and 0 have no input."
    )


def test_chance_decides_a_twentieth_of_what_is_tested():
    tested = [claim("holds")] * 10 + [claim("open")] * 10
    untested = [claim("no input")] * 5 + [claim("holds", kind="by definition")]
    expected = false_decisions(tested + untested)
    assert "all 20 tested claims" in expected
    assert "1.0 of them (5 %) would hold or fail by chance" in expected


def test_each_empty_cell_counts_for_every_input_that_it_lacks():
    notes = ["news is not here: get news"] * 2
    notes += ["wiki: unpack it; or buy it; news is not here: get news"]
    notes += [TOO_SPARSE, NO_CONTEXT, TOO_SPARSE, NO_CONTEXT, "`x` is not listed in y"]
    assert what_would_fill(notes, MISSING) == [
        (LARGER_INPUT, 4),
        ("word2vec vectors of English", 3),
        ("GloVe vectors", 1),
        (NO_NAME, 1),
    ]


def test_a_reason_counts_only_where_a_note_has_it_whole():
    notes = ["census is not here at all"]
    assert what_would_fill(notes, MISSING) == [(NO_NAME, 1)]


def test_coverage_names_what_would_give_most():
    notes = ["census is not here"] * 1000 + [TOO_SPARSE] * 3
    assert coverage(2000, 1, 2, notes, MISSING) == (
        "Of 2,000 numbers, 1,003 could not be computed (no input), 1 rests on too little to be "
        "judged (too few), and of 2 what measured them did not pass its own test (too weak). "
        "What would give those without input: share of women (1,000) and "
        "a larger text or larger vectors (3)."
    )


def test_coverage_counts_what_it_does_not_name():
    missing = [MissingInput(f"r{i}", f"Input {i}.", f"no {i}") for i in range(7)]
    notes = [f"no {i}" for i in range(7) for _ in range(9 - i)]
    assert coverage(99, 0, 0, notes, missing).endswith(
        "input: input 0 (9), input 1 (8), input 2 (7), input 3 (6), input 4 (5) and 2 other inputs."
    )


def test_coverage_says_apart_what_no_input_would_give():
    notes = ["no m"] * 2 + ["`x` is not listed in y"] * 1500
    missing = [MissingInput("m", "A model of rows.", "no m")]
    assert coverage(2000, 0, 0, notes, missing).endswith(
        "(too weak). What would give those without input: a model of rows (2); "
        "the notes of 1,500 say why there is none."
    )
    assert coverage(2000, 0, 0, notes[2:], missing).endswith(
        "(too weak). The notes of 1,500 say why there is none."
    )


def test_coverage_of_a_run_that_lacks_nothing():
    assert coverage(5, 0, 0, [], []) == (
        "Of 5 numbers, 0 could not be computed (no input), 0 rest on too little to be judged "
        "(too few), and of 0 what measured them did not pass its own test (too weak)."
    )
