"""Heat maps of metrics by attributes or groups (Figures 1 to 3)."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from socialbias.reporting.drawing import Drawing
from socialbias.reporting.figures import settings_of
from socialbias.reporting.tables import reader_number

Array = NDArray[np.float64]
LABEL_WIDTH = 18  # characters of a column's name in a line
DARK = 0.6  # of the colour scale: cells beyond it have white text
SMALLER = 1.5  # points by which numbers in cells are
HUGE = 100.0  # larger numbers fit no cell
MOST_ACROSS = 18  # columns of panels side by side
BELOW = 1.1  # inches for titles and names of columns
SHORTEST = 18  # characters of a title in a line


class Panel(NamedTuple):
    """One heat map.

    Attributes:
        title: Above it.
        values: With `row`, `column` (without variant), `value` and `note`.
        rows, columns: Keys in order; those without a number are left out.
    """

    title: str
    values: pd.DataFrame
    rows: Sequence[str]
    columns: Sequence[str]


def by_variant(drawing: Drawing) -> pd.DataFrame:
    """The values of a figure with `column` and `variant` apart."""
    parts = drawing.values["column"].str.split("@", expand=True)
    return drawing.values.assign(column=parts[0], variant=parts[1])


def normalised(numbers: Array, around: Array | float = 0.0) -> Array:
    """Rows divided by their largest absolute value, from -1 to 1.

    Args:
        numbers: (r, c), NaN where there is none.
        around: (r, 1) what counts as no bias: 1 for a ratio, otherwise 0.
    """
    gaps = numbers - around
    largest = np.max(np.abs(np.nan_to_num(gaps)), axis=1, keepdims=True)
    return np.divide(gaps, largest, out=np.zeros_like(gaps), where=largest > 0)


def _grid(panel: Panel) -> pd.DataFrame:
    """Numbers by row and column, those without any left out."""
    wide = panel.values.pivot(index="row", columns="column", values="value")
    rows = [row for row in panel.rows if row in wide.index]
    columns = [column for column in panel.columns if column in wide.columns]
    return wide.loc[rows, columns].dropna(how="all").dropna(how="all", axis=1)


def heat_maps(
    drawing: Drawing,
    panels: Sequence[Panel],
    *,
    digits: int = 3,
    ratios: Sequence[str] = (),
    plain: Sequence[str] = (),
) -> Figure:
    """Heat maps side by side, each row shaded by its largest absolute value in all of them.

    Args:
        drawing: Labels, and the style with its colour map.
        panels: Those without a number are left out.
        digits: Decimals in the cells.
        ratios: Rows of which 1 is no bias; without a denominator they are not shaded.
        plain: Columns that are neither shaded nor count as the largest.
    """
    grids = [(panel, grid) for panel in panels if not (grid := _grid(panel)).empty]
    shades = _shades(grids, ratios, plain)
    style, lines = drawing.style, _lines([grid for _, grid in grids])
    rows = [[row for row in panels[0].rows if any(row in grids[i][1].index for i in line)]
            for line in lines]  # fmt: skip
    heights = [len(names) * style["row_height"] + BELOW for names in rows]
    with mpl.rc_context(settings_of(style)):
        figure = Figure(figsize=(style["width"], sum(heights)), layout="constrained")
        parts = figure.subfigures(len(lines), squeeze=False, height_ratios=heights)[:, 0]
        for part, line, names in zip(parts, lines, rows, strict=True):
            widths = [grids[i][1].shape[1] for i in line]
            axes = part.subplots(1, len(line), squeeze=False, width_ratios=widths)[0]
            for i, axis, width in zip(line, axes, widths, strict=True):
                grid, shade = (table.reindex(names) for table in (grids[i][1], shades[i]))
                _draw(axis, grid, shade.to_numpy(), drawing, digits, i == line[0])
                axis.set_title(fill(grids[i][0].title, max(SHORTEST, 7 * width)), loc="left")
    return figure


def _shades(
    grids: Sequence[tuple[Panel, pd.DataFrame]], ratios: Sequence[str], plain: Sequence[str]
) -> list[pd.DataFrame]:
    """Numbers from -1 to 1, by rows normalised over all grids; NaN where nothing is shaded."""
    shown = []
    for panel, grid in grids:
        numbers = grid.copy()
        numbers[[column for column in grid if column in plain]] = np.nan
        if ratios:
            notes = panel.values.pivot(index="row", columns="column", values="note").fillna("")
            notes = notes.loc[grid.index, grid.columns]
            numbers = numbers.mask(notes.map(lambda note: "/0" in note))  # without a denominator
        shown.append(numbers)
    whole = pd.concat(dict(enumerate(shown)), axis=1)
    around = np.array([[1.0 if row in ratios else 0.0] for row in whole.index])
    whole[:] = normalised(whole.to_numpy(), around)
    return [whole[i] for i in range(len(shown))]


def _lines(grids: Sequence[pd.DataFrame]) -> list[list[int]]:
    """Places of panels in lines that are not too wide."""
    lines: list[list[int]] = []
    across = MOST_ACROSS
    for i, grid in enumerate(grids):
        if across + grid.shape[1] > MOST_ACROSS:
            lines.append([])
            across = 0
        lines[-1].append(i)
        across += grid.shape[1]
    return lines


def _draw(panel, grid: pd.DataFrame, shades: Array, drawing: Drawing, digits: int, names: bool):
    """One heat map with its numbers."""
    style = drawing.style
    panel.imshow(
        np.ma.masked_invalid(shades), cmap=style["colour_map"], vmin=-1, vmax=1, aspect="auto"
    )
    for (i, j), number in np.ndenumerate(grid.to_numpy()):
        if not np.isnan(number):
            colour = "white" if abs(shades[i, j]) > DARK else "black"  # also where it is NaN
            text = ">99" if number > HUGE else reader_number(number, digits)
            text = text.replace("0.", ".", 1) if abs(number) < 1 else text
            size = style["font_size"] - SMALLER
            panel.text(j, i, text, ha="center", va="center", color=colour, fontsize=size)
    labels = drawing.artefact.columns
    columns = [fill(labels[column], LABEL_WIDTH) for column in grid.columns]
    panel.set_xticks(range(len(columns)), columns, rotation=60, ha="right", fontsize="small",
                     rotation_mode="anchor")  # fmt: skip
    row_labels = drawing.artefact.rows
    rows = [row_labels[row].replace(" [P]", "$^P$") if names else "" for row in grid.index]
    panel.set_yticks(range(len(grid)), rows, fontsize="small")
    panel.tick_params(length=0)
    panel.spines["bottom"].set_visible(False)
