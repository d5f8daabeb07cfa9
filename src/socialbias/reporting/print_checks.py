"""The print audit: printed values of a paper that do not agree with each other.

It reads nothing but `resources/published/*.csv`. A check compares a printed value with what other
printed values imply, and shows the arithmetic. Two rules decide its verdict. A printed number
stands for all numbers that round to it, and two places disagree only if none of them fits. And a
disagreement needs a premise that print states: if the premise is ours, the verdict is
`does not agree if`. `papers/<paper>/print_audit.py` declares the checks of a paper.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cache
from itertools import permutations, product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from socialbias.stats.correlation import midranks

AGREES, DISAGREES, CONDITIONAL = "agrees", "does not agree", "does not agree if"
UNDECIDED, TRUNCATED = "undecided", "by truncation"
VERDICTS = (AGREES, DISAGREES, CONDITIONAL, UNDECIDED, TRUNCATED)
PAPERS = ("trustworthy", "bad_seeds", "stereoset", "fairness")
EPS = 1e-9  # guards comparisons of decimal fractions that floats cannot hold
MOST_ENUMERATED = 8  # items whose orders are listed: 9! takes too long


@dataclass(frozen=True)
class Check:
    """One comparison of a printed value with what other printed values imply.

    `place` is a table, row and column, or a section, and `against` the other place. `premise` is
    what the comparison takes for granted, and `stated` where print states it; "" if it is ours.
    Where the two do not agree, `explanation` is the smallest that would make them agree, and
    `conclusion` what it changes in the paper's conclusions.
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
    against: str = ""
    explanation: str = ""
    conclusion: str = ""


Family = Callable[["Printed"], Iterable[Check]]


class Audit(list):
    """The families of checks of one paper, each with its premise."""

    def assuming(
        self, premise: str, stated: str = "", explanation: str = "", conclusion: str = "none"
    ) -> Callable[[Family], Family]:
        """Register a family; a disagreement counts only where print states the premise."""

        def register(family: Family) -> Family:
            def checks(tables: Printed) -> Iterable[Check]:
                for check in family(tables):
                    told = {"premise": premise, "stated": stated}
                    other = check.place.partition(" against ")[2] or check.against
                    told["against"] = other or "the same table"
                    if check.verdict == DISAGREES and not stated:
                        told["verdict"] = CONDITIONAL
                    if check.verdict != AGREES:
                        told["explanation"] = check.explanation or explanation
                        told["conclusion"] = check.conclusion or conclusion
                    yield replace(check, **told)

            self.append(checks)
            return family

        return register


# -- printed cells ---------------------------------------------------------------------------------


class Cell(NamedTuple):
    """A printed value as a string (empty where print has none) and its note."""

    value: str
    note: str


Table = dict[tuple[str, str], Cell]


class Printed:
    """The tables of one paper, each named without the paper."""

    def __init__(self, tables: dict[str, Table], paper: str) -> None:
        self.tables, self.paper = tables, paper

    def table(self, name: str) -> Table:
        """Return the cells of a table by row and column."""
        return self.tables[f"{self.paper}_{name}"]

    def __call__(self, name: str, row: str, column: str) -> str:
        """Return a printed value; a KeyError names the table and the cell that is missing."""
        try:
            return self.table(name)[row, column].value
        except KeyError:
            raise KeyError(f"{self.paper}_{name} has no cell ({row}, {column})") from None

    def row(self, name: str, row: str, *columns: str) -> list[str]:
        """Return some printed values of one row."""
        return [self(name, row, column) for column in columns]

    def column(self, name: str, column: str, rows: Iterable[str] = ()) -> dict[str, str]:
        """Return the printed values of a column by row, of all rows unless some are named."""
        return {row: self(name, row, column) for row in rows or self.rows(name)}

    def rows(self, name: str) -> list[str]:
        """Return the rows in the order of the file, each once."""
        return list(dict.fromkeys(row for row, _ in self.table(name)))

    def columns(self, name: str) -> list[str]:
        """Return the columns in the order of the file, each once."""
        return list(dict.fromkeys(column for _, column in self.table(name)))


