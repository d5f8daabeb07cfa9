"""Heterogeneity, against an analysis of variance by hand."""

import numpy as np
import pytest
from scipy.stats import f

from socialbias.stats.heterogeneity import between


def test_an_analysis_of_variance_by_hand():
    # Means 2 and 5; what is left over: +-.5 in each cell.
    found = between([[1.0, 3.0], [5.0, 5.0]], "x", draws=100_000)
    among, left = 2 * 1.5**2, 4 * 0.5**2
    ratio = (among / 1) / (1.5 * left / 1)
    assert found.value == pytest.approx(np.sqrt(among - 1.5 * left))
    assert found.p_value == pytest.approx(f.sf(ratio, 1, 1))
    assert (found.draws <= 0).mean() == pytest.approx(found.p_value, abs=0.01)


def test_what_a_replicate_does_to_all_numbers_is_no_heterogeneity():
    numbers = np.random.default_rng(1).standard_normal((4, 3))
    found, shifted = between(numbers, "x"), between(numbers + np.array([10.0, -5.0, 3.0]), "x")
    assert shifted.p_value == pytest.approx(found.p_value)


def test_numbers_without_noise_differ_for_certain():
    found = between([[1.0, 1.0], [2.0, 2.0]], "x")
    assert (found.p_value, (found.draws > 0).all()) == (0, True)


def test_fewer_than_two_show_nothing():
    with pytest.raises(ValueError, match="got 1 in 3"):
        between([[1.0, 2.0, 3.0]], "x")
