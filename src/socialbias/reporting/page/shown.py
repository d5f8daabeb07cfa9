"""One artefact as the pages show it, and what the counts of several come to."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path

import pandas as pd
from PIL import Image

from socialbias.reporting.artefact import Artefact, base_column
from socialbias.reporting.compare import BY_CHANCE, EQUAL, OPEN, OUTSIDE, TRUNCATED, WITHIN
from socialbias.reporting.kinds import OF_COLUMNS, OTHER, OUTCOMES, PART, counted
from socialbias.reporting.tables import reader_number, tables_of
from socialbias.reporting.values import NO_INPUT, read_csv

NUMBERS = {"value", "ci_low", "ci_high", "p_value", "q_value", "n", "n_of", "counted"}
NUMBERS |= {*BY_CHANCE}
QUALITIES = ("reliability", "ceiling", "detectable")
NUMBERS |= {*QUALITIES}
COLUMN_NUMBERS = {"counted", "rows", "rho", "p_value"}
# What a bar shows of the printed numbers, from left to right: its look, and what it counts.
PARTS = {
    "good": "equal or within",
    "bad": "outside",
    "open": "open",
    "ours": "on other inputs",
    "none": "no input",
}
LOOKS = {
    **{EQUAL: "good", TRUNCATED: "good", WITHIN: "good", OUTSIDE: "bad", OPEN: "open"},
    **{PART: "ours", OTHER: "ours", NO_INPUT: "none"},
}


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


@dataclass(frozen=True)
class Shown:
    """One artefact as the pages show it."""

    about: Artefact
    table: str
    picture: str
    cells: list[dict]
    columns: list[dict]
    counts: dict[str, float]
    caption: str = ""

    @cached_property
    def replicated(self) -> list[dict]:
        """The cells for which print and a second team have a number."""
        return [cell for cell in self.cells if cell.get("replication_verdict")]

    @cached_property
    def qualities(self) -> list[str]:
        """Which of reliability, ceiling and detectable any of its cells has."""
        return [name for name in QUALITIES if any(pd.notna(cell[name]) for cell in self.cells)]

    @cached_property
    def column_facts(self) -> list[str]:
        """What any of its columns has, of verdict and rank correlation."""
        has = {
            "verdict": [column["verdict"] or column["detail"] for column in self.columns],
            "rho": [pd.notna(column["rho"]) for column in self.columns],
        }
        return [name for name, facts in has.items() if any(facts)]

    def quality(self, cell: dict, name: str) -> str:
        """Return one of the qualities of a cell for a reader."""
        if name == "detectable" and pd.notna(cell["ceiling"]) and cell[name] > 1:
            return "none"  # no correlation is as large
        return reader_number(cell[name], self.about.digits if name == "detectable" else 2)

    @property
    def first_sentence(self) -> str:
        """The first sentence on what it shows."""
        return re.split(r"(?<=[.?!]) (?=[A-Z])", self.about.shows, maxsplit=1)[0]

    @property
    def href(self) -> str:
        """Its place among the pages."""
        return f"{self.about.paper}.html#{self.about.name}"


def show(
    about: Artefact,
    values: pd.DataFrame,
    folder: Path,
    units: Mapping[str, Mapping],
    places: dict[str, str],
    picture: Path | None = None,
) -> Shown:
    """Read one artefact's files."""
    stem = folder / about.paper / about.artefact
    cells = read_csv(Path(f"{stem}.comparison.csv"), NUMBERS)
    columns = read_csv(Path(f"{stem}.columns.csv"), COLUMN_NUMBERS)
    cells["row_label"] = cells["row"].map(about.rows)
    for table in (cells, columns):
        table["label"] = table["column"].map(about.label)
    cells["order"] = cells["column"].map(list(columns["column"]).index)
    cells["row_order"] = cells["row"].map(list(about.rows).index)
    cells = cells.sort_values(["order", "row_order"])
    keys = list(zip(cells["row"], cells["column"], strict=True))
    cells["anchor"] = [anchor(about.name, *key) for key in keys]
    items = [about.behind.format(row=row, column=base_column(column)) for row, column in keys]
    cells["behind"] = [places.get(key, "") for key in items]
    by_column = values[values["unit"] != ""].groupby("column")["unit"].first()
    records = columns.to_dict("records")
    for record in records:
        unit = by_column.get(record["column"], "")  # none where no number could be computed
        record |= {"unit": unit, "reading": reading_of(units, unit, about.name, record["column"])}
    counts = number_counts(cells) | column_counts(columns)
    return Shown(
        about=about,
        table=tables_of(Path(f"{stem}.html").read_text("utf-8")),
        picture=_picture(picture) if picture else "",
        caption=picture.with_suffix(".caption.txt").read_text("utf-8") if picture else "",
        cells=cells.to_dict("records"),
        columns=records,
        counts=counts,
    )


def anchor(artefact: str, row: str, column: str) -> str:
    """Return the address of a cell on its page: letters that need no escape in a link."""
    return re.sub(r"[^\w.@;-]+", "_", f"{artefact}.{row}.{column}")


def by_paper(shown: list[Shown]) -> list[tuple[str, list[Shown]]]:
    """Artefacts grouped by paper, in the order of the page."""
    return [(paper, list(group)) for paper, group in groupby(shown, lambda a: a.about.paper)]


def totals(shown: list[Shown]) -> dict[str, float]:
    """Return the counts of several artefacts together."""
    return {key: sum(a.counts[key] for a in shown) for key in (shown[0].counts if shown else ())}


def _picture(path: Path) -> str:
    """Return a picture as the page holds it: the same pixels in fewer bytes than PNG."""
    smaller = io.BytesIO()
    with Image.open(path) as picture:
        picture.convert("RGB").save(smaller, "WEBP", lossless=True, method=2)
    return f"data:image/webp;base64,{base64.b64encode(smaller.getvalue()).decode()}"


def number_counts(cells: pd.DataFrame) -> dict[str, int]:
    """Return how many printed numbers had each outcome, and how many others there are."""
    outcomes = list(counted(cells)["outcome"])
    beyond = cells[cells["printed"] == ""]
    counts = {name: outcomes.count(name) for name in OUTCOMES} | {"printed": len(outcomes)}
    counts |= {"beyond": len(beyond)}
    counts["beyond_missing"] = int((beyond["verdict"] == NO_INPUT).sum())
    looks = [LOOKS[outcome] for outcome in outcomes]
    return counts | {f"bar_{part}": looks.count(part) for part in PARTS}


def column_counts(columns: pd.DataFrame) -> dict[str, int]:
    """Return how many printed columns had each verdict."""
    verdicts = columns.loc[columns["counted"] == 1, "verdict"]
    return {name: int((verdicts == name).sum()) for name in OF_COLUMNS}
