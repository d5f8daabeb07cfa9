"""The difference of two means over the same sampled words of groups.

Targets are sampled, and so are the words of the groups that their bias is measured with. The
variance of a mean over both is V(targets) + V(words) - V(both): what either kind of units gives by
itself, less what pairs of them give, which is in both (the two-way cluster estimator of Cameron,
Gelbach and Miller 2011; Owen 2007). Resampling both at once would count the last term three times.
V(words) and V(both) are by the jackknife, since a bias is no mean over group words.

Two refinements keep error rates near 5 % with few units of real vectors (docs/error-rates.md).
V(words) - V(both) is estimated with noise and cannot be negative, so that cutting it off at 0 alone
would make it too large: `SURPLUS` makes up for that. And the spread of few targets is estimated
together with that of the other words (the moderated t of Smyth 2004).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from socialbias.stats.intervals import quantile, student

Array = NDArray[np.float64]
POWER = 0.8
PRIOR = 8  # of the second numbers that count beside few targets, whose own spread is uncertain
SURPLUS = 1.5  # times V(both): only what V(words) has beyond this is taken for more than noise


@dataclass(frozen=True)
class Difference:
    """The mean of some numbers less that of others.

    Attributes:
        value: The difference.
        low, high: Its interval; NaN where neither kind of units is sampled twice.
        detectable: The smallest true difference that is found at 0.05 in 80 % of samples.
    """

    value: float
    low: float
    high: float
    detectable: float


def mean_difference(
    first: Array,
    second: Array,
    without: Sequence[tuple[Array, Array]],
    level: float,
    more: float = 0.0,
) -> Difference:
    """Return the mean of the first numbers less the mean of the second ones, with its interval.

    The variance of the targets counts from two on: one target is taken for all that there are.

    Args:
        first: (n,) numbers of the targets, n >= 1.
        second: (m,) numbers of other words, or none: then the mean itself is estimated.
        without: For each group of words that is sampled by itself, the same numbers (k, n) and
            (k, m) without each of its k words.
        level: Coverage.
        more: Variance from anything else that was resampled, such as documents.
    """
    value = float(first.mean() - (second.mean() if len(second) else 0.0))
    parts = []
    if len(second) > 1:
        parts.append((second.var(ddof=1) / len(second), len(second) - 1))
    if len(first) > 1:
        prior = PRIOR if len(second) > 1 else 0
        squares = first.var() * len(first) + (prior * second.var(ddof=1) if prior else 0.0)
        few = len(first) - 1 + prior
        parts.append((squares / few / len(first), few))
    words = both = freedom = 0.0
    for each in without:
        k = len(each[0])
        if k > 1:
            one, other = (side - side.mean(axis=0) for side in each)
            moved = one.mean(axis=1) - (other.mean(axis=1) if len(second) else 0.0)
            words += (k - 1) / k * (moved**2).sum()
            both += (k - 1) / k * (_variance_of_mean(one) + _variance_of_mean(other))
            freedom += k - 1
    if len(first) < 2 and not freedom and not more:
        return Difference(value, np.nan, np.nan, np.nan)
    parts += [(max(words - SURPLUS * both, 0.0), freedom or 1), (more, np.inf)]
    variance = sum(part for part, _ in parts)
    if not variance:
        return Difference(value, value, value, np.nan)
    spread = sum(part**2 / df for part, df in parts)
    # Satterthwaite 1946; what is known without error, such as `more`, has no spread.
    freedom = variance**2 / spread if spread else np.inf
    error = float(np.sqrt(variance))
    reach = student(level, freedom) * error
    seen = (quantile(0.975, freedom) + quantile(POWER, freedom)) * error
    return Difference(value, value - reach, value + reach, seen)


def _variance_of_mean(apart: Array) -> float:
    """Return the variances of the means of rows (k, n), together; 0 with fewer than two columns."""
    n = apart.shape[1]
    return float(apart.var(axis=1, ddof=1).sum() / n) if n > 1 else 0.0
