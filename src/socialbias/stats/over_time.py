"""The trend of shares over periods, where all words of a period may move together.

What happens in a year moves every word of that year, and often those of the next years too. So the
units are periods, and their errors may be correlated: the slope is compared with the slowest other
movements of the series, which have the variance of slow errors. This is the series estimator of the
variance of a trend (Phillips 2005, Econometric Theory 21; Sun 2011, Journal of Econometrics 164),
here with polynomials. With independent errors, it is Student's t test. How often it is wrong with
correlated ones is in docs/commands/measure.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from socialbias.stats.intervals import student

Array = NDArray[np.float64]
FEWEST_PERIODS = 8  # with fewer, an interval says next to nothing


@dataclass(frozen=True)
class Slope:
    """A trend.

    Attributes:
        value: Change per unit of time; NaN with fewer than two periods.
        low, high: Its interval; NaN with fewer than eight periods.
        freedom: Degrees of freedom of the interval; NaN without one.
        periods: Number of periods with data.
    """

    value: float
    low: float
    high: float
    freedom: float
    periods: int


def period_shares(totals: ArrayLike, firsts: ArrayLike) -> Array:
    """Return the share of each period, with the mix of rows held fixed.

    A row is a word in a stratum, such as an outlet. A row that becomes more frequent, or appears,
    does not move the shares: only changes within rows do (weighted least squares with row and
    period effects). Periods that no row connects with the others cannot be compared with them; only
    the connected set with most contexts is used (Abowd, Kramarz and Margolis 1999, Econometrica
    67).

    Args:
        totals: (r, P) number of contexts of each row in each period.
        firsts: (r, P) number of those with the first group.

    Returns:
        (P,) shares, whose mean weighted by contexts is the share of all contexts; NaN for periods
        without contexts, or not connected. With one row, they are the shares as counted.
    """
    n, y = np.asarray(totals, float), np.asarray(firsts, float)
    shares = np.full(n.shape[1], np.nan)
    if not n.any():
        return shares
    rows, periods = _connected(n)
    n, y = n[rows][:, periods], y[rows][:, periods]
    of_rows, of_periods = n.sum(axis=1), n.sum(axis=0)
    if len(of_rows) < len(of_periods):  # eliminate the larger set of effects from the equations
        parts = n / of_periods
        right = y.sum(axis=1) - parts @ y.sum(axis=0)
        levels = np.linalg.lstsq(np.diag(of_rows) - parts @ n.T, right)[0]
        effects = (y.sum(axis=0) - levels @ n) / of_periods
    else:
        parts = n / of_rows[:, None]
        right = y.sum(axis=0) - parts.T @ y.sum(axis=1)
        effects = np.linalg.lstsq(np.diag(of_periods) - n.T @ parts, right)[0]
    shares[periods] = effects + (y.sum() - effects @ of_periods) / n.sum()
    return shares


def _connected(n: Array) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which rows and periods are in the connected set with most contexts."""
    from scipy.sparse import block_array, csr_array
    from scipy.sparse.csgraph import connected_components

    links = csr_array(n)
    _, labels = connected_components(block_array([[None, links], [links.T, None]]))
    largest = np.bincount(labels, np.r_[n.sum(axis=1), n.sum(axis=0)]).argmax()
    return labels[: len(n)] == largest, labels[len(n) :] == largest


def slope(series: ArrayLike, contexts: ArrayLike, times: ArrayLike, level: float) -> Slope:
    """Return the slope of a series by time, with its interval.

    Args:
        series: (P,) numbers by period; NaN for a period without one.
        contexts: (P,) how many contexts each is from. Weights are n / (n + median n): between those
            for sampling errors alone and equal ones, since a period's own movement is an error too.
        times: (P,) times of the periods, ascending.
        level: Coverage of the interval.
    """
    y, n, t = (np.asarray(each, float) for each in (series, contexts, times))
    known = ~np.isnan(y) & (n > 0)
    y, n, t = y[known], n[known], t[known]
    if len(y) < 2:
        return Slope(np.nan, np.nan, np.nan, np.nan, len(y))
    # Each degree above 1 is a movement that is no trend. With more of them, the interval would be
    # shorter, but faster movements have less variance than slow errors.
    freedom = int(np.clip(len(y) // 10, 2, 4)) if len(y) >= FEWEST_PERIODS else 0
    weights = np.sqrt(n / (n + np.median(n)))
    place = (t - t.mean()) / np.ptp(t)
    powers = np.vander(place, 2 + freedom, increasing=True)
    basis, triangle = np.linalg.qr(weights[:, None] * powers)
    parts = basis.T @ (weights * y)
    per_time = 1 / (triangle[1, 1] * np.ptp(t))
    value = float(parts[1] * per_time)
    if not freedom:
        return Slope(value, np.nan, np.nan, np.nan, len(y))
    error = np.sqrt((parts[2:] ** 2).mean()) * abs(per_time)
    half = float(student(level, freedom) * error)
    return Slope(value, value - half, value + half, freedom, len(y))
