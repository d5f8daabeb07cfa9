"""Figure 2: cosines with unpleasantness, by hand in two dimensions."""

from math import sqrt

import pytest

from socialbias.papers.bad_seeds import figure2
from tests.papers.bad_seeds.worlds import SETS2, corpus, figure2_evidence, romance
from tests.worlds.jobs import summarised
from tests.worlds.numbers import cells
from tests.worlds.vectors import vectors

R2 = 1 / sqrt(2)


def test_figure2_takes_the_words_that_all_models_have():
    table = figure2_evidence(google=corpus(romance()))
    assert set(table["row"]) == {"f"}  # thirty words are not under thirty
    words = table.groupby("corpus")["word"].apply(lambda w: sorted(set(w))).to_dict()
    assert words == {
        "goodreads-romance": ["her", "she"],
        "goodreads-history-biography": ["her", "she"],
        "google": ["her", "lady", "she"],
    }
    assert set(zip(table["n"], table["n_of"], strict=True)) == {(2, 4), (3, 4)}


def test_figure2_cosines_medians_and_differences():
    table = figure2_evidence()
    at = table.set_index(["corpus", "model", "word"])["cosine"]
    assert at["goodreads-romance", 0, "she"] == pytest.approx(R2)
    assert at["goodreads-romance", 1, "she"] == pytest.approx(1)
    assert at["goodreads-history-biography", 0, "her"] == pytest.approx(-1)
    found = cells(summarised(figure2, table))
    first, second = (R2 + 1) / 2, 1.0  # of two words the median is the mean
    other = (R2 - 1) / 2
    assert found["f", "goodreads-romance"]["value"] == pytest.approx((first + second) / 2)
    assert found["f", "difference@mean"]["value"] == pytest.approx((first + second) / 2 - other)
    reach = 12.7062047 * abs(first - second) / sqrt(2)  # t with one degree of freedom
    reach *= sqrt(3 / 2)  # of the mean of two
    low = found["f", "difference"]["ci_low"]
    assert low == pytest.approx(max(-2, (first + second) / 2 - other - reach))
    assert found["f", "difference"]["note"].startswith("too few: 2 seeds")


def test_figure2_compares_along_the_words_of_unpleasantness_that_all_models_have():
    # Along bad1 alone, which both have, she is as unpleasant in one corpus as in the other.
    one = vectors(bad1=(1, 0), bad2=(0, 1), she=(1, 0), her=(0, 1), lady=(0, 1))
    other = vectors(bad1=(1, 0), she=(1, 0), her=(0, 1), lady=(0, 1))
    corpora = {"goodreads-romance": corpus(one), "goodreads-history-biography": corpus(other)}
    corpora["google"] = corpus(one)
    table = figure2.evidence(corpora, SETS2, ["bad1", "bad2", "absent"])
    found = cells(summarised(figure2, table))
    assert found["f", "difference@mean"]["value"] == pytest.approx(0)
    assert found["f", "difference@mean"]["note"] == "1 of 3 words of unpleasantness"
    # A model that is compared with none keeps its own: she has 1 / sqrt 2 along both.
    assert found["f", "google"]["value"] == pytest.approx(R2)
    assert found["f", "google"]["note"] == "2 of 3 words of unpleasantness"


def test_figure2_averages_vectors_as_they_are_and_as_a_variant_unit_ones():
    # (3, 0) and (0, 4) have the mean (3, 4) / 2, with which (1, 0) has the cosine 3/5.
    model = vectors(bad1=(3, 0), bad2=(0, 4), she=(1, 0), her=(1, 0), lady=(1, 0))
    table = figure2.evidence({"google": corpus(model)}, SETS2, ["bad1", "bad2"])
    found = cells(summarised(figure2, table))
    assert found["f", "google"]["value"] == pytest.approx(0.6)
    assert found["f", "google@mean"]["value"] == pytest.approx(0.6)
    assert found["f", "google@unit"]["value"] == pytest.approx(R2)
