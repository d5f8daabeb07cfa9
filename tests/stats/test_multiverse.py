"""Settings that count once, balanced weights, and the joint permutation test."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialbias.stats.multiverse import classes, joint_p, multiverse


def grid(axes):
    """Every combination of the choices on some axes, one row each."""
    return pd.MultiIndex.from_product(axes.values(), names=axes).to_frame(index=False)


TWO = grid({"vectors": ["a", "b"], "lists": ["x", "y"]})


def naive(settings, effects, null):
    """Share and joint p-value by loops over distinct settings, axes and permutations."""
    results = np.column_stack([effects, null])
    scaled = results / results.std(axis=1, keepdims=True)
    kept = []
    for i, row in enumerate(scaled):
        if not any(np.abs(row - scaled[j]).max() < 1e-9 for j in kept):
            kept.append(i)

    def weigh(places, axes):
        if not axes:
            return {i: 1 / len(places) for i in places}
        choices = {settings[axes[0]][i] for i in places}
        found = {}
        for choice in choices:
            below = [i for i in places if settings[axes[0]][i] == choice]
            found |= {i: w / len(choices) for i, w in weigh(below, axes[1:]).items()}
        return found

    weights = weigh(kept, list(settings))
    share = sum(w for i, w in weights.items() if effects[i] > 0)
    statistics = [sum(w * scaled[i][d] for i, w in weights.items()) for d in range(len(results[0]))]
    reached = sum(s >= statistics[0] - 1e-9 for s in statistics[1:])
    return len(kept), share, (1 + reached) / len(statistics)


@given(st.integers(0, 10_000), st.integers(0, 5))
def test_it_is_what_loops_give(seed, dropped):
    rng = np.random.default_rng(seed)
    settings = grid({"a": list("xy"), "b": list("uvw"), "c": list("pq")})
    left = rng.permutation(len(settings))[dropped:]
    settings = settings.iloc[np.sort(left)].reset_index(drop=True)
    effects = rng.standard_normal(len(settings))
    null = rng.standard_normal((len(settings), 40))
    for copy, of, times in ((1, 0, 1.0), (3, 2, 2.5)):  # the same results, in other units
        effects[copy], null[copy] = times * effects[of], times * null[of]
    found = multiverse(settings, effects, null)
    count, share, p_value = naive(settings, effects, null)
    assert len(found.kept) == count == len(settings) - 2
    assert found.share == pytest.approx(share)
    assert found.p_value == pytest.approx(p_value)


def test_the_vectors_with_more_settings_have_no_more_votes():
    """Of ten settings the first vectors have two, in which the claim holds (issue F13)."""
    few, many = (
        grid({"v": ["a"], "t": ["own"], "l": ["x", "y"]}),
        grid({"v": ["b"], "t": ["own", "all"], "l": ["x", "y", "z", "w"]}),
    )
    settings = pd.concat([few, many], ignore_index=True)
    effects = np.where(settings["v"] == "a", 1.0, -1.0) * np.arange(1, 11)
    found = multiverse(settings, effects)
    assert found.share == pytest.approx(0.5)
    assert np.isnan(found.p_value)
    assert found.decides == "v"
    assert found.drop == 1
    assert found.shares["v"] == {"a": 1.0, "b": 0.0}


def test_all_permutations_of_a_small_world_by_hand():
    """Means of three numbers given to two groups of one and two: the largest of three ways."""
    numbers = np.array([3.0, 1.0, 0.0])
    ways = [numbers[list(order)] for order in itertools.permutations(range(3))]
    effects = [row[0] - row[1:].mean() for row in ways]
    results = np.array([effects])  # the observed one and the five other orders
    assert joint_p(results, [1.0]) == pytest.approx(2 / 6)  # itself and that with 1 and 0 swapped


def test_a_permutation_without_a_result_counts_against_the_claim():
    assert joint_p([[1.0, 0.1, -0.1, np.nan]], [1.0]) == pytest.approx(2 / 4)


def test_what_nothing_varies_has_no_test():
    effects = np.array([1.0, 1, 2, 3])
    assert np.isnan(multiverse(TWO, effects, np.tile(effects[:, None], 5)).p_value)


def test_a_setting_that_was_not_permuted_stays_out_of_the_test_but_not_of_the_share():
    null = np.random.default_rng(4).standard_normal((4, 99))
    null[1], null[3] = np.nan, 2.0
    found = multiverse(TWO, [5, -1, 6, 2], null)
    assert (found.share, found.p_value) == (0.75, 1 / 100)


def test_settings_in_which_a_claim_holds_otherwise_are_two():
    assert list(classes(np.ones((3, 4)), [1, 0, 1])) == [0, 1, 0]


def test_no_setting_and_one_that_stands_twice_are_refused():
    with pytest.raises(ValueError, match="each of them once"):
        multiverse(TWO.iloc[:0], [])
    with pytest.raises(ValueError, match="each of them once"):
        multiverse(pd.concat([TWO, TWO]), np.ones(8))
