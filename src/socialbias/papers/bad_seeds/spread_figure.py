"""The figure of `spread`: every seed set's interval over the bootstraps, by concept."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from socialbias.papers.bad_seeds import spread
from socialbias.papers.bad_seeds.figure_parts import (
    GREY,
    MARKERS,
    SHORT,
    SUBSTITUTE,
    evidence_of,
    figure_settings,
    new_figure,
    paper_of,
    say_nothing,
)
from socialbias.reporting.compare import caution
from socialbias.reporting.drawing import Drawing
from socialbias.reporting.figures import FAINT, add_marks, legend_above, mark

FEW_MODELS = 3  # are dots: a t interval over so few hides them
MODELS = "Small dots are models; there is no interval over three or fewer."


def draw_spread(drawing: Drawing) -> Figure:
    """Is it the corpus or the seeds? Every seed set's interval over the bootstraps, by concept."""
    evidence, values, style = evidence_of(drawing), drawing.values, drawing.style
    roles = {name: f"corpus_{name.replace('-', '_')}" for name in SHORT}
    stand_ins = drawing.artefact.stand_ins
    labels = SHORT | {
        name: f"{stand_ins[role]} (for: {SHORT[name]})"
        for name, role in roles.items()
        if role in stand_ins
    }
    if evidence.empty:
        figure, (panel,) = new_figure(style, 1.0, 1.0)
        say_nothing(panel)
        return figure
    concepts = list(dict.fromkeys(evidence["concept"]))
    sizes = [evidence.loc[evidence["concept"] == c, "column"].nunique() for c in concepts]
    height = 1.0 + len(concepts) * 0.35 + style["row_height"] * 1.5 * sum(sizes)
    with mpl.rc_context(figure_settings(style)):
        figure = Figure(figsize=(style["width"], height), layout="constrained")
        grid = figure.subplots(len(concepts), 1, squeeze=False, height_ratios=sizes)
        panels = list(grid[:, 0])
        names = list(dict.fromkeys(evidence["corpus"]))
        for panel, concept in zip(panels, concepts, strict=True):
            part = evidence[evidence["concept"] == concept]
            panel.set_title(concept, loc="left")
            _spread_panel(panel, part, values, {n: labels.get(n, n) for n in names}, style)
            scale = part["scale"].iloc[0]
            effect = "WEAT effect size, standard deviations"
            panel.set_xlabel(effect if scale == spread.EFFECT else scale)
        legend_above(figure, style)
        figure.supxlabel(MODELS)
    return figure


def _spread_panel(
    panel: Axes, part: pd.DataFrame, values: pd.DataFrame, labels: Mapping[str, str], style: dict
) -> None:
    """Draw one concept: a row for each alternative, a lane for each labelled corpus."""
    rows = list(dict.fromkeys(part["column"]))
    cells = values.set_index(["row", "column"]) if len(values) else values
    panel.axvline(0, color=GREY, linewidth=0.6, zorder=0)
    for j, name in enumerate(labels):
        colour, marker = style["colours"][j % len(style["colours"])], MARKERS[j % len(MARKERS)]
        for i, alternative in enumerate(rows):
            models = part[(part["column"] == alternative) & (part["corpus"] == name)]
            if models.empty or (models["row"].iloc[0], alternative) not in cells.index:
                continue
            y = -i - (j - (len(labels) - 1) / 2) * 0.7 / max(1, len(labels))
            cell, many = cells.loc[(models["row"].iloc[0], alternative)], len(models) > FEW_MODELS
            dots = {"ms": 2, "alpha": 0.5} if many else {"ms": 3.5, "alpha": 0.6}
            panel.plot(models["measure"], [y] * len(models), ".", color=colour, mew=0, **dots)
            few, hollow = bool(caution(cell)), cell["fidelity"] == SUBSTITUTE
            look = {"color": colour, "alpha": FAINT if few else 1.0}
            if many:
                panel.hlines(y, cell["ci_low"], cell["ci_high"], linewidth=1.1, **look)
            panel.plot(cell["value"], y, marker, **look, **mark(hollow))
            add_marks(panel, np.array([hollow]), np.array([few]))
        panel.plot([], [], marker, color=colour, ms=3.6, label=labels[name])
    panel.set_ylim(0.4 - len(rows), 0.6)
    names = []  # readable: `female 2 (Caliskan et al. 2017)`
    for row in rows:
        parts = [name.rpartition("-") for name in row.split(" | ")]
        words = " / ".join((first or last).replace("_", " ") for first, _, last in parts)
        names.append(f"{words} ({paper_of(parts[0][2])})")
    panel.set_yticks([-i for i in range(len(rows))], names)
    panel.tick_params(left=False)
