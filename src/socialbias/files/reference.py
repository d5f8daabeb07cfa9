"""The reference run: the run of this project whose results are committed and travel with it.

`commands.maintenance.reference` writes its files: tables, and `reference.json`. README, pages and
passports quote them. This module needs neither pandas nor the workflow.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from socialbias.errors import UserError, nearest
from socialbias.files import paths

if TYPE_CHECKING:
    import pandas as pd

RECORD = "reference.json"  # `run.json` would make it one of the runs in results
TABLES = ("numbers", "columns", "claims", "findings", "inputs")
EXAMPLE = "example.vec.gz"  # vectors trained in that run


def reference(table: str = "numbers") -> pd.DataFrame | list[dict[str, str]]:
    """Return a table of the reference run; `docs/values.md` describes their columns."""
    path = _path_of(table)
    try:
        import pandas as pd
    except ImportError:
        return list(reference_rows(table))
    # Words such as "null" and "NA" are words.
    return pd.read_csv(path, keep_default_na=False, na_values=[""], low_memory=False)


def reference_rows(table: str) -> Iterator[dict[str, str]]:
    """Yield the rows of a table of the reference run, as text by column."""
    with _path_of(table).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def reference_run() -> dict[str, Any]:
    """Return what the reference run was: `version` with the commit, date, seed, configuration."""
    path = paths.reference_folder() / RECORD
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def example_vectors() -> Path:
    """Return the file of example vectors: 5,000 words of Wikipedia and those of packaged lists."""
    return _file(EXAMPLE)


def _path_of(table: str) -> Path:
    if table not in TABLES:
        hint = nearest(str(table), TABLES)
        raise UserError(f"reference: no table is called {table!r}{hint}")
    return _file(f"{table}.csv")


def _file(name: str) -> Path:
    if not reference_run():
        raise UserError(f"{paths.reference_folder()}: this version comes without a reference run")
    return paths.reference_folder() / name
