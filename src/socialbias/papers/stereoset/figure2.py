"""Figure 2: the values that the idealized CAT score may take, with models in it."""

from __future__ import annotations

from itertools import product

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from socialbias.measures.stereoset import idealized_cat_score
from socialbias.pipeline.job import Job
from socialbias.reporting.drawing import Drawing
from socialbias.reporting.figures import legend_above, settings_of
from socialbias.reporting.values import exact, read_values

LMS, SS = range(50, 101, 10), range(0, 101, 10)
TABLE4 = "values/stereoset/table4"
HIGH, LETTER = 3.0, 0.5  # of a name, in points of ss; of one of its letters, in points of lms
OFFSETS = sorted((3.2 * i for i in range(-6, 7)), key=abs)  # of ss, where a name may stand
BESIDE, SMALL = 0.8, 1.5  # of lms, from a mark to its name; points
VARIANTS = (("test", "o", "test split"), ("development", "^", "development split"))
FAMILIES = {"bert": "BERT", "roberta": "RoBERTa", "xlnet": "XLNet", "gpt2": "GPT-2"}


def summarise(job: Job) -> list[dict]:
    """Return the score on a grid, from its definition (section 5.2)."""
    return [
        exact(f"ss {ss}", f"lms {lms}", idealized_cat_score(lms, ss), unit="percent")
        for lms, ss in product(LMS, SS)
    ]


def draw(drawing: Drawing) -> Figure:
    """Return the score as shades over lms and ss, and the models of Table 4."""
    style = drawing.style
    with mpl.rc_context(settings_of(style)):
        figure = Figure(figsize=(style["width"], 0.62 * style["width"]), layout="constrained")
        axes = figure.subplots()
        lms, ss = np.linspace(50, 100, 101), np.linspace(0, 100, 201)
        field = idealized_cat_score(*np.meshgrid(lms, ss))
        shades = axes.contourf(lms, ss, field, levels=np.arange(0, 101, 10), cmap="Greys", vmax=180)
        figure.colorbar(shades, ax=axes, label="idealized CAT score")
        table = read_values(drawing.job.path(TABLE4))
        taken: list[tuple[float, float, float]] = []
        for (variant, marker, label), colour in zip(VARIANTS, style["colours"], strict=False):
            x, y = _places(table, variant)
            axes.plot(x, y, marker, color=colour, label=label, mec="white", ms=6)
            taken += [(lms - BESIDE, lms + BESIDE, ss) for lms, ss in zip(x, y, strict=True)]
        for variant, _, _ in VARIANTS:
            x, y = _places(table, variant)
            for name in x.index[(x < max(LMS)).to_numpy()]:
                family, _, size = name.partition("-")
                label = f"{FAMILIES.get(family, family)} {size}".strip()
                _name(axes, label, (x[name], y[name]), taken, style["font_size"] - SMALL)
        axes.set(xlabel="language modelling score", ylabel="stereotype score", xlim=(50, 101))
        if taken:
            legend_above(figure, style)
    return figure


def _places(table: pd.DataFrame, variant: str) -> tuple[pd.Series, pd.Series]:
    """Return the lms and ss of the models of one split, by name."""
    columns = [f"{score}@{variant}" for score in ("lms", "ss")]
    own = table[table["column"].isin(columns)]
    places = own.pivot(index="row", columns="column", values="value").reindex(columns=columns)
    places = places[places[columns[0]] >= min(LMS)].dropna()
    return places[columns[0]], places[columns[1]]


def _name(
    axes: Axes,
    name: str,
    mark: tuple[float, float],
    taken: list[tuple[float, float, float]],
    size: float,
) -> None:
    """Write a model's name beside its mark, as near as it hides nothing.

    `taken` has what is there already, as both ends in lms and the ss.
    """
    length = LETTER * len(name)
    starts = [x for x in (mark[0] + BESIDE, mark[0] - BESIDE - length) if x + length < max(LMS)]
    starts = [x for x in starts if x > min(LMS)]
    places = [(start, mark[1] + offset) for offset in OFFSETS for start in starts]
    here = [box for box in taken if box[0] < mark[0] < box[1] and abs(box[2] - mark[1]) < HIGH / 2]
    others = [box for box in taken if box not in here]
    free = [
        (start, height)
        for start, height in places
        if not any(
            low < start + length and start < high and abs(height - ss) < HIGH
            for low, high, ss in taken
        )
        and not any(
            low < x < high and abs(y - ss) < HIGH / 2
            for x, y in np.linspace(mark, (start + length / 2, height), 20)
            for low, high, ss in others
        )
    ]
    start, at = (free or places)[0]
    taken.append((start, start + length, at))
    line = {"arrowstyle": "-", "linewidth": 0.5} if at != mark[1] else None
    box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 0.4}
    axes.annotate(name, mark, (start, at), fontsize=size, bbox=box, va="center", arrowprops=line)
