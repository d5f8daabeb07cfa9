"""A table of subjects side by side, each with several sets of groups, in every output format."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path

from socialbias.api.estimate import Row, filled, plain
from socialbias.api.figure import figure, shown
from socialbias.api.methods import paragraph, with_references
from socialbias.api.output import Output, aligned, details_of, table_html, written
from socialbias.api.result import (
    SHOWN,
    Result,
    fragment,
    latex_number,
    number,
    sentence,
    with_interval,
)
from socialbias.errors import naming_extras
from socialbias.files.escaping import for_latex

ADJUSTED = (
    "A p-value is the larger of two: the share of random words that are as far from their mean, "
    "and the p-value of that distance given the number's interval. Adjusted p-values control the "
    "false discovery rate over all cells of the table (Benjamini and Hochberg 1995)"
)
CELL = (
    "the number [interval] percentile among random words; * adjusted p at most {:.2g} "
    "(Benjamini and Hochberg 1995, over all cells)"
)
DEFINED = {"difference": "A difference is", "change": "A change is"}  # facts of a methods section
SYMBOL = "Percentiles (perc.) are among the random words; *: adjusted p at most {:.2g}"


@dataclass(frozen=True)
class Column:
    """One subject with one set of groups, or the difference of two subjects.

    Attributes:
        groups: Name of the set of groups.
        subject: Name of the subject, or such as `B - A`.
        rows: The targets.
        unit: Unit of the numbers.
        adjusted: p-value by target, adjusted over all cells of the table (`measuring.columns_of`).
    """

    groups: str
    subject: str
    rows: tuple[Row, ...]
    unit: str
    adjusted: dict[str, float]

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

    def records(self) -> list[dict]:
        """Return the cells as plain dicts, without columns that are empty in every cell."""
        return filled(
            {"groups": column.groups, "subject": column.subject}
            | vars(row)
            | {"adjusted_p": column.adjusted.get(row.target, math.nan)}
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
        kept = {key: value for key, value in vars(self).items() if key not in ("results",)}
        tests = {name: result.as_dict() for name, result in self.comparisons.items()}
        kept |= {"columns": self.records(), "comparisons": tests}
        kept["cells"] = kept.pop("columns")
        return plain({key: value for key, value in kept.items() if value})

    def to_latex(self, path: str | Path | None = None) -> str:
        """Return a LaTeX table (booktabs) for each set of groups, and write it to a file."""
        tables = [self._latex(name, columns) for name, columns in self.sets.items()]
        text = "% needs \\usepackage{booktabs}\n" + "\n".join(tables)
        return written(text, path, self.provenance)

    @naming_extras()
    def plot(self, path: str | Path | None = None, most: int = 30, *, ax=None, size: str = "wide"):
        """Plot the targets and intervals, as `Result.plot`; `ax` has an axes for each set."""
        sets = {name: columns[: self._subjects] for name, columns in self.sets.items()}
        panels = {
            name: {column.subject: column.rows for column in columns}
            for name, columns in sets.items()
        }
        groups = [entry["words"] for entry in self.provenance if entry["role"] == "groups"]
        signed = [result.null == result.null for result in self.results[:: self._subjects]]
        nulls = [0.0 if is_signed else math.nan for is_signed in signed]
        ends = [[*names][::-1] if len(names) == 2 else ["", ""] for names in groups]
        labels = [f"← {a}      {b} →" if a else "" for a, b in ends]
        units = dict.fromkeys(columns[0].unit for columns in sets.values())
        unit = f"{' or '.join(units)}, {100 * self.level:g} % intervals; dotted: no bias"
        unit += shown(most, len(self.targets))
        how = {"path": path, "ax": ax, "size": size, "nulls": nulls, "unit": unit}
        return figure(panels, self.targets[:most], labels, **how)

    def methods(self, path: str | Path | None = None) -> str:
        """As `Result.methods`."""
        text = with_references(self._paragraph, self.provenance)
        return written(text, path, self.provenance)

    @property
    def _paragraph(self) -> str:
        """The paragraph for a methods section."""
        sentences = [f"{DEFINED[name]} {text}" for name, text in self.facts if name in DEFINED]
        if any(column.adjusted for column in self.columns):
            sentences.append(ADJUSTED)
        sentences += [
            f"We tested with {name} whether the second is more biased than the first: "
            f"{test.statistic} ({test.unit}), with an interval of {100 * test.level:.3g} % that "
            f"resamples {test.resampled}"
            for name, test in self.comparisons.items()
        ]
        results = [
            replace(result, resampled=result.resampled.removesuffix(" and targets"))
            for result in self.results
        ]
        return paragraph(results, self.provenance, sentences)

    def text(self, most: int | None = SHOWN) -> str:
        """Return the table as text for a terminal, with at most so many targets."""
        lines = [self.title, *filter(None, [self.verdict]), ""]
        for name, result in self.comparisons.items():
            ends = with_interval(result.value, result.low, result.high)
            lines.append(f"{name}: {result.verdict}, {result.statistic} {ends}")
        lines += [""] * bool(self.comparisons) + self.row_lines(most)
        shared = [("cell", CELL.format(1 - self.level)), *self.facts]
        noted = [("note", note) for note in self.notes]
        for name, result in self.comparisons.items():
            noted += [("note", f"{name}: {note}") for note in result.notes]
        return "\n".join([*lines, *aligned([*shared, *noted])])

    def row_lines(self, most: int | None = SHOWN) -> list[str]:
        """Return the cells as lines, a block for each set of groups."""
        lines, names = [], self.targets[:most]
        for name, columns in self.sets.items():
            units = dict.fromkeys(column.unit for column in columns)
            lines.append(f"{name}: {'; difference: '.join(units)}")
            cells = [["", *names]]
            for column in columns:
                rows = column.cells()
                texts = [self._cell(column, rows.get(target)) for target in names]
                cells.append([column.subject, *texts])
            lines += [f"  {line}" for line in aligned(list(zip(*cells, strict=True)))] + [""]
        left = len(self.targets) - len(names)
        return lines + [f"... and {left} more (-o FILE.txt has them)", ""] * (left > 0)

    def _cell(self, column: Column, row: Row | None) -> str:
        if row is None:
            return "-"
        return " ".join(
            filter(None, [with_interval(row.value, row.low, row.high), self._place(column, row)])
        )

    def _place(self, column: Column, row: Row) -> str:
        """Return a percentile, with a star if the adjusted p is small; or n of a rare target."""
        if not math.isfinite(row.percentile):
            return (f"(n {row.n})" if row.n else "(see note)") * bool(row.note)
        star = "*" * (column.adjusted.get(row.target, 1.0) <= 1 - self.level)
        return f"{row.percentile:.0f}{star}"

    def _latex(self, name: str, columns: Sequence[Column]) -> str:
        """Return a table that is centred on the line, in small print, since it may be wider."""
        heads = [rf"\multicolumn{{3}}{{c}}{{{for_latex(column.subject)}}}" for column in columns]
        rules = [rf"\cmidrule(lr){{{2 + 3 * i}-{4 + 3 * i}}}" for i in range(len(columns))]
        ends = rf"{100 * self.level:g}\,\%"
        labels = {each: "".join(c for c in each if c.isalnum()) for each in self.sets}
        how = f"{self._paragraph} {SYMBOL.format(1 - self.level)}."
        first = next(iter(self.sets))
        see = (
            for_latex(how).replace(r" \%", r"~\%")
            if name == first
            else rf"Measured as in Table~\ref{{tab:{labels[first]}}}."
        )
        units = "; difference: ".join(dict.fromkeys(column.unit for column in columns))
        caption = f"{for_latex(f'{sentence(self.title)}, {name} ({units}).')} {see}"
        lines = [
            r"\begin{table}\footnotesize\setlength{\tabcolsep}{2.5pt}",
            rf"\caption{{{caption}}}\label{{tab:{labels[name]}}}",
            r"\par\medskip",
            rf"\makebox[\linewidth][c]{{\begin{{tabular}}{{@{{}}l{'rlr' * len(columns)}@{{}}}}",
            r"\toprule",
            " & ".join(["", *heads]) + r" \\",
            " ".join(rules),
            " & ".join(["target", *[f"bias & {ends} interval & perc."] * len(columns)]) + r" \\",
            r"\midrule",
        ]
        for target in self.targets:
            cells = [for_latex(target)]
            for column in columns:
                row = column.cells().get(target)
                if row is None:
                    cells += ["--", "", ""]
                    continue
                ends_of = f"[{number(row.low)}, {number(row.high)}]" if row.low == row.low else ""
                place = self._place(column, row).replace("*", "$^{*}$")
                cells += [*map(latex_number, (number(row.value), ends_of)), place]
            lines.append(" & ".join(cells) + r" \\")
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}}", r"\end{table}", ""])

    def _repr_html_(self) -> str:
        parts = [f"<h2>{escape(self.title)}</h2>"]
        for name, columns in self.sets.items():
            head = "".join(f"<th scope=col>{escape(column.subject)}" for column in columns)
            rows = ""
            for target in self.targets:
                cells = (self._cell(column, column.cells().get(target)) for column in columns)
                rows += f"<tr><td>{escape(target)}" + "".join(f"<td>{escape(c)}" for c in cells)
            title = escape(f"{name}: {columns[0].unit}")
            caption = f"<caption>{title}</caption>"
            parts.append(table_html(title, f"{caption}<tr><th scope=col>target{head}{rows}"))
        shared = [("cell", CELL.format(1 - self.level)), *self.facts]
        shared += [("note", note) for note in self.notes]
        return "".join(parts) + details_of(shared)


@dataclass(frozen=True, kw_only=True, repr=False)
class Comparison(Result):
    """A test whether the second of two subjects is more biased, with the table of both.

    Attributes:
        cells: The targets in both subjects, and their differences; the rows are differences in
            size, which are tested.
    """

    cells: Table | None = None

    def records(self) -> list[dict]:
        """Return the cells of the table as plain dicts."""
        return self.cells.records()

    def as_dict(self) -> dict:
        """Everything but the draws, as plain JSON values."""
        cells = {} if self.cells is None else {"cells": plain(self.records())}
        return super().as_dict() | cells

    def row_lines(self, most: int | None = SHOWN) -> list[str]:
        """As `Table.row_lines`."""
        return self.cells.row_lines(most)

    def cell_facts(self) -> list[tuple[str, str]]:
        """Return what a cell says, and the intervals of numbers and of differences."""
        facts = dict(self.cells.facts)
        shown = {"interval of a cell": facts["interval"], "difference": facts["difference"]}
        return [("cell", CELL.format(1 - self.cells.level)), *shown.items()]

    def to_latex(self, path: str | Path | None = None) -> str:
        """As `Table.to_latex`."""
        return self.cells.to_latex(path)

    def plot(self, path: str | Path | None = None, most: int = 30, *, ax=None, size: str = "wide"):
        """As `Table.plot`."""
        return self.cells.plot(path, most, ax=ax, size=size)

    def methods(self, path: str | Path | None = None) -> str:
        """As `Result.methods`."""
        return self.cells.methods(path)

    def _repr_html_(self) -> str:
        return fragment(replace(self, rows=())) + self.cells._repr_html_()
