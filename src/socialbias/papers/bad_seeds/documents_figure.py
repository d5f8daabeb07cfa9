"""The figure of `documents`: which documents make a number, and what goes when they go."""

from __future__ import annotations

import re
from textwrap import shorten

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from socialbias.papers.bad_seeds.figure_parts import (
    GREY,
    evidence_of,
    figure_settings,
)
from socialbias.reporting.compare import SIGNIFICANT
from socialbias.reporting.drawing import Drawing
from socialbias.reporting.figures import legend_above

FADED = "#bbbbbb"
SURE_OF_NOTHING = (
    "Grey: documents do not predict the measure (p > .05), so that no order of them is sure."
)


def draw_documents(drawing: Drawing) -> Figure:
    """Return two panels a measure: influence of the top documents, and what goes when they go."""
    evidence, rows, style = evidence_of(drawing), drawing.artefact.rows, drawing.style
    drawn = [row for row in rows if (evidence["row"] == row).any()]
    with mpl.rc_context(figure_settings(style)):
        figure = Figure(figsize=(style["width"], 0.6 + 1.75 * len(drawn)), layout="constrained")
        grid = figure.subplots(len(drawn), 2, squeeze=False, width_ratios=(3, 2))
        for (left, right), row in zip(grid, drawn, strict=True):
            part = evidence[evidence["row"] == row]
            fits = part.set_index("kind")
            texts = [
                f"{label} {fits.loc[kind, 'number']:.2f}, p {fits.loc[kind, 'p_value']:.2f}"
                for kind, label in (("fit", "R²"), ("groups", "groups R²"))
                if kind in fits.index
            ]
            fit = "; ".join(texts).replace("-", "−")
            left.set_title(f"{row}\n{fit}".strip(), loc="left")
            _influences(left, part, style)
            _removals(right, part, style)
        grid[-1, 0].set_xlabel("change for one more copy\nof a document")
        grid[-1, 1].set_xlabel("change without\na tenth of the text")
        legend_above(figure, style)
        notes = [f"No input: {row}." for row in rows if row not in drawn]
        if any(_unsure(evidence[evidence["row"] == row]) for row in drawn):
            notes.append(SURE_OF_NOTHING)
        if notes:
            figure.supxlabel(" ".join(notes))
    return figure


def _influences(panel: Axes, part: pd.DataFrame, style: dict) -> None:
    """Draw the documents that raise a measure, largest first, above those that lower it."""
    raises = part[part["kind"] == "raises"].sort_values("place")
    lowers = part[part["kind"] == "lowers"].sort_values("place", ascending=False)
    shown = pd.concat([raises, lowers])
    y = -np.arange(len(shown))
    colour = FADED if _unsure(part) else style["colours"][0]
    panel.axvline(0, color=GREY, linewidth=0.6)
    panel.hlines(y, 0, shown["number"], color=colour, linewidth=1.1)
    panel.scatter(shown["number"], y, color=colour, s=12, zorder=3)
    # Without WikiText's blanks around brackets, quotes and punctuation.
    names = [re.sub(r"([(\[]) | (?=[)\],:;!?.]|'s\b)", r"\1", name) for name in shown["document"]]
    names = [re.sub(r'" ([^"]*) "', r'"\1"', name) for name in names]
    panel.set_yticks(y, [shorten(name, 38, placeholder="…") for name in names])
    panel.tick_params(left=False)


def _unsure(part: pd.DataFrame) -> bool:
    """Return whether documents do not predict a replicate left out better than chance does."""
    return bool((part.loc[part["kind"] == "fit", "p_value"] > SIGNIFICANT).any())


def _removals(panel: Axes, part: pd.DataFrame, style: dict) -> None:
    """Models without random documents as circles, that without the top as a diamond."""
    random = part.loc[part["kind"] == "without random", "number"]
    top = part[part["kind"] == "without top"]
    panel.axvline(0, color=GREY, linewidth=0.6)
    panel.plot(
        random,
        [0] * len(random),
        "o",
        color=GREY,
        mfc="none",
        ms=4,
        label="without random documents",
    )
    label = "without those that raise it most"
    panel.plot(top["number"], [0] * len(top), "D", color=style["colours"][1], ms=5, label=label)
    for p_value in top["p_value"]:
        panel.set_title(f"p {p_value:.2f}", loc="right")
    panel.set_ylim(-1, 1)
    panel.set_yticks([])
