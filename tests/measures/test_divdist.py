"""DivDist against values worked by hand on a 2-dimensional world of 3-4-5 triangles.

female = (6, 0), (0, 8): mean (3, 4), length 5
male   = (8, 0), (0, 6): mean (4, 3), length 5

| target  | cosine to female | cosine to male  |
|---------|------------------|-----------------|
| (1, 0)  | 3/5              | 4/5             |
| (3, 4)  | 25/25 = 1        | 24/25           |
| (-1, 0) | -3/5             | -4/5            |
| (4, -3) | 0                | 7/25            |
| (4, -5) | -8/(5 sqrt 41)   | 1/(5 sqrt 41)   |
| (0, 0)  | 0, a zero vector | 0               |

If the words were scaled to length 1 before averaging, both means would be (1/2, 1/2) and every
target would be unbiased: these values also prove that they are not.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from socialbias.measures.divdist import DivDist, cosine_association, sum_normalize

FEMALE = np.array([[6.0, 0.0], [0.0, 8.0]])
MALE = np.array([[8.0, 0.0], [0.0, 6.0]])
OTHER = np.array([[5.0, 0.0]])  # cosine with (3, 4) is 3/5
TARGETS = np.array([[1.0, 0.0], [3.0, 4.0], [-1.0, 0.0], [4.0, -3.0], [4.0, -5.0], [0.0, 0.0]])


def test_distribution_divides_each_row_by_its_sum():
    # (3/5, 4/5) / (7/5); (1, 24/25) / (49/25); the signs of (-3/5, -4/5) cancel; (0, 7/25);
    # (-8, 1) / -7: negative strengths are kept; the zero vector is uniform.
    expected = [[3 / 7, 4 / 7], [25 / 49, 24 / 49], [3 / 7, 4 / 7], [0, 1], [8 / 7, -1 / 7]]
    got = DivDist().distribution(TARGETS, [FEMALE, MALE])
    assert_allclose(got, [*expected, [0.5, 0.5]], atol=1e-12)


def test_bias_of_two_groups_against_the_uniform_reference():
    # |p - 1/2| + |1 - p - 1/2| = 2 |p - 1/2|
    expected = [1 / 7, 1 / 49, 1 / 7, 1, 9 / 7, 0]
    assert_allclose(DivDist()(TARGETS, [FEMALE, MALE]), expected, atol=1e-12)


def test_directed_bias_is_the_share_of_the_first_group_minus_its_reference():
    expected = [-1 / 14, 1 / 98, -1 / 14, -1 / 2, 9 / 14, 0]
    assert_allclose(DivDist().directed(TARGETS, [FEMALE, MALE]), expected, atol=1e-12)


def test_reference_that_is_not_uniform():
    # (3/7, 4/7) against (1/4, 3/4): 5/28 + 5/28; (25/49, 24/49): 51/196 + 51/196
    reference = [0.25, 0.75]
    bias = DivDist()(TARGETS[:2], [FEMALE, MALE], reference)
    assert_allclose(bias, [10 / 28, 102 / 196], atol=1e-12)
    directed = DivDist().directed(TARGETS[:2], [FEMALE, MALE], reference)
    assert_allclose(directed, [5 / 28, 51 / 196], atol=1e-12)
    # One for each target: the second is held against its own shares.
    each = [reference, [25 / 49, 24 / 49]]
    assert_allclose(DivDist()(TARGETS[:2], [FEMALE, MALE], each), [10 / 28, 0], atol=1e-12)
    assert_allclose(DivDist().directed(TARGETS[:2], [FEMALE, MALE], each), [5 / 28, 0], atol=1e-12)
    with pytest.raises(ValueError, match="2 shares that sum to one"):
        DivDist()(TARGETS[:2], [FEMALE, MALE], each * 2)


def test_three_groups_one_of_a_single_word():
    # (3, 4): strengths 1, 24/25, 15/25, so shares (25, 24, 15) / 64
    groups, target = [FEMALE, MALE, OTHER], [[3, 4]]
    shares = DivDist().distribution(target, groups)
    assert_allclose(shares, [[25 / 64, 24 / 64, 15 / 64]], atol=1e-12)
    # against 1/3: (|75 - 64| + |72 - 64| + |45 - 64|) / 192 = 38/192
    assert_allclose(DivDist()(target, groups), [38 / 192], atol=1e-12)
    # against (1/2, 1/4, 1/4): (|25 - 32| + |24 - 16| + |15 - 16|) / 64 = 16/64
    assert_allclose(DivDist()(target, groups, [0.5, 0.25, 0.25]), [16 / 64], atol=1e-12)


def test_vector_shorter_than_1e_8_counts_as_zero_and_a_longer_one_does_not():
    short, long = [[6e-9, 7e-9]], [[6e-8, 8e-8]]
    assert_array_equal(cosine_association(np.array(short), [FEMALE, MALE]), [[0, 0]])
    assert_allclose(cosine_association(np.array(long), [FEMALE, MALE]), [[1, 0.96]])


def test_row_that_sums_to_zero_without_being_zero_becomes_nan():
    assert_array_equal(
        sum_normalize(np.array([[0.5, -0.5], [1.0, 3.0]])), [[np.nan, np.nan], [0.25, 0.75]]
    )


@pytest.mark.parametrize(
    ("targets", "groups"),
    [
        pytest.param(np.empty((0, 2)), [FEMALE, MALE], id="no target"),
        pytest.param(TARGETS, [FEMALE, np.empty((0, 2))], id="an empty group"),
        pytest.param(TARGETS, [FEMALE], id="one group"),
        pytest.param(TARGETS, [], id="no group"),
        pytest.param(TARGETS, [FEMALE, np.ones((2, 3))], id="unequal dimensions"),
        pytest.param(TARGETS[0], [FEMALE, MALE], id="a vector instead of a matrix"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(targets, groups):
    for method in (DivDist(), DivDist().distribution, DivDist().directed):
        with pytest.raises(ValueError, match=r"expected at least|two or more|dimensions"):
            method(targets, groups)


@pytest.mark.parametrize(
    "reference",
    [[0.5, 0.6], [-0.5, 1.5], [1 / 3, 1 / 3, 1 / 3], [1.0], [[0.5, 0.5]], [np.nan, 0.5]],
)
def test_reference_that_is_not_a_distribution_over_the_groups_is_refused(reference):
    for method in (DivDist(), DivDist().directed):
        with pytest.raises(ValueError, match="2 shares that sum to one"):
            method(TARGETS, [FEMALE, MALE], reference)
