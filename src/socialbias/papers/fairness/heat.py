"""Heat maps of metrics by attributes or groups (Figures 1 to 3)."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure
from numpy.typing import NDArray

from socialbias.reporting.drawing import Drawing
from socialbias.reporting.figures import settings_of
from socialbias.reporting.heatmap import add_key, draw_squares, name_squares
from socialbias.reporting.tables import reader_number

Array = NDArray[np.float64]
LABEL_WIDTH = 18  # characters of a column's name in a line
DIGITS = 3  # of a number in a cell
HUGE = 100.0  # larger numbers fit no cell
MOST_ACROSS = 18  # columns of panels side by side
BELOW = 1.1  # inches for titles and names of columns
TITLE = 6  # characters of a title in a line, to a column of its panel
KEY = "distance from no bias, divided by the largest in the row (no bias: 0"


class Panel(NamedTuple):
    """One heat map."""

    title: str
    values: pd.DataFrame  # with `row`, `column` (without variant), `value` and `note`
    rows: Sequence[str]  # keys in order; those without a number are left out
    columns: Sequence[str]  # likewise


def by_variant(drawing: Drawing) -> pd.DataFrame:
    """Return the values of a figure with `column` and `variant` apart."""
    parts = drawing.values["column"].str.split("@", expand=True)
    return drawing.values.assign(column=parts[0], variant=parts[1])


def normalised(numbers: Array, around: Array | float = 0.0) -> Array:
    """Return rows (r, c) divided by their largest absolute value, from -1 to 1.

    What counts as no bias, `around`, is (r, 1): 1 for a ratio, otherwise 0.
    """
    gaps = numbers - around
    largest = np.max(np.abs(np.nan_to_num(gaps)), axis=1, keepdims=True)
    return np.divide(gaps, largest, out=np.zeros_like(gaps), where=largest > 0)


def heat_maps(
    drawing: Drawing,
    panels: Sequence[Panel],
    *,
    ratios: Sequence[str] = (),
    plain: Sequence[str] = (),
) -> Figure:
    """Heat maps side by side, each row shaded by its largest absolute value in all of them."""
    grids = []
    for panel in panels:
        wide = panel.values.pivot(index="row", columns="column", values="value")
        known = [row for row in panel.rows if row in wide.index]
        grid = wide.loc[known, [column for column in panel.columns if column in wide.columns]]
        grid = grid.dropna(how="all").dropna(how="all", axis=1)
        if not grid.empty:
            grids.append((panel, grid))
    shades = _shades(grids, ratios, plain)
    style, lines = drawing.style, _lines([grid for _, grid in grids])
    rows = [[row for row in panels[0].rows if any(row in grids[i][1].index for i in line)]
            for line in lines]  # fmt: skip
    heights = [len(names) * style["row_height"] + BELOW for names in rows]
    with mpl.rc_context(settings_of(style)):
        figure = Figure(figsize=(style["width"], sum(heights)), layout="constrained")
        across = max(sum(grids[i][1].shape[1] for i in line) for line in lines)
        parts = figure.add_gridspec(len(lines), across, height_ratios=heights)
        for k, (line, names) in enumerate(zip(lines, rows, strict=True)):
            start = 0
            for i in line:
                width = grids[i][1].shape[1]
                axis = figure.add_subplot(parts[k, start : start + width])
                grid, shade = (table.reindex(names) for table in (grids[i][1], shades[i]))
                squares = _draw(axis, grid, shade.to_numpy(), drawing)
                if start:
                    axis.set_yticklabels([])
                axis.set_title(fill(grids[i][0].title, TITLE * width), loc="left")
                start += width
        if np.isfinite(pd.concat(shades, axis=1).to_numpy()).any():
            add_key(figure, figure.axes, squares, f"{KEY}{'; ratios: 1' if ratios else ''})")
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


def _draw(panel: Axes, grid: pd.DataFrame, shades: Array, drawing: Drawing) -> ScalarMappable:
    """Return one heat map with its numbers; what its key is made of."""
    texts = [[_short(number) for number in row] for row in grid.to_numpy()]
    squares = draw_squares(panel, shades, texts, 1.0, drawing.style)
    columns, rows = drawing.artefact.columns, drawing.artefact.rows
    name_squares(
        panel,
        [fill(columns[column], LABEL_WIDTH) for column in grid.columns],
        [rows[row].replace(" [P]", "ᴾ") for row in grid.index],
    )
    return squares


def _short(number: float) -> str:
    """Return a number that fits a square: `.25`, `>99`, "" for none."""
    if number > HUGE:
        return ">99"
    text = reader_number(number, DIGITS)
    return text.replace("0.", ".", 1) if abs(number) < 1 else text
