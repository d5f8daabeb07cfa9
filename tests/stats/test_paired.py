"""Paired comparison: against scipy's paired t-test, naive loops, and worlds of known truth."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from socialbias.stats.draws import DRAWS
from socialbias.stats.paired import (
    CANNOT_TELL,
    HIGHER,
    LOWER,
    all_pairs,
    compare,
)

TERMS = [f"term {i}" for i in range(40) for _ in range(25)]


def planted(shares, seed, terms=TERMS):
    """Decisions (n, m) of models with these shares; they decide alike on half of the items."""
    rng = np.random.default_rng(seed)
    common, own = rng.uniform(size=(len(terms), 1)), rng.uniform(size=(len(terms), len(shares)))
    return (np.where(rng.uniform(size=own.shape) < 0.5, common, own) < shares).astype(float)


def means_of(decisions, terms):
    """Each term's mean decision by each model."""
    return pd.DataFrame(decisions).groupby(np.asarray(terms)).mean().to_numpy()


def by_hand(scores):
    """The paired t-test's standard error, and what 3.69 of t terms more might change."""
    apart = scores[:, 0] - scores[:, 1]
    changed = np.abs(apart[apart != 0])
    typical = (changed.sum() + 1) / (len(changed) + 1)
    return np.hypot(stats.sem(apart), 3.689 / 1.96 * typical / len(apart))


def test_standard_error_p_value_and_interval_are_those_of_the_paired_t_test():
    decisions = planted([0.6, 0.55], 1)
    found = compare(*decisions.T, TERMS, seed=1)
    scores = means_of(decisions, TERMS)
    expected = stats.ttest_rel(*scores.T)
    error = by_hand(scores)
    assert found.difference[0] == pytest.approx(scores[:, 0].mean() - scores[:, 1].mean())
    # three standard errors of a standard deviation over so many draws
    assert found.error[0] == pytest.approx(error, rel=3 / np.sqrt(2 * DRAWS))
    t = found.difference[0] / found.error[0]
    assert found.p_value[0] == pytest.approx(2 * stats.t.sf(abs(t), 39))
    ends = expected.confidence_interval()
    assert (found.low[0], found.high[0]) == pytest.approx((ends.low, ends.high), abs=0.3 * error)
    drawn = np.quantile(found.draws[:, 0], [0.025, 0.975])
    assert drawn == pytest.approx((ends.low, ends.high), abs=0.3 * error)


def test_pairs_are_those_of_one_comparison_after_the_other():
    decisions = planted([0.7, 0.6, 0.59, 0.3], 2)
    found = all_pairs(decisions, TERMS, seed=1)
    places = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert [*zip(found.first, found.second, strict=True)] == places
    for at, (i, j) in enumerate(places):
        alone = compare(decisions[:, i], decisions[:, j], TERMS, seed=1)
        for name in ("difference", "low", "high", "detectable", "p_value", "items_needed"):
            assert getattr(alone, name)[0] == pytest.approx(getattr(found, name)[at])
    assert found.adjusted == pytest.approx(multipletests(found.p_value, method="holm")[1])
    assert found.verdicts() == [HIGHER, HIGHER, HIGHER, CANNOT_TELL, HIGHER, HIGHER]
    assert all_pairs(decisions[:, ::-1], TERMS, seed=1).verdicts()[0] == LOWER


def test_a_pair_rests_on_the_items_that_both_decided():
    decisions = planted([0.7, 0.5, 0.6], 3)
    decisions[:300, 0], decisions[-250:, 1] = np.nan, np.nan
    found = all_pairs(decisions, TERMS, seed=1)
    both = slice(300, 750)
    few = means_of(decisions[both, :2], TERMS[both]).mean(axis=0)
    assert (found.items[0], found.terms[0]) == (450, 18)
    assert found.difference[0] == pytest.approx(few[0] - few[1])
    scores = means_of(decisions[both, :2], TERMS[both])
    assert found.error[0] == pytest.approx(by_hand(scores), rel=0.1)


@given(st.integers(0, 10_000), st.integers(2, 12))
@example(0, 6)
def test_interval_p_value_and_verdict_say_the_same(seed, n):
    terms = np.repeat([f"term {i}" for i in range(n)], 6)
    found = all_pairs(planted([0.7, 0.5, 0.4], seed, terms), terms, seed=1)
    apart = (found.low > 0) | (found.high < 0)
    verdicts = np.array(found.verdicts()) != CANNOT_TELL
    assert (verdicts == apart).all()
    assert (found.adjusted >= found.p_value).all()
    assert (found.detectable >= found.high - found.difference - 1e-12).all()


def test_no_change_in_the_sampled_terms_leaves_room_for_change_in_others():
    decisions = planted([0.6], 1)[:, 0]
    found = compare(decisions, decisions, TERMS, seed=1)
    assert (found.difference[0], found.p_value[0], found.verdicts()) == (0, 1, [CANNOT_TELL])
    assert np.isinf(found.items_needed[0])
    # 3.69 of 40 terms may change and none of 40 show it in 2.5 % of samples
    none_of_40 = (1 - 3.69 / 40) ** 40
    assert none_of_40 == pytest.approx(0.025, abs=0.005)
    bound = 3.69 / 40 * stats.t.ppf(0.975, 39) / 1.96
    assert (found.low[0], found.high[0]) == pytest.approx((-bound, bound), rel=1e-3)
    assert found.detectable[0] == pytest.approx(bound, rel=1e-3)


def test_few_terms_show_little():
    # the same sign in every term: 2 of 2^n ways to sign them, which is below .05 from 6 on
    for n, verdict in ((5, CANNOT_TELL), (6, HIGHER)):
        found = compare(np.ones(n), np.zeros(n), [*"abcdef"[:n]], seed=1)
        assert found.verdicts() == [verdict]
    found = compare([1, 1, 0], [0, 0, 0], ["a"] * 3, seed=1)
    assert np.isnan([found.low[0], found.p_value[0], found.detectable[0]]).all()
    assert found.verdicts() == [CANNOT_TELL]


def test_as_many_items_as_it_says_find_the_difference():
    rare = planted([0.55, 0.54], 4)
    found = compare(*rare.T, TERMS, seed=1)
    assert found.verdicts() == [CANNOT_TELL]
    # A sample k times as large has an error smaller by the root of k.
    k = found.items_needed[0] / found.items[0]
    quantiles = stats.t.ppf([0.975, 0.8], 39).sum()
    assert found.error[0] / np.sqrt(k) * quantiles == pytest.approx(found.difference[0], rel=0.01)


@pytest.mark.parametrize(
    ("first", "terms", "message"),
    [
        ([2.0, 0.0], "ab", "between 0 and 1"),
        ([-0.5, 0.0], "ab", "between 0 and 1"),
        ([0, 1], "abb", "2 items have decisions, but 3 have terms"),
    ],
)
def test_decisions_are_shares_and_every_item_has_a_term(first, terms, message):
    with pytest.raises(ValueError, match=message):
        compare(first, [0, 1], list(terms), seed=1)
