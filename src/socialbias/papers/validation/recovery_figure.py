"""Recovery curves: what each measure says of each target, against what was planted."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from textwrap import fill

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from socialbias.papers.validation.planted_design import DIRECT, NULL, SECOND
from socialbias.papers.validation.recovery import CHAIN, read_evidence
from socialbias.reporting.artefact import Artefact
from socialbias.reporting.drawing import Drawing
from socialbias.reporting.figures import legend_above, settings_of
from socialbias.reporting.tables import reader_number

COLUMNS = 4
LONGEST_TITLE = 24  # characters
HEIGHT = 1.35  # inches of a row of panels
GREY, PALE = "#777777", "#bbbbbb"
SHARES = (-0.3, 1.3)  # the y axis of measures that are meant to be shares
# Of each kind: place of its colour, marker, size, label.
SERIES = {
    NULL: (None, "x", 2.6, "no association"),
    SECOND: (1, "^", 2.8, "second-order"),
    DIRECT: (0, "o", 2.8, "direct"),
}


def draw_recovery(drawing: Drawing) -> Figure:
    """The curves of the run."""
    evidence = read_evidence(drawing.job)
    return recovery_curves(evidence, drawing.values, drawing.artefact, drawing.style)


def recovery_curves(
    evidence: pd.DataFrame, values: pd.DataFrame, artefact: Artefact, style: dict
) -> Figure:
    """A panel for each measure: planted on x, measured on y, one mark a target.

    A measure that estimates shares has the line on which they would be equal. Any other has units
    of its own, and the line fitted to each kind of targets. Beside the title stand the rank
    correlations with what was planted, direct and second-order.

    Args:
        evidence: Of `recovery`; the chained text measure is drawn in the panel of the direct one.
        values: Of `recovery`.
        artefact: Its rows are the measures, in order.
        style: `width`, `font_size`, `colours` of the configuration.
    """
    panels_of = evidence.assign(panel=evidence["measure"].str.removesuffix(CHAIN))
    by_panel = dict(iter(panels_of.groupby("panel")))
    shown = [row for row in artefact.rows if row in by_panel]
    rows = max(1, ceil(len(shown) / COLUMNS))
    settings = settings_of(style | {"font_size": style["font_size"] - 1})
    with mpl.rc_context(settings | {"axes.titlepad": 3, "axes.spines.left": True}):
        figure = Figure(figsize=(style["width"], rows * HEIGHT + 0.5), layout="constrained")
        if not shown:
            figure.text(0.5, 0.5, "no input", ha="center")
            return figure
        grid = figure.subplots(rows, COLUMNS, squeeze=False)
        numbers = values.set_index(["row", "column"])["value"].to_dict()
        for place, measure in enumerate(shown):
            panel = grid.flat[place]
            _panel(panel, by_panel[measure], style)
            name = fill(artefact.rows[measure], LONGEST_TITLE)
            panel.set_title(f"{name}\n{_ranks(measure, numbers)}", loc="left")
            if place % COLUMNS == 0:
                panel.set_ylabel("measured")
            if place + COLUMNS >= len(shown):
                panel.set_xlabel("planted")
        for panel in list(grid.flat)[len(shown) :]:
            panel.set_visible(False)
        figure.supxlabel(
            "Across: planted, share of the first group or its distance from base. Up: measured. "
            "ρ: rank correlation of the two, of direct / second-order targets. Outside: targets "
            "beyond the axis."
        )
        legend_above(figure, style)
    return figure


def _ranks(measure: str, numbers: Mapping[tuple[str, str], float]) -> str:
    """The rank correlations of a panel, direct and second-order."""
    second = f"spearman@{SECOND}"
    chained = numbers.get((measure + CHAIN, second), np.nan)
    ranks = [
        numbers.get((measure, f"spearman@{DIRECT}"), np.nan),
        numbers.get((measure, second), chained),
    ]
    return "ρ " + " / ".join(reader_number(rank, 2) or "–" for rank in ranks)


def _panel(panel: Axes, part: pd.DataFrame, style: dict) -> None:
    """One measure."""
    shares, measured = bool(part["share"].all()), part["measured"].dropna()
    low, high = SHARES if shares else _range(measured)
    panel.set_ylim(low, high)
    outside = int(((measured < low) | (measured > high)).sum())
    if outside:
        text = f"{outside} outside"
        panel.text(0.98, 0.02, text, transform=panel.transAxes, ha="right", color=GREY)
    if shares:
        panel.plot([0, 1], [0, 1], color=PALE, linewidth=0.8, zorder=0)
    for kind, (colour, marker, size, label) in SERIES.items():
        rows = part[part["kind"] == kind].dropna(subset=["measured"])
        colour = GREY if colour is None else style["colours"][colour]
        panel.vlines(rows["truth"], rows["low"], rows["high"], color=colour, lw=0.5, alpha=0.6)
        panel.plot(
            rows["truth"], rows["measured"], marker, color=colour, ms=size, mew=0.7,
            mfc="none", label=label,
        )  # fmt: skip
        if not shares and kind != NULL and len(rows) > 2:
            slope, height = np.polyfit(rows["truth"], rows["measured"], 1)
            ends = np.array([rows["truth"].min(), rows["truth"].max()])
            panel.plot(ends, slope * ends + height, color=colour, linewidth=0.8, zorder=0)
    panel.locator_params(nbins=4)


def _range(measured: pd.Series) -> tuple[float, float]:
    """Ends of an axis that a few far values do not stretch."""
    low, high = np.quantile(measured, [0.05, 0.95])
    room = 0.6 * (high - low) or 1.0
    low, high = max(measured.min(), low - room), min(measured.max(), high + room)
    return low - 0.1 * room, high + 0.1 * room
