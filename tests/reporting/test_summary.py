"""The sentences on counts, on counts that can be checked by eye."""

from socialbias.papers.trustworthy.directed import NO_CONTEXT
from socialbias.reporting.summary import (
    LARGER_INPUT,
    NO_NAME,
    MissingInput,
    agreement,
    claims,
    false_decisions,
    of_artefact,
    what_would_fill,
)
from socialbias.reporting.values import TOO_SPARSE

NOTHING = {
    **dict.fromkeys(("equal", "within", "outside", "open"), 0),
    **dict.fromkeys(("agrees", "contradicts", "open_columns"), 0),
    **dict.fromkeys(("passed_if_shuffled", "agrees_if_shuffled"), 0.0),
}
MISSING = [
    MissingInput("word2vec", "Word2vec vectors of English.", "news is not here: get news"),
    MissingInput("names", "Vectors, for first names.", "news is not here: get news"),
    MissingInput("glove", "GloVe vectors (Pennington et al. 2014).", "wiki: unpack it; or buy it"),
    MissingInput("census", "Share of women: by profession.", "census is not here"),
]


def test_agreement_says_columns_and_numbers_and_what_chance_gives():
    columns = {"agrees": 18, "contradicts": 2, "open_columns": 28}
    assert agreement(NOTHING | columns | {"agrees_if_shuffled": 1.19}) == (
        "48 printed columns could be compared on other inputs than the paper's. 18 order their "
        "rows as the paper does, 2 order them the other way round and 28 are open; by chance 1.2 "
        "would agree. No number could be computed from the papers' own inputs."
    )
    judged = {"equal": 1200, "within": 30, "outside": 1, "open": 2}
    assert agreement(NOTHING | judged | {"passed_if_shuffled": 44.26}) == (
        "No column of numbers could be compared with a paper's. "
        "1,233 numbers are computed from the papers' own inputs: 1,200 equal, 30 within, "
        "1 outside and 2 open; by chance 44.3 would be equal or within."
    )


def test_an_artefact_says_columns_and_numbers_apart():
    counts = NOTHING | {"numbers": 1300, "printed": 9, "no_input": 4, "cautions": 0}
    counts |= {"agrees": 1, "open_columns": 2, "equal": 3, "open": 1}
    assert of_artefact(counts) == (
        "3 columns compared: 1 agrees and 2 open; 4 numbers compared: 3 equal and 1 open; "
        "1,300 numbers in all, 4 not computed."
    )
    assert of_artefact(counts | {"agrees": 3}).startswith("5 columns compared: 3 agree and 2 open")
    nothing = NOTHING | {"numbers": 1, "printed": 0, "no_input": 0, "cautions": 1}
    assert of_artefact(nothing) == ("1 number not in the paper; 1 number in all, 1 with a caution.")


def claim(verdict, fidelity="exact", kind=""):
    return {"verdict": verdict, "fidelity": fidelity, "kind": kind}


def test_claims_says_what_holds_and_what_was_decided_on_other_data():
    tested = [claim("holds", "subset"), claim("holds", "substitute"), claim("fails", "own")]
    tested += [claim("open")] * 2 + [claim("no input", "no input")]
    assert claims(tested) == (
        "Of 6 claims of the papers, 2 hold, 1 fails, 2 are open and 1 has no input. "
        "Of the 3 decided, 2 were tested on other inputs than the paper's."
    )
    uncounted = [claim("holds", kind="by definition"), claim("open", kind="cannot be shown")]
    assert claims(tested + uncounted) == (
        f"{claims(tested)} Not counted: 2 that are true by definition or cannot be shown."
    )
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
    notes += [TOO_SPARSE, NO_CONTEXT, TOO_SPARSE, NO_CONTEXT, *["`x` is not listed in y"] * 9]
    assert what_would_fill(notes, MISSING) == [
        (LARGER_INPUT, 4),
        ("Word2vec vectors of English.", 3),
        ("GloVe vectors (Pennington et al. 2014).", 1),
        (NO_NAME, 9),  # last, however many
    ]
    # A reason counts only where a note has it whole.
    assert what_would_fill(["census is not here at all"], MISSING) == [(NO_NAME, 1)]
