"""Dose and response: by hand, against SciPy and numpy, one by one, and of planted slopes."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.weightstats import DescrStatsW

from socialbias.stats.trend import MIN_UNITS, orders, slopes, trend

DOSES = [0.0, 1.0, 2.0]
NAMES = [f"unit {i}" for i in range(200)]


def test_slopes_by_hand_and_as_numpy_fits_them():
    assert slopes([[1, 3, 5], [4, 4, 1]], DOSES) == pytest.approx([2, -1.5])
    x = np.random.default_rng(1).standard_normal((4, 5))
    doses = [1, 2, 4, 5, 9]
    assert slopes(x, doses) == pytest.approx([np.polyfit(doses, row, 1)[0] for row in x])


def test_orders_by_hand_and_as_scipy_has_them():
    assert orders([[1, 2, 3], [3, 2, 1], [1, 3, 2], [5, 5, 5]], DOSES) == pytest.approx(
        [1, -1, 0.5, 0]
    )
    x = np.random.default_rng(2).integers(0, 4, (6, 5))
    doses = np.array([1, 2, 4, 5, 9])
    assert orders(x, doses) == pytest.approx([stats.spearmanr(row, doses)[0] for row in x])


def test_a_trend_by_hand():
    # Slopes 1, 2, 3 and 2: a mean of 2, with a variance of 2/3 and a standard error of 1/sqrt(6).
    units = np.outer([1, 2, 3, 2], DOSES) + np.array([[7], [0], [-4], [9]])
    found = trend(units, DOSES, NAMES[:4], seed=1)
    half = stats.t.ppf(0.975, 3) / np.sqrt(6)
    assert found.slope.value == pytest.approx(2)
    assert (found.slope.low, found.slope.high) == pytest.approx((2 - half, 2 + half))
    assert found.slope.p_value == pytest.approx(2 * stats.t.sf(2 * np.sqrt(6), 3))
    assert [mean.value for mean in found.levels] == pytest.approx([3, 5, 7])
    assert found.order.value == pytest.approx(1)
    assert found.units == 4


def test_the_interval_is_that_of_a_t_test_of_the_units_slopes():
    x = np.random.default_rng(3).standard_normal((12, 4)) + np.arange(4)
    found = trend(x, [0, 1, 2, 3], NAMES[:12], seed=1)
    fitted = DescrStatsW([np.polyfit(range(4), row, 1)[0] for row in x])
    assert found.slope.p_value == pytest.approx(fitted.ttest_mean(0)[1])
    assert (found.slope.low, found.slope.high) == pytest.approx(fitted.tconfint_mean())
    drawn = np.std(found.slope.draws)
    assert drawn * 1.96 == pytest.approx((found.slope.high - found.slope.low) / 2, rel=0.1)


def test_the_order_is_page_s_statistic():
    rng = np.random.default_rng(5)
    x = rng.standard_normal((12, 4)) + 0.4 * np.arange(4)
    doses = [0, 1, 2, 3]
    # L of n units with k levels is n k (k + 1)^2 / 4 where the mean correlation is 0, and goes up
    # by n k (k^2 - 1) / 12 times that.
    expected = (stats.page_trend_test(x).statistic - 12 * 4 * 25 / 4) / (12 * 4 * 15 / 12)
    found = trend(x, doses, NAMES[:12], seed=1)
    assert found.order.value == pytest.approx(expected)
    each = DescrStatsW([stats.spearmanr(row, doses)[0] for row in x])
    assert found.order.p_value == pytest.approx(each.ttest_mean(0)[1])


def test_what_units_differ_by_and_their_order_play_no_part():
    x = np.random.default_rng(7).standard_normal((10, 3))
    one = trend(x, DOSES, NAMES[:10], seed=1)
    other = trend(x + np.arange(10)[:, None] ** 2, DOSES, NAMES[:10], seed=1)
    assert one.slope.value == pytest.approx(other.slope.value)
    assert one.slope.p_value == pytest.approx(other.slope.p_value)
    assert one.order.value == pytest.approx(other.order.value)


def test_a_unit_with_a_gap_is_left_out_and_few_units_have_no_trend():
    x = np.random.default_rng(8).standard_normal((11, 3))
    gap = np.vstack([x, [1, np.nan, 2]])
    kept, whole = (trend(y, DOSES, NAMES[: len(y)], seed=1) for y in (gap, x))
    assert (kept.slope.low, kept.order.p_value) == (whole.slope.low, whole.order.p_value)
    assert np.isnan(trend(x[:9], DOSES, NAMES[:9], seed=1).order.p_value)
    assert trend(x[: MIN_UNITS - 1], DOSES, NAMES[: MIN_UNITS - 1], seed=1) is None


def test_numbers_that_never_change_have_no_slope():
    found = trend(np.ones((12, 3)), DOSES, NAMES[:12], seed=1)
    assert (found.slope.value, found.slope.low, found.slope.high) == (0, 0, 0)
    assert found.slope.p_value == found.order.p_value == 1


def test_doses_must_differ_and_be_as_many_as_levels():
    with pytest.raises(ValueError, match="a dose for each of 3 levels"):
        slopes([[1, 2, 3]], [1, 1, 1])
    with pytest.raises(ValueError, match="a dose for each of 3 levels"):
        slopes([[1, 2, 3]], [1, 2])
