"""Variance components: by hand, against statsmodels, and of planted ones."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from statsmodels.stats.anova import anova_lm

from socialbias.stats.generalizability import components
from socialbias.stats.reliability import cronbach_alpha, retest

WORLDS = 200


def planted(rng: np.random.Generator, shape: tuple[int, ...], deviations: dict) -> np.ndarray:
    """Numbers with these standard deviations of effects, by axes."""
    x = np.zeros(shape)
    for effect, deviation in deviations.items():
        sizes = [size if axis in effect else 1 for axis, size in enumerate(shape)]
        x = x + deviation * rng.standard_normal(sizes)
    return x


def test_one_facet_by_hand():
    # Things 1, 3, 5, 7 by two levels 2 apart, and no error: rows vary by 20/3, levels by 2.
    found = components(np.array([[0, 2], [2, 4], [4, 6], [6, 8]]))
    assert found.effects == ((0,), (1,), (0, 1))
    assert found.variance == pytest.approx([20 / 3, 2, 0])
    assert found.coefficient([2])[0] == 1
    absolute = found.coefficient([2], absolute=True)[0]
    assert absolute == pytest.approx((20 / 3) / (20 / 3 + 2 / 2))
    assert found.needed(1)[0] == 1


def test_one_facet_is_alpha_and_the_intraclass_correlation():
    rng = np.random.default_rng(3)
    x = planted(rng, (30, 6), {(0,): 1, (1,): 1, (0, 1): 2})
    found = components(x)
    assert found.coefficient([6])[0] == pytest.approx(cronbach_alpha(x, 0.95).value, abs=1e-9)
    assert found.coefficient([1])[0] == pytest.approx(retest(x, 0.95).value, abs=1e-9)


def test_two_facets_are_those_of_statsmodels_mean_squares():
    shape, rng = (12, 5, 4), np.random.default_rng(5)
    x = planted(rng, shape, {(0,): 2, (1,): 1, (2,): 1, (0, 1): 1, (0, 2): 1, (0, 1, 2): 1})
    index = np.indices(shape).reshape(3, -1)
    table = pd.DataFrame({"y": x.ravel(), **dict(zip("pab", index, strict=True))})
    fitted = smf.ols("y ~ (C(p) + C(a) + C(b)) ** 2", table).fit()
    anova = anova_lm(fitted)
    square = {name.replace("C(", "").replace(")", ""): m for name, m in anova["mean_sq"].items()}
    left = square["Residual"]
    n, a, b = shape
    expected = {
        (0, 1, 2): left,
        (0, 1): (square["p:a"] - left) / b,
        (0, 2): (square["p:b"] - left) / a,
        (1, 2): (square["a:b"] - left) / n,
        (0,): (square["p"] - square["p:a"] - square["p:b"] + left) / (a * b),
        (1,): (square["a"] - square["p:a"] - square["a:b"] + left) / (n * b),
        (2,): (square["b"] - square["p:b"] - square["a:b"] + left) / (n * a),
    }
    found = components(x)
    wanted = [max(expected[effect], 0) for effect in found.effects]
    assert found.variance == pytest.approx(wanted, abs=1e-6)


def test_balanced_components_are_the_mixed_model_s():
    rng = np.random.default_rng(7)
    x = planted(rng, (40, 5), {(0,): 2, (0, 1): 1})
    centred = x - x.mean(axis=0)  # levels as fixed effects leave things and error as they are
    table = pd.DataFrame({"y": centred.ravel(), "p": np.repeat(np.arange(40), 5)})
    table["a"] = np.tile(np.arange(5), 40)
    fitted = smf.mixedlm("y ~ C(a)", table, groups="p").fit(reml=True, gtol=1e-12)
    found = components(x)
    assert found.variance[0] == pytest.approx(float(fitted.cov_re.iloc[0, 0]), rel=1e-6)
    assert found.variance[2] == pytest.approx(fitted.scale, rel=1e-6)


ONE = {(0,): 1.0, (1,): 0.5, (0, 1): 1.5}
TWO = {(0,): 1.0, (1,): 0.5, (2,): 0.5, (0, 1): 0.7, (0, 2): 0.4, (1, 2): 0.3, (0, 1, 2): 1.0}


@pytest.mark.parametrize(("shape", "deviations"), [((40, 6), ONE), ((40, 8, 5), TWO)])
def test_planted_components_and_coefficients_are_inside_their_intervals(shape, deviations):
    """In 95 % of 200 draws; chance allows 91 to 99 %, and intervals that end at 0 hold more."""
    rng = np.random.default_rng(11)
    counts = list(shape[1:])
    variance = {effect: deviation**2 for effect, deviation in deviations.items()}
    error = sum(
        v / np.prod([counts[axis - 1] for axis in effect if axis])
        for effect, v in variance.items()
        if 0 in effect and effect != (0,)
    )
    truth = variance[(0,)] / (variance[(0,)] + error)
    held = dict.fromkeys(deviations, 0)
    reliable = 0
    for _ in range(WORLDS):
        found = components(planted(rng, shape, deviations))
        for effect in deviations:
            low, high = found.interval(effect, 0.95)
            held[effect] += low <= variance[effect] <= high
        low, high = np.quantile(found.coefficient(counts)[1], [0.025, 0.975])
        reliable += low <= truth <= high
    assert all(count >= 0.91 * WORLDS for count in held.values()), held
    assert held[(0,)] <= 0.99 * WORLDS
    assert 0.91 * WORLDS <= reliable <= 0.99 * WORLDS


def test_as_many_levels_as_are_needed_reach_the_goal_and_one_fewer_does_not():
    found = components(planted(np.random.default_rng(2), (60, 8, 4), TWO))
    for facet in (1, 2):
        needed = found.needed(facet)[0]
        counts = list(found.levels[1:])
        if np.isinf(needed):
            counts[facet - 1] = 10**6
            assert found.coefficient(counts)[0] < 0.8
            continue
        counts[facet - 1] = int(needed)
        assert found.coefficient(counts)[0] >= 0.8
        if needed > 1:
            counts[facet - 1] -= 1
            assert found.coefficient(counts)[0] < 0.8


def test_no_number_of_words_makes_up_for_vectors_that_differ():
    rng = np.random.default_rng(4)
    x = planted(rng, (50, 6, 2), {(0, 2): 3, (0,): 1, (0, 1, 2): 0.1})
    needed, low, high = components(x).needed(1)
    assert needed == high == np.inf
    assert low > 0


@pytest.mark.parametrize(
    "numbers", [np.ones((9, 3)), np.arange(6.0).reshape(3, 2), np.ones((9, 1))]
)
def test_too_little_has_no_components(numbers):
    assert components(numbers) is None


def test_a_thing_with_a_gap_is_left_out_and_more_facets_are_refused():
    x = planted(np.random.default_rng(1), (20, 5), ONE)
    gap = np.vstack([x, np.full(5, np.nan)])
    assert components(gap).variance == pytest.approx(components(x).variance)
    with pytest.raises(ValueError, match="one or two facets, not 3"):
        components(np.zeros((5, 2, 2, 2)))
    with pytest.raises(ValueError, match="2 counts for 1 facets"):
        components(x).coefficient([2, 2])
