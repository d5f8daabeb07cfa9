"""Figures, drawn from values."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from itertools import cycle, product
from math import ceil
from pathlib import Path
from textwrap import fill, shorten

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from socialbias.reporting.artefact import Artefact, base_column, numbers_drawn
from socialbias.reporting.compare import too_few
from socialbias.reporting.drawing import Drawing
from socialbias.reporting.values import NO_INPUT
from socialbias.sources.fidelity import FOR

PANELS_IN_A_ROW = 2  # at most
PRINT_COLOUR, GREY = "#222222", "#777777"
ON_SUBSTITUTE, TOO_FEW = "on a substitute", "too few to be judged"
FAINT = 0.35  # opacity of what rests on too few
INDEPENDENT = ("none", "log")  # scales of which each panel has its own
MARKERS = ("o", "s", "^", "v", "P", "X")  # of ours; print is a diamond
# Characters by panels in a row: more of a label leaves no room for the panels, and more of a title
# runs out of its own.
LONGEST_LABEL, LONGEST_TITLE = {1: 58, 2: 40}, {1: 80, 2: 46}
NO_NUMBERS = "Nothing to draw: none of the numbers of this figure could be computed in this run."
CHARACTERS = 155  # of the small text below a figure, to an inch, at a size of one point
LINE = 1.25 / 72  # inches of a line of it, at a size of one point
TWO_LINES = 1.6  # heights of a row whose label has two lines
LANE = 0.24  # of the height of a row
WIDEST = 0.8  # of all lanes of a row together
COLOURS = 96  # of a PNG
ALMOST_WHITE, WHITE = 250, 255  # the nearest of these colours to white is to be white


def draw_artefact(drawing: Drawing, draw: Callable[[Drawing], Figure]) -> Figure:
    """The figure of an artefact, or one sentence where it would show nothing of ours.

    Args:
        drawing: What it is drawn from.
        draw: The function that draws it.
    """
    style = drawing.style
    if not numbers_drawn(drawing.values, drawing.artefact).empty:
        figure = draw(drawing)
        _add_below(figure, drawing.artefact.caption, style)
        return figure
    with mpl.rc_context(settings_of(style)):
        figure = Figure(figsize=(style["width"], 0.6))
        figure.text(0.01, 0.5, f"{drawing.artefact.title}\n{NO_NUMBERS}", va="center")
    return figure


def _add_below(figure: Figure, text: str, style: dict) -> None:
    """Put small lines of text below all panels, in a figure that grows by them."""
    if not text:
        return
    width, height = figure.get_size_inches()
    lines = fill(text, int(width * CHARACTERS / style["font_size"]))
    figure.set_size_inches(width, height + LINE * style["font_size"] * (1 + lines.count("\n")))
    above = figure.get_supxlabel()
    figure.supxlabel(
        f"{above}\n{lines}" if above else lines,
        **{"x": 0.01, "ha": "left", "fontsize": style["font_size"] - 1, "color": GREY},
    )


def draw_dot_plot(drawing: Drawing) -> Figure:
    """The figure of an artefact that declares none of its own: `dot_plot` of its values."""
    return dot_plot(drawing.values, drawing.published, drawing.artefact, drawing.style)


def dot_plot(
    values: pd.DataFrame, published: pd.DataFrame, artefact: Artefact, style: dict
) -> Figure:
    """Dots with intervals, a panel for each printed column: print beside every variant of ours.

    A column that has no number, neither in print nor of ours, gets no panel, and a row no line: how
    many rows were left out stands below.

    Args:
        values: A table of values, at least one of them a number to draw.
        published: Columns `row, column, value`, text.
        artefact: Order, labels, and which columns are drawn.
        style: `width`, `row_height`, `font_size`, `colours` of the configuration.
    """
    ours = values[values["fidelity"] != NO_INPUT]
    numbers = {*ours["column"].map(base_column), *published.loc[published["value"] != "", "column"]}
    drawn = [c for c in artefact.drawn or artefact.columns if c in numbers]
    absent = _rows_without_numbers(ours, published, artefact, drawn)
    kept = {row: label for row, label in artefact.rows.items() if row not in absent}
    artefact = replace(artefact, rows=kept)
    across = min(PANELS_IN_A_ROW, len(drawn))
    rows = ceil(len(drawn) / across)
    looks = _looks(ours[ours["column"].map(base_column).isin(drawn)], artefact, style)
    own_scales = artefact.scale in INDEPENDENT
    labels = [fitting(row, LONGEST_LABEL[across]) for row in artefact.rows.values()]
    row_height = style["row_height"] * (TWO_LINES if any("\n" in row for row in labels) else 1)
    height = rows * (len(artefact.rows) * row_height + (0.75 if own_scales else 0.55))
    with mpl.rc_context(settings_of(style)):
        figure = Figure(figsize=(style["width"], height + 0.5), layout="constrained")
        shared = "none" if own_scales else artefact.scale
        panels = figure.subplots(rows, across, sharey=True, sharex=shared, squeeze=False)
        panels[0, 0].set_yticks(-np.arange(len(labels)), labels)
        for i, (panel, base) in enumerate(zip(panels.flat, drawn, strict=False)):
            part = values[values["column"].map(base_column) == base]
            _panel(panel, part, published[published["column"] == base], artefact, looks)
            title = f"{artefact.columns[base]}{_mark(part)}"
            panel.set_title(fill(title, LONGEST_TITLE[across]), loc="left")
            if own_scales:
                panel.set_xlabel("; ".join(sorted(set(part["unit"]) - {""})) or artefact.unit)
            elif i + across >= len(drawn):
                panel.set_xlabel(artefact.unit)
                panel.tick_params(labelbottom=True)
        for panel in list(panels.flat)[len(drawn) :]:
            panel.set_visible(False)
        if absent:
            what = "row" if len(absent) == 1 else "rows"
            small = {"fontsize": style["font_size"], "color": GREY}
            figure.supxlabel(f"{len(absent)} {what} without a number here left out", **small)
        _legend(figure, panels, artefact)
    return figure


def _rows_without_numbers(
    ours: pd.DataFrame, published: pd.DataFrame, artefact: Artefact, drawn: list[str]
) -> list[str]:
    """The rows that have no number in any panel."""
    here = ours[ours["column"].map(base_column).isin(drawn)]
    printed = published[published["column"].isin(drawn) & (published["value"] != "")]
    known = {*here["row"], *printed["row"]}
    return [row for row in artefact.rows if row not in known]


def settings_of(style: dict) -> dict:
    """Matplotlib's settings for a figure of a paper; the salt keeps SVG ids the same every time."""
    return {
        "font.size": style["font_size"],
        "axes.titlesize": style["font_size"],
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.spines.left": False,
        "savefig.dpi": style["dpi"],
        "svg.hashsalt": "socialbias",
        "pdf.fonttype": 42,
    }


