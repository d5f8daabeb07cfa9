"""How a number is to be read: what it would be without an effect, and what more of it means."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from socialbias.files.yaml_files import read_yaml
from socialbias.reporting.artefact import base_column


@dataclass(frozen=True)
class Reading:
    """How the numbers of a unit are to be read."""

    nothing: str  # the value where there is nothing to find
    direction: str  # what larger and smaller values mean


NOT_SAID = Reading("not said", "not said")
NO_NUMBER = Reading("no number in this run", "no number in this run")


class Readings:
    """What `resources/units.yaml` says of every unit."""

    def __init__(self, path: Path):
        self._units = read_yaml(path)

    def of(self, unit: str, artefact: str, column: str) -> Reading:
        """Return how a column's numbers are to be read.

        `NOT_SAID` where nothing is said of its unit.
        """
        if not unit:
            return NO_NUMBER
        facts = self._units.get(unit)
        if facts is None:
            return NOT_SAID
        special = facts.get("columns", {}).get(base_column(column))
        special = special or facts.get("artefacts", {}).get(artefact) or facts
        return Reading(f"{special['nothing']}", special["direction"])
