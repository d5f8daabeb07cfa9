"""Trends of simulated texts: false alarms, coverage and power.

A world has three outlets whose sizes change from year to year, in part in opposite directions, and
whose words have shares of their own. A shock moves all words of a year, and another one the target;
both last. In the first third of the years, letters were exchanged, so that contexts are lost.
"""

import numpy as np
import pytest
from scipy.stats import binom

from socialbias.measurement.trends import Cells
from socialbias.stats.over_time import period_shares

WORDS, OUTLETS = 30, 3


def world(rng: np.random.Generator, years: int, slope: float, lasting: float) -> Cells:
    """Contexts of a target, the first word, and of random words.

    Args:
        rng: Source of randomness.
        years: Number of periods.
        slope: Change per year of the target's share, besides that of all words.
        lasting: Correlation of a year's shocks with those of the year before.
    """
    times = np.arange(years)
    place = times / (years - 1)
    growth = np.stack([place, 1 - place, np.full(years, 0.5)])  # of outlets
    sizes = growth * rng.lognormal(0, 0.5, (OUTLETS, years)) * np.where(place < 1 / 3, 0.6, 1)
    often = rng.lognormal(2.5, 0.5, WORDS + 1)[:, None, None]
    levels = rng.uniform(0.4, 0.6, (WORDS + 1, 1, 1)) + rng.uniform(-0.1, 0.1, (1, OUTLETS, 1))
    topic = rng.uniform(-0.15, 0.15) * place  # in all words
    shares = levels + topic + 0.05 * shocks(rng, years, lasting)
    shares[0] += 0.05 * shocks(rng, years, lasting) + slope * times
    totals = rng.poisson(often * sizes)
    firsts = rng.binomial(totals, np.clip(shares, 0, 1))
    places = np.nonzero(totals)
    return Cells(*places, totals[places], firsts[places], times)


def shocks(rng: np.random.Generator, years: int, lasting: float):
    """A stationary autoregressive series with variance 1."""
    series = rng.standard_normal(years)
    for i in range(1, years):
        series[i] = lasting * series[i - 1] + np.sqrt(1 - lasting**2) * series[i]
    return series


def rates(years: int, lasting: float, worlds: int, slope: float = 0.0) -> tuple[float, float]:
    """Shares of worlds in which the interval leaves out 0, and contains the true slope."""
    rng, alarms, covered = np.random.default_rng(years), 0, 0
    for _ in range(worlds):
        cells = world(rng, years, slope, lasting)
        common = period_shares(*cells.rows(range(1, WORDS + 1)))
        found, _ = cells.trend(0, common, 0.95)
        alarms += not found.low <= 0 <= found.high
        covered += found.low <= slope <= found.high
    return alarms / worlds, covered / worlds


@pytest.mark.parametrize(("years", "lasting", "worlds"), [
    (12, 0.3, 150),
    *(pytest.param(years, lasting, 1000, marks=pytest.mark.long)
      for years in (8, 20, 50) for lasting in (0, 0.3, 0.6)),
])  # fmt: skip
def test_without_a_trend_few_intervals_leave_out_0(years, lasting, worlds):
    """In 5 % of worlds, and in up to 7 % with eight years or lasting shocks."""
    alarms, _ = rates(years, lasting, worlds)
    assert binom.ppf(0.001, worlds, 0.04) <= alarms * worlds <= binom.ppf(0.999, worlds, 0.065)


@pytest.mark.long
@pytest.mark.parametrize(("years", "power"), [(12, 0.05), (50, 0.5)])
def test_planted_trends_are_inside_their_intervals_and_found_in_many_years(years, power):
    found, covered = rates(years, 0.3, 500, slope=0.2 / (years - 1))
    assert covered >= binom.ppf(0.001, 500, 0.94) / 500
    assert found >= power
