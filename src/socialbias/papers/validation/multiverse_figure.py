"""The specification curve."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from socialbias.papers.validation.multiverse import AXES
from socialbias.reporting.artefact import Artefact
from socialbias.reporting.drawing import Drawing
from socialbias.reporting.figures import legend_above, settings_of

DIVERGENCE, SAME = "divergence", 9  # an axis; decimals of two equal correlations
NAMES = {
    "glove": "GloVe", "linf": "l-infinity", "kl": "Kullback-Leibler", "js": "Jensen-Shannon",
    "inner-product": "inner product", "clipped-sum": "clipped sum",
}  # fmt: skip
ONCE = "Specifications that differ in the divergence alone and come to one number are drawn once."


def draw_multiverse(drawing: Drawing) -> Figure:
    """The specification curve of the run."""
    table = drawing.job.table("evidence/validation/multiverse")
    return specification_curve(table, drawing.artefact, drawing.style)


def specification_curve(table: pd.DataFrame, artefact: Artefact, style: dict) -> Figure:
    """Every specification's correlation in order, above the settings that it was made with.

    Args:
        table: The multiverse's evidence.
        artefact: Its columns are the panels.
        style: `width`, `row_height`, `font_size`, `colours` of the configuration.
    """
    columns = [c for c in artefact.columns if (table["column"] == c).any()]
    # In the order in which they occur first.
    choices = [(axis, choice) for axis in AXES if columns for choice in table[axis].unique()]
    below = len(choices) * style["row_height"] * 0.75
    with mpl.rc_context(settings_of(style)):
        figure = Figure(figsize=(style["width"], 2.2 + below), layout="constrained")
        if not columns:
            figure.text(0.5, 0.5, "no input", ha="center")
            return figure
        panels = figure.subplots(
            2, len(columns), sharex="col", sharey="row", squeeze=False,
            height_ratios=[1.7, below],
        )  # fmt: skip
        for (top, bottom), column in zip(panels.T, columns, strict=True):
            part = _each_once(table[table["column"] == column])
            _curve(top, part, style)
            top.set_title(artefact.columns[column], loc="left")
            _dashboard(bottom, part, choices, style)
        if any(len(_each_once(part)) < len(part) for _, part in table.groupby("column")):
            figure.supxlabel(ONCE)
        panels[0, 0].set_ylabel(artefact.unit)
        legend_above(figure, style)
    return figure


def _each_once(part: pd.DataFrame) -> pd.DataFrame:
    """Specifications in order, those that differ in the divergence alone once: all that give it."""
    keys = [axis for axis in AXES if axis != DIVERGENCE]
    groups = part.assign(number=part["rho"].round(SAME)).groupby([*keys, "number"], sort=False)
    first = groups.first()
    first[DIVERGENCE] = groups[DIVERGENCE].agg(list)
    first["headline"] = groups["headline"].any()
    return first.reset_index().sort_values("rho", kind="stable")


def _curve(panel, part: pd.DataFrame, style: dict) -> None:
    """The correlations in order with their intervals; the paper's own setting stands out."""
    x = np.arange(len(part))
    significant = (part["p_value"] <= 0.05).to_numpy()
    panel.axhline(0, color="#999999", linewidth=0.6)
    panel.vlines(x, part["ci_low"], part["ci_high"], color="#dddddd", linewidth=0.7)
    for chosen, colour, label in (
        (significant, style["colours"][0], "significant at 0.05"),
        (~significant, "#999999", "not significant"),
    ):
        panel.plot(x[chosen], part["rho"][chosen], ".", color=colour, ms=3, label=label)
    headline = part["headline"].to_numpy()
    panel.plot(
        x[headline], part["rho"][headline], "D", color=style["colours"][1], ms=4.5,
        label="the paper's setting",
    )  # fmt: skip
    panel.tick_params(bottom=False)


def _dashboard(panel, part: pd.DataFrame, choices: list[tuple[str, str]], style: dict) -> None:
    """A tick under each specification for each choice that it was made with."""
    for i, (axis, choice) in enumerate(choices):
        chosen = [[name] if isinstance(name, str) else name for name in part[axis]]
        x = np.flatnonzero([choice in names for names in chosen])
        panel.plot(x, np.full(len(x), -i), "|", color="#333333", ms=3.5, mew=0.7)
    labels = [f"{axis}: {NAMES.get(choice, choice)}" for axis, choice in choices]
    panel.set_yticks(-np.arange(len(choices)), labels)
    panel.set_ylim(0.6 - len(choices), 0.6)
    panel.tick_params(left=False)
    panel.set_xlabel("specifications, in order")
