"""Many tests at once: adjusted p-values, and how many of several statements are true."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def holm(p_values: ArrayLike) -> Array:
    """Holm's adjusted p-values (1979), which bound the familywise error under any dependence.

    Args:
        p_values: (m,); NaN is no test and stays NaN.
    """
    p = np.asarray(p_values, float)
    order = np.argsort(p, kind="stable")[: np.count_nonzero(~np.isnan(p))]  # NaN comes last
    adjusted = np.full(len(p), np.nan)
    steps = np.arange(len(order), 0, -1) * p[order]
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return adjusted


def max_t(observed: ArrayLike, null: ArrayLike) -> Array:
    """Return adjusted p-values of statistics of the same units (Westfall and Young 1993, maxT).

    The share of permutations in which the largest of all is as far from 0 as the one observed. It
    takes into account that the statistics go together, which Holm's does not.

    Args:
        observed: (m,).
        null: (draws, m) with the units permuted, all statistics alike.
    """
    largest = np.nanmax(np.abs(np.asarray(null, float)), axis=1)
    sizes = np.abs(np.asarray(observed, float))
    reached = (largest[:, None] >= sizes - 1e-12).sum(axis=0)
    return (1 + reached) / (1 + len(largest))


def partial_conjunction(p_values: ArrayLike, k: int) -> float:
    """p-value against fewer than k of m hypotheses being true (Benjamini and Heller 2008).

    The k-th smallest p-value times m - k + 1. With k = m it is the largest: each must be shown by
    itself. With k = 1 it is Bonferroni's. It holds under any dependence.

    Args:
        p_values: (m,) of each hypothesis.
        k: From 1 to m.

    Raises:
        ValueError: k is not between 1 and m.
    """
    p = np.sort(np.asarray(p_values, float))
    if not 1 <= k <= len(p):
        raise ValueError(f"cannot ask whether {k} of {len(p)} hypotheses are true")
    return float(min(1, (len(p) - k + 1) * p[k - 1]))


def combined_p(p_values: ArrayLike, effects: ArrayLike) -> float:
    """Return one two-sided p-value from those of dependent tests of the same effect.

    Twice their mean, which holds under any dependence (Rueschendorf 1982; Vovk and Wang 2020).
    Tests whose effects point both ways support neither direction, however small their p-values:
    then there is none.

    Args:
        p_values: (m,) two-sided; NaN is no test.
        effects: (m,) the effect in each.

    Returns:
        At most 1; NaN without tests, or where the signs of the effects differ.
    """
    p, effects = np.asarray(p_values, float), np.asarray(effects, float)
    known = ~np.isnan(p)
    if not known.any() or len(np.unique(np.sign(effects[known]))) > 1:
        return np.nan
    return float(min(1, 2 * p[known].mean()))