def read_tables(published: Path) -> dict[str, Table]:
    """Read every published table, keyed by file name without the suffix."""
    files = sorted(Path(published).glob("*.csv"))
    if not files:
        raise FileNotFoundError(f"no published tables (*.csv) in {published}")
    tables: dict[str, Table] = {file.stem: {} for file in files}
    for file in files:
        with file.open(encoding="utf-8", newline="") as handle:
            for line in csv.DictReader(handle):
                key = (line["row"], line["column"])
                if key in tables[file.stem]:
                    raise ValueError(f"{file.name} has {key} twice")
                tables[file.stem][key] = Cell(line["value"], line["note"])
    return tables


# -- intervals of rounded numbers ------------------------------------------------------------------


@dataclass(frozen=True)
class Range:
    """All that a number may be: from `low` to `high`, and `best` if inputs are as printed."""

    low: float
    best: float
    high: float

    def _with(self, other: Range | float, do: Callable[[float, float], float]) -> Range:
        other = other if isinstance(other, Range) else Range(other, other, other)
        ends = [do(*pair) for pair in product((self.low, self.high), (other.low, other.high))]
        return Range(min(ends), do(self.best, other.best), max(ends))

    def __add__(self, other: Range | float) -> Range:
        return self._with(other, lambda a, b: a + b)

    def __sub__(self, other: Range | float) -> Range:
        return self._with(other, lambda a, b: a - b)

    def __mul__(self, other: Range | float) -> Range:
        return self._with(other, lambda a, b: a * b)

    __radd__, __rmul__ = __add__, __mul__


def exactly(value: float) -> Range:
    """Return a number that is known."""
    return Range(value, value, value)


def decimals(text: str) -> int:
    """Count the printed decimals: 2 for `0.85`, 0 for `12`."""
    return max(0, -int(Decimal(text).as_tuple().exponent))


def bounds(text: str, exact: bool = False) -> Range:
    """Return the interval of numbers that round to the printed digits; a count is not rounded."""
    value = Decimal(text)
    half = Decimal(0) if exact else Decimal(1).scaleb(int(value.as_tuple().exponent)) / 2
    return Range(float(value - half), float(value), float(value + half))


def propagate(function: Callable[[np.ndarray], float], texts: Sequence[str]) -> Range:
    """Return the range of a smooth function of rounded numbers, to first order: changes add up."""
    ranges = [bounds(text) for text in texts]
    best = np.array([r.best for r in ranges])
    reach, middle = 0.0, float(function(best))
    for i, r in enumerate(ranges):
        low, high = (np.where(np.arange(len(best)) == i, x, best) for x in (r.low, r.high))
        reach += abs(function(high) - function(low)) / 2
    return Range(middle - reach, middle, middle + reach)


# -- checks of every paper -------------------------------------------------------------------------


def holds(place: str, kind: str, text: str, implied: str, arithmetic: str, true: bool) -> Check:
    """Check something that is true of print or not."""
    return Check(place, kind, text, implied, arithmetic, AGREES if true else DISAGREES)


def listed(values: Mapping[str, object]) -> str:
    """Write numbers with their names: `gpt2 85.4, bert 83.6`."""
    return ", ".join(f"{name} {value}" for name, value in values.items())


def show(implied: Range, digits: int) -> str:
    """Write a range as `69.9 (69.77 to 70.02)`, or as one number where it has no width."""
    best = f"{implied.best:.{digits}f}"
    if implied.high - implied.low < EPS:
        return best
    return f"{best} ({implied.low:.{digits + 1}f} to {implied.high:.{digits + 1}f})"


def compare(
    place: str, kind: str, text: str, implied: Range, arithmetic: str, exact: bool = False
) -> Check:
    """Check a printed number against a range that other printed numbers imply."""
    own = bounds(text, exact)
    fits = own.low <= implied.high + EPS and implied.low <= own.high + EPS
    return holds(place, kind, text, show(implied, decimals(text)), arithmetic, fits)


