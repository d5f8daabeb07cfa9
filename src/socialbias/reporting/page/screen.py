"""What the first screen draws: squares for printed numbers, ours against the paper's, and claims.

Colour is the outcome alone; hollow is other data than the paper's, or a part of the paper's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from socialbias.reporting.artefact import base_column
from socialbias.reporting.compare import AGREES, CONTRADICTS, NUMBER_VERDICTS, OUTSIDE, PASSED
from socialbias.reporting.page.shown import FIRST_KINDS, Shown
from socialbias.reporting.statements import DISAGREES, FAILS, HOLDS, OPEN, UNCLEAR
from socialbias.reporting.values import NO_INPUT

SAME, DIFFERS, OPEN_LOOK, MISSING = LOOKS = ("same", "differs", "open", "missing")
LEGEND = {  # what a colour says of a number
    SAME: "equal, or within our interval",
    DIFFERS: "differs",
    OPEN_LOOK: "undecided",
    MISSING: "input missing",
}
ACROSS, PITCH = 26, 8  # squares in a line; from one square to the next
SIDE = 124  # of a plot
LEAST, MOST = -0.3, 1.3  # the ends of its axes, where the printed numbers are from 0 to 1
MOST_NEEDS = 4  # missing inputs
FEWEST = 3  # printed numbers of a column that has a scale
BINS = {  # of the tested claims
    SAME: ("as the paper says", (HOLDS, AGREES)),
    DIFFERS: ("not as the paper says", (FAILS, DISAGREES)),
    OPEN_LOOK: ("undecided", (OPEN, UNCLEAR)),
}
ON_OWN = (HOLDS, FAILS, OPEN)


class Look(NamedTuple):
    """How a number looks."""

    colour: str  # one of `LOOKS`
    hollow: bool

    def __str__(self) -> str:
        return self.colour + " hollow" * self.hollow


def look_of(cell: Mapping) -> Look:
    """Return the look of a printed number."""
    if cell["verdict"] == NO_INPUT or pd.isna(cell["value"]):
        return Look(MISSING, False)
    verdict, own = cell["verdict"], cell["verdict"] in NUMBER_VERDICTS
    if verdict in PASSED or (not own and cell["column_verdict"] == AGREES):
        return Look(SAME, not own)
    if verdict == OUTSIDE or (not own and cell["column_verdict"] == CONTRADICTS):
        return Look(DIFFERS, not own)
    return Look(OPEN_LOOK, not own)


class Mark(NamedTuple):
    """A square of a waffle, or a point of a plot."""

    x: float
    y: float
    look: Look
    anchor: str  # of its number
    top: float | None = None  # of the line of an interval
    bottom: float | None = None
    cut: str = ""  # `above` or `below` where it is beyond the plot


@dataclass(frozen=True)
class Row:
    """What is drawn of a table or figure."""

    name: str
    href: str
    said: str  # the counts in words
    squares: list[Mark]
    lines: int  # of squares
    bar: list[tuple[Look, int]]  # instead of squares, where one other kind is all

    @property
    def count(self) -> int:
        """How many printed numbers it has."""
        return sum(n for _, n in self.bar)

    @property
    def height(self) -> int:
        """Of its place in a picture."""
        return self.lines * PITCH + 5 if self.squares else 26


def waffle(shown: Iterable[Shown]) -> list[Row]:
    """Return a row for each artefact with printed numbers."""
    rows = []
    for one in shown:
        cells = one.printed
        looks = [look_of(cell) for cell in cells]
        order = sorted(range(len(cells)), key=lambda i: _rank(cells[i], looks[i]))
        kinds = {cell["kind"] for cell in cells}
        lone = len(kinds) == 1 and not kinds & {*FIRST_KINDS}
        what = kinds.pop() if lone else "numbers"
        said = f"{len(cells):,} {what}: {_in_words(looks)}"
        squares = []
        for place, i in enumerate(order):
            down_by, across = divmod(place, ACROSS)
            squares.append(Mark(PITCH * across, PITCH * down_by, looks[i], cells[i]["anchor"]))
        if cells:
            bar = sorted(Counter(looks).items(), key=lambda item: LOOKS.index(item[0].colour))
            lines = -(-len(cells) // ACROSS)
            rows.append(Row(one.short, one.href, said, [] if lone else squares, lines, bar))
    return rows


def _rank(cell: Mapping, look: Look) -> tuple:
    is_later = cell["kind"] not in FIRST_KINDS
    return look.colour == MISSING, is_later, look.hollow, LOOKS.index(look.colour)


def _in_words(looks: Iterable[Look]) -> str:
    own, other = {}, {}
    for look, n in Counter(looks).items():
        (other if look.hollow else own)[look.colour] = n
    names = {SAME: "same", DIFFERS: "differ", OPEN_LOOK: "undecided", MISSING: "missing"}
    parts = [f"{own[colour]:,} {names[colour]}" for colour in LOOKS if colour in own]
    parts += [f"{sum(other.values()):,} on other data"] if other else []
    return ", ".join(parts)


def scatter(shown: Iterable[Shown]) -> list[Mark]:
    """Return ours against the paper's, measured and re-scored.

    Both are scaled by the least and the largest number of the printed column, so that columns of
    different units share a plot. Columns of fewer than three printed numbers have no such scale.
    """
    points = []
    for one in shown:
        columns: dict[str, list[float]] = {}
        for cell in one.printed:
            columns.setdefault(base_column(cell["column"]), []).append(float(cell["printed"]))
        for cell in one.printed:
            printed = columns[base_column(cell["column"])]
            low, span = min(printed), np.ptp(printed)
            is_first = cell["kind"] in FIRST_KINDS and pd.notna(cell["value"])
            if not is_first or len(printed) < FEWEST or span == 0:
                continue
            x, y, bottom, top = (
                (float(number) - low) / span
                for number in (cell["printed"], cell["value"], cell["ci_low"], cell["ci_high"])
            )
            cut = "above" if y > MOST else "below" if y < LEAST else ""
            ends = [None, None] if np.isnan(top) or cut else [down(top), down(bottom)]
            points.append(Mark(SIDE - down(x), down(y), look_of(cell), cell["anchor"], *ends, cut))
    return sorted(points, key=lambda mark: LOOKS.index(mark.look.colour), reverse=True)


def down(y: float) -> float:
    """Return how far below the top of a plot a number is; none leaves the plot."""
    share = (min(max(y, LEAST), MOST) - LEAST) / (MOST - LEAST)
    return SIDE - share * SIDE


def bins(claims: Iterable[Mapping], paper: str) -> dict[str, list[tuple[Look, Mapping]]]:
    """Return the tested claims of a paper by bin, each with its look; on its own inputs first."""
    found: dict[str, list] = {colour: [] for colour in BINS}
    for claim in sorted(claims, key=lambda claim: claim["verdict"] not in ON_OWN):
        for colour, (_, verdicts) in BINS.items():
            if claim["verdict"] in verdicts and claim["paper"] == paper:
                found[colour].append((Look(colour, claim["verdict"] not in ON_OWN), claim))
    return found
