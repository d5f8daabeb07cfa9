"""Correlations of many measures of the same things, and what they say of validity."""

import numpy as np
import pytest
from scipy import stats

from socialbias.stats.multitrait import (
    obeying,
    permuted_labels,
    share_obeying,
    spearman_draws,
    weighted_ranks,
)

RNG = np.random.default_rng(3)
# Two traits by two methods: gender by a and b, valence by a and b.
TRAITS, METHODS = ["g", "g", "v", "v"], ["a", "b", "a", "b"]


def symmetric(**pairs):
    """A matrix of four measures from its six correlations, by the places of each pair."""
    found = np.eye(4)
    for pair, number in pairs.items():
        i, j = int(pair[1]), int(pair[2])
        found[i, j] = found[j, i] = number
    return found


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


def test_comparisons_by_hand():
    # Gender: .6 between methods; valence: .2. Of two traits: -.3, .1, .0 and .5.
    matrix = symmetric(r01=0.6, r23=0.2, r02=-0.3, r03=0.1, r12=0.0, r13=0.5)
    obey, of = obeying(matrix, TRAITS, METHODS)
    # Gender by a: .6 above .3 and .1; by b: above .0 and .5.
    # Valence by a: .2 above .0, not above the size of -.3; by b: above .1, not above .5.
    assert obey.tolist() == [2, 2, 1, 1]
    assert of.tolist() == [2, 2, 2, 2]
    assert share_obeying(matrix, TRAITS, METHODS) == 6 / 8


def test_an_unknown_correlation_is_in_no_comparison():
    matrix = symmetric(r01=0.6, r23=np.nan, r02=0.1, r03=np.nan, r12=0.1, r13=0.1)
    obey, of = obeying(matrix, TRAITS, METHODS)
    assert of.tolist() == [1, 2, 0, 0]
    assert obey.tolist() == [1, 2, 0, 0]
    unknown = np.full((4, 4), np.nan)
    assert np.isnan(share_obeying(unknown, TRAITS, METHODS))
    assert np.isnan(permuted_labels(unknown, TRAITS, METHODS)[0])


def test_labels_are_dealt_in_every_way():
    # Six ways to deal g, g, v, v. One method's measures make no convergent pair: with measures 0
    # and 2 (both a) alike nothing can be compared. Left are 01|23 and 03|12, each in two orders.
    matrix = symmetric(r01=0.6, r23=0.6, r02=0.1, r03=0.1, r12=0.1, r13=0.1)
    p_value, ways = permuted_labels(matrix, TRAITS, METHODS)
    assert ways == 6
    assert p_value == pytest.approx(2 / 6)  # the truth and its mirror image


def test_measures_of_one_method_and_trait_are_no_comparison():
    obey, of = obeying(np.full((3, 3), 0.5), ["g", "g", "v"], ["a", "a", "b"])
    assert obey.sum() == of.sum() == 0
