"""Figure 2: the values that the idealized CAT score may take, with models in it."""

from __future__ import annotations

from itertools import product

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from socialbias.measures.stereoset import idealized_cat_score
from socialbias.pipeline.job import Job
from socialbias.reporting.drawing import Drawing
from socialbias.reporting.figures import settings_of
from socialbias.reporting.values import exact, read_values

LMS, SS = range(50, 101, 10), range(0, 101, 10)
TABLE4 = "values/stereoset/table4"
WIDE, HIGH = 1.6, 3.0  # of a number, in points of lms and of ss
OFFSETS = (0.0, 3.2, -3.2, 6.4, -6.4, 9.6, -9.6)  # of ss, where a number may stand
BESIDE, FONT = 0.8, 7  # of lms, from a mark to its number; points
VARIANTS = (("test", "o", "test split"), ("development", "^", "development split"))


def summarise(job: Job) -> list[dict]:
    """The score on a grid, from its definition (section 5.2)."""
    return [
        exact(f"ss {ss}", f"lms {lms}", idealized_cat_score(lms, ss), unit="percent")
        for lms, ss in product(LMS, SS)
    ]


def draw(drawing: Drawing) -> Figure:
    """The score as shades over lms and ss, and the models of Table 4."""
    style = drawing.style
    with mpl.rc_context(settings_of(style)):
        figure = Figure(figsize=(style["width"], 0.62 * style["width"]), layout="constrained")
        axes = figure.subplots()
        lms, ss = np.linspace(50, 100, 101), np.linspace(0, 100, 201)
        field = idealized_cat_score(*np.meshgrid(lms, ss))
        shades = axes.contourf(lms, ss, field, levels=np.arange(0, 101, 10), cmap="Greys")
        figure.colorbar(shades, ax=axes, label="idealized CAT score")
        table = read_values(drawing.job.path(TABLE4))
        named: list[tuple[float, float]] = []
        numbers: dict[str, int] = {}
        for (variant, marker, label), colour in zip(VARIANTS, style["colours"], strict=False):
            _models(axes, table, variant, marker, label, colour, named, numbers)
        figure.supxlabel("; ".join(f"{i} {name}" for name, i in numbers.items()))
        axes.set(xlabel="language modelling score", ylabel="stereotype score", xlim=(50, 100))
        if axes.get_legend_handles_labels()[0]:
            axes.legend(loc="lower left")
    return figure


def _models(
    axes, table, variant: str, marker: str, label: str, colour: str, named: list, numbers: dict
) -> None:
    """The models of one split, with their numbers where there is room.

    `named` has the places taken, and `numbers` those of the models that have one.
    """
    own = table[table["column"].isin([f"lms@{variant}", f"ss@{variant}"])]
    places = own.pivot(index="row", columns="column", values="value").dropna()
    places = places[places[f"lms@{variant}"] >= min(LMS)] if len(places) else places
    if not len(places):
        return
    x, y = places[f"lms@{variant}"], places[f"ss@{variant}"]
    axes.plot(x, y, marker, color=colour, label=label, markeredgecolor="white", markersize=6)
    for name in places.index:
        number = numbers.setdefault(name, len(numbers) + 1)
        beside, heights = x[name] + BESIDE, [y[name] + up for up in OFFSETS]
        free = [
            height
            for height in heights
            if not any(abs(beside - a) < WIDE and abs(height - b) < HIGH for a, b in named)
        ]
        at = (free or heights)[0]
        named.append((beside, at))
        line = {"arrowstyle": "-", "color": colour, "linewidth": 0.5}
        axes.annotate(
            f"{number}",
            (x[name], y[name]),
            (beside, at),
            fontsize=FONT,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 0.4},
            va="center",
            arrowprops=line if at != y[name] else None,
        )
