"""The PCA method against scikit-learn, by hand, and the equivalence that is claimed for it."""

from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.decomposition import PCA

from socialbias.measures.pca_bias import explained_variances, pca_bias, shuffles


@pytest.fixture
def pairs():
    rng = np.random.default_rng(5)
    return rng.normal(size=(6, 20)) + 0.4, rng.normal(size=(6, 20))


def unit(matrix):
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def same_axis(a, b):
    assert abs(np.dot(a, b)) == pytest.approx(1)


def test_the_released_method_is_scikit_learns_pca_of_the_standardised_matrix(pairs):
    first, second = map(unit, pairs)
    rows = []
    for a, b in zip(first, second, strict=True):
        rows += [a - b, b - a]
    matrix = np.array(rows)
    matrix = (matrix - np.mean(matrix)) / np.std(matrix)
    oracle = PCA(n_components=6).fit(matrix)
    found = pca_bias(*pairs)
    assert_allclose(found.explained, oracle.explained_variance_ratio_)
    same_axis(found.direction, oracle.components_[0])


def test_centred_it_is_scikit_learns_centred_pca_and_differs(pairs):
    first, second = map(unit, pairs)
    oracle = PCA().fit(first - second)
    found = pca_bias(*pairs, centre=True)
    assert_allclose(found.explained, oracle.explained_variance_ratio_, atol=1e-12)
    same_axis(found.direction, oracle.components_[0])
    assert found.explained[0] != pytest.approx(pca_bias(*pairs).explained[0], abs=0.01)


def test_the_direction_points_to_the_first_set(pairs):
    there, back = pca_bias(*pairs), pca_bias(*pairs[::-1])
    assert_allclose(there.direction, -back.direction)
    first, second = map(unit, pairs)
    assert (first @ there.direction).mean() > (second @ there.direction).mean()


def test_identical_lists_have_no_direction():
    words = [[1.0, 0], [0, 2]]
    found = pca_bias(words, words)
    assert np.isnan(found.explained).all()
    assert np.isnan(found.direction).all()
    assert np.isnan(explained_variances(words, words, [[0, 1]])).all()


def test_pairs_that_all_differ_alike_have_no_centred_direction():
    assert np.isnan(pca_bias([[1.0, 0], [1, 0]], [[0, 1.0], [0, 1]], centre=True).explained).all()
    assert_allclose(pca_bias([[1.0, 0], [1, 0]], [[0, 1.0], [0, 1]]).explained, [1, 0], atol=1e-12)


@pytest.mark.parametrize(("m", "n"), [(1, 1), (2, 3), (3, 2)])
def test_lists_that_are_no_pairs_are_refused(m, n):
    with pytest.raises(ValueError, match="aligned pairs"):
        pca_bias(np.eye(4)[:m], np.eye(4)[:n])


def test_every_pairing_at_once_is_every_pairing_alone(pairs):
    first, second = pairs[0][:4], pairs[1]
    orders = [order[:4] for order in list(permutations(range(6)))[::37]]
    found = explained_variances(first, second, orders)
    alone = [pca_bias(first, second[list(order)]).explained for order in orders]
    assert_allclose(found, alone, atol=1e-12)


def test_a_shuffle_is_a_permutation_of_the_second_list():
    orders = shuffles(5, 5, 200, np.random.default_rng(1))
    assert orders.shape == (200, 5)
    assert (np.sort(orders, axis=1) == np.arange(5)).all()
    assert len(np.unique(orders, axis=0)) > 50
    # every word comes to every place: a fifth of the time, five standard errors around it
    shares = np.array([(orders == word).mean(axis=0) for word in range(5)])
    assert np.abs(shares - 0.2).max() < 5 * np.sqrt(0.2 * 0.8 / 200)
