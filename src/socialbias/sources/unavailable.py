"""Sources that no place gave: `unavailable.json` in the data folder.

A run without them takes the next source of a role, or leaves its cells empty. What a run knows of
this when it starts holds for all of its processes, also while jobs add to the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from socialbias.errors import UserError
from socialbias.files.json_files import changed_entries, read_entries

# Where the first process of a run names these sources for all others.
VARIABLE = "SOCIALBIAS_UNAVAILABLE"


class UnavailableError(UserError):
    """No place has given a file of a source."""


def unavailable_sources(data: Path, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the sources that could not be fetched, when this run started or until now."""
    if VARIABLE in environ:
        return tuple(filter(None, environ[VARIABLE].split(",")))
    return tuple(read_unavailable(data))


def read_unavailable(data: Path) -> dict[str, dict[str, str]]:
    """Return by source when it could not be fetched, and why."""
    return _read(data / "unavailable.json")


def note_unavailable(data: Path, source: str, why: str) -> None:
    """Note that a source could not be fetched."""
    with changed_entries(data / "unavailable.json", _read) as entries:
        entries[source] = {"when": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC", "why": why}


def note_available(data: Path, *sources: str) -> None:
    """Remove sources that can be fetched again."""
    if {*sources} & read_unavailable(data).keys():
        with changed_entries(data / "unavailable.json", _read) as entries:
            for source in sources:
                entries.pop(source, None)


def _read(path: Path) -> dict[str, dict]:
    advice = "delete it, and its sources are fetched again"
    return read_entries(path, {"when": str, "why": str}, advice)
