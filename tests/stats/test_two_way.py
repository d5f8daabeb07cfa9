"""The difference of two means over targets and over the words of groups."""

import numpy as np
import pytest
from scipy import stats

from socialbias.stats.two_way import mean_difference

NONE = np.empty(0)


def without(scores):
    """Means over group words (k, n) without each of them."""
    k = len(scores)
    return (scores.sum(axis=0) - scores) / (k - 1)


def additive(rng, n, m, k, spread, shift=0.0):
    """Scores (k, n + m) of group words with words, of which the first n differ by a number.

    Group words move all words, the first n more than the others, and each word by itself.
    """
    words = rng.normal(0, spread[0], n + m)
    groups = rng.normal(0, spread[1], (k, 1)) * np.r_[np.ones(n), np.zeros(m)]
    return words + groups + rng.normal(0, spread[2], (k, n + m)) + shift * (np.arange(n + m) < n)


def interval(scores, n, level=0.95):
    deleted, means = without(scores), scores.mean(axis=0)
    return mean_difference(means[:n], means[n:], [(deleted[:, :n], deleted[:, n:])], level)


def test_with_one_word_a_group_it_is_student_s_interval():
    first = np.array([1.0, 2, 4, 7])
    alone = mean_difference(first, NONE, [(first[None], NONE[None])], 0.9)
    oracle = stats.ttest_1samp(first, 0).confidence_interval(0.9)
    assert (alone.low, alone.high) == pytest.approx((oracle.low, oracle.high))


def test_few_targets_borrow_from_the_spread_of_the_other_words():
    # Sums of squares: 2 of the two targets; a variance of 12 counts for 8 of the nine others.
    first, second = np.array([9.0, 11.0]), np.array([-4.0, 4, -4, 4, -4, 4, 0, 0, 0])
    found = mean_difference(first, second, [], 0.95)
    variances = (2 + 8 * 12) / 9 / 2, 12 / 9
    freedom = sum(variances) ** 2 / (variances[0] ** 2 / 9 + variances[1] ** 2 / 8)
    reach = stats.t.ppf(0.975, freedom) * np.sqrt(sum(variances))
    assert (found.low, found.high) == pytest.approx((10 - reach, 10 + reach))


def test_of_one_target_it_is_student_s_interval_over_group_words():
    scores = np.array([[1.0], [2], [4], [7]])
    found = mean_difference(scores.mean(axis=0), NONE, [(without(scores), np.empty((4, 0)))], 0.95)
    oracle = stats.ttest_1samp(scores[:, 0], 0).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((oracle.low, oracle.high))
    assert np.isnan(mean_difference(scores[0], NONE, [(scores[:1], scores[:1, :0])], 0.95).low)


def test_a_variance_from_elsewhere_alone_makes_a_normal_s_interval():
    found = mean_difference(np.array([1.0]), NONE, [], 0.95, more=4.0)
    assert (found.low, found.high) == pytest.approx(stats.norm.interval(0.95, 1, 2))


def test_what_does_not_vary_leaves_no_doubt():
    found = mean_difference(np.ones(3), np.zeros(4), [(np.ones((2, 3)), np.zeros((2, 4)))], 0.95)
    assert (found.low, found.value, found.high) == (1, 1, 1)


@pytest.mark.parametrize("spread", [(1, 0, 0), (1, 1, 0), (1, 0.5, 2), (0.2, 0.5, 2)])
def test_its_variance_is_that_of_samples_of_both(spread):
    n, k, values, reaches = 12, 6, [], []
    for run in range(400):
        found = interval(additive(np.random.default_rng(run), n, 200, k, spread), n)
        values.append(found.value)
        reaches.append(found.low <= 0 <= found.high)
    assert stats.binom.ppf(0.001, 400, 0.95) <= sum(reaches) <= stats.binom.ppf(0.9999, 400, 0.97)


def test_four_in_five_samples_find_what_is_detectable():
    spread, n, k = (1, 0.3, 0.5), 30, 20
    seen = np.mean([
        interval(additive(np.random.default_rng(run), n, 200, k, spread), n).detectable
        for run in range(50)
    ])  # fmt: skip
    lows = [interval(additive(np.random.default_rng(run), n, 200, k, spread, seen), n).low
            for run in range(300)]  # fmt: skip
    assert np.mean(np.array(lows) > 0) == pytest.approx(0.8, abs=0.07)
