"""Values by row and column: those that a module made, and those in print."""

from collections.abc import Iterable

import pandas as pd

from socialbias.reporting.values import read_published
from tests.paths import PUBLISHED


def cells(records: Iterable[dict]) -> dict[tuple[str, str], dict]:
    return {(record["row"], record["column"]): record for record in records}


def numbers(records: Iterable[dict]) -> dict[tuple[str, str], float]:
    return {cell: record["value"] for cell, record in cells(records).items()}


def printed(paper: str, artefact: str) -> pd.DataFrame:
    return read_published(PUBLISHED / f"{paper}_{artefact}.csv")
