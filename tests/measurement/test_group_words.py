"""Words of groups, each left out in turn."""

import numpy as np
import pytest

from socialbias.measurement.group_words import direction, left_out_cosines


def test_left_out_cosines_are_those_of_a_loop():
    rng = np.random.default_rng(0)
    groups = [rng.standard_normal((n, 5)) for n in (2, 3, 4)]
    expected = []
    for i, group in enumerate(groups):
        others = [other.mean(axis=0) for j, other in enumerate(groups) if j != i]
        for k, word in enumerate(group):
            axis = np.delete(group, k, axis=0).mean(axis=0) - np.mean(others, axis=0)
            expected.append(axis @ word / np.linalg.norm(axis) / np.linalg.norm(word))
    assert left_out_cosines(groups) == pytest.approx(expected)


def test_a_word_on_the_other_side_is_counted_and_one_word_groups_are_not_judged():
    rng = np.random.default_rng(1)
    random = rng.standard_normal((500, 20))
    one, other = (0.1 * rng.standard_normal((4, 20)) + side * 3 * np.eye(20)[0] for side in (1, -1))
    found = direction([one, other], random, rng)
    assert (found.on_own_side, found.n, found.is_found) == (8, 8, True)
    one[0] *= -1
    assert direction([one, other], random, rng).on_own_side == 7
    assert direction([one, other[:1]], random, rng) is None
    assert direction([one, other], random[:7], rng) is None
