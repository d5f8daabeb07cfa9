"""One artefact as the pages show it, and the numbers that they load when a reader asks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import pandas as pd

from socialbias.reporting.artefact import Artefact, base_column
from socialbias.reporting.kinds import MEASURED, counted
from socialbias.reporting.tables import interval_of, reader_number, tables_of
from socialbias.reporting.values import NO_INPUT, read_csv

NUMBERS = {"value", "ci_low", "ci_high", "p_value", "q_value", "n", "n_of", "counted"}
NUMBERS |= {"equal_by_chance", "passed_by_chance", "reliability", "ceiling", "detectable"}
COLUMN_NUMBERS = {"counted", "rows", "rho", "p_value"}
FIRST_KINDS = (*MEASURED, "re-scored")  # of which the waffles and plots are
READING = ("label", "unit", "nothing", "direction")  # of a column
MOST_CELLS = 400  # of a table that stands on its page; a larger one is a file


@dataclass(frozen=True)
class Shown:
    """One artefact as the pages show it."""

    about: Artefact
    table: str  # HTML; "" if it is too large to stand on the page
    picture: str  # file beside the pages; "" where this run draws none
    caption: str
    cells: list[dict]
    columns: list[dict]
    counts: Mapping[str, int]

    @property
    def href(self) -> str:
        """Its place among the pages."""
        return f"{self.about.paper}.html#{self.about.name}"

    @property
    def short(self) -> str:
        """Its title as far as it names a place in the paper, such as `Table 3`."""
        return self.about.title.partition(":")[0]

    @property
    def printed(self) -> list[dict]:
        """The cells that stand for printed numbers: measured and re-scored ones first."""
        numbers = [cell for cell in self.cells if cell["counted"]]
        return sorted(numbers, key=lambda cell: cell["kind"] not in FIRST_KINDS)

    @property
    def missing(self) -> str:
        """Why no number of it could be computed; "" if any could."""
        if any(cell["verdict"] != NO_INPUT for cell in self.cells):
            return ""
        return "; ".join(dict.fromkeys(cell["detail"] for cell in self.cells))


def show(
    about: Artefact,
    values: pd.DataFrame,
    folder: Path,
    units: Mapping[str, Mapping],
    places: Mapping[str, tuple[str, str]],
    is_drawn: bool = False,
) -> Shown:
    """Read one artefact's files; `places` are the files of items, and what they are, by key."""
    stem = folder / about.paper / about.artefact
    cells = read_csv(Path(f"{stem}.comparison.csv"), NUMBERS)
    columns = read_csv(Path(f"{stem}.columns.csv"), COLUMN_NUMBERS)
    cells["row_label"] = cells["row"].map(about.rows)
    for table in (cells, columns):
        table["label"] = table["column"].map(about.label)
    by_column = values[values["unit"] != ""].groupby("column")["unit"].first()
    records = columns.to_dict("records")
    for record in records:
        unit = by_column.get(record["column"], "")  # none where no number could be computed
        record |= {"unit": unit} | reading_of(units, unit, about.name, record["column"])
    counts = counts_of(cells, columns)
    cells["order"] = cells["column"].map(list(columns["column"]).index)
    cells["row_order"] = cells["row"].map(list(about.rows).index)
    cells = cells.sort_values(["order", "row_order"])
    keys = list(zip(cells["row"], cells["column"], strict=True))
    cells["anchor"] = [anchor(about.name, *key) for key in keys]
    items = [about.behind.format(row=row, column=base_column(column)) for row, column in keys]
    cells["behind"] = [places.get(key, ()) for key in items]
    is_small = len(cells) <= MOST_CELLS
    return Shown(
        about=about,
        table=tables_of(Path(f"{stem}.html").read_text("utf-8")) if is_small else "",
        picture=f"{about.paper}/{about.artefact}.png" if is_drawn else "",
        caption=Path(f"{stem}.caption.txt").read_text("utf-8") if is_drawn else "",
        cells=cells.to_dict("records"),
        columns=records,
        counts=counts,
    )


