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
        value: Change per unit of time; NaN without two periods.
        low, high: Its interval; NaN with fewer than eight periods.
        freedom: Degrees of freedom of the interval; NaN without one.
        periods: Number of periods in which a row has data that has data in another one, too.
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
    from scipy.sparse import block_array, csr_array
    from scipy.sparse.csgraph import connected_components

    n, y = np.asarray(totals, float), np.asarray(firsts, float)
    shares = np.full(n.shape[1], np.nan)
    if not n.any():
        return shares
    links = csr_array(n)
    _, labels = connected_components(block_array([[None, links], [links.T, None]]))
    largest = np.bincount(labels, np.r_[n.sum(axis=1), n.sum(axis=0)]).argmax()
    rows, periods = np.split(labels == largest, [len(n)])
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


def slope(
    totals: ArrayLike, firsts: ArrayLike, common: ArrayLike, times: ArrayLike, level: float
) -> Slope:
    """Return the slope of shares by time, minus that of other shares, with its interval.

    The slope is that of a weighted regression with an effect of each row. A period's weight is
    n / (n + median n) for its n contexts: between those for sampling errors alone and equal ones,
    since a period's own movement is an error too. A row in a single period says nothing.

    Args:
        totals: (r, P) number of contexts of each row, such as an outlet, in each period.
        firsts: (r, P) number of those with the first group.
        common: (P,) shares that are taken away; NaN for a period without them.
        times: (P,) times of the periods, ascending.
        level: Coverage of the interval.
    """
    n, y = np.asarray(totals, float), np.asarray(firsts, float)
    n = np.where(np.isnan(common), 0, n)
    n = np.where((n > 0).sum(axis=1, keepdims=True) > 1, n, 0)
    row, period = np.nonzero(n)
    known, place = np.unique(period, return_inverse=True)
    periods = len(known)
    if not periods:
        return Slope(np.nan, np.nan, np.nan, np.nan, 0)
    of_periods, cells, t = n.sum(axis=0)[known], n[row, period], np.asarray(times, float)[known]
    weights = cells / (of_periods + np.median(of_periods))[place]
    # Each power above 1 is a movement that is no trend. With more of them, the interval would be
    # shorter, but faster movements have less variance than slow errors.
    freedom = int(np.clip(periods // 10, 2, 4)) if periods >= FEWEST_PERIODS else 0
    powers = np.vander((t - t.mean()) / np.ptp(t), 2 + freedom, increasing=True)[place, 1:]
    shares = y[row, period] / cells - np.asarray(common, float)[period]
    # Without the mean of each row, what is left are changes within rows.
    columns = np.column_stack([powers, shares])
    means = [np.bincount(row, weights * column) for column in columns.T]
    columns = columns - (np.array(means) / np.maximum(np.bincount(row, weights), 1e-300)).T[row]
    columns *= np.sqrt(weights)[:, None]
    basis, triangle = np.linalg.qr(columns[:, :-1])
    parts, sizes = basis.T @ columns[:, -1], np.diag(triangle)
    per_time = 1 / (sizes[0] * np.ptp(t))
    value = float(parts[0] * per_time)
    if not freedom or len(sizes) < 1 + freedom or np.abs(sizes).min() < 1e-9:
        return Slope(value, np.nan, np.nan, np.nan, periods)
    error = np.sqrt((parts[1:] ** 2).mean()) * abs(per_time)
    half = float(student(level, freedom) * error)
    return Slope(value, value - half, value + half, freedom, periods)
