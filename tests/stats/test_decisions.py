"""Means by term and their reliability: by hand, and planted."""

import numpy as np
import pytest

from socialbias.stats.decisions import means_by_term, reliability_of_terms

TERMS = [f"term {i}" for i in range(60) for _ in range(20)]


def planted(terms, seed):
    """Decisions of twelve models whose chances have this standard deviation over terms."""
    rng = np.random.default_rng(seed)
    chances = 0.5 + terms * rng.standard_normal((60, 12))
    return (rng.uniform(size=(1200, 12)) < np.repeat(chances, 20, axis=0)).astype(float)


def test_scores_are_means_over_terms_not_over_items():
    decisions = [[1, 0], [1, 0], [0, 1], [0, np.nan]]
    by_term, names = means_by_term(np.array(decisions, float), ["b", "b", "b", "a"])
    assert names == ["a", "b"]
    np.testing.assert_allclose(by_term, [[0, np.nan], [2 / 3, 1 / 3]])


def test_reliability_across_terms_is_that_of_the_few_items_of_each():
    terms, noise = 0.1, (0.25 - 0.1**2) / 20
    decisions = planted(terms, 3)
    found = [reliability_of_terms(decisions[:, m], TERMS) for m in range(12)]
    expected = terms**2 / (terms**2 + noise)
    assert np.mean([one.value for one in found]) == pytest.approx(expected, abs=0.05)
    assert sum(one.low <= expected <= one.high for one in found) >= 10
    assert (found[0].n, found[0].k) == (60, 20)


def test_terms_with_a_single_item_have_no_halves():
    decisions = planted(0.1, 4)[:, 0]
    decisions[1:20] = np.nan  # term 0 keeps one item
    found = reliability_of_terms(decisions, TERMS)
    without = reliability_of_terms(decisions[20:], TERMS[20:])
    assert (found.value, found.n) == (pytest.approx(without.value), 59)
