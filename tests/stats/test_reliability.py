"""Reliability: naive loops, hand work, published packages, and planted truths."""

from __future__ import annotations

import numpy as np
import pytest

from socialbias.stats import reliability
from socialbias.stats.draws import resamples

LEVEL = 0.95
# Shrout and Fleiss 1979, table 2: six things by four raters; they print ICC(3,1) = .71.
SHROUT = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9],
                   [6, 2, 4, 7]], float)  # fmt: skip


def planted(n: int, k: int, rho: float, seed: int) -> np.ndarray:
    """n things by k items: one item has the reliability rho."""
    rng = np.random.default_rng(seed)
    truth = np.sqrt(rho) * rng.standard_normal((n, 1))
    return truth + np.sqrt(1 - rho) * rng.standard_normal((n, k))


def halves(scores: np.ndarray, divisions: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng, middle = np.random.default_rng(seed), scores.shape[1] // 2
    orders = [rng.permutation(scores.shape[1]) for _ in range(divisions)]
    return tuple(
        np.array([scores[:, half].mean(axis=1) for half in side])
        for side in ([o[:middle] for o in orders], [o[middle:] for o in orders])
    )


def test_retest_is_print_of_shrout_and_fleiss():
    found = reliability.retest(SHROUT, LEVEL)
    assert round(found.value, 2) == 0.71
    assert (found.n, found.k) == (6, 4)
    # Mean squares of their table 3: between targets 11.24, residual 1.02.
    assert found.value == pytest.approx((11.24 - 1.02) / (11.24 + 3 * 1.02), abs=0.002)
    assert reliability.cronbach_alpha(SHROUT, LEVEL).value == pytest.approx(
        1 - 1.02 / 11.24, abs=1e-3
    )


def test_alpha_is_the_retest_reliability_of_all_items_stepped_up():
    one, alpha = (f(SHROUT, LEVEL) for f in (reliability.retest, reliability.cronbach_alpha))
    for name in ("value", "low", "high"):
        r = getattr(one, name)
        assert getattr(alpha, name) == pytest.approx(4 * r / (1 + 3 * r))


def test_bootstraps_share_their_sample():
    """Error of variance e in the sample, and again in each of k resamples of it."""
    rng = np.random.default_rng(3)
    truth, error, n, k = 1.0, 0.5, 20_000, 4
    sample = np.sqrt(truth) * rng.standard_normal(n) + np.sqrt(error) * rng.standard_normal(n)
    scores = sample[:, None] + np.sqrt(error) * rng.standard_normal((n, k))
    found = reliability.of_bootstraps(scores, LEVEL).value
    assert found == pytest.approx(truth / (truth + error + error / k), abs=0.02)
    assert reliability.retest(scores, LEVEL).value == pytest.approx(1.5 / 2, abs=0.02)


@pytest.mark.parametrize("of", ["cronbach_alpha", "retest", "of_bootstraps"])
def test_what_agrees_wholly_is_reliable_and_what_is_constant_is_nothing(of):
    of, line = getattr(reliability, of), np.arange(6.0)
    assert of(np.column_stack([line, line + 1, line + 5]), LEVEL).value == 1
    assert np.isnan(of(np.ones((6, 3)), LEVEL).value)
    assert np.isnan(of(SHROUT[:3], LEVEL).value)
    with_gap = np.vstack([SHROUT, [np.nan, 1, 2, 3]])
    assert of(with_gap, LEVEL) == of(SHROUT, LEVEL)


def test_split_half_is_spearman_and_browns_formula_on_the_mean_correlation():
    scores = planted(30, 6, 0.4, 4)
    first, second = halves(scores, 20, 5)
    chosen = resamples([str(i) for i in range(30)], 0)
    r = np.mean([np.corrcoef(a, b)[0, 1] for a, b in zip(first, second, strict=True)])
    found = reliability.split_half(first, second, chosen, LEVEL, 6)
    assert found.value == pytest.approx(2 * r / (1 + r))
    assert found.low < found.value < found.high < 1
    # A division without a number for a thing is left out.
    first[0, 3] = np.nan
    r = np.mean([np.corrcoef(a, b)[0, 1] for a, b in zip(first[1:], second[1:], strict=True)])
    assert reliability.split_half(first, second, chosen, LEVEL, 6).value == pytest.approx(
        2 * r / (1 + r)
    )


def test_halves_that_say_nothing_or_the_same():
    chosen = resamples(list("abcdefgh"), 0)
    line, flat = np.arange(8.0)[None], np.ones((1, 8))
    assert reliability.split_half(line, 2 * line, chosen, LEVEL, 2).value == 1
    assert np.isnan(reliability.split_half(line, flat, chosen, LEVEL, 2).value)
    assert np.isnan(reliability.split_half(line[:, :7], line[:, :7], chosen[:, :7], LEVEL, 2).value)
    assert reliability.stepped_up([-1, 0, 0.5, 1]).tolist() == [-1, 0, pytest.approx(2 / 3), 1]


def test_ceilings():
    assert reliability.ceiling(0.64) == pytest.approx(0.8)
    assert reliability.ceiling(0.81, 0.64) == pytest.approx(0.72)
    assert reliability.ceiling(-0.2, 0.9) == 0
    assert np.isnan(reliability.ceiling(np.nan))


def test_detectable_effects_of_normal_and_student_draws():
    from scipy.stats import norm, t

    shares = (np.arange(100_000) + 0.5) / 100_000
    # 1.960 + 0.842 = 2.802 standard errors; t with 2 degrees: 4.303 + 1.061 = 5.363.
    assert reliability.detectable(3 + 0.1 * norm.ppf(shares)) == pytest.approx(0.2802, abs=1e-4)
    assert reliability.detectable(t(2).ppf(shares)) == pytest.approx(5.363, abs=1e-2)
    assert np.isnan(reliability.detectable([2.0, 2.0, np.nan]))
    assert np.isnan(reliability.detectable([np.nan]))


def test_detectable_correlations():
    # 2.802 sqrt(1.06 / 54) = 0.3926, of which tanh is 0.3736.
    assert reliability.detectable_correlation(57) == pytest.approx(0.3736, abs=1e-4)
    assert reliability.detectable_correlation(57, 0.5) == pytest.approx(0.7472, abs=2e-4)
    assert reliability.detectable_correlation(10, 0.5) > 1  # no correlation would be found
    assert np.isnan(reliability.detectable_correlation(3))


def covered(worlds: int) -> dict[str, float]:
    """How often each interval holds the planted reliability: 57 things, 8 items of .4."""
    n, k, rho = 57, 8, 0.4
    whole = k * rho / (1 + (k - 1) * rho)
    held = {"alpha": 0, "retest": 0, "split half": 0}
    for world in range(worlds):
        scores = planted(n, k, rho, world)
        chosen = np.random.default_rng(world).integers(n, size=(300, n))
        parts = halves(scores, 30, world)
        for name, found, truth in (
            ("alpha", reliability.cronbach_alpha(scores, LEVEL), whole),
            ("retest", reliability.retest(scores, LEVEL), rho),
            ("split half", reliability.split_half(*parts, chosen, LEVEL, k), whole),
        ):
            held[name] += found.low <= truth <= found.high
    return {name: times / worlds for name, times in held.items()}


def test_planted_reliability_is_in_its_interval():
    # 200 draws of a true coverage of 95 % lie between these ends in 99 % of all cases.
    for name, share in covered(200).items():
        assert 0.905 <= share <= 0.985, name
