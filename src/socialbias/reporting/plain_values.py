"""Records and values as plain JSON."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np


def filled(records: Iterable[dict]) -> list[dict]:
    """Return records without the columns that are empty in all of them."""
    records = list(records)
    empty = {None, ""}
    kept = {
        key
        for record in records
        for key, value in record.items()
        if value not in empty and value == value  # NaN is not equal to itself
    }
    return [{key: value for key, value in record.items() if key in kept} for record in records]


def plain(value: object) -> object:
    """Return plain JSON values; NaN and infinity become None."""
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, float | np.floating):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    if isinstance(value, np.integer):
        return int(value)
    return value
