"""LaTeX tables that fit a column of text: panels with notes below them."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

import numpy as np
import pandas as pd

from socialbias.files.escaping import for_latex
from socialbias.reporting.artefact import Artefact
from socialbias.reporting.values import NO_INPUT

NOTHING = "–"  # where a row has no cell
NONE = "n.i."  # for a reader, no input
POINTS = 4.5  # of a character in \footnotesize, and of the gap between two columns
ACROSS = 50  # characters of a line, in a column of 245 points
GAP = 1.4  # characters between two columns
STUB = 20  # most characters of a row's label in a line
SMALL = 0.62  # widths of a character of an interval
LINES = 40  # of a float, so that it fits a page
MOST_FLOATS = 12  # of a table; one that would need more is not written
BRACKETS = "In brackets: read with caution (little data, or weak inputs)."
MISSING = f"{NONE}: no input in this run."
BOLD = "Bold: p at most .05, all tests of the column considered."
SMALL_PRINT = "Small print: 95 % intervals."

Column = tuple[str, str]


class Table(NamedTuple):
    """What a table says, in frames of one shape."""

    text: pd.DataFrame  # the cells, rows by label and columns by (printed column, side)
    bold: pd.DataFrame  # whether a cell is significant
    ends: pd.DataFrame  # the interval of a cell, such as `−0.1, 0.3`, or ""


def latex_table(table: Table, artefact: Artefact, notes: Sequence[str], made_by: str) -> str:
    """Return floats of a table, each of which fits a column of 245 points.

    The floats need the package booktabs alone. A table of more than `MOST_FLOATS` is left to CSV.
    """
    parts = _parts(table)
    head = [f"% made by: {made_by}"] if made_by else []
    if len(parts) > MOST_FLOATS:
        return "\n".join([*head, f"% too large for a paper: {artefact.artefact}.csv has it", ""])
    notes = [*explained(table), *filter(None, notes)]
    floats = [
        _float(part, artefact, notes, i if len(parts) > 1 else 0, len(parts))
        for i, part in enumerate(parts, start=1)
    ]
    texts = (each.strip("\n") for each in floats)
    return "\n".join([*head, r"% needs \usepackage{booktabs}", *texts, ""])


def explained(table: Table) -> list[str]:
    """Return what the signs in a table mean, as far as they are there."""
    cells = table.text.to_numpy()
    signs = {
        MISSING: (cells == NO_INPUT).any(),
        BRACKETS: any(cell.startswith("(") for cell in cells.flat),
        BOLD: table.bold.to_numpy().any(),
        SMALL_PRINT: (table.ends != "").any(axis=None),
    }
    return [sentence for sentence, is_there in signs.items() if is_there]


def _width(table: Table, column: Column) -> float:
    """Characters that a column takes."""
    cells = [NONE if cell == NO_INPUT else cell for cell in table.text[column]]
    small = max((SMALL * (2 + len(ends)) for ends in table.ends[column] if ends), default=0)
    label, head = column
    longest = max(map(len, [*cells, *head.split()]))
    beside = sum(other[0] == label for other in table.text.columns)
    of_label = max(max(map(len, label.split())), len(label) / 4) / beside
    return max(longest, small, len(head) / 4, of_label, 4) + GAP


def _panels(table: Table) -> list[list[Column]]:
    """Columns in groups that fit a line beside the labels of rows."""
    panels: list[list[Column]] = []
    room = 0.0
    for column in table.text.columns:
        width = _width(table, column)
        if not panels or width > room:
            panels.append([])
            room = ACROSS - STUB - GAP
        panels[-1].append(column)
        room -= width
    return panels


def _rows(table: Table, columns: list[Column]) -> list[int]:
    """Return the places of the rows that have a cell, even an empty one, in some columns."""
    return [*np.flatnonzero((table.text[columns] != NOTHING).any(axis=1))]


def _parts(table: Table) -> list[list[str]]:
    """Return the panels of each float, as LaTeX."""
    floats: list[list[str]] = []
    room = 0
    for columns in _panels(table):
        rows = _rows(table, columns)
        while rows:
            if room < LINES / 3:
                floats.append([])
                room = LINES
            taken, lines = 0, 4
            while taken < len(rows) and lines + _lines(table, rows[taken], columns) <= room:
                lines += _lines(table, rows[taken], columns)
                taken += 1
            taken = max(1, taken)
            text = [rf"\begin{{tabular}}{_columns(columns)}", *_heads(table, columns)]
            for row in rows[:taken]:
                text += _row(table, row, columns)
            floats[-1].append("\n".join([*text, r"\bottomrule", r"\end{tabular}"]))
            rows, room = rows[taken:], room - lines
    return floats


def _lines(table: Table, row: int, columns: list[Column]) -> int:
    """Lines that a row takes."""
    small = any(table.ends[column].iloc[row] for column in columns)
    return max(ceil(len(table.text.index[row]) / STUB), 1 + small)


def _columns(columns: list[Column]) -> str:
    """Return what LaTeX is told of the columns."""
    return f"{{@{{}}p{{{STUB * POINTS:.0f}pt}}{'r' * len(columns)}@{{}}}}"


def _heads(table: Table, columns: list[Column]) -> list[str]:
    """Return the lines that name the columns, between rules."""
    widths = {column: _width(table, column) for column in columns}
    text = [r"\toprule"]
    labels: dict[str, list[Column]] = {}
    for column in columns:
        labels.setdefault(column[0], []).append(column)
    cells, rules, place = [""], [], 2
    for label, own in labels.items():
        width = POINTS * (sum(widths[column] for column in own) - GAP)
        box = rf"\parbox[b]{{{width:.0f}pt}}{{\centering\hspace{{0pt}}{for_latex(label)}}}"
        cells.append(rf"\multicolumn{{{len(own)}}}{{c}}{{{box}}}")
        rules.append(rf"\cmidrule(lr){{{place}-{place + len(own) - 1}}}")
        place += len(own)
    text += [" & ".join(cells) + r" \\", "".join(rules)]
    heads = [
        rf"\parbox[b]{{{POINTS * (widths[c] - GAP):.0f}pt}}{{\raggedleft\hspace{{0pt}}"
        rf"{for_latex(c[1])}}}"
        for c in columns
    ]
    return [*text, " & ".join(["", *heads]) + r" \\", r"\midrule"]


def _row(table: Table, row: int, columns: list[Column]) -> list[str]:
    """Return a row, and below it its intervals."""
    numbers, ends = [], []
    for column in columns:
        cell = table.text[column].iloc[row]
        shown = for_latex(NONE if cell == NO_INPUT else cell)
        numbers.append(rf"\textbf{{{shown}}}" if table.bold[column].iloc[row] else shown)
        interval = table.ends[column].iloc[row]
        ends.append(rf"\tiny{{}}{for_latex(f'[{interval}]')}" if interval else "")
    label = rf"\raggedright {for_latex(table.text.index[row])}"
    if not any(ends):
        return [" & ".join([label, *numbers]) + r" \\"]
    if len(table.text.index[row]) <= STUB:
        return [" & ".join([label, *numbers]) + r" \\*", " & ".join(["", *ends]) + r" \\"]
    # A label of several lines stands beside a number and its interval.
    stacked = [
        rf"\begin{{tabular}}[t]{{@{{}}r@{{}}}}{number}\\{end}\end{{tabular}}" if end else number
        for number, end in zip(numbers, ends, strict=True)
    ]
    return [" & ".join([label, *stacked]) + r" \\"]


def _float(
    panels: list[str], artefact: Artefact, notes: Sequence[str], number: int, of: int
) -> str:
    """Return a float with its caption, its panels, and the notes below the last."""
    part = f" (part {number} of {of})" if number else ""
    name = artefact.name.replace("_", "-") + (f"-{number}" if number > 1 else "")
    text = [
        r"\begin{table}",
        r"\centering\footnotesize\setlength{\tabcolsep}{3pt}",
        rf"\caption{{{for_latex(artefact.title)}{part}}}",
        rf"\label{{tab:{name}}}",
        "\n\n\\medskip\n".join(panels),
    ]
    if number == of or not number:
        footer = for_latex(" ".join(notes))
        text.append(f"\n\\medskip\n\\parbox{{\\linewidth}}{{\\scriptsize {footer}}}")
    return "\n".join([*text, r"\end{table}", ""])
