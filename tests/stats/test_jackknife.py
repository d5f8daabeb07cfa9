"""Intervals of shares by leaving out one unit at a time."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logit

from socialbias.stats.jackknife import jackknifed

LEVEL = 0.95


def without_each(x):
    return np.array([np.delete(x, i).mean() for i in range(len(x))])


def test_of_a_mean_of_log_odds_it_is_students():
    x = np.array([-0.3, 0.1, 0.4, 1.2, 0.9])
    found = jackknifed(expit(x.mean()), [expit(without_each(x))], LEVEL)
    ends = stats.t.interval(LEVEL, len(x) - 1, x.mean(), stats.sem(x))
    assert [found.low, found.high] == pytest.approx(expit(ends))
    bar = logit(0.5) + stats.t.ppf(0.8, len(x) - 1) * stats.sem(x)
    assert found.detectable(0.5) == pytest.approx(expit(bar))


def test_of_a_difference_of_two_groups_it_is_students_with_both_variances():
    x, y = np.array([1.0, 2.0, 4.0, 1.5]), np.array([0.5, 0.0, -0.4])
    left_out = [expit(without_each(x) - y.mean()), expit(x.mean() - without_each(y))]
    found = jackknifed(expit(x.mean() - y.mean()), left_out, LEVEL)
    error = np.sqrt(x.var(ddof=1) / 4 + y.var(ddof=1) / 3)
    reach = stats.t.ppf(0.975, 5) * error
    middle = x.mean() - y.mean()
    assert [found.low, found.high] == pytest.approx(expit([middle - reach, middle + reach]))


def test_it_ends_within_0_and_1_and_one_unit_bears_none():
    sure = jackknifed(1.0, [[1.0, 1.0, 1.0]], LEVEL)
    assert (sure.low, sure.high) == pytest.approx((1, 1))
    assert jackknifed(0.98, [[0.5, 1.0, 0.99]], LEVEL).high <= 1
    alone = jackknifed(0.5, [[0.5], [0.4, 0.6]], LEVEL)
    assert np.isnan([alone.low, alone.high, alone.detectable(0.5)]).all()
