import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from socialbias.stats.correlation import rowwise_pearson, rowwise_spearman, spearman
from socialbias.stats.resampling import resampled_means


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("ties", [False, True])
def test_value_and_p_are_scipys(ties):
    x, y = rng(1).normal(size=(2, 15))
    if ties:
        x, y = x.round(), y.round()
    got, oracle = spearman(x, y, 200, 0.95, rng()), stats.spearmanr(x, y)
    assert got.value == pytest.approx(oracle.statistic)
    assert got.p_value == pytest.approx(oracle.pvalue)
    assert got.n == 15


def test_by_hand():
    # Ranks 1 2 3 4 and 2 1 4 3: differences 1 each, 1 - 6 * 4 / (4 * 15) = 0.6
    assert spearman([1, 2, 3, 4], [20, 10, 40, 30], 200, 0.95, rng()).value == pytest.approx(0.6)


def test_pairs_with_a_nan_are_left_out():
    x = [1, 2, np.nan, 3, 4, 5, 9]
    y = [2, 1, 7, 4, np.nan, 3, 9]
    kept = [0, 1, 3, 5, 6]
    got = spearman(x, y, 200, 0.95, rng())
    assert got.n == 5
    assert got == spearman(np.array(x)[kept], np.array(y)[kept], 200, 0.95, rng())


@pytest.mark.parametrize(
    ("x", "y", "n"),
    [
        ([1, 1, 1, 1], [1, 2, 3, 4], 4),
        ([1, 2, 3, 4], [0.1, 0.1, 0.1, 0.1], 4),
        ([1, 2], [1, 2], 2),
        ([1, 2, 3, np.nan], [1, 2, np.nan, 4], 2),
        ([], [], 0),
    ],
)
def test_without_variation_or_with_fewer_than_three_pairs_nothing_is_defined(x, y, n):
    got = spearman(x, y, 200, 0.95, rng())
    assert np.isnan([got.value, got.low, got.high, got.p_value]).all()
    assert got.n == n


def test_the_interval_is_the_percentile_bootstrap_over_pairs():
    x, y = rng(2).normal(size=(2, 12))
    got = spearman(x, y, 500, 0.9, rng(5))
    picks = rng(5).integers(12, size=(500, 12))
    draws = [stats.spearmanr(x[p], y[p]).statistic for p in picks]
    assert_allclose([got.low, got.high], np.quantile(draws, [0.05, 0.95]), atol=1e-12)


def test_the_interval_mostly_holds_the_truth_and_a_higher_level_is_wider():
    held, source = 0, rng(3)
    truth = 6 / np.pi * np.arcsin(0.5 / 2)  # Spearman's rho of a normal pair with r = 0.5
    for _ in range(60):
        x = source.normal(size=40)
        y = 0.5 * x + np.sqrt(0.75) * source.normal(size=40)
        got = spearman(x, y, 200, 0.95, source)
        assert got.low <= got.value <= got.high
        held += got.low <= truth <= got.high
    assert held >= 50  # 57 of 60 are aimed at
    wide, narrow = (spearman(x, y, 500, level, rng()) for level in (0.99, 0.6))
    assert wide.low < narrow.low < narrow.high < wide.high


def test_samples_in_which_one_side_is_flat_are_left_out_of_the_interval():
    # With one value that differs, a third of the samples miss it: (4/5)^5
    got = spearman([0, 0, 0, 0, 1], [1, 2, 3, 4, 5], 500, 0.95, rng())
    assert np.isfinite([got.low, got.high]).all()


def test_the_same_seed_gives_the_same_interval_and_another_another():
    x, y = rng(4).normal(size=(2, 20))
    assert spearman(x, y, 200, 0.95, rng(1)) == spearman(x, y, 200, 0.95, rng(1))
    assert spearman(x, y, 200, 0.95, rng(1)).low != spearman(x, y, 200, 0.95, rng(2)).low


def test_rowwise_correlations_equal_scipys_row_by_row():
    x, y = rng(6).integers(0, 6, size=(2, 20, 8)).astype(float)
    pearson = [stats.pearsonr(a, b).statistic for a, b in zip(x, y, strict=True)]
    ranked = [stats.spearmanr(a, b).statistic for a, b in zip(x, y, strict=True)]
    assert_allclose(rowwise_pearson(x, y), pearson, atol=1e-12)
    assert_allclose(rowwise_spearman(x, y), ranked, atol=1e-12)


@pytest.mark.parametrize("constant", [2.0, 0.1, -1e6 / 3])
@pytest.mark.parametrize("correlation", [rowwise_pearson, rowwise_spearman])
def test_a_flat_row_has_no_correlation(correlation, constant):
    flat, line = np.full((1, 3), constant), np.array([[1.0, 2.0, 4.0]])
    assert np.isnan(correlation(flat, line)).all()
    assert np.isnan(correlation(line, flat)).all()


def test_resampled_means_are_means_of_words_drawn_with_replacement():
    vectors = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 9.0]])
    means = resampled_means(vectors, 300, rng(7))
    assert means.shape == (300, 2)
    # Each word stands 0 to 3 times: coordinates 0, 1, 2, 3 and 0, 3, 6, 9, three words in all.
    counts = np.column_stack([means[:, 0], means[:, 1] / 3])
    assert_allclose(counts, counts.round(), atol=1e-12)
    assert (counts.sum(axis=1) <= 3 + 1e-9).all()
    assert len(np.unique(counts.round(), axis=0)) == 10  # all ways to draw 3 of 3
    # sd of a coordinate's mean over 300 draws: sqrt(3 * 2/9) / sqrt(300) = .047
    assert_allclose(counts.mean(axis=0), [1, 1], atol=0.2)


def test_a_list_of_one_word_has_one_mean():
    assert_allclose(resampled_means(np.array([[3.0, 4.0]]), 5, rng()), [[3, 4]] * 5)
