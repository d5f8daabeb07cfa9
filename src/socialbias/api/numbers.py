"""Intervals, means and percentiles of targets' biases."""

from __future__ import annotations

import numpy as np

from socialbias.measures.similarity import Array
from socialbias.stats.intervals import percentile
from socialbias.stats.reliability import detectable
from socialbias.stats.two_way import Difference


def uncertain(
    value: float, draws: Array, level: float, bounds: tuple[float, float] = (-np.inf, np.inf)
) -> Difference:
    """Return a number with the interval of its draws, clipped to the measure's range.

    Args:
        value: The number.
        draws: (draws,) resampled numbers; NaN is left out.
        level: Coverage.
        bounds: The measure's range.
    """
    known = draws[~np.isnan(draws)]
    if not len(known) or np.isnan(value):
        return Difference(float(value), np.nan, np.nan, np.nan)
    low, high = percentile(np.clip(known, *bounds), level)
    # Resampling enlarges a magnitude: all its draws may lie above the number itself.
    low, high = min(low, value), max(high, value)
    return Difference(float(value), float(low), float(high), detectable(known))


def mean_of_known(samples: Array) -> Array:
    """Return means (draws,) over targets (draws, n), without those undefined in a draw."""
    known = ~np.isnan(samples)
    with np.errstate(invalid="ignore"):
        return np.where(known, samples, 0).sum(axis=1) / known.sum(axis=1)


def percentiles(values: Array, others: Array) -> Array:
    """Return the percentage of other numbers (m,) below each value (n,); ties count half."""
    others = np.sort(others)
    below = sum(np.searchsorted(others, values, side) for side in ("left", "right"))
    return np.where(np.isnan(values), np.nan, 50 * below / len(others))
