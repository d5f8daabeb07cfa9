"""Looks of a sequential test: against Pocock's table, scipy's normal integral, and by hand."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri
from scipy.stats import multivariate_normal

from socialbias.stats.sequential import level_of_each, order_of_items, planned_looks
from tests.shortened import later


# Jennison and Turnbull 2000, Table 2.1: two-sided, equally spaced, alpha .05.
@pytest.mark.parametrize(("looks", "constant"), [(1, 1.960), (2, 2.178), (4, 2.361), (10, 2.555)])
def test_equally_spaced_looks_have_pocock_s_constants(looks, constant):
    level = level_of_each(tuple(range(1, looks + 1)), 0.95)
    assert ndtri((1 + level) / 2) == pytest.approx(constant, abs=5e-4)


@pytest.mark.parametrize("n", later([96, 10, 1600], 1))
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_planned_looks_together_err_as_often_as_allowed(n, level):
    sizes = np.array(planned_looks(n))
    reach = ndtri((1 + level_of_each(tuple(sizes.tolist()), level)) / 2)
    covariance = np.sqrt(np.minimum.outer(sizes, sizes) / np.maximum.outer(sizes, sizes))
    normal = multivariate_normal(cov=covariance, seed=1)
    assert 1 - normal.cdf(np.full(len(sizes), reach)) == pytest.approx((1 - level) / 2, abs=1e-3)


def test_looks_grow_to_all_items():
    assert planned_looks(1600) == (200, 300, 400, 600, 800, 1200, 1600)
    assert planned_looks(1) == (1,)
    assert planned_looks(3) == (1, 2, 3)


@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=40), st.integers(0, 9))
def test_every_round_has_one_item_of_each_term_that_is_left(terms, seed):
    order = order_of_items(terms, seed)
    assert sorted(order) == [*range(len(terms))]
    left, names = Counter(terms), [terms[i] for i in order]
    while names:
        size = len(+left)
        assert sorted(names[:size]) == sorted(+left)
        names, left = names[size:], left - Counter(names[:size])


def test_the_order_is_random_and_that_of_the_seed():
    terms = [f"term {i % 5}" for i in range(50)]
    first = [order_of_items(terms, seed)[0] for seed in range(200)]
    assert len(set(first)) > 40
    assert (order_of_items(terms, 3) == order_of_items(terms, 3)).all()
