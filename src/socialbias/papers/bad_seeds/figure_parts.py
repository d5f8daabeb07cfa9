"""What the figures of Bad Seeds share: how marks look, panels, box plots and legends.

`style` is the configuration's: `width` (two columns, in inches), `row_height`, `font_size`, `dpi`,
`colours`. Series differ in marker, hatch or line as well as in colour; what rests on a substitute
is hollow, what is to be read with caution is faint. The same input gives the same bytes:
nothing is drawn at random.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from socialbias.reporting.compare import caution
from socialbias.reporting.drawing import Drawing
from socialbias.reporting.figures import CAUTION, FAINT, ON_SUBSTITUTE, settings_of

DARK, GREY, PALE = "#222222", "#777777", "#dddddd"
NOTHING = "no input"
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
SHORT = {"nyt": "NYT", "wikitext": "WikiText", "goodreads-romance": "romance"}
SHORT |= {"goodreads-history-biography": "history, biography"}
SUBSTITUTE = "substitute"  # a fidelity


class Look(NamedTuple):
    """How a mark, a box or a bar shows its number: on a substitute hollow, on too few faint."""

    hollow: bool = False
    faint: bool = False


PLAIN = Look()


def paper_of(name: str) -> str:
    """`Caliskan et al. 2017` from `Caliskan_et_al_2017`."""
    return name.replace("_", " ").replace(" et al ", " et al. ")


def figure_settings(style: dict) -> dict:
    """Matplotlib's settings for figures with an axis on the left and hatched areas."""
    return settings_of(style) | {"axes.spines.left": True, "hatch.linewidth": 0.4}


def new_figure(
    style: dict, share: float, height: float, rows: int = 1, columns: int = 1
) -> tuple[Figure, list[Axes]]:
    """Return a figure and its panels; `share` of the page's width."""
    figure = Figure(figsize=(style["width"] * share, height), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False)
    return figure, list(panels.flat)


def draw_boxes(panel, numbers, places, colours, width, hatch="", look=PLAIN) -> None:
    """Horizontal box plots: quartiles and median, whiskers to 1.5 interquartile ranges."""
    drawn = panel.boxplot(
        numbers, positions=places, widths=width, orientation="horizontal", patch_artist=True,
        manage_ticks=False, medianprops={"color": DARK}, whiskerprops={"linewidth": 0.7},
        flierprops={"marker": ".", "markersize": 2, "markeredgecolor": GREY},
    )  # fmt: skip
    for box, colour in zip(drawn["boxes"], colours, strict=True):
        box.set(facecolor=colour, alpha=0.6, linewidth=0.7, hatch=hatch * 2)
        if look.hollow:
            box.set(facecolor="white", edgecolor=colour, alpha=1.0)
    if look.faint:
        for artist in chain.from_iterable(drawn.values()):
            artist.set_alpha(FAINT)


def say_nothing(panel: Axes) -> None:
    """Draw a panel that says so, without the ticks of a scale on which nothing lies."""
    panel.set(xticks=[], yticks=[])
    panel.text(0.5, 0.5, NOTHING, transform=panel.transAxes, ha="center", va="center", color=GREY)


def rests_on_few(cells: pd.DataFrame) -> np.ndarray:
    """Return whether each row of evidence (with `n` and `n_of`) has too few seeds."""
    records = cells[["n", "n_of"]].assign(n_unit="seeds").to_dict("records")
    return np.array([bool(caution(record)) for record in records], dtype=bool)


def few_by(evidence: pd.DataFrame, keys: list[str]) -> pd.Series:
    """Return whether the numbers with these keys have too few seeds in any model."""
    counts = evidence.groupby(keys).agg({"n": "min", "n_of": "max"})
    return pd.Series(rests_on_few(counts), index=counts.index, dtype=bool)


def on_substitutes(values: pd.DataFrame) -> set[tuple[str, str]]:
    """Return the row and column of the cells that use a substitute."""
    cells = values.loc[values["fidelity"] == SUBSTITUTE, ["row", "column"]]
    return set(cells.itertuples(index=False, name=None))


def filling(colour: str | list[str], look: Look = PLAIN) -> dict:
    """Return the look of a bar."""
    alpha = {"alpha": FAINT} if look.faint else {}
    if look.hollow:
        return {"facecolor": "white", "edgecolor": colour, "linewidth": 0.8} | alpha
    return {"facecolor": colour, "edgecolor": "white", "linewidth": 0.3} | alpha


def look_patches(looks: Iterable[Look]) -> list[Patch]:
    """Return the legend's entries for hollow and for faint boxes and bars, if any."""
    known = set(looks)
    entries = [(ON_SUBSTITUTE, Look(hollow=True))] * any(look.hollow for look in known)
    entries += [(CAUTION, Look(faint=True))] * any(look.faint for look in known)
    return [Patch(label=label, **filling(GREY, look)) for label, look in entries]


def evidence_of(drawing: Drawing) -> pd.DataFrame:
    """Return the evidence of the artefact that is drawn."""
    return drawing.job.table(f"evidence/bad_seeds/{drawing.artefact.artefact}")
