"""Trends over periods: by hand, by a naive regression, and of simulated years and outlets."""

import numpy as np
import pytest
from scipy import stats

from socialbias.stats.over_time import FEWEST_PERIODS, period_shares, slope

LEVEL = 0.95


def test_one_row_has_the_shares_that_were_counted():
    assert period_shares([[4, 0, 10]], [[1, 0, 5]]) == pytest.approx(
        [0.25, np.nan, 0.5], nan_ok=True
    )


def test_a_row_that_appears_moves_no_share():
    # Outlet A has 1 of 4 in every year. B has 3 of 4, and comes in the second year.
    shares = period_shares([[8, 8, 8], [0, 8, 16]], [[2, 2, 2], [0, 6, 12]])
    assert np.ptp(shares) == pytest.approx(0)
    assert shares @ [8, 16, 24] / 48 == pytest.approx(24 / 48)  # of all contexts
    pooled = np.array([2, 8, 14]) / [8, 16, 24]
    assert np.ptp(pooled) > 0.3


@pytest.mark.parametrize(("rows", "periods"), [(3, 9), (9, 3), (4, 4)])
def test_shares_are_those_of_a_regression_on_indicators(rows, periods):
    rng = np.random.default_rng(rows)
    n = rng.integers(1, 30, (rows, periods)) * (rng.uniform(size=(rows, periods)) < 0.8)
    n[:, 0] = n[0] = 5  # all are connected
    y = rng.binomial(n, rng.uniform(size=(rows, periods)))
    row, period = np.indices(n.shape).reshape(2, -1)
    x = np.hstack([np.eye(rows)[row], np.eye(periods)[period]])
    weight = np.sqrt(n.ravel())
    share = np.divide(y, n, out=np.zeros(n.shape), where=n > 0).ravel()
    fitted = np.linalg.lstsq(weight[:, None] * x, weight * share, rcond=None)[0][rows:]
    shares = period_shares(n, y)
    assert shares - shares[0] == pytest.approx(fitted - fitted[0])
    assert shares @ n.sum(axis=0) / n.sum() == pytest.approx(y.sum() / n.sum())


def test_periods_that_nothing_connects_with_the_others_have_no_share():
    n = [[5, 5, 0, 0], [0, 0, 9, 0], [0, 0, 0, 0]]
    assert np.isnan(period_shares(n, n)).tolist() == [False, False, True, True]
    assert np.isnan(period_shares(np.zeros((2, 3)), np.zeros((2, 3)))).all()
    assert np.isnan(period_shares(np.zeros((0, 3)), np.zeros((0, 3)))).all()


def test_a_slope_by_hand():
    # Equal weights. Of 0, 0, 1, 1 at 0 to 3: 2 / 5. Others rise by .1.
    found = slope([[7, 7, 7, 7]], [[0, 0, 7, 7]], [0.5, 0.6, 0.7, 0.8], [0, 1, 2, 3], LEVEL)
    assert found.value == pytest.approx(0.3)
    assert found.periods == 4
    assert np.isnan([found.low, found.high, found.freedom]).all()


def test_the_interval_is_that_of_a_regression_with_two_more_powers():
    # With equal weights, the variance of the trend is the mean square of the coefficients of the
    # orthonormal square and cube, which Legendre's recursion on -4 to 4 gives by hand.
    firsts = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5])
    t = np.arange(9) - 4.0
    square = t**2 - 60 / 9
    cube = t**3 - 708 / 60 * t
    parts = [firsts / 10 @ each / np.sqrt(each @ each) for each in (square, cube)]
    error = np.sqrt(np.mean(np.square(parts)) / 60)
    found = slope(np.full((1, 9), 10), [firsts], np.zeros(9), t + 1990, LEVEL)
    half = stats.t.ppf(0.975, 2) * error
    assert found.value == pytest.approx(firsts / 10 @ t / 60)
    assert (found.low, found.high) == pytest.approx((found.value - half, found.value + half))
    assert found.freedom == 2


