"""Sources that no place gave: `unavailable.json` in the data folder.

A run without them takes the next source of a role, or leaves its cells empty. What a run knows of
this when it starts holds for all of its processes, also while jobs add to the file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from socialbias.errors import UserError
from socialbias.files.atomic_write import locked, write_text
from socialbias.files.json_files import parse_json

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
    path = data / "unavailable.json"
    try:
        entries = parse_json(path.read_text("utf-8"))
        if all({"when", "why"} <= entry.keys() for entry in entries.values()):
            return entries
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (AttributeError, TypeError, ValueError):
        pass
    raise UserError(f"{path} is damaged: delete it, and its sources are fetched again")


def note_unavailable(data: Path, source: str, why: str) -> None:
    """Note that a source could not be fetched."""
    entry = {"when": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC", "why": why}
    _change(data, lambda entries: entries.update({source: entry}))


def note_available(data: Path, *sources: str) -> None:
    """Remove sources that can be fetched again."""
    if {*sources} & read_unavailable(data).keys():
        _change(data, lambda entries: [entries.pop(source, None) for source in sources])


def _change(data: Path, change: Callable[[dict], object]) -> None:
    data.mkdir(parents=True, exist_ok=True)
    with locked(data / ".unavailable.json.lock"):
        entries = read_unavailable(data)
        change(entries)
        text = json.dumps(entries, indent=2, sort_keys=True, ensure_ascii=False)
        write_text(data / "unavailable.json", text + "\n")