def reading_of(
    units: Mapping[str, Mapping], unit: str, artefact: str, column: str
) -> dict[str, str]:
    """Return how a column's numbers are to be read, by their unit in `resources/units.yaml`.

    These are `nothing`, the value where there is nothing to find, and `direction`, what larger and
    smaller values mean.
    """
    if unit not in units:
        said = "not said" if unit else "no number in this run"
        return {"nothing": said, "direction": said}
    special = units[unit].get("columns", {}).get(base_column(column))
    special = special or units[unit].get("artefacts", {}).get(artefact) or units[unit]
    return {"nothing": f"{special['nothing']}", "direction": special["direction"]}


def anchor(artefact: str, row: str, column: str) -> str:
    """Return the address of a cell on its page: letters that need no escape in a link."""
    return re.sub(r"[^\w.@;-]+", "_", f"{artefact}.{row}.{column}")


def by_paper(shown: Iterable[Shown]) -> list[tuple[str, list[Shown]]]:
    """Return artefacts grouped by paper, tables and figures by their numbers."""
    groups = [(paper, list(group)) for paper, group in groupby(shown, lambda a: a.about.paper)]
    return [(paper, sorted(group, key=_place)) for paper, group in groups]


def _place(one: Shown) -> tuple:
    """Return the place of an artefact on its page: first what the paper prints."""
    name, number = re.fullmatch(r"(\D*)(\d*).*", one.about.artefact).groups()
    return not one.printed, not number, name != "table", name, int(number or 0)


def counts_of(cells: pd.DataFrame, columns: pd.DataFrame) -> Counter[str]:
    """Return how many printed numbers and columns had each outcome, and how many others are."""
    outcomes, beyond = counted(cells)["outcome"], cells[cells["printed"] == ""]
    missing = int((beyond["verdict"] == NO_INPUT).sum())
    counts = Counter(printed=len(outcomes), beyond=len(beyond), beyond_missing=missing)
    return counts + Counter(outcomes) + Counter(columns.loc[columns["counted"] == 1, "verdict"])


def data_of(shown: Iterable[Shown], command: str, only_printed: bool = False) -> dict[str, Any]:
    """Return what the pages' script shows of numbers, by artefact.

    What many numbers share (labels, inputs, reasons) is an index of `texts`.
    """
    texts: dict[str, int] = {}

    def indexed(*parts: str) -> list[int]:
        return [texts.setdefault(part, len(texts)) for part in parts]

    artefacts = {}
    for one in shown:
        numbers = {}
        for cell in one.printed if only_printed else one.cells:
            inputs = f"{cell['fidelity']}: {cell['sources'].replace(';', ', ')}"
            inputs *= cell["sources"] != ""
            shared = (cell["row_label"], _sample(cell, one.about), inputs, cell["verdict"])
            numbers[cell["anchor"].removeprefix(f"{one.about.name}.")] = [
                cell["order"],
                cell["printed"].replace("-", "−"),
                reader_number(cell["value"], one.about.digits),
                interval_of(cell, one.about.digits),
                *indexed(*shared, _why(cell), *cell["behind"]),
            ]
        if numbers:
            artefacts[one.about.name] = {
                "title": one.about.title,
                "page": one.href,
                "make": f"{command} {one.about.name}",
                "columns": [indexed(*(c[key] for key in READING)) for c in one.columns],
                "numbers": numbers,
            }
    return {"texts": [*texts], "artefacts": artefacts}


def _sample(cell: Mapping, about: Artefact) -> str:
    """Return a number's sample size and what else is known of how sure it is."""
    parts = []
    if pd.notna(cell["n"]):
        total = f" of {cell['n_of']:,.0f}" if pd.notna(cell["n_of"]) else ""
        parts.append(f"{cell['n']:,.0f}{total} {cell['n_unit']}")
    for name, digits in (("reliability", 2), ("ceiling", 2), ("detectable", about.digits)):
        if pd.notna(cell[name]):
            parts.append(f"{name} {reader_number(cell[name], digits)}")
    return "; ".join(parts)


def _why(cell: Mapping) -> str:
    """Return the reason of a verdict, the verdict on the number's column, and any caution."""
    column = f"its column: {cell['column_verdict']}" if cell["column_verdict"] else ""
    caution = f"caution: {cell['caution']}" if cell["caution"] else ""
    finding = f"explained by the finding {cell['finding']}" if cell["finding"] else ""
    return "; ".join(filter(None, (cell["detail"], finding, column, caution)))
