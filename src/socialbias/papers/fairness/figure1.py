"""Figure 1: metrics of sentiment by attribute, of the positive class."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure

from socialbias.papers.fairness.heat import Panel, by_variant, heat_maps
from socialbias.papers.fairness.metrics import (
    ABOVE,
    CORRECTED,
    KEPT,
    METRICS_EVIDENCE,
    ORDER,
    POSITIVE,
    PUBLISHED,
    Cell,
    largest_of,
    of_cells,
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
Cells = Mapping[tuple[str, str], Mapping[str, Mapping]]  # by task and attribute, by row


def summarise(job: Job) -> list[dict]:
    """Return all metrics of all attributes, with their nulls."""
    if METRICS_EVIDENCE not in job:
        return []
    cells, records = cells_of(job.table(METRICS_EVIDENCE)), []
    for (task, attribute), shown in cells.items():
        for name, row in shown.items():
            records += records_of(row, name, f"{attribute}@{task}")
        records += summary(cells, task, attribute, job.level)
    return records


def cells_of(table: pd.DataFrame) -> Cells:
    """Return the rows of evidence that the cells show."""
    parts = table.groupby(["task", "attribute"], sort=False)
    return {key: of_cells(rows, ROWS) for key, rows in parts}


def summary(cells: Cells, task: str, attribute: str, level: float) -> list[dict]:
    """Return the mean over metrics of one attribute, and the same above the null (`summed_up`)."""
    shown = {name: row for name, row in cells[task, attribute].items() if name in SUMMED}
    return summed_up(shown, largest_of(cells.values()), f"{attribute}@{task}", level)


def draw(drawing: Drawing) -> Figure:
    """Return one heat map for each task, and beside them the means, above the null."""
    columns, values = list(drawing.artefact.columns), by_variant(drawing)
    rows = [row for row in drawing.artefact.rows if row not in (ORDER, ABOVE)]
    panels = [
        Panel(title, values[values["variant"] == task], [*rows, ORDER, ABOVE], columns)
        for task, title in TASKS.items()
    ]
    return heat_maps(drawing, panels)
