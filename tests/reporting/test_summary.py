"""The sentences on counts, on counts that can be checked by eye."""

from socialbias.papers.trustworthy.directed import NO_CONTEXT
from socialbias.reporting.summary import (
    LARGER_INPUT,
    NO_NAME,
    MissingInput,
    claims,
    false_decisions,
    what_would_fill,
)
from socialbias.reporting.values import TOO_SPARSE

MISSING = [
    MissingInput("word2vec", "Word2vec vectors of English.", "news is not here: get news"),
    MissingInput("names", "Vectors, for first names.", "news is not here: get news"),
    MissingInput("glove", "GloVe vectors (Pennington et al. 2014).", "wiki: unpack it; or buy it"),
    MissingInput("census", "Share of women: by profession.", "census is not here"),
]


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
