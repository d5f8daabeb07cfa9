"""Intervals of shares that are no means of units, by leaving the units out one at a time.

A bootstrap sample of a few words repeats some of them. What is fitted to the words, such as an axis
or a principal component, then has fewer to fit, so that its samples are of another number than the
one that was measured, and scatter more or less than it does. With one unit left out nothing is
repeated. On the scale of log odds the interval stays within 0 and 1, and is as skewed as such
numbers are near the ends.

Of the coherence and the explained variance of 3 to 25 seed words, planted or chosen at random,
these intervals cover 93 to 100 %; percentiles of bootstrap samples covered 80 to 100 %, and were up
to three times as wide as they need be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from socialbias.stats.intervals import quantile, student

MIN_FROM_ENDS = 1e-9  # from 0 and from 1, where log odds end
POWER = 0.8


@dataclass(frozen=True)
class Jackknifed:
    """The interval of a share.

    Attributes:
        low, high: Its ends, from 0 to 1; NaN where a group has fewer than two units.
        error: Standard error of the log odds.
        freedom: Degrees of freedom of Student's t.
    """

    low: float
    high: float
    error: float
    freedom: int

    def detectable(self, bar: float) -> float:
        """Return the smallest true share of which 80 % of samples are above a bar."""
        return float(expit(_log_odds(bar) + quantile(POWER, self.freedom) * self.error))


def jackknifed(share: float, left_out: Sequence[ArrayLike], level: float) -> Jackknifed:
    """Return the interval of a share over samples of the units of each group (Tukey 1958).

    Args:
        share: From all units; what other samples of as many would give on average.
        left_out: For each group of units that is sampled by itself, (n,) the share without each of
            its n units.
        level: Coverage.
    """
    sizes = [len(shares) for shares in left_out]
    freedom = sum(sizes) - len(sizes)
    if min(sizes) < 2:
        return Jackknifed(np.nan, np.nan, np.nan, freedom)
    odds = [_log_odds(shares) for shares in left_out]
    error = np.sqrt(sum((n - 1) * each.var() for n, each in zip(sizes, odds, strict=True)))
    reach = student(level, freedom) * error
    low, high = expit(_log_odds(share) + np.array([-reach, reach]))
    return Jackknifed(float(low), float(high), float(error), freedom)


def _log_odds(share: ArrayLike) -> np.ndarray:
    return logit(np.clip(np.asarray(share, float), MIN_FROM_ENDS, 1 - MIN_FROM_ENDS))
