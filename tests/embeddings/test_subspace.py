"""Hard and soft debiasing: by hand in two dimensions, and against generic tools.

By hand: the bias subspace is the x axis. grandmother = (3, 4)/5 and grandfather = (-4, 3)/5 have
the mean (-1, 7)/10: outside the subspace 7/10, inside -1/10. Equalized they keep (0, 7/10) and lie
sqrt(1 - 49/100) = sqrt(51)/10 to either side; grandmother's inside part 6/10 is above the mean's.
"""

from itertools import product
from math import sqrt

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from sklearn.decomposition import PCA

from socialbias.embeddings.debiasing import (
    bias_subspace,
    equalize,
    hard_debias,
    soft_transform,
)

X_AXIS = np.array([[1.0, 0.0]])
GRANDMOTHER, GRANDFATHER, NURSE = [0.6, 0.8], [-0.8, 0.6], [0.28, 0.96]
EQUAL = [[sqrt(51) / 10, 0.7], [-sqrt(51) / 10, 0.7]]


def rng(seed=0):
    return np.random.default_rng(seed)


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def orthonormal(seed, k, d):
    return np.linalg.qr(rng(seed).normal(size=(d, k)))[0].T


def test_the_subspace_of_pairs_by_hand():
    # Differences (2, 0) and (0, 1): of the centred words the first have the greater spread.
    pairs = [np.array([[3.0, 5.0], [1.0, 5.0]]), np.array([[-9.0, 1.0], [-9.0, 0.0]])]
    assert_allclose(np.abs(bias_subspace(pairs, 1)), X_AXIS, atol=1e-12)


@pytest.mark.parametrize("groups", [2, 3])
def test_the_subspace_is_that_of_scikit_learns_pca_of_the_centred_sets(groups):
    sets = [rng(i).normal(3 * i, 1, size=(groups, 5)) for i in range(6)]
    directions = bias_subspace(sets, groups - 1)
    oracle = PCA(groups - 1).fit(np.vstack([s - s.mean(axis=0) for s in sets])).components_
    assert_allclose(directions @ directions.T, np.eye(groups - 1), atol=1e-12)
    assert_allclose(np.abs((directions * oracle).sum(axis=1)), 1)


def test_more_directions_than_the_sets_differ_in_are_refused():
    pair = np.array([[1.0, 2.0, 3.0], [1.0, 0.0, 3.0]])
    assert bias_subspace([pair, 2 * pair], 1).shape == (1, 3)
    with pytest.raises(ValueError, match="differ in 1 directions, not 2"):
        bias_subspace([pair, 2 * pair], 2)
    with pytest.raises(ValueError, match="differ in 0 directions"):
        bias_subspace([np.ones((2, 3))], 1)


def test_hard_debiasing_by_hand():
    words = 5 * np.array([GRANDMOTHER, GRANDFATHER, NURSE, [0.6, 0.8], [2.0, 0.0]])
    got = hard_debias(words, X_AXIS, keep=[3], equal_sets=[[0, 1]])
    # nurse loses its x; a kept word only gets unit length; of (2, 0) nothing is left
    assert_allclose(got, [*EQUAL, [0, 1], [0.6, 0.8], [0, 0]], atol=1e-12)


def test_without_sets_every_word_but_the_kept_ones_is_neutralized():
    words, subspace = unit(rng(1).normal(size=(8, 5))), orthonormal(2, 2, 5)
    got = hard_debias(words, subspace, keep=[1, 4])
    assert_allclose(got[[1, 4]], words[[1, 4]], atol=1e-12)
    others = np.delete(got, [1, 4], axis=0)
    assert_allclose(others @ subspace.T, 0, atol=1e-12)
    assert_allclose(np.linalg.norm(others, axis=1), 1)
    # What lies outside the subspace keeps its direction.
    outside = np.linalg.svd(subspace)[2][2:]
    assert_allclose(unit(others @ outside.T), unit(np.delete(words, [1, 4], axis=0) @ outside.T))


def test_a_set_is_equalized_even_if_its_words_are_kept():
    got = hard_debias(np.array([GRANDMOTHER, GRANDFATHER]), X_AXIS, [0, 1], [[0, 1]])
    assert_allclose(got, EQUAL)


