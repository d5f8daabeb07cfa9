"""Section 3's identities, and what would show if one did not hold."""

import numpy as np
import pytest

from socialbias.papers.trustworthy import special_cases
from socialbias.papers.trustworthy.special_cases import cases, deviation, same_order


def test_the_proof_by_hand():
    # x, y = 3, 1: print's steps give |3/4 - 1/2| + |1/4 - 1/2| = 1/2 = (3 - 1) / (3 + 1).
    earlier, ours, scale = special_cases._of_strengths(np.array([[3.0, 1.0], [2.0, 2.0]]))
    assert earlier.tolist() == [2, 0]
    assert ours.tolist() == [0.5, 0]
    assert scale.tolist() == [4, 4]
    assert deviation(earlier, ours, scale) == 0


def test_a_measure_that_is_no_special_case_deviates():
    sums, ours = np.array([4.0, 4.0]), np.array([0.5, 0.0])  # Manzini's sum of the same strengths
    assert deviation(sums, ours, np.array([4.0, 4.0])) == 4


def test_orders_of_pairs_by_hand():
    # Three pairs of targets: 1 2 3 against 1 3 2 agree on two; a tie agrees with a tie alone.
    assert same_order(np.array([1.0, 2, 3]), np.array([1.0, 3, 2])) == pytest.approx(2 / 3)
    assert same_order(np.array([1.0, 1, 2]), np.array([1.0, 1, 3])) == 1
    assert same_order(np.array([1.0, 1, 2]), np.array([1.0, 2, 3])) == pytest.approx(2 / 3)


@pytest.mark.parametrize("seed", range(3))
def test_every_identity_holds_and_a_constant_scale_keeps_the_order(seed):
    for name, (earlier, ours, scale) in cases(np.random.default_rng(seed)).items():
        np.testing.assert_allclose(earlier, ours * scale, atol=1e-12, err_msg=name)
        if np.ptp(scale) < 1e-12:
            assert same_order(earlier, ours) == 1, name


def test_differences_of_strengths_order_targets_otherwise_than_divdist():
    # (10, 8) differs by 2 and (3, 2) by 1, but 2/18 < 1/5: up to scaling is not up to order.
    earlier, ours, _ = special_cases._of_strengths(np.array([[10.0, 8], [3, 2]]))
    assert same_order(earlier, ours) == 0
