import numpy as np
import pytest

from socialbias.stats.intervals import normal, percentile, student, tails


def test_half_of_what_lies_outside_is_below():
    assert tails(0.5) == (0.25, 0.75)


def test_percentiles_of_known_draws():
    assert percentile([np.nan, *range(11)], 0.8) == pytest.approx([1, 9])


def test_percentiles_of_several_numbers():
    draws = np.column_stack([np.arange(5), [0, 2, 4, np.nan, np.nan], np.full(5, np.nan)])
    np.testing.assert_allclose(percentile(draws, 0.5), [[1, 1, np.nan], [3, 3, np.nan]])


def test_reach_in_standard_errors():
    """As tables of the distributions print them."""
    assert student(0.95, np.array([1, 9])) == pytest.approx([12.706, 2.262], abs=5e-4)
    assert normal(0.95) == pytest.approx(1.960, abs=5e-4)
