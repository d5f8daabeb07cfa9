"""The parameters of DivDist beside the paper's defaults, by hand and against SciPy."""

from dataclasses import replace
from itertools import product
from math import exp, inf, sqrt

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy

from socialbias.measures.divdist import (
    ASSOCIATIONS,
    DIVERGENCES,
    NORMALIZERS,
    DivDist,
    clipped_sum_normalize,
    js_distance,
    kl_divergence,
    softmax_normalize,
)

# Means (3, 4) and (4, 3).
GROUPS = [np.array([[6.0, 0.0], [0.0, 8.0]]), np.array([[8.0, 0.0], [0.0, 6.0]])]
TARGETS = np.array([[1.0, 0.0], [4.0, -5.0], [-1.0, 0.0]])
HALF = np.array([0.5, 0.5])


def test_a_clipped_sum_takes_negative_strengths_as_none():
    strengths = np.array([[1.0, 3.0], [-8.0, 1.0], [-3.0, -4.0], [0.0, 0.0]])
    expected = [[0.25, 0.75], [0, 1], [0.5, 0.5], [0.5, 0.5]]
    assert_array_equal(clipped_sum_normalize(strengths), expected)


def test_softmax_divides_exponentials_by_their_sum():
    # 1 / (1 + e) and e / (1 + e); three equal strengths; strengths beyond what exp can hold
    assert_allclose(softmax_normalize(np.array([[3.0, 4.0]])), [[1 / (1 + exp(1)), 0.7310585786]])
    assert_allclose(softmax_normalize(np.full((1, 3), -2.0)), [[1 / 3] * 3])
    large = softmax_normalize(np.array([[1000.0, 1001.0], [-1001.0, -1000.0]]))
    assert_allclose(large, [[1 / (1 + exp(1)), 0.7310585786]] * 2)


def test_kl_is_infinite_where_the_reference_has_no_share_and_the_observed_has():
    p = np.array([[0.5, 0.5], [1.0, 0.0]])
    assert_array_equal(kl_divergence(p, np.array([1.0, 0.0])), [inf, 0])


@pytest.mark.parametrize("divergence", [kl_divergence, js_distance])
def test_logarithms_of_shares_that_are_no_distribution_are_nan(divergence):
    p = np.array([[-3.0, 4.0], [0.25, 0.75], [4.0, -3.0], [np.nan, np.nan]])
    assert_array_equal(np.isnan(divergence(p, HALF)), [True, False, True, True])


def cosine(target, group):
    mean = [sum(c) / len(c) for c in zip(*group, strict=True)]
    inner = sum(a * b for a, b in zip(target, mean, strict=True))
    return inner / sqrt(sum(a * a for a in target)) / sqrt(sum(b * b for b in mean)), inner


def by_loops(association, normalize, divergence, target, reference):
    """One target's bias in plain Python."""
    s = [cosine(target, group)[association == "inner-product"] for group in GROUPS]
    if normalize == "softmax":
        s = [exp(x) for x in s]
    if normalize == "clipped-sum":
        s = [max(x, 0.0) for x in s] if max(s) > 0 else [1.0] * len(s)
    p = [x / sum(s) for x in s]
    differences = [abs(a - b) for a, b in zip(p, reference, strict=True)]
    if divergence in ("kl", "js") and normalize == "sum" and min(s) < 0:
        return float("nan")
    if divergence == "js":
        return jensenshannon(p, reference)
    return {
        "l1": sum(differences),
        "l2": sqrt(sum(d * d for d in differences)),
        "linf": max(differences),
        "kl": entropy(p, reference) if divergence == "kl" else None,
    }[divergence]


@pytest.mark.filterwarnings("ignore:DivDist")
@pytest.mark.parametrize("names", list(product(ASSOCIATIONS, NORMALIZERS, DIVERGENCES)))
def test_every_named_measure_is_the_three_functions_in_plain_loops(names):
    reference = [0.25, 0.75]
    expected = [by_loops(*names, target, reference) for target in TARGETS.tolist()]
    assert_allclose(DivDist.named(*names)(TARGETS, GROUPS, reference), expected)


def of_strengths(strengths, normalize="sum", divergence="l1"):
    """A measure whose strengths are given, and its targets and groups."""
    named = DivDist.named("cosine", normalize, divergence)
    strengths = np.array(strengths, dtype=float)
    measure = replace(named, association=lambda targets, groups: strengths)
    return measure, np.ones((len(strengths), 1)), [np.ones((1, 1))] * strengths.shape[1]


# One negative; two, whose sum leaves shares inside [0, 1] in the opposite order; a negative sum
# with a positive one; none; nothing.
SIGNS = [[-1.0, 3.0], [-1.0, -3.0], [1.0, -2.0], [1.0, 3.0], [0.0, 0.0]]


def test_negative_strengths_are_found_on_the_strengths():
    measure, *arguments = of_strengths(SIGNS)
    assert measure.negative(*arguments).tolist() == [True, True, True, False, False]
    # The second looks like a distribution: (1/4, 3/4), to the group with the lower strength.
    expected = [[-0.5, 1.5], [0.25, 0.75], [-1, 2], [0.25, 0.75], [0.5, 0.5]]
    assert_allclose(measure.distribution(*arguments), expected)
    for normalize in ("clipped-sum", "softmax"):
        measure, *arguments = of_strengths(SIGNS, normalize)
        assert not measure.negative(*arguments).any()


@pytest.mark.parametrize("divergence", ["kl", "js"])
def test_divergences_of_distributions_are_nan_where_a_strength_is_negative(divergence):
    measure, *arguments = of_strengths(SIGNS, divergence=divergence)
    assert np.isnan(measure(*arguments)).tolist() == [True, True, True, False, False]
    measure, *arguments = of_strengths(SIGNS, "clipped-sum", divergence)
    assert np.isfinite(measure(*arguments)).all()


@pytest.mark.parametrize(
    ("divergence", "strengths", "most"),
    # (-1, 3)/2 is 2 from one half in sum, 1 at most; (-3, 5)/2 is 4, 2.8 and 2
    [("l1", [-3.0, 5.0], "2"), ("l2", [-3.0, 5.0], "1.414"), ("linf", [-3.0, 5.0], "1")],
)
def test_a_bias_outside_of_its_range_is_warned_of(divergence, strengths, most):
    measure, *arguments = of_strengths([strengths], divergence=divergence)
    with pytest.warns(UserWarning, match=rf"outside \[0, {most}\]"):
        assert measure(*arguments) == pytest.approx({"l1": 4, "l2": 8**0.5, "linf": 2}[divergence])


@pytest.mark.filterwarnings("error")
def test_a_bias_at_the_end_of_its_range_is_not_warned_of():
    for divergence in DIVERGENCES:
        measure, *arguments = of_strengths([[-1.0, 3.0], [0.0, 0.1]], "clipped-sum", divergence)
        measure(*arguments, [1.0, 0.0])
    measure, *arguments = of_strengths([[-1.0, 3.0]])
    assert measure(*arguments) == pytest.approx(2)
