"""Adjusted p-values, worked out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from socialbias.stats.multiplicity import combined_p, holm, max_t, partial_conjunction

P = [0.01, 0.04, np.nan, 0.03]


def test_holm_by_hand():
    # .01 * 3, then .03 * 2 = .06, then .04 * 1, which may not fall below .06
    assert holm(P) == pytest.approx([0.03, 0.06, np.nan, 0.06], nan_ok=True)


@pytest.mark.parametrize(("k", "p"), [(1, 0.03), (2, 0.06), (3, 0.5)])
def test_partial_conjunction_by_hand(k, p):
    assert partial_conjunction([0.5, 0.01, 0.03], k) == pytest.approx(p)


@pytest.mark.parametrize("k", [0, 3])
def test_so_many_of_two_cannot_be_asked(k):
    with pytest.raises(ValueError, match="of 2 hypotheses"):
        partial_conjunction([0.1, 0.2], k)


def test_no_tests_have_no_adjusted_p_values():
    assert np.isnan(holm([np.nan])).all()
    assert len(holm([])) == 0


def test_tests_of_one_effect_are_combined_where_their_signs_agree():
    assert combined_p([0.01, 0.03, np.nan], [1.2, 0.4, -1]) == pytest.approx(0.04)
    assert combined_p([0.9, 0.8], [-1, -2]) == 1
    assert np.isnan(combined_p([0.0008, 0.0003, 0.039], [1.39, -1.65, 1.09]))
    assert np.isnan(combined_p([np.nan], [1]))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_is_that_of_statsmodels(p):
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1])


def test_the_largest_of_all_statistics_adjusts_each():
    null = np.array([[0.1, -0.9], [0.3, 0.2], [-0.4, 0.0]])  # largest: .9, .3, .4
    assert max_t([0.35, -0.95], null) == pytest.approx([3 / 4, 1 / 4])
