"""CSV tables that users give, read strictly: no cell is shifted, cut off or read twice."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from socialbias.errors import UserError
from socialbias.files.text import CONTROL, plain, read_text

DELIMITERS = ",;\t"  # in spreadsheets it depends on the locale
Row = tuple[str, dict[str, str]]


def read_table(path: Path, needed: Collection[str], filled: Collection[str] = ()) -> list[Row]:
    """Return the rows of a CSV file, as `table_rows` reads them."""
    return list(table_rows(read_text(path), path, needed, filled))


def table_rows(
    text: str, path: Path, needed: Collection[str], filled: Collection[str] = ()
) -> Iterator[Row]:
    """Yield the rows of a CSV text: the place of each, for messages, and its cells by column.

    The header says whether commas, semicolons or tabs separate the cells. Names of columns are in
    lower case up to a colon, and cells have the normal form of `plain`; in names, several blanks
    count as one. Blank rows are left out, and so are empty cells behind the last column.
    """
    delimiter = max(DELIMITERS, key=text.lstrip().partition("\n")[0].count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    columns: list[str] = []
    try:
        for row in rows:
            cells, place = [plain(cell) for cell in row], f"{path}, line {rows.line_num}"
            if not any(cells):
                continue
            if not columns:
                columns = _columns(cells, path, needed)
                continue
            if len(cells) < len(columns) or any(cells[len(columns) :]):
                hint, many = "", "1 cell" if len(cells) == 1 else f"{len(cells)} cells"
                if delimiter == "," and len(cells) > len(columns) and any(map(str.isdigit, cells)):
                    hint = " (write decimals with a point, or quote cells with a comma)"
                raise UserError(f"{place}: {many} for {len(columns)} columns{hint}")
            named = dict(zip(columns, cells, strict=False))
            check_names(named, filled, place)
            named |= {name: " ".join(named[name].split()) for name in filled if name in named}
            yield place, named
    except csv.Error as error:
        raise UserError(f"{path}, line {rows.line_num}: broken CSV: {error}") from None
    if not columns:
        columns = f"; it should have the columns {', '.join(needed)}" if needed else ""
        raise UserError(f"{path}: it is empty{columns}")


def _columns(cells: list[str], path: Path, needed: Collection[str]) -> list[str]:
    """Return the names of the columns."""
    while not cells[-1]:
        cells.pop()
    columns = [column_name(cell) for cell in cells]
    if missing := [name for name in needed if name not in columns]:
        known = ", ".join(columns[:12])
        raise UserError(f"{path}: no column {', '.join(missing)}; its columns are {known}")
    if twice := [name for name in columns if columns.count(name) > 1]:
        raise UserError(f"{path}: two columns are called {twice[0]!r}")
    return columns


def check_names(row: Mapping[str, str], columns: Collection[str], place: str) -> None:
    """Raise UserError for a cell that is empty, or more than a line of text, in one of columns."""
    for name in columns:
        cell = row.get(name)
        if cell == "":
            raise UserError(f"{place}: nothing in the column {name!r}")
        if cell and CONTROL.search(cell):
            problem = "a control character or a line break in the column"
            raise UserError(f"{place}: {problem} {name!r}")


def column_name(cell: str) -> str:
    """Return the name of a column, in lower case up to a colon: what follows is the user's."""
    kind, colon, name = cell.partition(":")
    return kind.lower() + colon + name


def read_number(text: str, place: str) -> float:
    """Return a finite number; NaN for an empty cell, and for `nan`, as programs write it."""
    try:
        number = math.inf if "_" in text else float(text or "nan")  # Python reads 1_2 as 12
    except ValueError:
        number = math.inf
    if math.isinf(number):
        hint = ""
        if "," in text:
            hint = ": write decimals with a point"
        elif "\u2212" in text:  # as papers print it
            hint = ": write the minus sign as -"
        elif text.endswith("%"):
            hint = ": write a share, such as 0.05 for 5 %"
        raise UserError(f"{place}: {text[:40]!r} is not a number{hint}")
    return number
