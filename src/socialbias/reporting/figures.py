"""Figures, drawn from values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import cycle, product
from math import ceil
from pathlib import Path
from textwrap import fill

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

from socialbias.reporting.artefact import Artefact, base_column, numbers_drawn
from socialbias.reporting.captions import left_out, over, rests_on, sentences
from socialbias.reporting.compare import caution
from socialbias.reporting.drawing import Drawing
from socialbias.sources.fidelity import FOR

PRINT_COLOUR, GREY, PALE = "#222222", "#777777", "#999999"
PAPER = "paper"  # what readers see of print
ON_SUBSTITUTE, CAUTION = "on other data or models", "read with caution"
NO_EFFECT = "no effect"  # what a line across a panel is, but at this number
LEVEL, OF_LEVEL = 0.05, "level of the tests"
FAINT = 0.35  # opacity of what is to be read with caution
INDEPENDENT = ("none", "log", "symlog")  # scales of which each panel has its own
LINEAR = 0.01  # a scale `symlog` is linear between this and its negative
MARKERS = ("o", "s", "^", "v", "P", "X")  # of ours; print is a diamond
LONGEST = 41  # characters of a line of the label of a row
NARROWEST, MOST_ABREAST = 1.35, 4  # inches of a panel, and panels side by side
NO_NUMBERS = "Nothing to draw: none of the numbers of this figure could be computed in this run."
CHARACTERS = 155  # of the small text below a figure, to an inch, at a size of one point
WIDE_CHARACTERS = 124  # of other text, likewise
LINE = 1.25 / 72  # inches of a line of text, at a size of one point
LANE, GAP = 0.062, 0.035  # inches of a mark in a row, and between two rows
MANY_ROWS, MOST_ROWS = 24, 40  # stand closer together; only those of the paper are drawn
AXIS, TITLE = 0.42, 0.08  # inches of an axis with its label, and above a panel
MARKED = 6  # characters of the mark of an entry of a legend
SEE_COLUMN = "see column"  # the unit of an artefact whose columns have units of their own
LEGEND = {"frameon": False, "columnspacing": 1.0, "handletextpad": 0.4}


def draw_artefact(drawing: Drawing, draw: Callable[[Drawing], Figure]) -> tuple[Figure, str]:
    """Return the figure of an artefact, and its caption.

    One sentence where nothing of ours is there. Below the panels stand its title, its run and what
    its numbers are based on.
    """
    style, artefact = drawing.style, drawing.artefact
    title, shown = artefact.title, numbers_drawn(drawing.values, artefact)
    title = title if title.endswith("?") else f"{title}."
    if shown.empty:
        with mpl.rc_context(settings_of(style)):
            figure = Figure(figsize=(style["width"], 0.3))
            figure.text(0.01, 0.5, f"{title} {NO_NUMBERS}", va="center")
        return figure, f"{title} {NO_NUMBERS}"
    figure = draw(drawing)
    parts = [title, *sentences(artefact, shown, drawing.run), figure.get_supxlabel()]
    size, run = style["font_size"], drawing.run
    short = f"{artefact.title} ({run} run)." if run else title
    below = fill(f"{short} {rests_on(shown)}", int(figure.get_figwidth() * CHARACTERS / size))
    _grow(figure, LINE * size * (1 + below.count("\n")))
    figure.supxlabel(below, x=0.01, ha="left", fontsize=size - 1, color=GREY)
    return figure, " ".join(filter(None, parts))


def draw_dot_plot(drawing: Drawing) -> Figure:
    """Return the figure of an artefact that declares none of its own.

    Dots with intervals, a panel for each printed column and a line for each row that has a number
    of ours: the paper's beside every variant of ours.
    """
    artefact, style = drawing.artefact, drawing.style
    ours = numbers_drawn(drawing.values, artefact)
    ours = ours.assign(base=ours["column"].map(base_column))
    published = drawing.published[drawing.published["value"] != ""]
    columns = [c for c in artefact.drawn or artefact.columns if (ours["base"] == c).any()]
    rows = [row for row in artefact.rows if (ours["row"] == row).any()]
    missing = len(artefact.rows) - len(rows)
    in_paper = [row for row in rows if (published["row"] == row).any()]
    beyond = ""
    if len(rows) > MOST_ROWS and in_paper:
        beyond = f"{len(rows) - len(in_paper)} rows that the paper does not have are not drawn."
        rows, ours = in_paper, ours[ours["row"].isin(in_paper)]
    labels = {row: fitting(artefact.rows[row], LONGEST) for row in rows}
    heights = _heights(rows, labels, ours, published, style)
    depth, centres = 0.0, {}  # in inches; 0 is the top
    for row, height in heights.items():
        centres[row] = -depth - height / 2
        depth += height
    across, lines, characters = _grid(len(columns), labels, style)
    units = _units(ours, columns, artefact)
    own_scales = artefact.scale in INDEPENDENT
    own_axes = own_scales or len({*units.values()}) > 1
    titles, names = (
        {c: fill(texts[c], characters) for c in columns} for texts in (artefact.columns, units)
    )
    text = max(2 + titles[c].count("\n") + names[c].count("\n") for c in columns)
    height = lines * (depth + TITLE + AXIS + LINE * style["font_size"] * text)
    looks = _looks(ours, artefact, style)
    with mpl.rc_context(settings_of(style)):
        figure = Figure(figsize=(style["width"], height), layout="constrained")
        sharex = "none" if own_scales else artefact.scale
        grid = figure.subplots(lines, across, squeeze=False, sharex=sharex, sharey=True).flat
        for place, (axes, column) in enumerate(zip(grid, columns, strict=False)):
            part = ours[ours["base"] == column]
            of_panel = (published["column"] == column) & published["row"].isin(rows)
            _panel(axes, part, published[of_panel], artefact, looks, centres)
            declared = artefact.neutral
            line = declared.get(column) if isinstance(declared, Mapping) else declared
            if {*part["unit"]} <= {*drawing.zero_units} and artefact.scale != "log":
                line = 0 if line is None else line
            if line is not None:
                look = {"color": PALE, "linewidth": 0.6, "label": NO_EFFECT}
                if line == LEVEL:
                    look = {"color": GREY, "linewidth": 0.9, "ls": ":", "label": OF_LEVEL}
                axes.axvline(line, zorder=0, **look)
            axes.set_title(titles[column], loc="left")
            if own_axes or place + across >= len(columns):
                axes.set_xlabel(names[column])
                axes.tick_params(labelbottom=True)
        for axes in grid[len(columns) :]:
            axes.set_visible(False)
        figure.axes[0].set_yticks([*centres.values()], [*labels.values()])
        figure.axes[0].set_ylim(-depth, 0)
        _cut_axes(figure, columns, ours, published, artefact)
        absent = [c for c in artefact.drawn or artefact.columns if c not in columns]
        notes = [left_out([artefact.columns[c] for c in absent], missing), beyond]
        figure.supxlabel(" ".join(filter(None, [*notes, over(artefact, ours)])))
        ours_in_order = [f"ours, {label}" for label in artefact.variants.values()]
        order = [PAPER, "ours", *ours_in_order, ON_SUBSTITUTE, CAUTION, NO_EFFECT, OF_LEVEL]
        entries = _entries(figure.axes)
        if [*entries] != ["ours"]:  # else there is nothing to tell apart
            legend_above(
                figure, style, sorted(entries.values(), key=lambda e: order.index(e.get_label()))
            )
    return figure


def _grid(panels: int, labels: Mapping[str, str], style: dict) -> tuple[int, int, int]:
    """Return panels side by side, lines of panels, and characters of text above a panel."""
    longest = max(len(line) for label in labels.values() for line in label.split("\n"))
    room = style["width"] - longest * style["font_size"] / WIDE_CHARACTERS
    most = min(MOST_ABREAST, max(1, int(room / NARROWEST)))
    lines = ceil(panels / most)
    across = ceil(panels / lines)
    return across, lines, int(room / across * WIDE_CHARACTERS / style["font_size"]) - 1


def _heights(
    rows: Sequence[str],
    labels: Mapping[str, str],
    ours: pd.DataFrame,
    published: pd.DataFrame,
    style: dict,
) -> dict[str, float]:
    """Return inches of each row: room for its label, and for its marks in any panel."""
    marks = ours.groupby(["row", "base"]).size().groupby("row").max()
    printed = {*published["row"]}
    line = LINE * style["font_size"]
    least = style["row_height"] if len(rows) <= MANY_ROWS else line
    return {
        row: max(
            least,
            line * (1 + labels[row].count("\n")) + GAP,
            LANE * (marks[row] + (row in printed)) + GAP,
        )
        for row in rows
    }


def _units(ours: pd.DataFrame, drawn: list[str], artefact: Artefact) -> dict[str, str]:
    """Return by column that is drawn, what its axis is called."""
    names = {}
    for column, units in ours[ours["base"].isin(drawn)].groupby("base")["unit"]:
        own = sorted({*units} - {""})
        several = artefact.unit if artefact.unit != SEE_COLUMN else "; ".join(own)
        names[column] = own[0] if len(own) == 1 else several
        if names[column].count("share of ") > 1:
            names[column] = "share"
    return names


def _cut_axes(
    figure: Figure,
    columns: Sequence[str],
    ours: pd.DataFrame,
    published: pd.DataFrame,
    artefact: Artefact,
) -> None:
    """Cut axes that single wide intervals stretch, with an arrow where an interval goes on.

    An axis reaches at most as far beyond the numbers on it as they lie apart.
    """
    panels, of_panels = figure.axes[: len(columns)], [[column] for column in columns]
    if artefact.scale == "all":  # one axis
        panels, of_panels = panels[:1], [list(columns)]
    if artefact.scale in ("all", "none"):
        for names, axes in zip(of_panels, panels, strict=True):
            part = ours[ours["base"].isin(names)]
            printed = published.loc[published["column"].isin(names), "value"].astype(float)
            numbers = np.array([*part["value"], *printed])
            span = np.ptp(numbers)
            low, high = numbers.min() - span, numbers.max() + span
            first, last = (
                np.nanmin([*numbers, *part["ci_low"]]),
                np.nanmax([*numbers, *part["ci_high"]]),
            )
            if span and (first < low or last > high):
                axes.set_xlim(max(first - 0.1 * span, low), min(last + 0.1 * span, high))
    for axes in figure.axes[: len(columns)]:
        low, high = axes.get_xlim()
        for lines in axes.collections:
            for (start, y), (end, _) in filter(len, lines.get_segments()):
                look = {"color": lines.get_color(), "ms": 3, "mew": 0, "clip_on": False}
                if start < low:
                    axes.plot(low, y, "<", **look)
                if end > high:
                    axes.plot(high, y, ">", **look)


def settings_of(style: dict) -> dict:
    """Return Matplotlib's settings for a figure of a paper."""
    return {
        "font.size": style["font_size"],
        "axes.titlesize": style["font_size"],
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.spines.left": False,
    }


