import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose
from scipy import stats

from socialbias.stats.correlation import (
    paired_spearman,
    percentile_interval,
    rowwise_pearson,
    rowwise_spearman,
    spearman,
    spearman_test,
)


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("ties", [False, True])
def test_value_and_p_are_those_of_a_regression_of_the_ranks(ties):
    x, y = rng(1).normal(size=(2, 15))
    if ties:
        x, y = x.round(), y.round()
    got = spearman(x, y, 200, 0.95, rng())
    ranks = [pd.Series(side).rank() for side in (x, y)]
    fitted = sm.OLS(ranks[1], sm.add_constant(ranks[0])).fit()
    assert got.value == pytest.approx(np.sign(fitted.params[0]) * np.sqrt(fitted.rsquared))
    assert got.p_value == pytest.approx(fitted.pvalues[0])
    assert got.n == 15


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


def test_an_interval_needs_samples_that_vary():
    # With one value that differs, a third of the samples miss it: (4/5)^5. With two that differ
    # among ten, a tenth of the samples miss both: (8/10)^10. Among 40 three, one in 22: (37/40)^40.
    for n, different, some in ((5, 1, False), (10, 2, False), (40, 3, True)):
        x = [0.0] * (n - different) + [1.0] * different
        got = spearman(x, np.arange(n), 2000, 0.95, rng())
        assert np.isfinite([got.value, got.p_value]).all()
        assert np.isfinite([got.low, got.high]).tolist() == [some, some]


def test_fewer_than_five_pairs_have_no_interval():
    got = spearman([1, 2, 3, 4], [20, 10, 40, 30], 200, 0.95, rng())
    assert np.isnan([got.low, got.high]).all()
    got = spearman([1, 2, 3, 4, 5], [20, 10, 40, 30, 50], 200, 0.95, rng())
    assert got.low < got.value < got.high


def test_the_ends_are_those_of_the_samples_that_vary():
    draws = np.concatenate([[np.nan] * 5, np.arange(95) / 94])
    assert percentile_interval(draws, 0.9, 5) == pytest.approx((0.05, 0.95))
    draws[5] = np.nan  # six in a hundred
    assert np.isnan(percentile_interval(draws, 0.9, 5)).all()


@pytest.mark.parametrize(
    ("x", "y", "p"),
    [
        # Of the orders of n numbers two have a perfect correlation.
        ([1, 2, 3], [4, 5, 6], 2 / 6),
        ([1, 2, 3, 4], [9, 7, 5, 3], 2 / 24),
        (range(9), range(9), 2 / 362_880),
        (range(10), range(10), 2 / 3_628_800),
        # 0.5 in magnitude or more: all orders of three numbers.
        ([1, 2, 3], [2, 1, 3], 1),
        # Ranks 1.5 1.5 3 against 1 2 3: the single number stands at an end in four of six orders.
        ([1, 1, 2], [1, 2, 3], 4 / 6),
        # One of four differs on both sides: beside its like in one of four places.
        ([0, 0, 0, 1], [0, 0, 0, 1], 1 / 4),
    ],
)
def test_p_of_few_pairs_by_hand(x, y, p):
    assert spearman(list(x), list(y), 20, 0.95, rng()).p_value == pytest.approx(p)
    assert spearman_test(list(x), list(y))[1] == pytest.approx(p)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("n", [5, 6, pytest.param(7, marks=pytest.mark.long)])
def test_p_of_few_pairs_is_that_of_scipys_permutations(n, ties):
    x, y = rng(n).normal(size=(2, n))
    if ties:
        x, y = x.round(), y.round()

    def size(order):
        return abs(stats.spearmanr(x, order).statistic)

    oracle = stats.permutation_test(
        (y,), size, permutation_type="pairings", alternative="greater", n_resamples=np.inf
    )
    assert spearman_test(x, y)[1] == pytest.approx(oracle.pvalue)


@pytest.mark.parametrize("n", [4, 12])
def test_a_test_with_a_nan_or_a_flat_side_is_not_defined(n):
    line = np.arange(n, dtype=float)
    for other in (np.where(line == 1, np.nan, line), np.ones(n)):
        assert np.isnan(spearman_test(line, other)).all()
        assert np.isnan(spearman_test(other, line)).all()


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


def test_measures_of_the_same_units_are_drawn_alike():
    x, units = np.arange(12.0), [f"u{i}" for i in range(12)]
    first = paired_spearman(x, x**2 % 7, units, 0.95, 1)
    second = paired_spearman(-x, x**2 % 7, units, 0.95, 1)
    assert first.draws == pytest.approx(-second.draws)
    assert first.null == pytest.approx(-second.null)
    assert (first.value, first.p_value) == spearman_test(x, x**2 % 7)
    assert first.low == pytest.approx(np.quantile(first.draws, 0.025))
    assert abs(np.mean(first.null)) < 0.05


def test_four_units_have_no_draws():
    found = paired_spearman([1, 2, 3, 4], [2, 1, 4, 3], list("abcd"), 0.95, 1)
    assert found.value == pytest.approx(0.6)
    assert np.isnan(found.draws).all()


def test_units_without_a_number_are_left_out_of_the_draws():
    x, y = np.arange(8.0), np.array([3.0, 1, 2, 5, 4, 7, 6, 0])
    whole = paired_spearman(x[:7], y[:7], list("abcdefg"), 0.95, 1)
    part = paired_spearman([*x[:7], np.nan], y, list("abcdefgh"), 0.95, 1)
    assert (whole.draws == part.draws).all()
