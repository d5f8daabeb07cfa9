"""The p-values that the tests of the paper can give."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from socialbias.papers.fairness import print_audit as fairness


def test_wilcoxon_p_values_by_hand():
    # n = 3: W takes 0 .. 6 in 1 1 1 2 1 1 1 of 8 ways; two-sided exact p for W = 0 .. 3:
    # 2/8, 4/8, 6/8, 1 (capped).
    assert fairness.wilcoxon_p_values(3)["exact"] == pytest.approx([0.25, 0.5, 0.75, 1])


@pytest.mark.parametrize("method", ["exact", "asymptotic"])
def test_wilcoxon_p_values_match_scipy(method):
    differences = np.array([1.0, -2, 3, -4, 5, 6, 7, -8, 9, 10])  # W = 2 + 4 + 8 = 14
    expected = stats.wilcoxon(differences, method=method, correction=False).pvalue
    kind = {"exact": "exact", "asymptotic": "normal"}[method]
    assert fairness.wilcoxon_p_values(10)[kind][14] == pytest.approx(expected)


def test_friedman_neighbours_surround_and_contain_what_scipy_gives():
    scores = np.random.default_rng(3).normal(loc=[0, 0.5, 1], size=(12, 3))
    p = stats.friedmanchisquare(*scores.T).pvalue
    near = fairness.friedman_neighbours(float(p), 12, 3)
    assert min(abs(np.array(near) - p)) < 1e-9
    assert near == sorted(near, reverse=True)
    # With three groups p = exp(-Q / 2), and Q moves in steps of 24 / (12 * 3 * 4) = 1 / 6.
    steps = -2 * np.diff(np.log(near))
    assert steps == pytest.approx([1 / 6] * 3)
