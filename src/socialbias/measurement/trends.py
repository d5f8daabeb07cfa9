"""Trends of targets in texts, minus those of random words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from socialbias.measurement.estimates import Row
from socialbias.stats.over_time import FEWEST_PERIODS, Slope, period_shares, slope
from socialbias.stats.similarity import Array


@dataclass(frozen=True)
class Line:
    """The shares of a target over time, and its trend."""

    times: Array  # (p,) of the periods with contexts, in years
    shares: Array  # (p,) of the first group, with the mix of strata held fixed
    contexts: Array  # (p,) their number
    slope: float  # change per year
    band: Array  # (2,) changes per year that 95 % of the random words lie between
    has_interval: bool = True  # whether the change has one


@dataclass(frozen=True)
class Cells:
    """The contexts of each word in each stratum and period that has any, in this order."""

    words: Array  # (c,), like the next four
    strata: Array
    periods: Array
    totals: Array  # number of contexts with a word of one group only
    firsts: Array  # number of those with the first group
    times: Array  # (P,) times of the periods, in years

    @classmethod
    def of(
        cls, rows: tuple[Array, Array, Array], strata: Array, periods: Array, times: Array
    ) -> Cells:
        """Add up the counts of documents: counts (r, k), words (r,) and documents (r,).

        Strata and periods are of each document.
        """
        counts, words, documents = rows
        shape = int(words.max()) + 1, int(strata.max()) + 1, len(times)
        places = words, strata[documents], periods[documents]
        known, cell = np.unique(np.ravel_multi_index(places, shape), return_inverse=True)
        totals, firsts = np.bincount(cell, counts.sum(axis=1)), np.bincount(cell, counts[:, 0])
        return cls(*np.unravel_index(known, shape), totals, firsts, times)

    def rows(self, words: Iterable[int]) -> tuple[Array, Array]:
        """Return contexts (r, P) of each of some words in each stratum, and of the first group."""
        kept = np.isin(self.words, list(words))
        pairs = self.words[kept] * (1 + self.strata.max()) + self.strata[kept]
        known, row = np.unique(pairs, return_inverse=True)
        totals, firsts = np.zeros((2, len(known), len(self.times)))
        totals[row, self.periods[kept]] = self.totals[kept]
        firsts[row, self.periods[kept]] = self.firsts[kept]
        return totals, firsts

    def trend(self, word: int, common: Array, level: float) -> tuple[Slope, Line]:
        """Return the slope of a word's share minus others' shares (P,), and a line to draw."""
        totals, firsts = self.rows([word])
        found = slope(totals, firsts, common, self.times, level)
        own = slope(totals, firsts, 0 * common, self.times, level).value
        shares, n = period_shares(totals, firsts), totals.sum(axis=0)
        known, of_others = ~np.isnan(shares), np.full(2, own - found.value)
        return found, Line(self.times[known], shares[known], n[known], own, of_others)


def trends(
    cells: Cells,
    targets: Sequence[Row],
    random: Iterable[str],
    place: Mapping[str, int],
    others: Sequence[int],
    years: int,
    level: float,
) -> tuple[tuple[Row, ...], dict[str, float], dict[str, Line]]:
    """Return trends of targets and random words, minus that of the `others`; and lines to draw.

    Trends are changes per so many years; `place` is the number of each word in the cells, and
    `others` are such numbers.
    """
    common, slopes = period_shares(*cells.rows(others)), {}
    for word in random:
        value = years * cells.trend(place[word], common, level)[0].value
        if math.isfinite(value):
            slopes[word] = value
    middle = np.mean([*slopes.values()]) if slopes else 0.0
    of_words = {word: float(value - middle) for word, value in slopes.items()}
    ends = np.quantile([*of_words.values()] or [0.0], [0.025, 0.975]) / years
    rows, lines = [], {}
    for row in targets:
        found, line = cells.trend(place[row.target], common, level)
        if found.periods < 2:
            continue
        note = row.note
        if not note and found.periods < FEWEST_PERIODS:
            note = f"only {found.periods} periods with contexts; {FEWEST_PERIODS} are needed"
        elif not note and not math.isfinite(found.low):
            note = "changes within strata are too few for an interval"
        numbers = (years * x for x in (found.value, found.low, found.high))
        rows.append(Row(row.target, *numbers, n=found.periods, note=note, freedom=found.freedom))
        lines[row.target] = replace(line, band=line.band + ends, has_interval=not note)
    return tuple(rows), of_words, lines
