import numpy as np
import pytest
from scipy import stats
from scipy.sparse import csr_array
from statsmodels.stats.proportion import proportion_confint

from socialbias.stats.clustered import (
    clustered_shares,
    influence_of_counts,
    joint_draws,
    joint_share_draws,
    shares_of_counts,
)
from socialbias.stats.draws import DRAWS


def ends_of(share: float, n: float, reach: float) -> tuple[float, float]:
    """Wilson's interval that reaches so many standard errors, by statsmodels."""
    return proportion_confint(share * n, n, 2 * stats.norm.sf(reach), "wilson")


def test_single_observations_in_clusters_of_their_own_are_wilson_with_students_quantile():
    # 7 of 10: residuals 0.3 (seven times) and -0.7; variance 10/9 * 2.1 / 100, so that
    # 0.21 / variance = 9 observations; Student's t with 9 degrees of freedom is 2.2622.
    result = clustered_shares([0] * 7 + [1] * 3, [0] * 10, range(10), 1, 2, 0.95)
    assert result.share.tolist() == [[0.7, 0.3]]
    ends = ends_of(0.7, 9, stats.t.ppf(0.975, 9))
    assert (result.low[0, 0], result.high[0, 0]) == pytest.approx(ends)
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
    ends = ends_of(0.5, 12, stats.t.ppf(0.975, 2))
    assert (result.low[0, 0], result.high[0, 0]) == pytest.approx(ends)


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


def test_influences_add_up_to_the_variance():
    rng = np.random.default_rng(4)
    counts = rng.integers(0, 5, size=(40, 2)).astype(float)
    targets, clusters = np.repeat([0, 1], 20), np.tile(np.arange(20), 2)
    influence = influence_of_counts(counts, targets, clusters, 2)
    variance = shares_of_counts(counts, targets, 2, 0.95).variance[:, 0]
    assert (influence.toarray() ** 2).sum(axis=0) == pytest.approx(variance)
    assert influence.sum(axis=0) == pytest.approx([0, 0], abs=1e-12)


def test_joint_draws_go_block_by_block(monkeypatch):
    """A text of more documents than one block: each has a multiplier of its own."""
    monkeypatch.setattr("socialbias.stats.clustered.BLOCK", 4)
    rows = np.eye(10)
    drawn = joint_draws(csr_array(rows), np.full(10, 1e6), "blocks", 5_000)
    assert np.corrcoef(drawn.T) == pytest.approx(rows, abs=0.08)


def test_shares_that_pair_have_wilson_s_ends_by_themselves():
    errors = np.random.default_rng(1).standard_normal((DRAWS, 2)) @ np.array([[1, 0.9], [0, 0.4]])
    drawn = joint_share_draws([0.2, 0.3], [30, 50], [9, 20], errors, ["a", "b"])
    for column, (share, n, freedom) in zip(drawn.T, ((0.2, 30, 9), (0.3, 50, 20)), strict=True):
        ends = ends_of(share, n, stats.t.ppf(0.975, freedom))
        assert np.quantile(column, [0.025, 0.975]) == pytest.approx(ends, abs=0.01)
    assert stats.spearmanr(*drawn.T)[0] == pytest.approx(stats.spearmanr(*errors.T)[0])
