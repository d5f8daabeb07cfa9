"""A claim under all defensible settings: the share in which it holds, and one test of all of them.

A specification curve (Simonsohn, Simmons and Nelson 2020, Nature Human Behaviour 4) counts every
setting once, also where two are one by construction: with two groups all divergences from a
uniform reference rank alike. Here settings whose results are the same, but for a unit of
measurement, count once, and every choice on an axis has the same weight, however many settings the
other axes allow it. The settings are tested together, by the same permutations of the units through
all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
SAME_RESULT = 1e-9  # results that differ by less, in units of their spread, are the same


@dataclass(frozen=True)
class Multiverse:
    """What becomes of a claim over its settings.

    Attributes:
        kept: (s,) places of the distinct settings, the first of those that are alike.
        weights: (s,) of the distinct settings; they sum to 1.
        share: Balanced share of the settings in which the claim holds.
        p_value: Of the joint test, one-sided, of the settings that vary under permutation; NaN
            where none does.
        shares: By axis with several choices, the share that holds by choice.
        decides: The axis whose choices differ most in that share; "" where all agree.
        drop: By how much they differ: 0 where all choices agree.
    """

    kept: NDArray[np.int64]
    weights: Array
    share: float
    p_value: float
    shares: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    decides: str = ""
    drop: float = 0.0


def multiverse(
    settings: pd.DataFrame,
    effects: ArrayLike,
    null: ArrayLike | None = None,
    *,
    holds: ArrayLike | None = None,
) -> Multiverse:
    """Test a claim under all settings together.

    Args:
        settings: (m, axes) the choice on each axis, one row a setting, the axis that counts first.
        effects: (m,) the result of each setting, above 0 in the claimed direction.
        null: (m, draws) the results with permuted inputs; a draw is of the same permutation in all
            settings. None where nothing was permuted.
        holds: (m,) whether the claim holds; where the effect is above 0 by default.

    Raises:
        ValueError: there is no setting, or one stands twice.
    """
    effects = np.asarray(effects, float)
    holding = (effects > 0 if holds is None else np.asarray(holds)).astype(float)
    results = effects[:, None] if null is None else np.column_stack([effects, null])
    if not len(settings) or settings.duplicated().any():
        raise ValueError("a multiverse needs settings, each of them once")
    settings = settings.reset_index(drop=True)
    alike = classes(results, holding)
    kept = np.unique(alike, return_index=True)[1]
    weights = balanced(settings.iloc[kept])
    some = kept[~np.isnan(results[kept]).all(axis=1)]
    varying = some[spread(results[some])[:, 0] > SAME_RESULT]
    p_value = np.nan
    if len(varying):
        p_value = joint_p(results[varying], balanced(settings.iloc[varying]))
    shares: dict[str, dict[str, float]] = {}
    for axis in settings:
        by_choice = settings.groupby(axis, sort=False).indices
        if len(by_choice) < 2:
            continue
        shares[axis] = {}
        for choice, places in by_choice.items():
            distinct = places[np.unique(alike[places], return_index=True)[1]]
            held = balanced(settings.iloc[distinct]) @ holding[distinct]
            shares[axis][choice] = float(held)
    reach = {axis: max(found.values()) - min(found.values()) for axis, found in shares.items()}
    drop = max(reach.values(), default=0.0)
    share = float(weights @ holding[kept])
    if drop <= SAME_RESULT:
        return Multiverse(kept, weights, share, p_value, shares)
    return Multiverse(kept, weights, share, p_value, shares, max(reach, key=reach.get), drop)


def spread(results: ArrayLike) -> Array:
    """Return the standard deviation of each row over all columns, the observed one among them.

    (m, 1). Observed and permuted results have the same part in it, so that a test of them stays
    exact.
    """
    return np.nanstd(np.asarray(results, float), axis=1, keepdims=True)


def classes(results: ArrayLike, holding: ArrayLike) -> NDArray[np.int64]:
    """Return which settings are one: (m,) the place of the first setting with the same results.

    Args:
        results: (m, 1 + draws) observed and permuted results. Two rows are the same where they
            differ by a positive factor alone.
        holding: (m,) whether the claim holds: where it differs, settings do.
    """
    results, holding = np.asarray(results, float), np.asarray(holding)
    scale = spread(results) if results.shape[1] > 1 else np.ones((len(results), 1))
    scaled = results / np.where(scale > 0, scale, 1)
    alike = np.arange(len(results))
    firsts: list[int] = []
    for i, row in enumerate(scaled):
        for first in firsts:
            other = scaled[first]
            if (
                holding[i] == holding[first]
                and abs(row[0] - other[0]) <= SAME_RESULT
                and np.allclose(row, other, rtol=0, atol=SAME_RESULT, equal_nan=True)
            ):
                alike[i] = first
                break
        else:
            firsts.append(i)
    return alike


def balanced(settings: pd.DataFrame) -> Array:
    """Weights (m,) of settings: each choice has the same weight as the other ones on its axis.

    The first axis divides the weight equally among its choices, each of which divides its own among
    those that it allows on the second, and so on. Where every choice goes with every other all
    settings weigh the same; where one has more settings than another it has no more votes.
    """
    axes, weights = list(settings), np.ones(len(settings))
    for i, axis in enumerate(axes):
        if i:
            choices = settings.groupby(axes[:i], sort=False)[axis].transform("nunique").to_numpy()
        else:
            choices = settings[axis].nunique()
        weights = weights / choices
    return weights


def joint_p(results: ArrayLike, weights: ArrayLike) -> float:
    """Return the p-value of all settings together, against no effect in any of them.

    Of the balanced mean of the effects, each in units of its spread under permutation.

    Args:
        results: (s, 1 + draws) observed results, and those with permuted inputs.
        weights: (s,).

    Returns:
        (1 + permutations that reach the observed statistic) / (1 + permutations). A permutation
        without a result counts as one that reaches it. NaN without permutations, or where a
        setting does not vary under them.
    """
    results = np.asarray(results, float)
    scale = spread(results)
    if results.shape[1] < 2 or np.isnan(results[:, 0]).any() or not (scale > 0).all():
        return np.nan
    observed, *permuted = np.asarray(weights, float) @ (results / scale)
    permuted = np.nan_to_num(permuted, nan=np.inf)
    return float((1 + (permuted >= observed - SAME_RESULT).sum()) / (1 + len(permuted)))
