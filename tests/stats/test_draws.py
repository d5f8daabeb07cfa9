"""Joint draws, against what Student's t and Wilson's interval say."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from socialbias.stats.clustered import share_draws
from socialbias.stats.draws import (
    DRAWS,
    _resamples,
    as_many,
    over_replicates,
    permutations,
    resamples,
    widened,
)

MANY = 200_000


def test_units_are_resampled_alike_whoever_asks():
    names = ["nurse", "pilot", "dancer"]
    first = resamples(names, 1)
    _resamples.cache_clear()  # another process has nothing to remember
    assert (first == resamples(names, 1)).all()
    assert (resamples(names, 1) != resamples(["nurse", "pilot", "soldier"], 1)).any()
    assert (resamples(names, 1) != resamples(names, 2)).any()
    assert resamples(names, 1).shape == (DRAWS, 3)


def test_permuted_units_are_all_there_and_as_many_draws_as_others_have():
    orders = permutations(["a", "b", "c"], 1)
    assert (np.sort(orders, axis=1) == [0, 1, 2]).all()
    assert as_many(np.arange(5.0)).shape == (DRAWS,)
    assert set(as_many(np.arange(5.0))) == {0, 1, 2, 3, 4}
    assert (as_many(np.arange(DRAWS + 9.0)) == np.arange(DRAWS)).all()
    assert np.isnan(as_many([])).all()
    pairs = as_many(np.column_stack([np.arange(5.0), np.arange(5.0) + 1]))
    assert (pairs[:, 1] - pairs[:, 0] == 1).all()


@pytest.mark.parametrize("numbers", [[1.0, 2.0, 4.0], [0.1, 0.4, 0.2, 0.3, 0.9]])
def test_draws_over_replicates_have_the_quantiles_of_students_t(numbers):
    k = len(numbers)
    drawn = over_replicates(numbers, MANY)
    reach = stats.t.ppf(0.9, k - 1) * np.std(numbers, ddof=1) * np.sqrt(1 + 1 / k)
    low, high = np.quantile(drawn, [0.1, 0.9])
    assert low == pytest.approx(np.mean(numbers) - reach, rel=0.02)
    assert high == pytest.approx(np.mean(numbers) + reach, rel=0.02)


def test_a_missing_replicate_leaves_the_others_at_their_places():
    numbers = np.array([0.1, np.nan, 0.4, 0.3])
    other = np.array([5.0, 7.0, 5.3, 5.2])
    both = ~np.isnan(numbers)
    apart = over_replicates(numbers) - over_replicates(np.where(both, other, np.nan))
    assert apart == pytest.approx(over_replicates(numbers - other))


def test_one_replicate_shows_nothing_of_how_it_varies():
    assert np.isnan(over_replicates([0.3, np.nan])).all()


def test_percentiles_of_share_draws_are_wilsons_bounds():
    share, n, freedom = np.array([0.2, 1.0]), np.array([40.0, 12.0]), np.array([39.0, 5.0])
    names = ["a", "b"]
    drawn = share_draws(share, n, freedom, names, MANY)
    for level in (0.5, 0.95):
        alpha = 2 * stats.norm.sf(stats.t.ppf((1 + level) / 2, freedom))
        ends = proportion_confint(share * n, n, alpha, "wilson")
        found = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
        assert found == pytest.approx(np.stack(ends), abs=0.003)


def test_widened_draws_of_a_mean_have_students_interval():
    rng = np.random.default_rng(3)
    numbers = rng.normal(1, 2, 8)
    drawn = numbers[rng.integers(8, size=(MANY, 8))].mean(axis=1)
    low, high = np.quantile(widened(drawn, numbers.mean(), 8), [0.025, 0.975])
    reach = stats.t.ppf(0.975, 7) * numbers.std(ddof=1) / np.sqrt(8)
    assert high - low == pytest.approx(2 * reach, rel=0.03)
    assert (low + high) / 2 == pytest.approx(numbers.mean(), abs=0.1 * reach)


def test_widened_differences_are_differences_of_what_is_widened():
    first, second = np.random.default_rng(4).standard_normal((2, DRAWS))
    apart = widened(first, 0.3, 5) - widened(second, 0.1, 5)
    assert apart == pytest.approx(widened(first - second, 0.3 - 0.1, 5))
    assert np.isnan(widened(first, 0.0, 1, 9)).all()