def test_words_that_do_not_differ_inside_the_subspace_keep_what_they_share():
    words = np.array([[0.6, 0.8, 0.0], [0.6, -0.8, 0.0]])
    assert_allclose(equalize(words, np.eye(3)[:1]), [[0, 0, 0], [0, 0, 0]], atol=1e-12)
    words = np.array([[0.6, 0.8, 0.0], [0.6, 0.0, 0.8]])
    assert_allclose(equalize(words, np.eye(3)[:1]), [[0, 0.4, 0.4]] * 2, atol=1e-12)


# Soft debiasing


def world(seed, m=8, n=3, k=1, d=3):
    """Vocabulary, neutral words and subspace."""
    source = rng(seed)
    words = unit(source.normal(size=(m, d)))
    return words, unit(source.normal(size=(n, d))), orthonormal(seed, k, d)


def printed_objective(transform, words, neutral, subspace, weight):
    """Bolukbasi et al. 2016, section 6, step 2b, as sums over pairs of words."""
    mapped, bent = words @ transform.T, subspace @ transform.T
    kept = sum(
        (mapped[i] @ mapped[j] - words[i] @ words[j]) ** 2
        for i, j in product(range(len(words)), repeat=2)
    )
    left = sum(((transform @ w) @ b) ** 2 for w, b in product(neutral, bent))
    return kept + weight * left


def generic_optimum(words, neutral, subspace, weight):
    """The least value that a general optimiser finds over all T, from several starts."""
    d, found = words.shape[1], []
    for seed in range(3):
        start = np.eye(d) + 0.3 * (seed > 0) * rng(seed).normal(size=(d, d))

        def objective(flat):
            return printed_objective(flat.reshape(d, d), words, neutral, subspace, weight)

        found.append(minimize(objective, start.ravel(), method="BFGS", options={"gtol": 1e-7}))
    best = min(found, key=lambda result: result.fun)
    return best.fun, best.x.reshape(d, d)


@pytest.mark.parametrize(("seed", "weight", "k"), [(0, 0.2, 1), (3, 5.0, 1), (4, 1.0, 2)])
def test_the_transform_is_the_optimum_of_a_generic_optimiser(seed, weight, k):
    words, neutral, subspace = world(seed, k=k)
    transform = soft_transform(words, neutral, subspace, weight)
    least, best = generic_optimum(words, neutral, subspace, weight)
    value = printed_objective(transform, words, neutral, subspace, weight)
    assert value == pytest.approx(least, rel=1e-5)
    assert_allclose(transform.T @ transform, best.T @ best, atol=1e-3)


@pytest.mark.parametrize("weight", [0.2, 1.0, 10.0])
def test_the_transform_is_the_optimum_also_where_no_map_has_the_best_inner_products(weight):
    # The X of the least value has a negative eigenvalue here, and so is no T'T.
    words, neutral = np.array([[0.6, 0.8], [0.8, 0.6]]), np.array([[0.8, 0.6]])
    transform = soft_transform(words, neutral, X_AXIS, weight)
    least, _ = generic_optimum(words, neutral, X_AXIS, weight)
    value = printed_objective(transform, words, neutral, X_AXIS, weight)
    assert value == pytest.approx(least, rel=1e-3)


@pytest.mark.parametrize("means", [False, True])
def test_without_weight_the_transform_is_the_identity(means):
    assert_allclose(soft_transform(*world(2), weight=0.0, means=means), np.eye(3), atol=1e-9)


def test_means_are_sums_with_another_weight():
    # m^2 pairs of words in the first sum, n k in the second
    words, neutral, subspace = world(4, m=7, n=4, k=2)
    by_means = soft_transform(words, neutral, subspace, 0.5, means=True)
    by_sums = soft_transform(words, neutral, subspace, 0.5 * 7**2 / (4 * 2))
    assert_allclose(by_means, by_sums, atol=1e-5)
    assert np.abs(by_means - soft_transform(words, neutral, subspace, 0.5)).max() > 0.01
