"""Where an interval of a given coverage ends, and Student's t distribution.

`measures.fairness.table.interval` has one kind more, which also reflects percentiles. SciPy's
functions are imported where they are called: most jobs need none, and the import takes longer than
what they do with them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Difference:
    """A number, or a difference of two, with its interval.

    Attributes:
        value: The number.
        low, high: Its interval; NaN where nothing is sampled twice.
        detectable: The smallest true number that is found at 0.05 in 80 % of samples.
    """

    value: float
    low: float
    high: float
    detectable: float


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


def two_sided_p(t: float, freedom: float) -> float:
    """Return the chance of a t at least as far from 0."""
    from scipy.special import stdtr

    return float(2 * stdtr(freedom, -abs(t)))


def quantile(p: float, freedom: ArrayLike) -> float | Array:
    """Return the t below which the share p of the distribution lies, for each number of freedom."""
    from scipy.special import stdtrit

    return stdtrit(freedom, p) if np.ndim(freedom) else float(stdtrit(freedom, p))


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
