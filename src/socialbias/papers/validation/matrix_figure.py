"""The validity matrix as squares with their numbers."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from socialbias.papers.validation.matrix import CRITERIA
from socialbias.papers.validation.units import TRAITS, UNITS
from socialbias.reporting.compare import caution
from socialbias.reporting.drawing import Drawing
from socialbias.reporting.figures import settings_of
from socialbias.reporting.heatmap import add_key, draw_squares, name_squares

PALE, DARK = "#999999", "#222222"
LEGEND = (
    "Diagonal: reliability. In a dark frame: one trait, two methods. In bold: the interval leaves "
    "out 0. Grey: too noisy or too few words."
)
NAMES = {
    "women": "share of women", "gdp": "GDP", "frequency": "log frequency", "glove": "GloVe",
    "own": "own word2vec", "representation": "encoder",
}  # fmt: skip


def draw(drawing: Drawing) -> Figure:
    """Return a square for each correlation of a unit: traits by methods, then criteria."""
    style, values = drawing.style, drawing.values[drawing.values["value"].notna()]
    columns = [c for c in drawing.artefact.columns if c.partition("-")[0] in TRAITS]
    panels = {}
    for unit in UNITS:
        cells = values[values["row"].str.startswith(f"{unit} ") & values["column"].isin(columns)]
        # The measure or criterion of a row, by the name that it has as a column.
        keys = cells["row"].str.removeprefix(f"{unit} ").str.replace(" ", "-", n=1)
        cells = cells.assign(key=keys)[keys.isin([*columns, *CRITERIA])]
        if len(cells):
            panels[unit] = cells
    with mpl.rc_context(settings_of(style)):
        rows = [len(_order(grid, columns)[1]) for grid in panels.values()]
        height = style["row_height"] * sum(rows) + 1.2 * max(1, len(panels))
        figure = Figure(figsize=(style["width"], height), layout="constrained")
        if not panels:
            figure.text(0.5, 0.5, "no input", ha="center")
            return figure
        axes = figure.subplots(len(panels), 1, squeeze=False, height_ratios=rows)
        for panel, (unit, grid) in zip(axes.flat, panels.items(), strict=True):
            squares = _matrix(panel, grid, columns, drawing)
            panel.set_title(unit, loc="left")
        add_key(figure, axes, squares, "Spearman's rho")
        figure.supxlabel(LEGEND)
    return figure


def _order(grid: pd.DataFrame, columns: list[str]) -> tuple[list[str], list[str]]:
    """Columns and rows that have numbers."""
    across = [c for c in columns if (grid["column"] == c).any()]
    down = [key for key in (*columns, *CRITERIA) if (grid["key"] == key).any()]
    return across, down


def _matrix(axes: Axes, grid: pd.DataFrame, columns: list[str], drawing: Drawing) -> ScalarMappable:
    """Return one unit's matrix; what its key is made of."""
    across, down = _order(grid, columns)
    shades = np.full((len(down), len(across)), np.nan)
    texts = np.full(shades.shape, "", dtype=object)
    sure, noisy = np.zeros((2, *shades.shape), bool)
    for cell in grid.itertuples():
        place = down.index(cell.key), across.index(cell.column)
        text = f"{abs(cell.value):.{drawing.artefact.digits}f}"
        minus = "−" if cell.value < 0 and float(text) else ""
        texts[place] = minus + text.removeprefix("0")  # .45, −.12
        diagonal, noisy[place] = cell.key == cell.column, bool(caution(cell._asdict()))
        if not diagonal and not noisy[place]:
            shades[place] = cell.value
            sure[place] = not cell.ci_low <= 0 <= cell.ci_high
        same = cell.key.partition("-")[0] == cell.column.partition("-")[0]
        if same and not diagonal:
            y, x = place
            frame = {"fill": False, "ec": DARK, "lw": 0.8, "zorder": 2}  # above the squares
            axes.add_patch(Rectangle((x - 0.46, y - 0.46), 0.92, 0.92, **frame))
    squares = draw_squares(axes, shades, texts, 1.0, drawing.style)
    for text, is_sure, is_noisy in zip(axes.texts, sure.flat, noisy.flat, strict=True):
        text.set_weight("bold" if is_sure else "normal")
        if is_noisy:
            text.set_color(PALE)
    name_squares(axes, [_label(c) for c in across], [_label(key) for key in down])
    return squares


def _label(key: str) -> str:
    trait, _, method = key.partition("-")
    return f"{trait}, {NAMES.get(method, method)}" if method else NAMES.get(trait, trait)
