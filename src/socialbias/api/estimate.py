"""Plain values of results, and which targets of a text are too rare."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from socialbias.measurement.estimates import Row
from socialbias.measurement.texts import FEWEST_CONTEXTS

LONGEST_WINDOW = 5  # sentences of a context


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


def too_rare(rows: Iterable[Row], window: int | None = None) -> str:
    """Return which targets have too few contexts, and what would help; "" for none.

    Args:
        rows: Of a text.
        window: Sentences of a context.
    """
    rare = sorted((row for row in rows if row.n < FEWEST_CONTEXTS), key=lambda row: -row.n)
    if not rare:
        return ""
    named = ", ".join(f"{row.target} ({row.n})" for row in rare[:8])
    named += f" and {len(rare) - 8} more" * (len(rare) > 8)
    times = FEWEST_CONTEXTS / max(rare[0].n, 1)
    help_ = f"about {times:.2g} times as many documents for the first of them"
    if window is None or window < LONGEST_WINDOW:
        help_ += ", or longer contexts (--window)"
    return f"too rare, with fewer than {FEWEST_CONTEXTS} contexts: {named}. What helps: {help_}"


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
