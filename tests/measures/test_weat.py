"""WEAT against a world worked by hand, and its permutation test against listing every division.

A = (1, 0), B = (0, 1), in two dimensions, so that s(w, A, B) of a unit vector is x - y:

| word          | cosine to A | cosine to B | s    |
|---------------|-------------|-------------|------|
| first (2, 0)  | 1           | 0           | 1    |
| second (3, 4) | 3/5         | 4/5         | -1/5 |
| third (0, 3)  | 0           | 1           | -1   |

X = first and second, Y = third:
- statistic 1 - 1/5 - (-1) = 9/5
- means 2/5 and -1: difference 7/5; mean of all -1/15; variance (1 + 1/25 + 1)/3 - 1/225 = 152/225,
  so the effect size is (7/5) / (sqrt(152)/15) = 21/sqrt(152); with n - 1, 228/225 and 21/sqrt(228)
- the divisions into two and one have the statistics 9/5, 1/5 (second is Y) and -11/5 (first is Y),
  and differences of means 7/5, 1/5 and -8/5: one of three is as large, two are in magnitude
"""

from fractions import Fraction
from itertools import combinations
from math import sqrt

import numpy as np
import pytest
from numpy.testing import assert_allclose

from socialbias.measures.weat import (
    association,
    effect_size,
    permutation_p,
    sampled_effect_size,
    weat,
)

A, B = [[1.0, 0.0]], [[0.0, 1.0]]
X, Y = [[2.0, 0.0], [3.0, 4.0]], [[0.0, 3.0]]


def rng(seed=0):
    return np.random.default_rng(seed)


def listed_p(x, y, two_sided=False):
    """The p-value from the difference of the means in every division, without rounding."""
    words = [Fraction(number) for number in (*x, *y)]
    together = sum(words)

    def difference(chosen):
        part = sum(words[i] for i in chosen)
        return part / len(x) - (together - part) / len(y)

    def size(number):
        return abs(number) if two_sided else number

    observed = size(difference(range(len(x))))
    divisions = list(combinations(range(len(words)), len(x)))
    return sum(size(difference(d)) >= observed for d in divisions) / len(divisions)


def test_the_world_by_hand():
    assert_allclose(association(X + Y, A, B), [1, -1 / 5, -1])
    result = weat(X, Y, A, B)
    assert result.statistic == pytest.approx(9 / 5)
    assert result.effect_size == pytest.approx(21 / sqrt(228))
    assert result.p_value == pytest.approx(1 / 3)
    assert result.exact
    assert weat(X, Y, A, B, two_sided=True).p_value == pytest.approx(2 / 3)


def test_ddof_chooses_the_standard_deviation():
    population, sample = (weat(X, Y, A, B, ddof=ddof).effect_size for ddof in (0, 1))
    assert population == pytest.approx(21 / sqrt(152))
    assert sample == pytest.approx(21 / sqrt(228))


def test_association_is_the_mean_cosine_to_the_words_of_a_set_not_the_cosine_to_their_mean():
    # Cosines of (1, 0) to (3, 4) and (100, 0): 3/5 and 1.
    assert_allclose(association([[1.0, 0.0]], [[3.0, 4.0], [100.0, 0.0]], B), [4 / 5])


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("number", [0.0, 0.5, 0.1])
def test_associations_that_do_not_vary_have_no_effect_size(number, ddof):
    assert np.isnan(effect_size(np.full(3, number), np.full(4, number), ddof))


SIZES = [(1, 1), (1, 5), (5, 1), (2, 3), (3, 3), (4, 7), (6, 5), (6, 6), (2, 10)]


@pytest.mark.parametrize("two_sided", [False, True])
@pytest.mark.parametrize("sizes", SIZES)
def test_the_exact_p_is_that_of_listing_every_division(sizes, two_sided):
    """Also of tenths, which have no exact floating-point number: sums tie but for rounding."""
    for seed in range(4):
        source = rng(seed)
        reals = [source.normal(shift, 1, n) for shift, n in zip((0.5, 0), sizes, strict=True)]
        tenths = [[Fraction(int(k), 10) for k in source.integers(-3, 4, n)] for n in sizes]
        for x, y in (reals, tenths):
            got = permutation_p(np.array(x, float), np.array(y, float), two_sided=two_sided)
            assert got == (listed_p(x, y, two_sided), True)


def test_words_that_are_all_alike_have_p_1():
    x, y = np.full(4, 0.1), np.full(6, 0.1)
    assert permutation_p(x, y)[0] == permutation_p(x, y, two_sided=True)[0] == 1


def test_more_than_40_words_need_a_random_generator():
    x, y = np.arange(20.0), np.arange(21.0)
    with pytest.raises(ValueError, match="pass `rng`"):
        permutation_p(x, y)
    assert permutation_p(x, y[:20])[1]
    p, exact = permutation_p(x, y, draws=99, rng=rng())
    assert not exact
    assert (p * 100) == pytest.approx(round(p * 100))


def test_a_random_p_is_never_0_and_counts_the_observed_division():
    high, low = np.linspace(1, 2, 20), np.linspace(-2, -1, 21)
    # One of C(41, 20) = 269128937220 divisions is as extreme: 999 draws do not find it.
    assert permutation_p(high, low, draws=999, rng=rng()) == (1 / 1000, False)
    assert permutation_p(low, high, draws=999, rng=rng()) == (1, False)
    # Of unequal sets no other division has means as far apart.
    assert permutation_p(low, high, two_sided=True, draws=999, rng=rng()) == (1 / 1000, False)


def test_a_random_p_is_reproducible_by_its_seed():
    x, y = rng(3).normal(size=20), rng(4).normal(size=30)
    first, again, other = (permutation_p(x, y, draws=500, rng=rng(s))[0] for s in (1, 1, 2))
    assert first == again != other


def test_empty_sets_and_unequal_dimensions_are_refused():
    for place in range(4):
        sets = [X, Y, A, B]
        sets[place] = np.empty((0, 2))
        with pytest.raises(ValueError, match="at least one row"):
            weat(*sets)
    with pytest.raises(ValueError, match="dimensions"):
        weat(X, Y, A, np.ones((1, 3)))


def test_an_interval_ends_where_effect_sizes_do():
    apart = np.array([0.1, 0.9, 1.0])
    found = sampled_effect_size(
        apart, -apart, "few", seed=1, level=0.99, replicates=500, kind="effect-size-population"
    )
    assert found.low < found.value < found.high == 2
