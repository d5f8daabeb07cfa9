"""What `measure` and `audit` say, in worlds of which the truth is known.

Bounds are of binomial shares of so many worlds, that chance leaves once in 1,000.
"""

import numpy as np
import pytest
from scipy.stats import binom

from socialbias.measurement.reliability import over_words
from tests.simulations import real_vectors

LEVEL = 0.95


def at_most(share, worlds):
    return binom.ppf(0.999, worlds, share)


@pytest.mark.long
@pytest.mark.parametrize("words", [4, 8, 20])
def test_between_synonyms_the_intervals_of_most_words_leave_out_0(words):
    """So that they are no test of a word, as commands/measure.md says; its percentile is."""
    shares = []
    for run in range(20):
        rng = np.random.default_rng([run, words])
        groups = [real_vectors.neighbours(rng.integers(10_000), words) for _ in range(2)]
        drawn = real_vectors.others_than(rng, groups, 60)
        made, _ = real_vectors.measured(groups, drawn[:40], drawn[40:])
        low, high = np.quantile(made.samples(rng, 200), [0.025, 0.975], axis=0)
        shares.append(((low > 0) | (high < 0)).mean())
    assert np.mean(shares) > 0.4


@pytest.mark.long
@pytest.mark.parametrize("true", [0.0, 0.5, 0.89])
def test_reliability_of_eight_targets_is_never_too_high(true):
    """With ranks of so few it is too low, by .1 at most."""
    worlds, n, words, found = 200, 8, 8, []
    for run in range(worlds):
        rng = np.random.default_rng(run)
        own = np.sqrt(true / (1 - true) * 2 / words) * rng.standard_normal(n)
        lists = [sign * own / 2 + rng.standard_normal((words, n)) for sign in (1, -1)]
        names = [f"t{i}" for i in range(n)]
        found.append(over_words(lambda g: g[0].mean(0) - g[1].mean(0), lists, names, LEVEL))
    values = np.array([each.value for each in found])
    error = values.std() / np.sqrt(worlds)
    assert -0.12 - 3 * error <= values.mean() - true <= 3 * error
    assert sum(each.low > true for each in found) <= at_most(0.025, worlds)
    assert sum(each.high < true for each in found) <= at_most(0.1, worlds)
