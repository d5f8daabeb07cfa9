"""Intervals, means and percentiles of biases, and how they compare with those of other words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from socialbias.stats.controls import p_values
from socialbias.stats.intervals import Difference, percentile
from socialbias.stats.reliability import detectable
from socialbias.stats.similarity import Array

UNKNOWN = Difference(np.nan, np.nan, np.nan, np.nan)


@dataclass(frozen=True)
class Row:
    """The bias of one target."""

    target: str
    value: float  # NaN if undefined
    low: float
    high: float
    leans_to: str = ""  # the group that it is most associated with
    percentile: float = math.nan  # percentage of random words with a lower number
    p_value: float = math.nan  # share of random words that are as far from their median
    adjusted_p: float = math.nan  # the same, with false discoveries among the targets controlled
    n: int | None = None  # such as the number of contexts; None if only the result has one
    note: str = ""  # a reservation
    freedom: float = math.nan  # degrees of freedom of the interval, if it is Student's t


def bare_rows(names: Sequence[str], values: Array) -> tuple[Row, ...]:
    """Return rows without intervals."""
    pairs = zip(names, values.tolist(), strict=True)
    return tuple(Row(name, value, math.nan, math.nan) for name, value in pairs)


def uncertain(
    value: float, draws: Array, level: float, bounds: tuple[float, float] = (-np.inf, np.inf)
) -> Difference:
    """Return a number with the interval of its draws (draws,), clipped to the measure's range.

    Draws that are NaN are left out.
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


def rank_among_words(values: Array, words: Array, signed: bool) -> list[dict[str, float]]:
    """Return the fields of rows that say where numbers (n,) are among those of other words (m,)."""
    from scipy.stats import false_discovery_control

    places, p = percentiles(values, words), p_values(values, words, signed)
    adjusted, known = np.full(len(values), np.nan), ~np.isnan(p)
    adjusted[known] = false_discovery_control(p[known])
    return [
        {"percentile": place, "p_value": own, "adjusted_p": q}
        for place, own, q in zip(places.tolist(), p.tolist(), adjusted.tolist(), strict=True)
    ]
