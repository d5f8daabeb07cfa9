"""Where an interval of a given coverage ends.

`measures.fairness.table.interval` has one kind more, which also reflects percentiles.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from socialbias.stats.student import quantile

Array = NDArray[np.float64]


def tails(level: float) -> tuple[float, float]:
    """Return the shares of a distribution that lie below the ends of its middle `level`."""
    return (1 - level) / 2, (1 + level) / 2


def percentile(draws: ArrayLike, level: float = 0.95) -> Array:
    """Return the percentile interval.

    Args:
        draws: (r,) a number in each sample, or (r, ...) several; NaN is left out.
        level: Coverage.

    Returns:
        (2, ...) its ends; NaN where there are no draws.
    """
    draws = np.asarray(draws, float)
    if draws.ndim > 1:
        return np.apply_along_axis(percentile, 0, draws, level)
    known = draws[~np.isnan(draws)]
    return np.quantile(known, tails(level)) if len(known) else np.full(2, np.nan)


def student(level: float, freedom: ArrayLike) -> float | Array:
    """Return how many standard errors Student's interval reaches to either side.

    Args:
        level: Coverage.
        freedom: (...) degrees of freedom.
    """
    return quantile(tails(level)[1], freedom)


def normal(level: float) -> float:
    """Return how many standard errors a normal interval reaches to either side."""
    from scipy.special import ndtri

    return float(ndtri(tails(level)[1]))
