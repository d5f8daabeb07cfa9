"""Dose and response: a panel for each dose and measure."""

from __future__ import annotations

from math import ceil
from textwrap import fill

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from socialbias.papers.validation.dose import SLOPE
from socialbias.reporting.drawing import Drawing
from socialbias.reporting.figures import legend_above, settings_of

COLUMNS = 4
HEIGHT = 1.75  # inches of a row of panels
LONGEST_TITLE, LONGEST_TICK = 26, 10  # characters
MANY = 4  # levels whose labels stand upright
SIGNIFICANT = 0.05
GREY = "#777777"
LEGEND = (
    "In colour: the slope differs from 0 (p at most 0.05, for this dose alone), and no number has "
    "a caution. q: p adjusted over all doses (Holm)."
)
SLOPED, FLAT = "slope differs from 0 (p ≤ 0.05), no caution", "other"


def draw(drawing: Drawing) -> Figure:
    """The levels of each dose in order, with their intervals, and the slope above them."""
    values, style = drawing.values[drawing.values["value"].notna()], drawing.style
    levels = values[values["column"].str.startswith("level ")]
    shown = [row for row in drawing.artefact.rows if (levels["row"] == row).sum() > 1]
    rows = max(1, ceil(len(shown) / COLUMNS))
    with mpl.rc_context(settings_of(style)):
        figure = Figure(figsize=(style["width"], rows * HEIGHT), layout="constrained")
        if not shown:
            figure.text(0.5, 0.5, "no input", ha="center")
            return figure
        panels = figure.subplots(rows, COLUMNS, squeeze=False)
        for panel, row in zip(panels.flat, shown, strict=False):
            part = values[values["row"] == row].set_index("column")
            _panel(panel, part, style)
            title = fill(drawing.artefact.rows[row], LONGEST_TITLE)
            label = f"{title}\n{_slope_of(part)}"
            panel.set_title(label, loc="left", size=style["font_size"] - 1)
        for panel in panels.flat[len(shown) :]:
            panel.set_axis_off()
        figure.supxlabel(LEGEND)
        looks = ((style["colours"][0], SLOPED), (GREY, FLAT))
        legend_above(
            figure, style, [Line2D([], [], color=c, marker="o", ms=3, label=of) for c, of in looks]
        )
    return figure


def _panel(panel: Axes, part: pd.DataFrame, style: dict) -> None:
    """The levels of one dose."""
    levels = part[part.index.str.startswith("level ")].sort_index()
    x = np.arange(len(levels))
    significant = SLOPE in part.index and part.loc[SLOPE, "p_value"] <= SIGNIFICANT
    colour = style["colours"][0] if significant and not part.loc[SLOPE, "weak"] else GREY
    panel.vlines(x, levels["ci_low"], levels["ci_high"], color=colour, linewidth=0.9)
    line = "-" if SLOPE in part.index else "none"  # parts of speech have no order
    panel.plot(x, levels["value"], ls=line, marker="o", color=colour, ms=3, linewidth=0.7)
    low, high = panel.get_ylim()
    if low < 0 < high:
        panel.axhline(0, color="#999999", linewidth=0.5)
    upright = len(levels) > MANY
    names = levels["note"].str.partition(";")[0]
    labels = [fill(name, LONGEST_TICK, break_long_words=False) for name in names]
    panel.set_xticks(x, labels, rotation=90 if upright else 0, size=style["font_size"] - 2)
    panel.tick_params(axis="y", labelsize=style["font_size"] - 2)
    panel.margins(x=0.15)


def _slope_of(part: pd.DataFrame) -> str:
    """The slope as text, and below it its tests."""
    if SLOPE not in part.index:
        return "(no order)"
    slope = part.loc[SLOPE]
    tests = f"p {slope['p_value']:.2g}, q {slope['q_value']:.2g}"
    change = f"{slope['value']:+.2g}".replace("-", "−")
    return f"{change} {slope['unit'].removeprefix('slope ')}\n{tests}"