def _looks(ours: pd.DataFrame, artefact: Artefact, style: dict) -> dict[str, tuple[str, str]]:
    """Return by variant, "" for a plain column, its colour and marker.

    No two that are drawn are alike. What was chosen to be near print is grey.
    """
    drawn = {*ours["column"].str.partition("@")[2]}
    names = [name for name in artefact.variants if name in drawn - {""}]
    if not names or "" in drawn:
        names = ["", *names]
    looks = zip(cycle(style["colours"]), cycle(MARKERS), strict=False)
    looks = dict(zip(names, looks, strict=False))
    return looks | {name: (GREY, looks[name][1]) for name in artefact.chosen if name in looks}


def _panel(
    panel: Axes,
    part: pd.DataFrame,
    printed: pd.DataFrame,
    artefact: Artefact,
    looks: dict,
    centres: dict[str, float],
) -> None:
    """Draw one printed column: a dark diamond for print, a coloured mark for each of ours."""
    if artefact.scale in ("log", "symlog"):
        linear = {"linthresh": LINEAR} if artefact.scale == "symlog" else {}
        panel.set_xscale(artefact.scale, **linear)
        panel.xaxis.set_major_formatter(FuncFormatter(_plain))
        panel.xaxis.set_minor_locator(NullLocator())
        panel.margins(x=0.02)  # a larger one reaches to p-values above 1
    if artefact.scale == "none" and not (part["value"] % 1).any():
        panel.xaxis.get_major_locator().set_params(integer=True)
    panel.tick_params(left=False)
    panel.grid(axis="y", color="#eeeeee", linewidth=0.6)
    panel.set_axisbelow(True)
    columns = artefact.in_print_order(list(part["column"]))
    present = {row: [""] if row in set(printed["row"]) else [] for row in centres}
    for column in columns:
        for row in part.loc[part["column"] == column, "row"]:
            present[row].append(column)
    place = {  # around the line of their row, so that none hides another
        (row, series): centres[row] - (i - (len(all_series) - 1) / 2) * LANE
        for row, all_series in present.items()
        for i, series in enumerate(all_series)
    }
    if len(printed):
        y = [place[row, ""] for row in printed["row"]]
        look = {"color": PRINT_COLOUR, "mfc": "none", "ms": 3.6, "mew": 0.9}
        panel.plot(printed["value"].astype(float), y, "D", label=PAPER, **look)
    for column in columns:
        cells = part[part["column"] == column]
        label = f"ours, {artefact.label_of_ours(column)}".removesuffix(", ours")
        y = cells["row"].map(lambda row, series=column: place[row, series])
        _series(panel, cells, y, label, *looks[column.partition("@")[2]])


