"""The print audit: where the printed numbers of a paper contradict each other.

It reads nothing but `resources/published/*.csv`. Each check compares a printed value with what
other printed values imply and shows the arithmetic, so that a reader can redo it by hand. A check
that passes is recorded as well.

Two rules decide every verdict. A printed number stands for the whole interval that rounds to it,
and print contradicts itself only where no choice inside the intervals fits. And a contradiction
needs a premise that print states: where the premise is ours, the verdict is `contradicts if`, and
it is not counted among the contradictions.

This module holds the machinery; the module of each paper beside it holds its checks, and `run`
puts them together.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cache, wraps
from itertools import permutations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from socialbias.stats.correlation import midranks
from socialbias.stats.student import two_sided_p

AGREES = "agrees"
CONTRADICTS = "contradicts"
CONDITIONAL = "contradicts if"
UNDECIDED = "undecided"
TRUNCATED = "by truncation"
VERDICTS = (AGREES, CONTRADICTS, CONDITIONAL, UNDECIDED, TRUNCATED)
PAPERS = ("trustworthy", "bad_seeds", "stereoset", "fairness")

# Guards comparisons of decimal fractions that floats cannot hold, nothing more.
EPS = 1e-9
# Enumerating the orders of more items than this takes too long (9! = 362880 rows).
MOST_ENUMERATED = 8
# Orders of untied items are counted by their distance up to here.
MOST_COUNTED = 10


@dataclass(frozen=True)
class Check:
    """One comparison of a printed value with what other printed values imply.

    Attributes:
        paper: Short name of the paper; its audit fills it in.
        place: Table, row and column, or section.
        kind: Family of the check: sum, mean, icat, attainable, identity, tables, prose, claim, ...
        printed: The printed value, or the claim in our own words.
        implied: What the other printed numbers imply: a value, an interval or a count.
        arithmetic: The calculation written out.
        verdict: `agrees`, `contradicts`, `contradicts if` (its premise, which is ours, holds),
            `undecided` (so few items cannot tell) or `by truncation`.
        premise: What the comparison takes for granted.
        stated: Where print states the premise; "" where it is ours.
    """

    paper: str = field(default="", kw_only=True)
    place: str
    kind: str
    printed: str
    implied: str
    arithmetic: str
    verdict: str
    premise: str = ""
    stated: str = ""


class Cell(NamedTuple):
    """A printed value as a string (empty where print has none) and its note."""

    value: str
    note: str


class Range(NamedTuple):
    """What the inputs imply: from `low` to `high`, and `best` when they are taken as printed."""

    low: float
    best: float
    high: float


Table = dict[tuple[str, str], Cell]
Tables = dict[str, Table]


# -- reading ---------------------------------------------------------------------------------------


def read_tables(published: Path) -> Tables:
    """Read every published table, keyed by file name without the suffix.

    Args:
        published: Folder with `<paper>_<artefact>.csv`, columns row, column, value, note.

    Raises:
        FileNotFoundError: The folder has no CSV file.
        ValueError: A file has a (row, column) twice.
    """
    files = sorted(Path(published).glob("*.csv"))
    if not files:
        raise FileNotFoundError(f"no published tables (*.csv) in {published}")
    return {file.stem: _read_table(file) for file in files}


def _read_table(file: Path) -> Table:
    table: Table = {}
    with file.open(encoding="utf-8", newline="") as handle:
        for line in csv.DictReader(handle):
            key = (line["row"], line["column"])
            if key in table:
                raise ValueError(f"{file.name} has {key} twice")
            table[key] = Cell(line["value"], line["note"])
    return table


def printed(tables: Tables, name: str, row: str, column: str) -> str:
    """Return one printed value; a KeyError names the table and the cell that is missing."""
    try:
        return tables[name][row, column].value
    except KeyError:
        raise KeyError(f"{name} has no cell ({row}, {column})") from None


def row_names(table: Table) -> list[str]:
    """Return the row names in the order of the file, each once."""
    return list(dict.fromkeys(row for row, _ in table))


def column_names(table: Table) -> list[str]:
    """Return the column names in the order of the file, each once."""
    return list(dict.fromkeys(column for _, column in table))


# -- intervals of rounded numbers ------------------------------------------------------------------


def decimals(text: str) -> int:
    """Count the printed decimals: 2 for `0.85`, 0 for `12`."""
    return max(0, -int(Decimal(text).as_tuple().exponent))


def bounds(text: str, exact: bool = False) -> Range:
    """Return the interval of numbers that round to the printed digits.

    Args:
        text: The printed digits, such as `0.050` or `8.72e-1`.
        exact: True for counts, which are not rounded.
    """
    value = Decimal(text)
    half = Decimal(0) if exact else Decimal(1).scaleb(int(value.as_tuple().exponent)) / 2
    return Range(float(value - half), float(value), float(value + half))


def propagate(function: Callable[[np.ndarray], float], texts: Sequence[str]) -> Range:
    """Return the worst-case range of a smooth function of rounded numbers, to first order.

    Each input moves by half a printed unit to both sides; the absolute changes add up. For sums
    and means this is exact.
    """
    ranges = [bounds(text) for text in texts]
    best = np.array([r.best for r in ranges])
    reach = 0.0
    for i, r in enumerate(ranges):
        high, low = best.copy(), best.copy()
        high[i], low[i] = r.high, r.low
        reach += abs(function(high) - function(low)) / 2
    middle = float(function(best))
    return Range(middle - reach, middle, middle + reach)


def icat_range(lms: str, ss: str) -> Range:
    """Return the icat that rounded lms and ss (percent) allow: lms * min(ss, 100 - ss) / 50.

    An empty lms stands for any value from 0 to 100. Source: StereoSet, section 5.2.
    """
    language = bounds(lms) if lms else Range(0.0, 50.0, 100.0)
    score = bounds(ss)
    ends = [min(s, 100 - s) for s in (score.low, score.high)]
    # The fold at 50 is the top of the function, so an interval across 50 reaches 50.
    top = 50.0 if score.low <= 50 <= score.high else max(ends)
    corners = [a * b / 50 for a in (language.low, language.high) for b in (min(ends), top)]
    best = language.best * min(score.best, 100 - score.best) / 50
    return Range(min(corners), best, max(corners))


def overlap(a: Range, b: Range) -> bool:
    """Say whether two closed intervals share a point."""
    return a.low <= b.high + EPS and b.low <= a.high + EPS


def show(implied: Range, digits: int) -> str:
    """Write a range as `69.9 (69.77 to 70.02)`, or as one number where it has no width."""
    best = f"{implied.best:.{digits}f}"
    if implied.high - implied.low < EPS:
        return best
    return f"{best} ({implied.low:.{digits + 1}f} to {implied.high:.{digits + 1}f})"


# -- checks of every paper -------------------------------------------------------------------------


def verdict(holds: bool) -> str:
    """Turn the outcome of a comparison into the word of the report."""
    return AGREES if holds else CONTRADICTS


def under(check: Check, premise: str, stated: str = "") -> Check:
    """Give a check its premise; where print does not state it, a contradiction is conditional.

    Args:
        check: The check as its arithmetic decides it.
        premise: What it takes for granted, as a clause that can follow "if".
        stated: Where print states the premise; "" where it is ours.
    """
    outcome = CONDITIONAL if check.verdict == CONTRADICTS and not stated else check.verdict
    return replace(check, verdict=outcome, premise=premise, stated=stated)


Family = Callable[[Tables], Iterable[Check]]


def assuming(premise: str, stated: str = "") -> Callable[[Family], Family]:
    """Give every check of a family a premise (see `under`), unless it has one of its own."""

    def decorate(family: Family) -> Family:
        @wraps(family)
        def with_premise(tables: Tables) -> list[Check]:
            found = family(tables)
            return [check if check.premise else under(check, premise, stated) for check in found]

        return with_premise

    return decorate


def compare(
    place: str, kind: str, text: str, implied: Range, arithmetic: str, exact: bool = False
) -> Check:
    """Check a printed number against a range that other printed numbers imply."""
    holds = overlap(bounds(text, exact), implied)
    implied_text = show(implied, decimals(text))
    return Check(place, kind, text, implied_text, arithmetic, verdict(holds))


def same(place: str, kind: str, text: str, other: str, other_place: str) -> Check:
    """Check that a quantity printed twice has the same digits, at the coarser of both precisions.

    Two empty values agree, since both say that there is no number.
    """
    arithmetic = f"{other_place} prints {other or 'no number'}"
    if not text or not other:
        holds = text == other
    else:
        a, b = Decimal(text), Decimal(other)
        unit = Decimal(1).scaleb(-min(decimals(text), decimals(other)))
        holds = a == b or (decimals(text) != decimals(other) and abs(a - b) * 2 <= unit)
        arithmetic += f"; {text} - {other} = {a - b}"
    return Check(place, kind, text or "N/A", other or "N/A", arithmetic, verdict(holds))


def sum_check(place: str, text: str, parts: Sequence[str], exact: bool = True) -> Check:
    """Check a printed total against the sum of its printed parts (counts unless `exact` is off)."""
    ranges = [bounds(part, exact) for part in parts]
    implied = Range(*(math.fsum(values) for values in zip(*ranges, strict=True)))
    terms = " + ".join(part if not part.startswith("-") else f"({part})" for part in parts)
    digits = max(map(decimals, parts))
    arithmetic = f"{terms} = {implied.best:.{digits}f}"
    return compare(place, "sum", text, implied, arithmetic, exact)


def mean_check(place: str, text: str, parts: Sequence[str], what: str) -> Check:
    """Check a printed mean against the plain mean of printed values; `what` names them."""
    implied = propagate(np.mean, parts)
    total = math.fsum(float(part) for part in parts)
    digits = max(map(decimals, parts))
    arithmetic = (
        f"({' + '.join(parts)}) / {len(parts)} = {total:.{digits}f} / {len(parts)}"
        f" = {implied.best:.{digits + 2}f} over {what}"
    )
    return compare(place, "mean", text, implied, arithmetic)


def icat_check(place: str, lms: str, ss: str, icat: str) -> Check:
    """Check a printed icat against the one that printed lms and ss allow."""
    implied = icat_range(lms, ss)
    arithmetic = (
        f"{lms or 'any lms'} * min({ss}, 100 - {ss}) / 50, each rounded input within half a unit"
    )
    return compare(place, "icat", icat, implied, arithmetic)


# -- rank correlations that a number of items can give ---------------------------------------------


def spearman_untied(n: int) -> np.ndarray:
    """Return every Spearman correlation of n untied items, ascending.

    The values are 1 - 6 S / (n (n^2 - 1)), S even from 0 to n (n^2 - 1) / 3. For n below 4 some
    even S do not occur, so those n are refused.

    Raises:
        ValueError: n is below 4.
    """
    if n < 4:
        raise ValueError(f"the values of untied ranks are listed from n = 4 on, not {n}")
    cube = n * (n * n - 1)
    return 1 - 6 * np.arange(cube // 3, -1, -2) / cube


@cache
def _orders(n: int) -> np.ndarray:
    if n > MOST_ENUMERATED:
        raise ValueError(f"ties are tried by enumeration up to n = {MOST_ENUMERATED}, not {n}")
    return np.array(list(permutations(range(1, n + 1))), dtype=float)


def spearman_against(ranks: Sequence[float]) -> np.ndarray:
    """Return every Spearman correlation of the given (mid)ranks with n untied items, ascending.

    Raises:
        ValueError: More than eight items, or ranks without any spread.
    """
    x = np.asarray(ranks, dtype=float)
    x = x - x.mean()
    if not x.any():
        raise ValueError("ranks that are all equal have no correlation")
    y = _orders(len(x)) - (len(x) + 1) / 2
    values = y @ x / np.sqrt((x @ x) * (y[0] @ y[0]))
    return np.unique(values.round(12))


@cache
def spearman_one_tied_pair(n: int) -> np.ndarray:
    """Return every Spearman correlation of n items where one list has exactly one tied pair."""
    found = [spearman_against(midranks([*range(n - 1), at])) for at in range(n - 1)]
    return np.unique(np.concatenate(found))


def reached(text: str, values: np.ndarray) -> str:
    """Say how some value gives the printed digits: `rounding`, `truncation` or `` (not at all)."""
    around = bounds(text)
    if ((values >= around.low - EPS) & (values <= around.high + EPS)).any():
        return "rounding"
    scale = 10 ** decimals(text)
    cut = np.trunc((values + np.sign(values) * EPS) * scale)
    return "truncation" if (cut == round(float(text) * scale)).any() else ""


def _neighbours(text: str, values: np.ndarray) -> str:
    target = float(text)
    below, above = values[values <= target], values[values > target]
    near = [*below[-1:], *above[:1]]
    return " and ".join(f"{value:.4f}" for value in near)


def spearman_check(place: str, text: str, n: int, ranks: Sequence[float] | None = None) -> Check:
    """Check that n items can give the printed Spearman correlation.

    Args:
        place: Where it is printed.
        text: The printed correlation.
        n: Number of items, each with its own value in both lists.
        ranks: Midranks of one list where print shows that it has ties; then only these count.

    The order of the tries is rounding, truncation, then one tied pair in one list (up to eight
    items); the first that reaches the printed digits decides.
    """
    if ranks is not None:
        values = spearman_against(ranks)
        how = reached(text, values)
        shown = " ".join(f"{rank:g}" for rank in sorted(ranks))
        arithmetic = f"n = {n}, one list ranked {shown}; nearest {_neighbours(text, values)}"
        return _attainable(place, text, how, arithmetic)
    values = spearman_untied(n)
    how = reached(text, values)
    nearest = 2 * round((1 - float(text)) * n * (n * n - 1) / 12)
    arithmetic = (
        f"1 - 6 S / ({n} ({n}^2 - 1)) with S even; S = {nearest} gives "
        f"{1 - 6 * nearest / (n * (n * n - 1)):.4f}; nearest {_neighbours(text, values)}"
    )
    if how != "rounding" and n <= MOST_ENUMERATED:
        tied = spearman_one_tied_pair(n)
        with_tie = reached(text, tied)
        if with_tie == "rounding":
            arithmetic += f"; one tied pair in one list gives {_nearest(text, tied):.4f}"
            how = how or "a tied pair"
    return _attainable(place, text, how, arithmetic)


def _nearest(text: str, values: np.ndarray) -> float:
    return float(values[np.argmin(np.abs(values - float(text)))])


def _attainable(place: str, text: str, how: str, arithmetic: str) -> Check:
    implied = {
        "rounding": "attainable by rounding",
        "truncation": "attainable by truncation only, if nothing is tied",
        "a tied pair": "attainable only with a tied pair",
        "": "not attainable",
    }[how]
    outcome = TRUNCATED if how == "truncation" else verdict(bool(how))
    return Check(place, "attainable", text, implied, arithmetic, outcome)


def spearman_p(rho: float, n: int) -> float:
    """Return the two-sided p-value of a Spearman correlation of n items of which only it is known.

    Up to ten items it is exact for untied ranks: the share of orders with a correlation at least
    as far from 0. Beyond, it is from Student's t with n - 2 degrees of freedom.
    """
    if n <= MOST_COUNTED:
        ways, values = _orders_by_distance(n), spearman_by_distance(n)
        return float(ways[np.abs(values) >= abs(rho) - EPS].sum() / ways.sum())
    if abs(rho) >= 1:
        return 0.0
    return two_sided_p(abs(rho) * math.sqrt((n - 2) / (1 - rho * rho)), n - 2)


def spearman_by_distance(n: int) -> np.ndarray:
    """Return the correlation 1 - 6 S / (n (n^2 - 1)) for every S from 0 to n (n^2 - 1) / 3."""
    cube = n * (n * n - 1)
    return 1 - 6 * np.arange(cube // 3 + 1) / cube


@cache
def _orders_by_distance(n: int) -> np.ndarray:
    """Count the orders of n items by S, the sum of their squared rank differences."""
    largest = n * (n * n - 1) // 3
    ways = {0: np.eye(1, largest + 1, dtype=np.int64)[0]}  # by the set of ranks given away
    for place in range(n):
        further: dict[int, np.ndarray] = {}
        for given, counts in ways.items():
            for rank in range(n):
                if not given >> rank & 1:
                    gap = (place - rank) ** 2
                    moved = further.setdefault(given | 1 << rank, np.zeros_like(counts))
                    moved[gap:] += counts[: len(counts) - gap]
        ways = further
    return ways[2**n - 1]


def spearman_p_range(text: str, n: int) -> Range:
    """Return the p-values that a rounded Spearman correlation of n items allows."""
    around = bounds(text)
    ends = [spearman_p(rho, n) for rho in (around.low, around.high)]
    if around.low < 0 < around.high:
        ends.append(1.0)
    return Range(min(ends), spearman_p(around.best, n), max(ends))
