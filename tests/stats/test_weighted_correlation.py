"""Rank correlations in bootstrap samples, against SciPy's of the repeated things."""

import numpy as np
import pytest
from scipy import stats

from socialbias.stats.weighted_correlation import spearman_draws, weighted_ranks

RNG = np.random.default_rng(3)


def test_a_correlation_in_a_bootstrap_sample_is_that_of_the_repeated_things():
    x, y = RNG.normal(size=12).round(1), RNG.normal(size=12).round(1)
    chosen = RNG.integers(12, size=(5, 12))
    found = spearman_draws(x, y, np.array([np.bincount(sample, minlength=12) for sample in chosen]))
    expected = [stats.spearmanr(x[sample], y[sample])[0] for sample in chosen]
    np.testing.assert_allclose(found, expected)


def test_weighted_ranks_of_each_thing_once_are_midranks():
    x = np.array([2.0, 1.0, 2.0, 5.0])
    np.testing.assert_allclose(weighted_ranks(x, np.ones((1, 4)))[0], [2.5, 1, 2.5, 4])


def test_things_without_a_score_are_left_out():
    x, y = np.array([1.0, 2, np.nan, 3, 4]), np.array([2.0, 1, 9, 4, np.nan])
    [rho] = spearman_draws(x, y, np.ones((1, 5)))
    assert rho == pytest.approx(0.5)  # of 1, 2, 3 with 2, 1, 4
