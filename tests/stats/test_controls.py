"""The rank of a thing among controls is a p-value, whatever their distribution."""

import numpy as np
import pytest

from socialbias.stats.controls import p_values


def test_of_a_magnitude_large_is_far():
    controls = np.arange(1.0, 20)
    assert p_values([20, 19, 1, 0.5, -3], controls, False) == pytest.approx(
        [1 / 20, 2 / 20, 1, 1, 1]
    )


def test_of_a_direction_both_ends_are_far_from_the_controls_median():
    controls = 5 + np.arange(-9.0, 10)
    assert p_values([15, -5, 14, 5], controls, True) == pytest.approx([0.05, 0.05, 0.15, 1])


def test_equal_numbers_count_whatever_the_rounding_and_no_number_has_no_p_value():
    p = p_values([0.1 + 0.2, np.nan], [0.3, 0.3, 0.3, np.nan], False)
    assert p[0] == 1
    assert np.isnan(p[1])
    assert p_values([1.0], [], True).tolist() == [1]


def test_p_values_are_those_counted_one_by_one():
    rng = np.random.default_rng(2)
    numbers, controls = rng.standard_normal(30), rng.standard_cauchy(50)
    middle = np.median(controls)
    for number, p in zip(numbers, p_values(numbers, controls, True), strict=True):
        farther = sum(abs(c - middle) >= abs(number - middle) for c in controls)
        assert p == pytest.approx((1 + farther) / 51)
