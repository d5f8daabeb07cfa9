"""Intervals, means and percentiles of biases, and how they compare with those of other words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from socialbias.measures.registry import Measure
from socialbias.stats.draws import DRAWS
from socialbias.stats.intervals import percentile
from socialbias.stats.reliability import detectable
from socialbias.stats.seeding import generator
from socialbias.stats.similarity import Array
from socialbias.stats.two_way import Difference

UNKNOWN = Difference(np.nan, np.nan, np.nan, np.nan)


@dataclass(frozen=True)
class Row:
    """The bias of one target."""

    target: str
    value: float  # NaN if undefined
    low: float
    high: float
    leans_to: str = ""  # the group that it is most associated with
    percentile: float = math.nan  # percentage of placebo words with a lower number
    p_words_exchanged: float = math.nan  # p-value of a permutation test over group words
    detectable: float = math.nan  # the smallest true bias detected with 80 % power
    n: int | None = None  # such as the number of contexts; None if only the result has one
    note: str = ""  # a reservation
    freedom: float = math.nan  # degrees of freedom of the interval, if it is Student's t


@dataclass(frozen=True)
class Placebo:
    """The numbers of other words of the same subject, and how the targets differ from them."""

    words: str  # description
    n: int  # how many have a number
    mean: float
    low: float  # of the range of 95 % of their numbers
    high: float
    difference: float  # mean of the targets minus that mean
    difference_low: float
    difference_high: float
    share: float  # of equally large samples of these words that differ as much from `mean`


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


def beside(
    name: str,
    targets: Array,
    others: Array,
    apart: Difference,
    rng: np.random.Generator,
    rare: float = 1.0,
) -> Placebo:
    """Return how other words (m,) compare with targets (n,), by the difference of their means.

    Where a larger share of samples than `rare` differ as much, the interval is extended to 0.
    Biases of words are skewed, so that Student's interval over few targets leaves out 0 too often
    on one side (docs/error-rates.md). Samples have the same skewness.
    """
    mean, spread = float(others.mean()), float(others.std())
    few = others[rng.integers(len(others), size=(DRAWS, len(targets)))].mean(axis=1)
    # The mean of the other words has a sampling error, too.
    means = few - mean + spread / np.sqrt(len(others)) * rng.standard_normal(DRAWS)
    far = np.abs(means) >= abs(apart.value) - 1e-12
    low, high = np.quantile(others, [0.025, 0.975]).tolist()
    share = float((1 + far.sum()) / (1 + DRAWS))
    ends = (apart.low, apart.high)
    if share > rare:
        ends = (min(apart.low, 0.0), max(apart.high, 0.0))
    return Placebo(name, len(others), mean, low, high, apart.value, *ends, share)


def numbers_beside(
    own: Array,
    alone: Difference,
    others: Sequence[tuple[str, Array, Difference]],
    measure: Measure,
    seed: int,
    rare: float = 1.0,
) -> dict[str, object]:
    """Return fields of a result: the mean of the targets (n,), its interval, and placebo words.

    `others` are, of each kind of placebo words, what they are, their numbers (m,), and how the
    targets differ from them; the first kind is the null. Without any, `alone` counts: the targets'
    mean with its interval. `rare` is as for `beside`.
    """
    placebos = [
        beside(name, own, numbers, apart, generator(seed, "samples", name, len(own)), rare)
        for name, numbers, apart in others
    ]
    apart = others[0][2] if others else alone
    low, high = apart.low, apart.high
    if placebos:
        low, high = placebos[0].difference_low, placebos[0].difference_high
    mean = float(own.mean()) if len(own) else np.nan
    fields = {
        "value": mean,
        "low": max(mean - apart.value + low, measure.low),
        "high": min(mean - apart.value + high, measure.high),
        "detectable": apart.detectable,
        "null": 0.0 if measure.signed else np.nan,
        "placebos": tuple(placebos),
    }
    if placebos:
        null = placebos[0]
        fields |= {"null": null.mean, "p_value": null.share}
        fields["test"] = f"two-sided, compared with samples of {null.words}"
    return fields
