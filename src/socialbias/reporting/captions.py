"""What stands above and below a figure or table, so that it can be read away from the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

import pandas as pd

from socialbias.reporting.artefact import Artefact, base_column

FIDELITIES = {
    "exact": "the paper's inputs",
    "subset": "part of the paper's inputs",
    "substitute": "substitute data",
    "own": "a reader's own input",
    "planted": "planted data",
}


def sentences(artefact: Artefact, values: pd.DataFrame, run: str = "") -> list[str]:
    """Return what is to be known of an artefact's numbers."""
    lines = [f"Run: {run}."] if run else []
    lines += [rests_on(values), artefact.caption]
    return [sentence for sentence in lines if sentence]


def rests_on(values: pd.DataFrame) -> str:
    """Return how many numbers use inputs of each fidelity; "" where there is none."""
    planted = values["sources"] == "planted"  # the artefact's own truth: no paper's input
    counts = values["fidelity"].mask(planted, "planted").value_counts()
    known = [f"{counts[name]:,} on {text}" for name, text in FIDELITIES.items() if name in counts]
    return f"Numbers: {', '.join(known)}." if known else ""


def over(artefact: Artefact, values: pd.DataFrame) -> str:
    """Return what intervals are over, by column where they differ; "" without any."""
    shown = values[values["ci_low"].notna() & (values["ci_low"] < values["ci_high"])]
    columns = {base_column(column) for column in shown["column"]}
    kinds: dict[str, list[str]] = {}
    for column in [name for name in artefact.columns if name in columns]:
        if kind := kind_of(artefact.intervals, column):
            kinds.setdefault(kind, []).append(artefact.columns[column])
    if len(kinds) == 1:
        return f"Intervals (95 %): {next(iter(kinds))}."
    parts = [f"{kind} ({', '.join(columns)})" for kind, columns in kinds.items()]
    return f"Intervals (95 %), of several kinds: {'; '.join(parts)}." if parts else ""


def kind_of(intervals: Mapping[str, str], column: str) -> str:
    """Return what the first pattern that fits says of a column."""
    fitting = [kind for pattern, kind in intervals.items() if fnmatchcase(column, pattern)]
    return fitting[0] if fitting else ""


def left_out(columns: Sequence[str], rows: int) -> str:
    """Return what has no number of ours and is not drawn; "" where nothing is missing."""
    parts = ["; ".join(columns)] * bool(columns)
    parts += [f"{rows} row{'s' * (rows > 1)}"] * bool(rows)
    return f"Not drawn, without a number in this run: {' and '.join(parts)}." if parts else ""
