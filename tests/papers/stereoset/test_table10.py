"""Table 10: agreement by term, against numbers worked out by hand."""

import numpy as np
import pandas as pd
import pytest

from socialbias.papers.stereoset import table10
from socialbias.papers.stereoset.items import SPLITS
from tests.papers.stereoset.tiny import ITEMS, SENTENCES, cells, printed

PRINTED = {"she": 1.0, "peru": 0.38, "shiva": 0.72}


@pytest.fixture
def result():
    return cells(table10.values(SENTENCES, PRINTED))


def test_related_is_left_out_of_the_sum_but_not_of_the_five(result):
    """Of S S S A R the three labels give 9 + 1 of 25, of S S S R R 9."""
    assert result["she", "agreement"]["value"] == 1
    assert result["peru", "agreement"]["value"] == pytest.approx((10 / 25 + 9 / 25) / 2)


def test_pairs_are_of_all_four_labels(result):
    """S S S has three pairs of the ten; R R is one more."""
    assert result["she", "pairs"]["value"] == 1
    assert result["peru", "pairs"]["value"] == pytest.approx((3 / 10 + 4 / 10) / 2)


def test_the_interval_of_pairs_is_students_over_items(result):
    half = 12.706205 * 0.05  # t(1) at .975; of .3 and .4 the standard error is .05
    cell = result["peru", "pairs"]
    assert cell["ci_low"] == 0  # .35 less .64
    assert cell["ci_high"] == pytest.approx(0.35 + half)
    assert "ci_low" not in result["she", "pairs"]


@pytest.mark.parametrize(
    ("agreements", "printed", "fewest"),
    [
        ([0.6, 0.8], 0.7, 0),
        ([0.6, 0.8], 0.705, 0),  # .70 and .71 are as near
        ([0.6, 0.8], 0.8, 1),  # with an item of 1
        ([0.6, 0.8], 0.85, 2),  # one gives at most .8
        ([0.6, 0.8], 0.59, 1),  # .36 gives .587
        ([0.6, 0.8], 0.58, 2),
    ],
)
def test_the_fewest_further_items_for_a_printed_number(agreements, printed, fewest):
    assert table10.fewest_further(np.array(agreements), printed) == fewest


def test_totals_add_up_terms(result):
    """Peru has .38 in print and here; she too: nothing further is needed."""
    assert result["Total race", "items"]["value"] == 2
    assert result["Total", "items"]["value"] == 3
    assert result["Total", "as_printed"]["value"] == 2
    more = cells(table10.values(SENTENCES, PRINTED | {"peru": 0.5}))
    # One item of 1 gives (.4 + .36 + 1) / 3 = .59, and one of .74 .5.
    assert more["Total race", "further"]["value"] == 1
    assert more["Total", "as_printed"]["value"] == 1


def test_a_printed_term_that_was_not_released_has_no_items_and_no_agreement(result):
    assert result["shiva", "items"]["value"] == 0
    assert np.isnan(result["shiva", "agreement"]["value"])
    assert result["shiva", "agreement"]["note"] == table10.NOT_RELEASED


def test_of_one_split_nothing_is_said_about_terms_that_it_lacks():
    part = ITEMS[ITEMS["split"] == next(iter(SPLITS))]
    rows = {row for row, _ in cells(table10.values(part, PRINTED))}
    assert rows == {"she"}


def test_rows_are_those_of_print():
    terms = pd.Series(["ma'am", "African Americans", "CEO"]).map(table10.row_of)
    assert set(terms) < set(printed("table10")["row"])