def same(place: str, kind: str, text: str, other: str, other_place: str) -> Check:
    """Check that a quantity printed twice has the same digits, at the coarser of both precisions.

    Two empty values agree, since both say that there is no number.
    """
    fits = text == other
    if text and other:
        digits, others = decimals(text), decimals(other)
        gap = abs(Decimal(text) - Decimal(other))
        unit = Decimal(1).scaleb(-min(digits, others))
        fits = gap == 0 or (digits != others and gap * 2 <= unit)
    arithmetic = f"{other_place} prints {other or 'no number'}"
    check = holds(place, kind, text or "N/A", other or "N/A", arithmetic, fits)
    return replace(check, against=other_place.rstrip(","))


def sum_check(place: str, text: str, parts: Sequence[str], exact: bool = True) -> Check:
    """Check a printed total against the sum of its printed parts (counts unless `exact` is off)."""
    implied = sum((bounds(part, exact) for part in parts), exactly(0.0))
    terms = " + ".join(f"({part})" if part.startswith("-") else part for part in parts)
    arithmetic = f"{terms} = {implied.best:.{max(map(decimals, parts))}f}"
    return compare(place, "sum", text, implied, arithmetic, exact)


def mean_of(parts: Sequence[str], weights: Sequence[int] = ()) -> tuple[Range, str]:
    """Return the mean of printed numbers, weighted if there are weights, and its arithmetic."""
    weights = weights or [1] * len(parts)
    total = sum((bounds(x) * w for w, x in zip(weights, parts, strict=True)), exactly(0.0))
    implied = total * (1 / sum(weights))
    terms = " + ".join(f"{w} * {x}" for w, x in zip(weights, parts, strict=True))
    return implied, f"({terms}) / {sum(weights)} = {implied.best:.4f}"


# -- rank correlations that a number of items can give ---------------------------------------------


def spearman_untied(n: int) -> np.ndarray:
    """Return every Spearman correlation of n >= 4 untied items: 1 - 6 S / (n^3 - n), S even."""
    cube = n * (n * n - 1)
    return 1 - 6 * np.arange(cube // 3, -1, -2) / cube


@cache
def spearman_against(ranks: tuple[float, ...]) -> np.ndarray:
    """Return every Spearman correlation of given (mid)ranks with untied items, ascending."""
    n = len(ranks)
    x = np.array(ranks) - np.mean(ranks)
    y = np.array(list(permutations(range(n)))) - (n - 1) / 2
    return np.unique((y @ x / np.sqrt((x @ x) * (y[0] @ y[0]))).round(12))


@cache
def spearman_one_tied_pair(n: int) -> np.ndarray:
    """Return every Spearman correlation of n items where one list has exactly one tied pair."""
    tied = [tuple(midranks([*range(n - 1), at])) for at in range(n - 1)]
    return np.unique(np.concatenate([spearman_against(ranks) for ranks in tied]))


def reached(text: str, values: np.ndarray) -> str:
    """Say how some value gives the printed digits: `rounding`, `truncation` or `` (not at all)."""
    around = bounds(text)
    if ((values >= around.low - EPS) & (values <= around.high + EPS)).any():
        return "rounding"
    scale = 10 ** decimals(text)
    cut = np.trunc((values + np.sign(values) * EPS) * scale)
    return "truncation" if (cut == round(float(text) * scale)).any() else ""


def spearman_check(place: str, text: str, n: int, given: Sequence[str] = ()) -> Check:
    """Check that n items can give the printed Spearman correlation.

    `given` is one list of printed numbers, if it has ties; of its order only the ranks count.
    """
    ranks = tuple(midranks([float(number) for number in given])) if given else ()
    values = spearman_against(ranks) if ranks else spearman_untied(n)
    how = reached(text, values)
    if not how and not ranks and n <= MOST_ENUMERATED:
        how = "a tied pair" if reached(text, spearman_one_tied_pair(n)) == "rounding" else ""
    implied = {
        "rounding": "attainable by rounding",
        "truncation": "attainable by truncation only, if nothing is tied",
        "a tied pair": "attainable only with a tied pair",
        "": "not attainable",
    }[how]
    near = sorted(values, key=lambda value: abs(value - float(text)))[:2]
    shown = f", one list is {' '.join(given)}" if given else ""
    arithmetic = f"n = {n}{shown}; nearest {near[0]:.4f} and {near[1]:.4f}"
    check = holds(place, "attainable", text, implied, arithmetic, bool(how))
    return replace(check, verdict=TRUNCATED) if how == "truncation" else check