def _plain(x: float, _: int) -> str:
    """Return a number of a logarithmic axis: `0.01`, `−1`, `100k`, `10M`."""
    scale, letter = (1e6, "M") if abs(x) >= 1e6 else (1e3, "k") if abs(x) >= 1e4 else (1, "")
    return f"{x / scale:g}{letter}".replace("-", "−")


def _series(
    panel: Axes, cells: pd.DataFrame, y: pd.Series, label: str, colour: str, marker: str
) -> None:
    """Numbers with intervals: hollow on other data or models, faint with a caution."""
    few = np.array([bool(caution(cell)) for cell in cells.to_dict("records")])
    hollow = cells["fidelity"].isin(["substitute", "own"]).to_numpy()
    for is_hollow, is_few in product((False, True), repeat=2):
        chosen = (hollow == is_hollow) & (few == is_few)
        if chosen.any():
            part, look = cells[chosen], {"color": colour, "alpha": FAINT if is_few else 1.0}
            panel.hlines(y[chosen], part["ci_low"], part["ci_high"], linewidth=1.1, **look)
            panel.plot(part["value"], y[chosen], marker, **look, **mark(is_hollow))
    panel.plot([], [], marker, color=colour, ms=3.2, label=label)
    add_marks(panel, hollow, few)


def mark(hollow: bool) -> dict:
    """Return the look of a mark, but for its colour; hollow is on other data or models."""
    return {"mfc": "white", "ms": 3.2, "mew": 0.8} if hollow else {"ms": 3.2}


