"""Scores, ranks, reliability and agreement of decisions: hand work and planted truths."""

import numpy as np
import pytest
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.proportion import proportion_confint

from socialbias.stats.decisions import (
    agreement,
    means_by_term,
    rank_intervals,
    reliability_of_models,
    reliability_of_terms,
    score_draws,
)
from socialbias.stats.draws import DRAWS, resamples

TERMS = [f"term {i}" for i in range(60) for _ in range(20)]


def planted(models, terms, seed):
    """Decisions of which the chances have these standard deviations over models and terms."""
    rng = np.random.default_rng(seed)
    chances = 0.5 + models * rng.standard_normal(12) + terms * rng.standard_normal((60, 12))
    return (rng.uniform(size=(1200, 12)) < np.repeat(chances, 20, axis=0)).astype(float)


def test_scores_are_means_over_terms_not_over_items():
    decisions = [[1, 0], [1, 0], [0, 1], [0, np.nan]]
    by_term, names = means_by_term(np.array(decisions, float), ["b", "b", "b", "a"])
    assert names == ["a", "b"]
    np.testing.assert_allclose(by_term, [[0, np.nan], [2 / 3, 1 / 3]])


def test_ranks_are_bounded_by_the_models_that_surely_lie_above_and_below():
    scores = np.array([0.3, 0.5, 0.5, 0.52, 0.9])
    draws = scores + 0.02 * np.random.default_rng(1).standard_normal((DRAWS, 5))
    ranks, low, high = rank_intervals(scores, draws)
    assert ranks.tolist() == [5, 3.5, 3.5, 2, 1]
    assert low.tolist() == [5, 2, 2, 2, 1]
    assert high.tolist() == [5, 4, 4, 4, 1]


def test_draws_of_scores_come_from_the_same_terms_for_all_models():
    decisions = planted(0.05, 0.1, 5)[:, :2]
    scores, draws = score_draws(decisions, TERMS, seed=3)
    by_term = decisions.reshape(60, 20, 2).mean(axis=1)
    order = sorted(range(60), key=lambda term: str(TERMS[20 * term]))
    names = [str(TERMS[20 * term]) for term in order]
    naive = by_term[order][resamples(names, 3)].mean(axis=1)
    for at in range(2):
        assert np.corrcoef(naive[:, at], draws[:, at])[0, 1] == pytest.approx(1)
    assert scores == pytest.approx(by_term.mean(axis=0))
    assert (draws.std(axis=0) > naive.std(axis=0)).all()


@pytest.mark.long  # a simulation
def test_reliability_across_models_is_the_share_of_variance_that_is_theirs():
    models, noise = 0.05, 0.25 / 1200  # of a mean of as many decisions
    found = [
        reliability_of_models(planted(models, 0, seed), TERMS, range(12)).value
        for seed in range(40)
    ]
    assert np.mean(found) == pytest.approx(models**2 / (models**2 + noise), abs=0.03)
    assert np.isnan(reliability_of_models(planted(0.05, 0, 1)[:, :5], TERMS, range(5)).value)


def test_reliability_across_terms_is_that_of_the_few_items_of_each():
    terms, noise = 0.1, (0.25 - 0.1**2) / 20
    decisions = planted(0, terms, 3)
    found = [reliability_of_terms(decisions[:, m], TERMS) for m in range(12)]
    expected = terms**2 / (terms**2 + noise)
    assert np.mean([one.value for one in found]) == pytest.approx(expected, abs=0.05)
    assert sum(one.low <= expected <= one.high for one in found) >= 10
    assert (found[0].n, found[0].k) == (60, 20)


def test_terms_with_a_single_item_have_no_halves():
    decisions = planted(0, 0.1, 4)[:, 0]
    decisions[1:20] = np.nan  # term 0 keeps one item
    found = reliability_of_terms(decisions, TERMS)
    without = reliability_of_terms(decisions[20:], TERMS[20:])
    assert (found.value, found.n) == (pytest.approx(without.value), 59)


def test_agreement_is_a_share_of_items_and_cohens_kappa():
    rng = np.random.default_rng(1)
    a = (rng.uniform(size=1200) < 0.6).astype(float)
    b = np.where(rng.uniform(size=1200) < 0.8, a, 1 - a)
    share, kappa = agreement(a, b, TERMS, seed=1)
    table = [[(1 - a) @ (1 - b), (1 - a) @ b], [a @ (1 - b), a @ b]]
    published = cohens_kappa(table)
    assert share.value == (a == b).mean()
    assert kappa.value == pytest.approx(published.kappa)
    # decisions of a term are independent here, so that clusters change little
    assert (kappa.low, kappa.high) == pytest.approx(
        (published.kappa_low, published.kappa_upp), abs=0.015
    )
    share_ends = proportion_confint((a == b).sum(), 1200, method="wilson")
    assert (share.low, share.high) == pytest.approx(share_ends, abs=0.01)
    assert share.n == 1200


def test_agreement_leaves_out_what_one_did_not_decide_and_needs_variation_for_kappa():
    share, kappa = agreement([1, 1, np.nan, 1], [1, 1, 0, 1], ["a", "b", "a", "b"], seed=1)
    assert (share.value, share.n) == (1, 3)
    assert np.isnan([kappa.value, kappa.low, kappa.high]).all()
