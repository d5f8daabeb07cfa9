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
        (MISSING[0], 3),
        (MISSING[2], 1),
        (NO_NAME, 9),  # last, however many
    ]
    # A reason counts only where a note has it whole.
    assert what_would_fill(["census is not here at all"], MISSING) == [(NO_NAME, 1)]


def test_an_input_is_named_in_a_few_words_with_its_size():
    assert [one.short for one in MISSING[1:]] == [
        "Vectors, for first names",
        "GloVe vectors",
        "Share of women",
    ]
    sizes = {0: "", 0.0421: "42 MB", 1.25: "1.2 GB"}
    assert [MissingInput("", "", "", gigabytes).size for gigabytes in sizes] == [*sizes.values()]
