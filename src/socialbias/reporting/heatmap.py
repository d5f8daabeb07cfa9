"""Heat maps: squares with their numbers, and the key of their colours."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure

SHADES = 21  # a key of so few has no stripes in a picture of few colours
DARK = 0.6  # of the colour scale: text in darker squares is white
GRID = "#e6e6e6"  # so that squares without a colour can be told from no square
SMALLER = 1.5  # points by which numbers in squares are smaller than other text
KEY_HEIGHT = 0.45  # inches of a key above panels


def draw_squares(
    panel: Axes, shades: np.ndarray, texts: Sequence[Sequence[str]], limit: float, style: dict
) -> ScalarMappable:
    """Draw squares with texts, the first row at the top; return what a key is made of."""
    rows, columns = shades.shape
    edges = np.arange(columns + 1) - 0.5, np.arange(rows + 1) - 0.5
    colours = mpl.colormaps[style["colour_map"]].resampled(SHADES)
    squares = panel.pcolormesh(
        *edges, np.ma.masked_invalid(shades), cmap=colours, vmin=-limit, vmax=limit,
        edgecolors=GRID, linewidth=0.4,
    )  # fmt: skip
    for (i, j), shade in np.ndenumerate(shades):
        colour = "white" if abs(shade) > DARK * limit else "black"  # also where it is NaN
        look = {"color": colour, "fontsize": style["font_size"] - SMALLER}
        panel.text(j, i, texts[i][j], ha="center", va="center", **look)
    panel.set_ylim(rows - 0.5, -0.5)
    panel.tick_params(length=0)
    panel.spines[:].set_visible(False)
    return squares


def name_squares(panel: Axes, columns: Sequence[str], rows: Sequence[str]) -> None:
    """Write the names of columns, slanted, below squares, and those of rows beside them."""
    look = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}
    panel.set_xticks(range(len(columns)), columns, **look)
    panel.set_yticks(range(len(rows)), rows)


def add_key(figure: Figure, panels: Sequence[Axes], squares: ScalarMappable, label: str) -> None:
    """Add the key of the colours above panels; the figure grows by it."""
    bar = figure.colorbar(
        squares, ax=panels, location="top", shrink=0.35, aspect=30, anchor=(0, 0), pad=0.02
    )
    bar.set_label(label, loc="left")
    bar.outline.set_visible(False)
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + KEY_HEIGHT)