def test_weights_are_those_of_numpy_s_polyfit_and_gaps_are_left_out():
    rng = np.random.default_rng(2)
    n, t, common = rng.integers(1, 50, 30), np.arange(30) * 2.5, rng.uniform(size=30)
    y = rng.binomial(n, 0.4)
    common[[3, 8]], n[11], y[11] = np.nan, 0, 0
    kept = ~np.isnan(common) & (n > 0)
    weights = np.sqrt(n[kept] / (n[kept] + np.median(n[kept])))
    expected = np.polyfit(t[kept], (y[kept] / n[kept] - common[kept]), 1, w=weights)[0]
    found = slope([n], [y], common, t, LEVEL)
    assert found.value == pytest.approx(expected)
    assert found.periods == 27
    assert found.low < found.value < found.high


def test_only_changes_within_rows_count():
    # A has 1 of 4 until 1994, B 3 of 4 from 1992 on, C is in one year only: no row changes.
    n, y = np.zeros((3, 9)), np.zeros((3, 9))
    n[0, :5], y[0, :5], n[1, 2:], y[1, 2:], n[2, 7], y[2, 7] = 8, 2, 12, 9, 50, 50
    found = slope(n, y, np.zeros(9), np.arange(9), LEVEL)
    assert (found.value, found.low, found.high) == pytest.approx((0, 0, 0))
    assert found.periods == 9
    # The same without a year that both have; each row rises by 1 of 8 a year.
    n, y = np.zeros((2, 9)), np.zeros((2, 9))
    n[0, :4], y[0, :4], n[1, 4:], y[1, 4:] = 8, [4, 5, 6, 7], 8, [0, 1, 2, 3, 4]
    assert slope(n, y, np.zeros(9), np.arange(9), LEVEL).value == pytest.approx(1 / 8)


def test_rows_of_one_period_each_have_no_slope():
    found = slope(np.eye(9), np.eye(9), np.zeros(9), np.arange(9), LEVEL)
    assert np.isnan(found.value)
    assert found.periods == 0


def test_rows_that_agree_leave_no_error():
    n, firsts = np.kron(np.eye(4), [5, 5]), np.kron(np.eye(4), [1, 2])
    found = slope(n, firsts, np.zeros(8), [0, 1, 2, 3, 4, 5, 6, 7], LEVEL)
    assert found.value == pytest.approx(1 / 5)
    assert found.low == pytest.approx(found.high)  # all four rows agree


def test_no_interval_where_a_movement_cannot_be_seen_within_rows():
    # Each row has two years at the same distance from the middle, so that squares do not differ.
    n = 5 * (np.eye(4, 8) + np.eye(4, 8)[:, ::-1])
    firsts = 2 * np.eye(4, 8)
    found = slope(n, firsts, np.zeros(8), np.arange(8), LEVEL)
    assert found.value < 0
    assert np.isnan([found.low, found.high, found.freedom]).all()


def test_height_and_unit_of_time_play_their_part_only():
    rng = np.random.default_rng(3)
    n, t, common = np.full((2, 12), 20), np.arange(12), rng.uniform(size=12)
    y = rng.integers(0, 20, (2, 12))
    one = slope(n, y, common, t, LEVEL)
    other = slope(n, y, common + 5, t / 10 + 1900, LEVEL)
    numbers = (10 * x for x in (one.value, one.low, one.high))
    assert (other.value, other.low, other.high) == pytest.approx(tuple(numbers))


@pytest.mark.parametrize("n", range(FEWEST_PERIODS + 1))
def test_few_periods_have_no_interval_and_one_has_no_slope(n):
    found = slope(np.full((1, n), 9), [np.arange(n)], np.zeros(n), np.arange(n), LEVEL)
    assert np.isnan(found.value) == (n < 2)
    assert np.isnan(found.low) == (n < FEWEST_PERIODS)
