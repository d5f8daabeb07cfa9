"""The passports of measures: where a run has what is known of each.

`resources/passports.yaml` says where, `measures.registry` what the measures are.
`papers.validation.passport` fills the passport of a run; docs/passports.md shows them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from socialbias.errors import UserError
from socialbias.files.yaml_files import read_yaml
from socialbias.measures.passport import FIELDS
from socialbias.measures.registry import Measure, every

COMPUTED = "computed"


@dataclass(frozen=True)
class Place:
    """A number of a run."""

    artefact: str  # `<paper>/<artefact>`, or `COMPUTED`
    row: str  # its row, `*` for the median over rows; of a computed one, its name
    column: str = ""  # its column
    field: str = "value"  # the column of values
    instead: Place | None = None  # where to look if it is not in the run

    def places(self) -> list[Place]:
        """Return this place and those to look at if it is not in the run, in their order."""
        return [self, *(self.instead.places() if self.instead else [])]

    def __str__(self) -> str:
        which = "median over rows" if self.row == "*" else self.row
        what = "" if self.field == "value" else f", {self.field}"
        return f"{self.artefact.replace('/', '_')}: {which}, {self.column}{what}"


@dataclass(frozen=True)
class Places:
    """Where a run has the passport of a measure."""

    measure: Measure  # whose it is
    # By key of `FIELDS` a place, or a sentence that says why there is none.
    cells: Mapping[str, Place | str]


def read_places(path: Path) -> list[Places]:
    """Return the places of the passport of every measure."""
    facts, measures = read_yaml(path), every()
    if unknown := facts["measures"].keys() - {measure.row for measure in measures}:
        raise UserError(f"{path}: measures: there is none called {min(unknown)!r}")
    places = []
    for measure in measures:
        try:
            cells = facts["families"][measure.family]
            if not (measure.paper or measure.tables):
                cells = cells | facts["families"]["of-no-paper"]
            cells = cells | facts["measures"].get(measure.row, {})
            own = {each: _cell(cells[each], measure, facts["reasons"]) for each in FIELDS}
        except (KeyError, TypeError) as error:
            raise UserError(f"{path}: {measure.row}: {error}") from None
        if unknown := cells.keys() - FIELDS.keys():
            raise UserError(f"{path}: {measure.row}: the passport has no {min(unknown)!r}")
        places.append(Places(measure, own))
    return places


def _cell(cell: list | str, measure: Measure, reasons: Mapping[str, str]) -> Place | str:
    if isinstance(cell, str):
        return reasons[cell]
    if isinstance(cell[0], str):
        return Place(*(part.replace("{called}", measure.key) for part in cell))
    first, *others = cell
    instead = _cell(others, measure, reasons) if others else None
    return replace(_cell(first, measure, reasons), instead=instead)
