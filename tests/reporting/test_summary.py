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


def with_verdicts(**counts):
    return [
        {"verdict": verdict.replace("_", " ")} for verdict, n in counts.items() for _ in range(n)
    ]


def test_claims_says_apart_what_came_of_them_on_the_papers_and_on_other_data():
    tested = with_verdicts(holds=2, open=1, agrees=1, unclear=3, other_data=2, no_input=4)
    assert claims(tested) == (
        "3 claims could be tested on the papers' own inputs: 2 hold, 0 fail and 1 is open. "
        "4 general claims were tested on other data: 1 agrees, 0 disagree and 3 are unclear. "
        "6 were not tested: 2 about a paper's own data or models and 4 without input."
    )
    assert claims(with_verdicts(by_definition=1)) == (
        "No claim could be tested on the papers' own inputs. "
        "1 were not tested: 1 true by definition."
    )


def test_chance_decides_a_twentieth_of_what_is_tested():
    tested = with_verdicts(holds=5, unclear=15, no_input=5, by_definition=1, other_data=3)
    assert "all 20 tested claims" in false_decisions(tested)
    assert "1.0 of them (5 %) would be decided by chance" in false_decisions(tested)


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