def _looks(ours: pd.DataFrame, artefact: Artefact, style: dict) -> dict[str, tuple[str, str]]:
    """By variant, "" for a plain column, its colour and marker; no two that are drawn are alike."""
    names = list(artefact.variants)
    if not names or not ours["column"].str.contains("@").all():
        names = ["", *names]
    looks = zip(cycle(style["colours"]), cycle(MARKERS), strict=False)
    return dict(zip(names, looks, strict=False))


def _panel(
    panel: Axes, part: pd.DataFrame, published: pd.DataFrame, artefact: Artefact, looks: dict
) -> None:
    """One printed column: a dark diamond for print, a coloured mark for each variant of ours."""
    height = {row: -i for i, row in enumerate(artefact.rows)}
    if artefact.scale == "log":
        panel.set_xscale("log")
    else:
        panel.axvline(artefact.neutral, color="#999999", linewidth=0.6, zorder=0)
    panel.set_ylim(0.4 - len(artefact.rows), 0.6)
    panel.tick_params(left=False)
    panel.grid(axis="y", color="#eeeeee", linewidth=0.6)
    panel.set_axisbelow(True)
    columns = artefact.in_print_order(list(part["column"]))
    lanes = _lanes(1 + len(columns))
    printed = published[published["value"] != ""].set_index("row")["value"].astype(float)
    if len(printed):
        y = printed.index.map(height) - lanes[0]
        panel.plot(printed, y, "D", color=PRINT_COLOUR, mfc="none", ms=3.6, mew=0.9, label="print")
    for i, column in enumerate(columns):
        cells = part[(part["column"] == column) & (part["fidelity"] != NO_INPUT)]
        if cells.empty:
            continue
        label = f"ours, {artefact.label_of_ours(column)}".removesuffix(", ours")
        y = cells["row"].map(height) - lanes[1 + i]
        _series(panel, cells, y, label, *looks[column.partition("@")[2]])


