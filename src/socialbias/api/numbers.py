"""From the biases of targets and their resamples to numbers with their uncertainty."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from socialbias.measures.similarity import Array
from socialbias.stats.intervals import percentile
from socialbias.stats.reliability import detectable


@dataclass(frozen=True)
class Uncertain:
    """A number with its interval and the smallest true one that would be found."""

    value: float
    low: float
    high: float
    detectable: float


def uncertain(
    value: float, draws: Array, level: float, bounds: tuple[float, float] = (-np.inf, np.inf)
) -> Uncertain:
    """A number with the interval of its draws, within the measure's range and around the number.

    Args:
        value: The number.
        draws: (draws,) of it; NaN is left out.
        level: Coverage.
        bounds: The range.
    """
    known = draws[~np.isnan(draws)]
    if not len(known) or np.isnan(value):
        return Uncertain(float(value), np.nan, np.nan, np.nan)
    low, high = percentile(np.clip(known, *bounds), level)
    # Resampling enlarges a magnitude, so that all its draws may lie above the number itself.
    low, high = min(low, value), max(high, value)
    return Uncertain(float(value), float(low), float(high), detectable(known))


def mean_of_known(samples: Array) -> Array:
    """Means over targets (draws, n), without those that are undefined in a draw: (draws,)."""
    known = ~np.isnan(samples)
    with np.errstate(invalid="ignore"):
        return np.where(known, samples, 0).sum(axis=1) / known.sum(axis=1)


def percentiles(values: Array, others: Array) -> Array:
    """Per cent of some numbers (m,) that are below each value (n,), equal ones by half."""
    others = np.sort(others)
    below = sum(np.searchsorted(others, values, side) for side in ("left", "right"))
    return np.where(np.isnan(values), np.nan, 50 * below / len(others))
