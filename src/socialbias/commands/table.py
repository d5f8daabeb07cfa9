"""A table of subjects side by side, each with several sets of groups, in every output format."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from pathlib import Path

from socialbias.commands.result import Result
from socialbias.errors import UserError, naming_extras
from socialbias.measurement.estimates import Row
from socialbias.measurement.trends import Line
from socialbias.reporting.methods_paragraph import paragraph
from socialbias.reporting.plain_values import filled, plain
from socialbias.reporting.render import Output, Shown, estimate, frame, with_interval
from socialbias.reporting.result_figure import figure, shown, trends_figure

ADJUSTED = (
    "A p-value is the larger of two: the share of random words that are as far from their mean, "
    "and the p-value of that distance given the number's interval. Adjusted p-values control the "
    "false discovery rate over all cells of the table (Benjamini and Hochberg 1995)"
)
MAX_TRENDS = 12  # panels of a figure over time
TRENDS = (
    "share of {}, larger with more contexts; line: trend (dotted: no interval); band: trends of "
    "95 % of the random words{}"
)
NONE = Row("", math.nan, math.nan, math.nan)  # a target that a subject has not
DEFINED = {"difference": "A difference is", "change": "A change is"}  # facts of a methods section
STAR = (
    "percentile among the random words; *: adjusted p at most {:.2g} (Benjamini and Hochberg 1995, "
    "over all cells)"
)


@dataclass(frozen=True)
class Column:
    """One subject with one set of groups, or the difference of two subjects."""

    groups: str  # name of the set of groups
    subject: str  # name of the subject, or such as `B - A`
    rows: tuple[Row, ...]  # the targets
    unit: str

    def cells(self) -> dict[str, Row]:
        """Return the rows by target."""
        return {row.target: row for row in self.rows}


@dataclass(frozen=True, kw_only=True, repr=False)
class Table(Output):
    """Targets by subjects and sets of groups; every number has an interval and a percentile.

    Attributes:
        title: What was measured.
        columns: By set of groups, each subject and, for two subjects, their difference.
        results: The results that the columns were made from, as `measure` gives each alone.
        level: Nominal coverage of the intervals.
        facts: What one must know of the numbers: a heading and a text each.
        notes: Reservations.
        provenance: Everything that was read, as plain values.
        comparisons: Tests by set of groups whether the second subject is more biased, in `compare`.
        verdict: Their joint verdict; "" otherwise.
        counts: Of a corpus over time, one dict for each set of groups, target, period and stratum
            that has contexts: `n` contexts, `first` of them with the first group, their `share`.
        lines: The trends to draw, by set of groups and target.
    """

    title: str
    columns: tuple[Column, ...]
    results: tuple[Result, ...] = field(repr=False)
    level: float
    facts: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    provenance: list[dict]
    comparisons: dict[str, Result] = field(default_factory=dict)
    verdict: str = ""
    counts: tuple[dict, ...] = ()
    lines: dict[tuple[str, str], Line] = field(default_factory=dict, repr=False)

    @property
    def shares(self):
        """The counts, as a pandas data frame, or as a list of dicts where it is not installed."""
        return frame(list(self.counts))

    def records(self) -> list[dict]:
        """Return the cells as plain dicts, without columns that are empty in every cell."""
        return filled(
            {"groups": column.groups, "subject": column.subject} | vars(row)
            for column in self.columns
            for row in column.rows
        )

    @property
    def sets(self) -> dict[str, list[Column]]:
        """The columns by set of groups."""
        sets: dict[str, list[Column]] = {}
        for column in self.columns:
            sets.setdefault(column.groups, []).append(column)
        return sets

    @property
    def targets(self) -> list[str]:
        """The targets, the largest number of the first set first, and last what is not judged."""
        first = [column.cells() for column in next(iter(self.sets.values()))[: self._subjects]]
        names = dict.fromkeys(row.target for column in self.columns for row in column.rows)
        judged = {row.target for column in self.columns for row in column.rows if not row.note}

        def mean(name: str) -> float:
            values = [cells[name].value for cells in first if name in cells]
            return sum(values) / len(values) if values else -math.inf

        return sorted(names, key=lambda name: (name not in judged, -mean(name)))

    @property
    def _subjects(self) -> int:
        """Number of subjects."""
        return len(self.results) // len(self.sets)

    def as_dict(self) -> dict:
        """Everything but the draws, as plain JSON values."""
        left_out = ("results", "columns", "lines")
        kept = {key: value for key, value in vars(self).items() if key not in left_out}
        tests = {name: result.as_dict() for name, result in self.comparisons.items()}
        kept |= {"comparisons": tests, "cells": self.records()}
        return plain({key: value for key, value in kept.items() if value})

    @naming_extras()
    def plot(self, path: str | Path | None = None, most: int = 30, *, ax=None, size: str = "wide"):
        """Plot the targets and intervals, as `Result.plot`; `ax` has an axes for each set.

        Over time, there is a panel for each target and set of groups, with shares by period, the
        trend, and a band of the random words' trends.
        """
        groups = [entry["words"] for entry in self.provenance if entry["role"] == "groups"]
        if self.counts:
            drawn = self._trends(min(most, MAX_TRENDS))
            firsts = " or ".join(dict.fromkeys(next(iter(words)) for words in groups))
            unit = TRENDS.format(firsts, shown(min(most, MAX_TRENDS), len(self.targets)))
            return trends_figure(drawn, unit, path=path, ax=ax, size=size)
        panels = {
            name: {column.subject: column.rows for column in columns[: self._subjects]}
            for name, columns in self.sets.items()
        }
        first_of_sets = self.results[:: self._subjects]
        nulls = [0.0 if result.null == result.null else math.nan for result in first_of_sets]
        ends = [[*names][::-1] if len(names) == 2 else ["", ""] for names in groups]
        labels = [f"← {a}      {b} →" if a else "" for a, b in ends]
        units = dict.fromkeys(columns[0].unit for columns in self.sets.values())
        unit = f"{' or '.join(units)}, {100 * self.level:g} % intervals; dotted: no bias"
        unit += shown(most, len(self.targets))
        how = {"path": path, "ax": ax, "size": size, "nulls": nulls, "unit": unit}
        return figure(panels, self.targets[:most], labels, **how)

    def _trends(self, most: int) -> dict[str, Line]:
        """Return the lines of the first targets, by the names of their panels."""
        panels = {
            f"{target} ({name})" if len(self.sets) > 1 else target: self.lines[name, target]
            for name in self.sets
            for target in self.targets[:most]
            if (name, target) in self.lines
        }
        if not panels:
            raise UserError("plot: no target has contexts in two periods")
        return panels

    @property
    def paragraph(self) -> str:
        """The paragraph for a methods section."""
        sentences = [f"{DEFINED[name]} {text}" for name, text in self.facts if name in DEFINED]
        if any(math.isfinite(row.adjusted_p) for column in self.columns for row in column.rows):
            sentences.append(ADJUSTED)
        sentences += [
            f"We tested with {name} whether the second is more biased than the first: "
            f"{test.statistic} ({test.unit}), with an interval of {100 * test.level:.3g} % that "
            f"resamples {test.resampled}"
            for name, test in self.comparisons.items()
        ]
        results = [
            replace(result, resampled=result.rows_resampled or result.resampled)
            for result in self.results
        ]
        return paragraph(results, self.provenance, sentences)

    def sentences(self) -> list[str]:
        """Return the verdict, and the test of each set of groups."""
        tests = [
            f"{name}: {test.verdict}, {test.statistic} "
            f"{with_interval(test.value, test.low, test.high)}"
            for name, test in self.comparisons.items()
        ]
        return [*filter(None, [self.verdict]), *tests]

    def tables(self) -> dict[str, list[Shown]]:
        """Return a table for each set of groups, with the subjects side by side."""
        tables = {}
        for name, columns in self.sets.items():
            units = "; difference: ".join(dict.fromkeys(column.unit for column in columns))
            rows = [{"target": target} for target in self.targets]
            for column in columns:
                cells = column.cells()
                for line in rows:
                    row = cells.get(line["target"], NONE)
                    place = (f"(n {row.n})" if row.n else "(see note)") * bool(row.note)
                    if math.isfinite(row.percentile):
                        star = "*" * (row.adjusted_p <= 1 - self.level)
                        place = f"{row.percentile:.0f}{star}"
                    known = estimate("bias", row, self.level) | {"perc.": place}
                    line |= {(column.subject, head): cell for head, cell in known.items()}
            tables[f"{name}: {units}"] = rows
        return tables if self.targets else {}

    @property
    def symbols(self) -> str:
        """As `Output.symbols`."""
        return f"Perc.: {STAR.format(1 - self.level)}"

    def facts_of_cells(self) -> list[tuple[str, str]]:
        """Return what one must know of cells beside the facts of a test."""
        facts = dict(self.facts)
        shown = {"interval of a cell": facts["interval"], "difference": facts["difference"]}
        return [("perc.", STAR.format(1 - self.level)), *shown.items()]

    def all_facts(self) -> list[tuple[str, str]]:
        """Return what one must know of the numbers, and the notes."""
        noted = [("note", note) for note in self.notes]
        for name, result in self.comparisons.items():
            noted += [("note", f"{name}: {note}") for note in result.notes]
        return [("perc.", STAR.format(1 - self.level)), *self.facts, *noted]
