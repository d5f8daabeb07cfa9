"""Figure 1: metrics of sentiment by attribute, of the positive class."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure

from socialbias.papers.fairness.heat import Panel, heat_maps
from socialbias.papers.fairness.metrics import (
    ABOVE,
    CORRECTED,
    KEPT,
    METRICS_EVIDENCE,
    ORDER,
    POSITIVE,
    PUBLISHED,
    Cell,
    of_cell,
    records_of,
    summed_up,
)
from socialbias.pipeline.job import Job
from socialbias.reporting.drawing import Drawing

TASKS = {"binary": "two classes", "three": "three classes"}
TWO_VERSIONS = ("FPED", "FNED", "Disparity Score")
ROWS = {
    name + "*" * (version == CORRECTED): Cell(
        name, version, "" if name.startswith("Pert") else POSITIVE
    )
    for name in KEPT
    for version in (PUBLISHED, CORRECTED)
    if version == PUBLISHED or name in TWO_VERSIONS
}
# Of two versions the corrected one is summed up: the other grows with the number of groups.
SUMMED = [row for row in ROWS if f"{row}*" not in ROWS]
UNIT = "metric"
Cells = Mapping[tuple[str, str], Mapping[str, Mapping]]  # by task and attribute, by row


def summarise(job: Job) -> list[dict]:
    """All metrics of all attributes, with their nulls."""
    if METRICS_EVIDENCE not in job:
        return []
    kept, records = cells_of(job.table(METRICS_EVIDENCE)), []
    for (task, attribute), found in kept.items():
        for row, each in found.items():
            records += records_of(each, (row, attribute, task), UNIT)
        records += summary(kept, task, attribute, job.level)
    return records


def cells_of(table: pd.DataFrame) -> Cells:
    """The rows of evidence that the cells show.

    Args:
        table: As `metrics.measure` gives it.
    """
    kept = {}
    for (task, attribute), rows in table.groupby(["task", "attribute"], sort=False):
        found = {row: of_cell(rows, cell) for row, cell in ROWS.items()}
        kept[task, attribute] = {row: each for row, each in found.items() if each is not None}
    return kept


def summary(kept: Cells, task: str, attribute: str, level: float) -> list[dict]:
    """The mean over metrics of one attribute, and the same above the null (`summed_up`)."""
    largest = {
        ROWS[row]: max((abs(of[row]["value"]) for of in kept.values() if row in of), default=0.0)
        for row in ROWS
    }
    found = kept[task, attribute]
    chosen = [found[row] for row in SUMMED if row in found]
    return summed_up(chosen, largest, attribute, task, level)


def draw(drawing: Drawing) -> Figure:
    """One heat map for each task, and beside them the means, above the null."""
    names, values = list(drawing.artefact.columns), drawing.values
    parts = values["column"].str.split("@", expand=True)
    values = values.assign(column=parts[0], task=parts[1])
    rows = [row for row in drawing.artefact.rows if row not in (ORDER, ABOVE)]
    panels = [
        Panel(title, values[values["task"] == task], [*rows, ORDER, ABOVE], names)
        for task, title in TASKS.items()
    ]
    return heat_maps(drawing, panels)
