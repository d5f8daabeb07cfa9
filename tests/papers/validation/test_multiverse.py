"""The multiverse of Table 5: samples and permutations go through all specifications alike."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from socialbias.papers.validation import multiverse
from socialbias.papers.validation.multiverse import AXES, World, weighted_median
from socialbias.stats.draws import DRAWS
from tests.worlds.jobs import summarised

NAMES = [f"profession {i}" for i in range(9)]
RNG = np.random.default_rng(5)
EMPLOYMENT = RNG.permutation([1.0, 2, 2, 3, 4, 5, 6, 7, 8])
WORLD = World.of(NAMES, EMPLOYMENT, seed=1)


def test_draws_are_correlations_of_the_sampled_professions():
    bias, some = RNG.standard_normal((2, 6)), [0, 2, 3, 5, 6, 8]
    at = WORLD.places([NAMES[i] for i in some])
    assert list(at) == some
    drawn = WORLD.resampled(bias, at)
    for draw in (0, 7, 400):
        times = WORLD.weights[draw, some].astype(int)
        for row, found in zip(bias, drawn[:, draw], strict=True):
            pairs = np.repeat(row, times), np.repeat(EMPLOYMENT[some], times)
            assert found == pytest.approx(spearmanr(*pairs).statistic)


def test_a_permutation_is_the_same_for_all_and_for_some_professions():
    bias, some = RNG.standard_normal((1, 9)), np.array([1, 4, 5, 7])
    for draw in (0, 3, 999):
        dealt = EMPLOYMENT[WORLD.orders[draw]]
        for at in (np.arange(9), some):
            found = WORLD.permuted(bias[:, at], at)[0, draw]
            assert found == pytest.approx(spearmanr(bias[0, at], dealt[at]).statistic)


def test_a_weighted_median_by_hand():
    numbers = np.array([[3.0, 1], [1, 1], [2, 5], [9, 0]])
    assert list(weighted_median(numbers, np.full(4, 0.25))) == [2.5, 1]
    assert list(weighted_median(numbers, np.array([0.1, 0.1, 0.1, 0.7]))) == [9, 0]


def test_two_that_are_alike_count_once():
    """Of three specifications two are one: one half is significant."""
    draws = RNG.standard_normal((2, DRAWS))
    said = dict.fromkeys(AXES, "x") | {"column": "contemporary-gender", "n": 9, "p_value": 0.01}
    said |= {"headline": False}
    rows = [("l1", "a", 0.3), ("l2", "a", 0.3), ("l1", "b", -0.2)]
    table = pd.DataFrame(
        [said | dict(zip(("divergence", "association", "rho"), row, strict=True)) for row in rows]
    ).assign(draws=[*draws[[0, 0, 1]]], null=[*draws[[0, 0, 1]]])
    made = summarised(multiverse, table)
    records = {(r["row"], r["column"].partition("@")[2]): r for r in made}
    assert records["all", "significant"]["value"] == 0.5
    assert records["all", "median"]["value"] == pytest.approx(0.05)
    assert (records["all", "median"]["n"], records["all", "median"]["n_of"]) == (2, 3)