def _series(
    panel: Axes, cells: pd.DataFrame, y: pd.Series, label: str, colour: str, marker: str
) -> None:
    """Numbers with intervals: hollow on a substitute, faint on too few to be judged."""
    few = np.array([bool(too_few(cell)) for cell in cells.to_dict("records")])
    hollow = (cells["fidelity"] == "substitute").to_numpy()
    for is_hollow, is_few in product((False, True), repeat=2):
        chosen = (hollow == is_hollow) & (few == is_few)
        if chosen.any():
            part, look = cells[chosen], {"color": colour, "alpha": FAINT if is_few else 1.0}
            panel.hlines(y[chosen], part["ci_low"], part["ci_high"], linewidth=1.1, **look)
            panel.plot(part["value"], y[chosen], marker, **look, **mark(is_hollow))
    panel.plot([], [], marker, color=colour, ms=3.2, label=label)
    add_marks(panel, hollow, few)


def mark(hollow: bool) -> dict:
    """The look of a mark, but for its colour; hollow is what rests on a substitute."""
    return {"mfc": "white", "ms": 3.2, "mew": 0.8} if hollow else {"ms": 3.2}


def add_marks(panel: Axes, hollow: np.ndarray, few: np.ndarray) -> None:
    """The legend's entries of hollow and of faint marks, as far as there are any."""
    if np.any(hollow):
        panel.plot([], [], "o", color=GREY, label=ON_SUBSTITUTE, **mark(True))
    if np.any(few):
        panel.plot([], [], "o", color=GREY, label=TOO_FEW, alpha=FAINT, **mark(False))


def fitting(label: str, longest: int) -> str:
    """A label without the words in its middle where it is longer than that.

    One that says what it stands in for has two lines before it loses words.
    """
    if len(label) <= longest:
        return label
    real, stands_in, original = label.partition(f" {FOR}")
    if stands_in:
        return f"{fitting(real, longest)}\n{fitting(FOR + original, longest)}"
    end = label[-longest // 2 :].partition(" ")[2]
    return shorten(label, longest - len(end), placeholder=" … ") + end


def _lanes(n: int) -> list[float]:
    """Offsets of n series around the line of their row, so that none hides another."""
    lane = min(LANE, WIDEST / n)
    return [(i - (n - 1) / 2) * lane for i in range(n)]


def _mark(part: pd.DataFrame) -> str:
    """The fidelity of a panel's numbers, where it is not exact."""
    known = part.loc[part["fidelity"] != NO_INPUT, "fidelity"]
    if known.empty:
        return " [no input]" if len(part) else ""
    marks = sorted(set(known) - {"exact"})
    return f" [{', '.join(marks)}]" if marks else ""


def _legend(figure: Figure, panels, artefact: Artefact) -> None:
    """One legend for all panels, above them, in the order of the variants."""
    entries = {}
    for panel in panels.flat:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    order = ["print", "ours", *(f"ours, {label}" for label in artefact.variants.values())]
    order += [ON_SUBSTITUTE, TOO_FEW]
    entries = dict(sorted(entries.items(), key=lambda entry: order.index(entry[0])))
    figure.legend(
        entries.values(), entries.keys(), loc="outside upper left", ncols=4, frameon=False
    )


def save_figure(figure: Figure, stem: Path, dpi: int) -> None:
    """Write `<stem>.pdf`, `.svg` and `.png`, atomically; no dates, so that bytes repeat."""
    for kind in ("pdf", "svg", "png"):
        temporary = stem.with_name(f".{stem.name}.tmp.{kind}")
        with mpl.rc_context({"svg.hashsalt": "socialbias", "pdf.fonttype": 42}):
            if kind == "png":
                _save_png(figure, temporary, dpi)
            else:
                dates = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}[kind]
                figure.savefig(temporary, metadata=dates)
        temporary.replace(stem.with_suffix(f".{kind}"))


def _save_png(figure: Figure, path: Path, dpi: int) -> None:
    """Write a picture of few colours: a quarter of the bytes, of which the page has many."""
    pixels = io.BytesIO()
    figure.savefig(pixels, format="rgba", dpi=dpi)
    size = tuple(int(inches * dpi) for inches in figure.get_size_inches())
    image = Image.frombuffer("RGBA", size, pixels.getvalue(), "raw", "RGBA", 0, 1).convert("RGB")
    image = image.quantize(COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    palette = image.getpalette()
    image.putpalette([WHITE if level > ALMOST_WHITE else level for level in palette])
    image.save(path, dpi=(dpi, dpi), compress_level=9)
