"""Figure 2: metrics that compare a group with its background, for each group of gender."""

from __future__ import annotations

from itertools import product

from matplotlib.figure import Figure

from socialbias.papers.fairness.heat import Panel, by_variant, heat_maps
from socialbias.papers.fairness.metrics import (
    ALL_GROUPS,
    METRICS_EVIDENCE,
    NEGATIVE,
    Cell,
    largest_of,
    of_cells,
    records_of,
    summed_up,
)
from socialbias.papers.fairness.terms import NAMES
from socialbias.pipeline.job import Job
from socialbias.reporting.drawing import Drawing

ACROSS_GROUPS = "all"  # the accumulated value of a background comparison metric
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


def column_of(attribute: str, group: str) -> str:
    """Return the column of a group; its attribute is before its name, as `names female`."""
    return f"{'names' if attribute == NAMES else attribute} {group or ACROSS_GROUPS}"


def summarise(job: Job) -> list[dict]:
    """Return all cells of the four panels."""
    if METRICS_EVIDENCE not in job:
        return []
    table, records = job.table(METRICS_EVIDENCE), []
    for attribute, task, _ in PANELS.values():
        rows = table[(table["task"] == task) & (table["attribute"] == attribute)]
        cells = OF_THREE if task == "three" else ROWS
        groups = {group: of_cells(rows, cells, group) for group in rows["group"].unique()}
        for name, (group, shown) in product(cells, groups.items()):
            if name in shown and (group != ALL_GROUPS or name in ACCUMULATED):
                column = f"{column_of(attribute, group)}@{task}"
                records += records_of(shown[name], name, column)
        groups.pop(ALL_GROUPS, None)
        largest = largest_of(groups.values())
        for group, shown in groups.items():
            summed = {name: shown[name] for name in SUMMED if name in shown}
            column = f"{column_of(attribute, group)}@{task}"
            records += summed_up(summed, largest, column, job.level)
    return records


def draw(drawing: Drawing) -> Figure:
    """Return the four panels; accumulated values are not shaded, as in print."""
    values, panels = by_variant(drawing), []
    for attribute, task, title in PANELS.values():
        columns = [
            c for c in drawing.artefact.columns if c.startswith(column_of(attribute, "x")[:-1])
        ]
        of_task = values[values["variant"] == task]
        panels.append(Panel(title, of_task, list(drawing.artefact.rows), columns))
    plain = [column_of(attribute, "") for attribute in ("gender", NAMES)]
    return heat_maps(drawing, panels, ratios=RATIOS, plain=plain)
