"""What `measure` and `audit` say, in worlds of which the truth is known.

Bounds are of binomial shares of so many worlds, that chance leaves once in 1,000.
"""

import numpy as np
import pytest
from scipy.stats import binom

from socialbias import measure
from socialbias.api.instruments import instrument
from socialbias.api.of_texts import Reference, _Counts
from socialbias.embeddings.vectors import WordVectors
from socialbias.papers.reliability import over_words
from tests.simulations import real_vectors

LEVEL = 0.95
DIRECTED = instrument("directed", 2, association=None, normalize=None, divergence=None)


def at_most(share, worlds):
    return binom.ppf(0.999, worlds, share)


def at_least(share, worlds):
    return binom.ppf(0.001, worlds, share)


def in_a_corpus(rng, shares, documents):
    """The directed bias of targets with these shares, each in so many of 400 documents."""
    n, spread = len(shares), 9  # beta's: documents correlate at .1
    shares = np.clip(shares, 0.02, 0.98)[:, None] * np.ones((n, documents))
    contexts = 1 + rng.poisson(2, (n, documents))
    first = rng.binomial(contexts, rng.beta(shares * spread, (1 - shares) * spread))
    counts = np.stack([first, contexts - first], axis=-1).reshape(-1, 2)
    places = [rng.choice(400, documents, replace=False) for _ in range(n)]
    owners, names = np.repeat(np.arange(n), documents), [f"t{i}" for i in range(n)]
    found = _Counts(counts, owners, np.concatenate(places), names, LEVEL)
    equal = Reference("uniform", np.full(2, 0.5), np.full((1, 1, 2), 0.5))
    return found.result(["a", "b"], DIRECTED, 1, [], equal)


@pytest.mark.long  # a simulation
@pytest.mark.parametrize("documents", [10, 60])
@pytest.mark.parametrize("share", [0.5, 0.97])
def test_the_mean_over_one_target_is_as_sure_as_its_row(share, documents):
    held, worlds = 0, 150
    for run in range(worlds):
        found = in_a_corpus(np.random.default_rng([run, documents]), np.array([share]), documents)
        if np.isnan(found.value):  # too few contexts
            held += 1
            continue
        assert found.low < found.high  # also where all contexts agree
        [row] = found.rows
        assert [found.low, found.high] == pytest.approx([row.low, row.high], abs=0.03)
        held += found.low <= share - 0.5 <= found.high
    assert held >= at_least(0.95, worlds)


def two_spaces(rng, targets, words):
    """Spaces in which group words and targets are alike but for noise of each space."""
    axis, base = np.eye(12)[:2]

    def noisy(mean, scale):
        shared = rng.standard_normal(mean.shape)
        return [mean + scale * (shared + rng.standard_normal(mean.shape)) for _ in range(2)]

    ones = np.ones((words, 1))
    first, second = (noisy(ones * (1.5 * base + sign * axis), 0.4) for sign in (1, -1))
    lean = 0.8 * rng.standard_normal((targets, 1)) * axis
    asked = noisy(1.5 * base + lean, 0.35)
    names = tuple(f"w{i}" for i in range(2 * words + targets))
    parts = zip(first, second, asked, strict=True)
    return names, [WordVectors(names, np.vstack(part).astype("f4")) for part in parts]


@pytest.mark.long
def test_the_deals_are_of_these_targets_and_the_interval_of_others_too():
    worlds, n, words, small, held = 60, 10, 20, 0, 0
    for run in range(worlds):
        names, [space, _] = two_spaces(np.random.default_rng(run), n, words)
        groups = {"a": names[:words], "b": names[words : 2 * words]}
        found = measure(space, groups, list(names[2 * words :]), "directed")
        assert found.words_exchanged.endswith("of these targets")
        small += found.p_words_exchanged < 0.05
        held += found.low <= 0 <= found.high
    assert small > at_most(0.05, worlds)
    assert held >= at_least(0.95, worlds)


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
        low, high = np.quantile(made.samples(), [0.025, 0.975], axis=0)
        known = ~made.negative & ~np.isnan(low)
        shares.append(((low > 0) | (high < 0))[known].mean())
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