def add_marks(panel: Axes, hollow: np.ndarray, few: np.ndarray) -> None:
    """Add the legend's entries of hollow and of faint marks, if there are any."""
    if np.any(hollow):
        panel.plot([], [], "o", color=GREY, label=ON_SUBSTITUTE, **mark(True))
    if np.any(few):
        panel.plot([], [], "o", color=GREY, label=CAUTION, alpha=FAINT, **mark(False))


def fitting(label: str, longest: int) -> str:
    """Return a label in lines that are no longer than that.

    What it stands in for, or another bracket, has lines of its own, where they fit.
    """
    if len(label) <= longest:
        return label
    first, bracket, rest = label.partition(f" {FOR}" if FOR in label else " (")
    return "\n".join(fill(part, longest) for part in (first, bracket[1:] + rest) if part)


def _entries(panels: Iterable[Axes]) -> dict[str, Artist]:
    """Return what the legend of some panels shows, by label; hollow and faint marks last."""
    handles = [handle for panel in panels for handle in panel.get_legend_handles_labels()[0]]
    entries: dict[str, Artist] = {}
    for handle in handles:
        entries.setdefault(handle.get_label(), handle)
    last = [label for label in (ON_SUBSTITUTE, CAUTION) if label in entries]
    return entries | {label: entries.pop(label) for label in last}


def legend_above(figure: Figure, style: dict, handles: Sequence[Artist] = ()) -> None:
    """Draw a legend above all panels, in as many columns as fit; the figure grows."""
    handles = handles or list(_entries(figure.axes).values())
    if not handles:
        return
    room = figure.get_figwidth() * WIDE_CHARACTERS / style["font_size"]
    lengths = np.array([MARKED + len(handle.get_label()) for handle in handles])
    fitting_columns = (
        n
        for n in range(len(lengths), 1, -1)
        if sum(part.max() for part in np.array_split(lengths, n)) <= room
    )
    columns = next(fitting_columns, 1)
    figure.legend(handles=handles, loc="outside upper left", ncols=columns, **LEGEND)
    _grow(figure, 1.1 * LINE * style["font_size"] * ceil(len(lengths) / columns))


def _grow(figure: Figure, inches: float) -> None:
    """Make a figure higher."""
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + inches)


def save_figure(figure: Figure, stem: Path, dpi: int, caption: str = "") -> None:
    """Write `<stem>.pdf`, `.svg` and `.png`, atomically; no dates, so that bytes repeat."""
    # All three have one layout. An engine that is left in place would have each drawn twice.
    if engine := figure.get_layout_engine():
        engine.execute(figure)
        figure.set_layout_engine(None)
    facts = {
        "pdf": {"CreationDate": None, "Subject": caption},
        "svg": {"Date": None, "Description": caption},
    }
    for kind in ("pdf", "svg", "png"):
        temporary = stem.with_name(f".{stem.name}.tmp.{kind}")
        # The salt keeps the ids of an SVG the same every time.
        with mpl.rc_context({"svg.hashsalt": "socialbias", "pdf.fonttype": 42}):
            figure.savefig(temporary, metadata=facts.get(kind), dpi=dpi)
        temporary.replace(stem.with_suffix(f".{kind}"))
