"""LaTeX tables as wide as the text of a page, with notes below them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
import pandas as pd

from socialbias.files.escaping import for_latex
from socialbias.reporting.artefact import Artefact

NOTHING = "–"  # where a row has no cell
BRACKETS = "In brackets: read with caution (little data, or weak inputs)."
BOLD = "Bold: p at most .05, all tests of the column considered."
SMALL_PRINT = "Small print: 95 % intervals."
ACROSS = 8  # columns of a table, beside the labels of its rows
LABEL, WIDEST = 0.22, 0.13  # of the width of the text: labels, and the widest other column
CHARACTERS = 24  # of a label, in a line
LINES = 40  # of a float, so that it fits a page
MOST_FLOATS = 12  # of a table; one that would need more is not written


class Table(NamedTuple):
    """What a table says, in frames of one shape."""

    text: pd.DataFrame  # the cells, rows by label and columns by (printed column, side)
    bold: pd.DataFrame  # whether a cell is significant
    ends: pd.DataFrame  # the interval of a cell, such as `−0.1, 0.3`, or ""


class Part(NamedTuple):
    """What is shown of a table side by side."""

    columns: list[tuple[str, str]]
    rows: np.ndarray  # their places


def parts_of(table: Table, across: int) -> Iterator[Part]:
    """Yield parts of about so many columns, each with the rows that have a cell in it.

    The columns of one label stand in one part.
    """
    parts: list[list[tuple[str, str]]] = []
    for _, each in groupby(table.text.columns, lambda column: column[0]):
        own = [*each]
        if not parts or len(parts[-1]) + len(own) > across:
            parts.append([])
        parts[-1] += own
    for columns in parts:
        rows = np.flatnonzero((table.text[columns] != NOTHING).any(axis=1))
        if len(rows):
            yield Part(columns, rows)


def explained(table: Table) -> list[str]:
    """Return what the signs in a table mean, as far as they are there."""
    signs = {
        BRACKETS: any(cell.startswith("(") for cell in table.text.to_numpy().flat),
        BOLD: table.bold.to_numpy().any(),
        SMALL_PRINT: (table.ends != "").any(axis=None),
    }
    return [sentence for sentence, is_there in signs.items() if is_there]


def latex_table(table: Table, artefact: Artefact, notes: Sequence[str], made_by: str) -> str:
    """Return a table as floats that need the packages array and booktabs.

    A table of more than `MOST_FLOATS` is left to CSV.
    """
    parts = [each for part in parts_of(table, ACROSS) for each in _pages(table, part)]
    lines = [f"% made by: {made_by}"] * bool(made_by)
    if len(parts) > MOST_FLOATS:
        return "\n".join([*lines, f"% too large for a paper: {artefact.artefact}.csv has it", ""])
    lines.append(r"% needs \usepackage{array,booktabs}")
    for number, part in enumerate(parts, 1):
        of_many = f" (part {number} of {len(parts)})" if len(parts) > 1 else ""
        name = artefact.name.replace("_", "-") + (f"-{number}" if number > 1 else "")
        lines += [
            r"\begin{table*}\centering\footnotesize\setlength{\tabcolsep}{3pt}",
            rf"\caption{{{for_latex(artefact.title)}{of_many}}}\label{{tab:{name}}}",
            *_tabular(table, part),
        ]
        if number == len(parts):
            footer = for_latex(" ".join([*explained(table), *filter(None, notes)]))
            lines.append(rf"\par\medskip\parbox{{\textwidth}}{{\scriptsize {footer}}}")
        lines.append(r"\end{table*}")
    return "\n".join([*lines, ""])


def _pages(table: Table, part: Part) -> list[Part]:
    """Return a part in such that each fits a page."""
    columns, rows = part
    small = (table.ends.iloc[rows][columns] != "").any(axis=1)
    labels = [-(-len(table.text.index[row]) // CHARACTERS) for row in rows]
    page = np.cumsum(np.maximum(labels, 1 + small.to_numpy())) // LINES
    return [Part(columns, rows[page == number]) for number in np.unique(page)]


def _tabular(table: Table, part: Part) -> list[str]:
    """Return the lines of a tabular, of which all columns but that of labels are alike."""
    width = min(WIDEST, (1 - LABEL) / len(part.columns))

    def column(across: int, sides: str) -> str:
        size = rf"\dimexpr {across * width:.3f}\textwidth-2\tabcolsep\relax"
        return rf">{{\{sides}\arraybackslash\hspace{{0pt}}}}p{{{size}}}"

    above, rules, place = [""], [], 2
    for label, own in groupby(label for label, _ in part.columns):
        n = len([*own])
        above.append(rf"\multicolumn{{{n}}}{{{column(n, 'centering')}}}{{{for_latex(label)}}}")
        rules.append(rf"\cmidrule(lr){{{place}-{place + n - 1}}}")
        place += n
    labels = rf">{{\raggedright\arraybackslash}}p{{{LABEL}\textwidth}}"
    return [
        rf"\begin{{tabular}}{{@{{}}{labels}*{{{len(part.columns)}}}{{{column(1, 'raggedleft')}}}}}",
        r"\toprule",
        " & ".join(above) + r" \\",
        "".join(rules),
        " & ".join(["", *(for_latex(side) for _, side in part.columns)]) + r" \\",
        r"\midrule",
        *(_row(table, row, part.columns) for row in part.rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]


def _row(table: Table, row: int, columns: list[tuple[str, str]]) -> str:
    """Return a row, with the intervals below the numbers."""
    cells = [for_latex(table.text.index[row])]
    for column in columns:
        cell, ends = for_latex(table.text[column].iloc[row]), table.ends[column].iloc[row]
        number = rf"\textbf{{{cell}}}" if table.bold[column].iloc[row] else cell
        cells.append(number + (rf"\newline\tiny {for_latex(f'[{ends}]')}" if ends else ""))
    return " & ".join(cells) + r" \\"
