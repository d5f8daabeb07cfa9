"""Figure 2: metrics that compare a group with its background, for each group of gender."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from socialbias.papers.fairness.heat import Panel, heat_maps
from socialbias.papers.fairness.metrics import (
    ALL_GROUPS,
    METRICS_EVIDENCE,
    NEGATIVE,
    Cell,
    of_cell,
    records_of,
    summed_up,
)
from socialbias.papers.fairness.terms import NAMES
from socialbias.pipeline.job import Job
from socialbias.reporting.drawing import Drawing

ALL = "all"  # the accumulated value of a background comparison metric
ROWS = {
    "FPED": Cell("FPED"),
    "FNED": Cell("FNED"),
    "AvgGF": Cell("AvgGF"),
    "PosAvgGF": Cell("AvgGF (TC)"),
    "NegAvgGF": Cell("AvgGF (TC)", class_=NEGATIVE),
    "FPR Ratio": Cell("FPR Ratio"),
    "FNR Ratio": Cell("FNR Ratio"),
    "PosAvgEG": Cell("PosAvgEG", class_=""),
    "NegAvgEG": Cell("NegAvgEG", class_=""),
}
OF_THREE = ROWS | {"PosAvgEG": Cell("AvgEG")}  # of three classes it has a version of its own
RATIOS, SUMMED = ("FPR Ratio", "FNR Ratio"), ("FPED", "FNED", "AvgGF", "PosAvgGF")
ACCUMULATED = ("FPED", "FNED", "AvgGF", "PosAvgGF", "NegAvgGF")  # the others are vectors
PANELS = {
    "a": ("gender", "binary", "a) gender, two classes"),
    "b": (NAMES, "binary", "b) names, two classes"),
    "c": ("gender", "three", "c) gender, three classes"),
    "d": (NAMES, "three", "d) names, three classes"),
}
UNIT = "metric"


def column_of(attribute: str, group: str) -> str:
    """The column of a group; its attribute is before its name, as `names female`."""
    return f"{'names' if attribute == NAMES else attribute} {group or ALL}"


def summarise(job: Job) -> list[dict]:
    """All cells of the four panels."""
    if METRICS_EVIDENCE not in job:
        return []
    table, records = job.table(METRICS_EVIDENCE), []
    for attribute, task, _ in PANELS.values():
        rows = table[(table["task"] == task) & (table["attribute"] == attribute)]
        if not rows.empty:
            records += _panel(rows, attribute, task, job.level)
    return records


def _panel(rows: pd.DataFrame, attribute: str, task: str, level: float) -> list[dict]:
    """The cells of one panel."""
    cells, records = OF_THREE if task == "three" else ROWS, []
    found = {
        (row, group): each
        for row, cell in cells.items()
        for group in rows["group"].unique()
        if (each := of_cell(rows, cell, group)) is not None
        if group != ALL_GROUPS or row in ACCUMULATED
    }
    largest = {
        cells[row]: max(
            (abs(each["value"]) for (r, g), each in found.items() if r == row and g), default=0.0
        )
        for row in SUMMED
    }
    for (row, group), each in found.items():
        records += records_of(each, (row, column_of(attribute, group), task), UNIT)
    for group in rows.loc[rows["group"] != ALL_GROUPS, "group"].unique():
        chosen = [found[row, group] for row in SUMMED if (row, group) in found]
        records += summed_up(chosen, largest, column_of(attribute, group), task, level)
    return records


def draw(drawing: Drawing) -> Figure:
    """The four panels; accumulated values are not shaded, as in print."""
    parts = drawing.values["column"].str.split("@", expand=True)
    values = drawing.values.assign(column=parts[0], task=parts[1])
    panels = []
    for attribute, task, title in PANELS.values():
        columns = [
            c for c in drawing.artefact.columns if c.startswith(column_of(attribute, "x")[:-1])
        ]
        of_task = values[values["task"] == task]
        panels.append(Panel(title, of_task, list(drawing.artefact.rows), columns))
    plain = [column_of(attribute, "") for attribute in ("gender", NAMES)]
    return heat_maps(drawing, panels, ratios=RATIOS, plain=plain)
