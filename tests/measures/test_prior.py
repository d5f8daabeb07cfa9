"""Measures of earlier work against values worked by hand on 3-4-5 triangles."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.decomposition import PCA

from socialbias.measures.embedding_measures import (
    association,
    direct_bias,
    mac,
    pair_direction,
    ripa,
    rnd_cosine,
    rnd_euclidean,
    same,
)

BINARY = [rnd_cosine, rnd_euclidean, association, direct_bias, ripa, same]
TARGETS = np.array([[1.0, 0.0], [0.0, 1.0], [3.0, 4.0], [0.0, 0.0]])
AXES = np.array([[6.0, 0.0], [0.0, 8.0]])  # mean (3, 4), length 5
OTHER_AXES = np.array([[8.0, 0.0], [0.0, 6.0]])  # mean (4, 3), length 5
TURNED = np.array([[4.0, 3.0], [3.0, -4.0]])  # two vectors of length 5 at a right angle
# Differences (7, 9) and (1, 1), centred +-(3, 4): direction (3, 4) / 5. Not centred, it would
# lie near (7, 9) instead.
FIRST = np.array([[7.0, 9.0], [5.0, 5.0]])
SECOND = np.array([[0.0, 0.0], [4.0, 4.0]])


def test_rnd_cosine_by_hand():
    # Cosines with the means: (1, 0) .6 and .8; (0, 1) .8 and .6; (3, 4) 1 and 24/25.
    assert_allclose(rnd_cosine(TARGETS, [AXES, OTHER_AXES]), [0.2, 0.2, 0.04, 0], atol=1e-15)


def test_rnd_euclidean_by_hand():
    # Means (0, 0) and (6, 8). (0, 0): |0 - 10|; (6, 0): |6 - 8|; (3, 4): |5 - 5|; (9, 12): |15 - 5|
    first, second = [[1, 0], [-1, 0]], [[6, 7], [6, 9]]
    targets = [[0, 0], [6, 0], [3, 4], [9, 12]]
    assert_allclose(rnd_euclidean(targets, [first, second]), [10, 2, 0, 10], atol=1e-12)


def test_association_by_hand():
    # Cosines with the axes and with the turned words:
    # (1, 0): (1 + 0)/2 - (.8 + .6)/2 = -.2; (0, 1): (0 + 1)/2 - (.6 - .8)/2 = .6
    # (3, 4): (.6 + .8)/2 - (24 - 7)/25/2 = .7 - .34
    assert_allclose(association(TARGETS, [AXES, TURNED]), [0.2, 0.6, 0.36, 0], atol=1e-15)


def test_mac_by_hand():
    # (1, 0): (1 + 0 + .8 + .6)/4; (0, 1): (0 + 1 + .6 - .8)/4; (3, 4): (.6 + .8 + .96 - .28)/4
    assert_allclose(mac(TARGETS, [AXES, TURNED]), [0.6, 0.2, 0.52, 0], atol=1e-15)
    assert_allclose(mac(-TARGETS, [AXES, TURNED]), [0.6, 0.2, 0.52, 0], atol=1e-15)


def test_same_by_hand():
    # Means of unit vectors (.6, .8) and (-.6, .8): direction (1, 0). Cosines 1, 0, .6 and none.
    first, second = [[3, 4], [6, 8]], [[-3, 4]]
    assert_allclose(same(TARGETS, [first, second]), [1, 0, 0.6, 0], atol=1e-15)
    # The long word of a group counts as much as the short one: mean (.5, .5), less (-.6, .8).
    found = same([[0, 1]], [[[1, 0], [0, 9]], [[-3, 4]]])
    assert_allclose(found, [0.3 / (1.1**2 + 0.3**2) ** 0.5], atol=1e-15)


def test_direct_bias_by_hand():
    targets = [[1, 0], [0, 5], [-4, 3], [-3, -4], [0, 0]]
    assert_allclose(direct_bias(targets, [FIRST, SECOND]), [0.6, 0.8, 0, 1, 0], atol=1e-15)


def test_ripa_by_hand_grows_with_the_length_of_the_target():
    targets = [[1, 0], [0, 5], [-4, 3], [-3, -4], [0, 0]]
    assert_allclose(ripa(targets, [FIRST, SECOND]), [0.6, 4, 0, 5, 0], atol=1e-14)


@pytest.mark.parametrize(("pairs", "d"), [(2, 3), (8, 5), (3, 20), (30, 4)])
def test_pair_direction_equals_scikit_learns_pca(pairs, d):
    rng = np.random.default_rng(pairs)
    first, second = rng.normal(1, 1, (pairs, d)), rng.normal(0, 2, (pairs, d))
    component = PCA(n_components=1, svd_solver="full").fit(first - second).components_[0]
    direction = pair_direction(first, second)
    assert_allclose(abs(direction @ component), 1, atol=1e-12)
    assert_allclose(np.linalg.norm(direction), 1, atol=1e-12)


# Differences (3, 4) three times over and (-4, 3): with both signs, squared lengths 75 along the
# first and 25 along the second. Centred, they lie along (3, 4) - (-4, 3) = (7, 1).
PAIRS = np.array([[3.0, 4.0]] * 3 + [[-4.0, 3.0]])
ORIGIN = np.zeros((4, 2))


def test_without_centring_the_direction_is_what_the_pairs_share():
    targets = [[3, 4], [-8, 6], [5, 0]]
    groups = [PAIRS + 9, ORIGIN + 9]
    assert_allclose(direct_bias(targets, groups, centre=False), [1, 0, 0.6], atol=1e-12)
    assert_allclose(ripa(targets, groups, centre=False), [5, 0, 3], atol=1e-12)
    along = np.array([7, 1]) / np.sqrt(50)
    assert_allclose(ripa(targets, groups), np.abs(targets @ along), atol=1e-12)


@pytest.mark.parametrize("measure", [direct_bias, ripa])
def test_pairs_without_a_direction_give_no_bias(measure):
    rng = np.random.default_rng(5)
    words, targets = rng.normal(size=(6, 9)), rng.normal(size=(3, 9))
    alike = [words + 0.3, words]  # all differ alike: centred, rounding errors are left
    assert np.isnan(measure(targets, alike)).all()
    assert (measure(targets, alike, centre=False) > 0).all()
    for groups in ([words, words], [np.zeros((6, 9))] * 2):
        for centre in (True, False):
            assert np.isnan(measure(targets, groups, centre=centre)).all()


REFUSED = [
    *((measure, TARGETS, groups, "two or more aligned pairs")
      for measure in (direct_bias, ripa)
      for groups in ([FIRST[:1], SECOND[:1]], [FIRST, SECOND[:1]])),
    *((measure, TARGETS, groups, "defined for 2 groups")
      for measure in BINARY for groups in ([FIRST], [FIRST, SECOND, FIRST])),
    (mac, TARGETS, [FIRST], "two or more"),
    *((measure, *lists)
      for measure in (*BINARY, mac)
      for lists in (
          (np.empty((0, 2)), [FIRST, SECOND], "targets"),
          (TARGETS, [np.empty((0, 2)), SECOND], "group 0"),
          (TARGETS, [FIRST, np.ones((2, 3))], "dimensions"),
      )),
]  # fmt: skip


@pytest.mark.parametrize(("measure", "targets", "groups", "message"), REFUSED)
def test_what_does_not_fit_is_refused(measure, targets, groups, message):
    with pytest.raises(ValueError, match=message):
        measure(targets, groups)
