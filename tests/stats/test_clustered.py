import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from socialbias.stats.clustered import clustered_shares, shares_of_counts, wilson


def test_single_observations_in_clusters_of_their_own_are_wilson_with_students_quantile():
    # 7 of 10: residuals 0.3 (seven times) and -0.7; variance 10/9 * 2.1 / 100, so that
    # 0.21 / variance = 9 observations; Student's t with 9 degrees of freedom is 2.2622.
    result = clustered_shares([0] * 7 + [1] * 3, [0] * 10, range(10), 1, 2, 0.95)
    z, n, p = stats.t.ppf(0.975, 9), 9, 0.7
    half = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    assert result.share.tolist() == [[0.7, 0.3]]
    assert (result.low[0, 0], result.high[0, 0]) == pytest.approx((middle - half, middle + half))
    assert (result.low[0, 1], result.high[0, 1]) == pytest.approx(
        (1 - result.high[0, 0], 1 - result.low[0, 0])
    )
    assert (result.n.tolist(), result.clusters.tolist()) == ([10], [10])


def test_copies_within_a_cluster_are_worth_one_observation():
    labels = [0, 0, 1, 0, 1, 1, 0]
    once = clustered_shares(labels, [0] * 7, range(7), 1, 2, 0.95)
    copies = clustered_shares(np.repeat(labels, 50), [0] * 350, np.repeat(range(7), 50), 1, 2, 0.95)
    assert copies.low == pytest.approx(once.low)
    assert copies.high == pytest.approx(once.high)
    assert (once.n[0], copies.n[0]) == (7, 350)


def test_clusters_that_all_look_alike_are_not_worth_more_than_their_observations():
    counts = np.array([[2, 2], [2, 2], [2, 2]])  # no variance over clusters at all
    result = shares_of_counts(counts, [0, 0, 0], 1, 0.95)
    low, high = wilson(np.array(0.5), np.array(12.0), np.array(stats.t.ppf(0.975, 2)))
    assert (result.low[0, 0], result.high[0, 0]) == pytest.approx((low, high))


def test_unanimous_observations_give_an_interval_with_a_width():
    result = clustered_shares([1] * 8, [0] * 8, range(8), 1, 3, 0.95)
    assert result.share.tolist() == [[0, 1, 0]]
    assert result.high[0, 1] == pytest.approx(1)
    assert 0.4 < result.low[0, 1] < 0.9
    assert result.high[0, 0] == pytest.approx(1 - result.low[0, 1])


def test_targets_are_apart_and_one_without_observations_is_nan():
    labels, targets, clusters = [0, 1, -1, 0, -1], [0, 0, 0, 2, 1], [4, 4, 5, 4, 0]
    result = clustered_shares(labels, targets, clusters, 3, 2, 0.95)
    assert result.share[[0, 2]].tolist() == [[0.5, 0.5], [1, 0]]
    assert np.isnan(result.share[1]).all()
    assert np.isnan(result.low[1]).all()
    assert (result.n.tolist(), result.clusters.tolist()) == ([2, 0, 1], [1, 0, 1])


def test_nothing_at_all_is_nan():
    assert np.isnan(clustered_shares([], [], [], 2, 2, 0.95).high).all()


def test_wilson_is_that_of_statsmodels():
    low, high = wilson(np.array([0.2, 1.0]), np.array([30.0, 7.0]), stats.norm.ppf(0.975))
    for i, (count, n) in enumerate([(6, 30), (7, 7)]):
        expected = proportion_confint(count, n, 0.05, "wilson")
        assert (low[i], high[i]) == pytest.approx(expected)
