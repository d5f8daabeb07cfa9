"""Figures, drawn from values."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, cycle, product
from math import ceil
from pathlib import Path
from textwrap import fill, shorten
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator
from PIL import Image

from socialbias.reporting.artefact import Artefact, base_column, numbers_drawn
from socialbias.reporting.captions import (
    counted,
    left_out,
    only_in_table,
    over,
    rests_on,
    sentences,
)
from socialbias.reporting.compare import FEWEST_TERMS, caution
from socialbias.reporting.drawing import Drawing
from socialbias.sources.fidelity import FOR

PRINT_COLOUR, GREY = "#222222", "#777777"
PAPER = "paper"  # what readers see of print
ON_SUBSTITUTE, CAUTION = "on a substitute", "read with caution"
FAINT = 0.35  # opacity of what is to be read with caution
INDEPENDENT = ("none", "log", "symlog")  # scales of which each panel has its own
LINEAR = 0.01  # a scale `symlog` is linear between this and its negative
MARKERS = ("o", "s", "^", "v", "P", "X")  # of ours; print is a diamond
LONE, BESIDE = 58, 41  # characters of a line of row labels: of a lone panel, of one of two
COLUMN = 0.48  # of the width of a page: one of two columns of print
NARROW = 24  # characters of labels that leave room for a panel in one column
NO_NUMBERS = "Nothing to draw: none of the numbers of this figure could be computed in this run."
CHARACTERS = 155  # of the small text below a figure, to an inch, at a size of one point
WIDE_CHARACTERS = 124  # of other text, likewise
LINE = 1.25 / 72  # inches of a line of text, at a size of one point
DENSE = 1.12 / 72  # the same of many lines
LANE, GAP = 0.062, 0.035  # inches of a mark in a row, and between two rows
MANY_ROWS, MOST_ROWS = 24, 36  # stand closer together; are cut in two panels side by side
ALIKE = 1.25  # panels share their rows if together they have at most so many more
MOST_ABREAST = 5  # panels that share many rows stand side by side
AXIS, TITLE = 0.42, 0.08  # inches of an axis with its label, and above a panel
MARKED = 6  # characters of the mark of an entry of a legend
FEWEST_SAME = 3  # numbers, all one, of a column that is told in words
COLOURS = 96  # of a PNG
ALMOST_WHITE, WHITE = 250, 255  # the nearest of these colours to white is to be white
SEE_COLUMN = "see column"  # the unit of an artefact whose columns have units of their own
MOST_ENTRIES = 6  # of a legend
LEGEND = {"frameon": False, "columnspacing": 1.0, "handletextpad": 0.4}
ABOVE_PANEL = LEGEND | {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0}
ABOVE_PANEL |= {"alignment": "left", "borderpad": 0.2, "handletextpad": 0}
NO_INTERVAL = "A mark without a line has no interval, or one narrower than the mark."


class Panel(NamedTuple):
    """What a panel of a dot plot shows: rows of a column, with or without their labels."""

    column: str
    rows: list[str]
    labelled: bool


def draw_artefact(drawing: Drawing, draw: Callable[[Drawing], Figure]) -> tuple[Figure, str]:
    """Return the figure of an artefact, and its caption.

    One sentence where nothing of ours is there. Below the panels stand, in one line, its number,
    its run and what its numbers are based on.
    """
    style, artefact = drawing.style, drawing.artefact
    title, shown = artefact.title, numbers_drawn(drawing.values, artefact)
    title = title if title.endswith("?") else f"{title}."
    if not shown.empty:
        figure = draw(drawing)
        parts = [title, *sentences(artefact, shown, drawing.run)]
        parts += [only_in_table(artefact), figure.get_supxlabel()]
        caption = " ".join(filter(None, parts))
        size, run = style["font_size"], drawing.run
        short = f"{artefact.title} ({run} run)." if run else title
        line, longest = f"{short} {rests_on(shown)}", int(figure.get_figwidth() * CHARACTERS / size)
        if len(line) > longest:
            line = shorten(short, longest, placeholder="…")
        _grow(figure, LINE * size)
        figure.supxlabel(line, x=0.01, ha="left", fontsize=size - 1, color=GREY)
        return figure, caption
    with mpl.rc_context(settings_of(style)):
        figure = Figure(figsize=(style["width"], 0.3))
        figure.text(0.01, 0.5, f"{title} {NO_NUMBERS}", va="center")
    return figure, f"{title} {NO_NUMBERS}"


def draw_dot_plot(drawing: Drawing) -> Figure:
    """Return the figure of an artefact that declares none of its own.

    Dots with intervals, a panel for each printed column: print beside every variant of ours. What
    has no number of ours gets neither panel nor line, nor do columns whose numbers are all one,
    and numbers on hardly anything no mark: small text below says so.
    """
    artefact, style = drawing.artefact, drawing.style
    ours, notes = _numbers(drawing.values, artefact)
    ours = ours.assign(base=ours["column"].map(base_column))
    published = drawing.published[drawing.published["value"] != ""]
    drawn, in_words = _columns(ours, published, artefact)
    ours = ours[ours["base"].isin(drawn)]
    notes = _notes(ours, drawn, in_words, notes, artefact)
    lines = _lines(ours, drawn, artefact)
    looks = _looks(ours, artefact, style)
    across = max(map(len, lines))
    labels = _labels(lines, artefact)
    heights = [_heights(line, labels, ours, published, style) for line in lines]
    narrow = across == 1 and _longest(labels) <= NARROW
    width = style["width"] * (COLUMN if narrow else 1)
    characters = _room(lines, labels, width, style)
    own_scales = artefact.scale in INDEPENDENT
    units = _units(ours, drawn, artefact)
    own_axes = own_scales or len({*units.values()}) > 1
    titles = {c: fill(artefact.columns[c], characters) for c in drawn}
    names = {c: fill(unit, characters) for c, unit in units.items()}
    height = _height(lines, heights, titles, own_axes, style)
    height += LINE * style["font_size"] * max(name.count("\n") for name in names.values())
    with mpl.rc_context(settings_of(style)):
        figure = Figure(figsize=(width, height), layout="constrained")
        grid = figure.subplots(
            len(lines), across, squeeze=False,
            sharex="none" if own_scales else artefact.scale,
            height_ratios=list(map(_depth, lines, heights)),
        )  # fmt: skip
        for i, (panels, row_heights) in enumerate(zip(lines, heights, strict=True)):
            for axes, panel in zip(grid[i], panels, strict=False):
                part = ours[(ours["base"] == panel.column) & ours["row"].isin(panel.rows)]
                of_panel = (published["column"] == panel.column) & published["row"].isin(panel.rows)
                centres = _centres(panel.rows, row_heights)
                _panel(axes, part, published[of_panel], artefact, looks, centres)
                if (line := _reference(panel.column, part, drawing)) is not None:
                    axes.axvline(line, color="#999999", linewidth=0.6, zorder=0)
                names_of_rows = [labels[row] if panel.labelled else "" for row in panel.rows]
                axes.set_yticks(list(centres.values()), names_of_rows)
                axes.set_ylim(-_depth(panels, row_heights), 0)
                axes.set_title(titles[panel.column], loc="left")
                below = lines[i + 1] if i + 1 < len(lines) else []
                if own_axes or len(below) <= list(grid[i]).index(axes):
                    axes.set_xlabel(names[panel.column])
                    axes.tick_params(labelbottom=True)
            for axes in grid[i][len(panels) :]:
                axes.set_visible(False)
        _cut_axes(figure, lines, ours, published, artefact)
        if any(notes):
            figure.supxlabel(" ".join(filter(None, notes)))
        _legends(figure, artefact, style)
    return figure


def _reference(column: str, part: pd.DataFrame, drawing: Drawing) -> float | None:
    """Return where a panel has a line: what is declared, or 0 if that is no effect in its unit."""
    declared = drawing.artefact.neutral
    if isinstance(declared, Mapping):
        declared = declared.get(column)
    if declared is not None or drawing.artefact.scale == "log":
        return declared
    return 0 if {*part["unit"]} <= {*drawing.zero_units} else None


def _units(ours: pd.DataFrame, drawn: list[str], artefact: Artefact) -> dict[str, str]:
    """Return by column that is drawn, what its axis is called."""
    if artefact.unit != SEE_COLUMN and artefact.scale not in INDEPENDENT:
        return dict.fromkeys(drawn, artefact.unit)
    found = ours.groupby("base")["unit"].agg(set)
    joined = {c: "; ".join(sorted(found[c] - {""})) or artefact.unit for c in drawn}
    return {c: "share" if name.count("share of ") > 1 else name for c, name in joined.items()}


def _cut_axes(
    figure: Figure,
    lines: list[list[Panel]],
    ours: pd.DataFrame,
    published: pd.DataFrame,
    artefact: Artefact,
) -> None:
    """Cut axes that single wide intervals stretch, with an arrow where an interval goes on.

    An axis reaches at most as far beyond the numbers on it as they lie apart.
    """
    if artefact.scale not in ("all", "none"):
        return
    columns = [[panel.column] for line in lines for panel in line]
    panels = [axes for axes in figure.axes if axes.get_visible()]
    if artefact.scale == "all":  # one axis
        columns, panels = [list(chain.from_iterable(columns))], panels[:1]
    for names, axes in zip(columns, panels, strict=True):
        part = ours[ours["base"].isin(names)]
        printed = published.loc[published["column"].isin(names), "value"].astype(float)
        numbers = np.array([*part["value"], *printed])
        low, high = numbers.min() - np.ptp(numbers), numbers.max() + np.ptp(numbers)
        first, last = part["ci_low"].min(), part["ci_high"].max()
        if low < high and (first < low or last > high):
            room = 0.04 * (high - low)  # for marks at the ends
            first = low if first < low else min(first, *numbers) - room
            last = high if last > high else max(last, *numbers) + room
            axes.set_xlim(first, last)
    for axes in filter(Axes.get_visible, figure.axes):
        _arrows(axes)


def _arrows(axes: Axes) -> None:
    """Mark the intervals that go on beyond a panel."""
    low, high = axes.get_xlim()
    for lines in axes.collections:
        for (start, y), (end, _) in filter(len, lines.get_segments()):
            look = {"color": lines.get_color(), "ms": 3, "mew": 0, "clip_on": False}
            if start < low:
                axes.plot(low, y, "<", **look)
            if end > high:
                axes.plot(high, y, ">", **look)


def _numbers(values: pd.DataFrame, artefact: Artefact) -> tuple[pd.DataFrame, list[str]]:
    """Return the numbers to draw, and what is to be said of those that are not."""
    numbers = numbers_drawn(values, artefact)
    few = numbers["n_unit"].isin(["contexts", "terms"]) & (numbers["n"] < FEWEST_TERMS)
    if not few.any() or few.all():
        return numbers, []
    is_are = "is" if few.sum() == 1 else "are"
    units = " or ".join(sorted(set(numbers.loc[few, "n_unit"])))
    in_words = (
        f"{counted(few.sum(), 'number')} on fewer than {FEWEST_TERMS} {units} {is_are} not drawn."
    )
    return numbers[~few], [in_words]


def _notes(
    ours: pd.DataFrame,
    drawn: list[str],
    in_words: dict[str, str],
    notes: list[str],
    artefact: Artefact,
) -> list[str]:
    """Return what the small text below the panels says, some of it empty."""
    missing = [
        c for c in artefact.drawn or artefact.columns if c not in drawn and c not in in_words
    ]
    absent = [artefact.columns[c] for c in missing]
    rows_absent = len({*artefact.rows} - {*ours["row"]})
    notes = [left_out(absent, rows_absent), *in_words.values(), *notes]
    if ours["ci_low"].isna().any() and ours["ci_low"].notna().any():
        notes.append(NO_INTERVAL)
    return [*notes, over(artefact, ours)]


def _columns(
    ours: pd.DataFrame, published: pd.DataFrame, artefact: Artefact
) -> tuple[list[str], dict[str, str]]:
    """Columns to draw, and by column what is said of those whose numbers are all one."""
    drawn = [c for c in artefact.drawn or artefact.columns if (ours["base"] == c).any()]
    same = {}
    for column in drawn:
        numbers = ours.loc[ours["base"] == column, "value"].round(artefact.digits + 3)
        printed = published.loc[published["column"] == column, "value"].astype(float)
        alike = {*numbers, *printed}
        if len(alike) == 1 and len(numbers) >= FEWEST_SAME:
            same.setdefault(alike.pop(), []).append(column)
    constant = [column for columns in same.values() for column in columns]
    if len(constant) == len(drawn):
        return drawn, {}
    in_words = dict.fromkeys(constant, "")
    for number, columns in same.items():
        names = "; ".join(artefact.columns[column] for column in columns)
        in_words[columns[0]] = f"Not drawn, everywhere {number:g}: {names}."
    return [column for column in drawn if column not in constant], in_words


def _lines(ours: pd.DataFrame, drawn: list[str], artefact: Artefact) -> list[list[Panel]]:
    """Return the panels in lines of two, or of more that share many rows, with the rows of each."""
    lines = []
    rows = {c: {*ours.loc[ours["base"] == c, "row"]} for c in drawn}
    ordered = {c: [row for row in artefact.rows if row in rows[c]] for c in drawn}
    if len(drawn) == 1 and len(ordered[drawn[0]]) > MOST_ROWS:
        (column,) = drawn
        lengths = [1 + fitting(artefact.rows[row], BESIDE).count("\n") for row in ordered[column]]
        ends = np.cumsum(lengths)  # in lines of text
        half = 1 + int(np.searchsorted(ends, ends[-1] / 2))
        halves = (ordered[column][:half], ordered[column][half:])
        return [[Panel(column, part, True) for part in halves]]
    all_rows = set().union(*rows.values())
    across = 2
    # More stand side by side only where that saves a page.
    if len(rows) > 2 and len(all_rows) > MANY_ROWS and _alike(list(rows.values())):
        across = min(len(rows), MOST_ABREAST)
    for i in range(0, len(drawn), across):
        beside = drawn[i : i + across]
        union = set().union(*(rows[c] for c in beside))
        if _alike([rows[c] for c in beside]):
            shared = [row for row in artefact.rows if row in union]
            lines.append([Panel(c, shared, c == beside[0]) for c in beside])
        else:
            lines.append([Panel(c, ordered[c], True) for c in beside])
    return lines


def _alike(rows: list[set[str]]) -> bool:
    """Return whether panels with these rows can share their labels."""
    return len(set().union(*rows)) <= ALIKE * max(map(len, rows))


def _labels(lines: list[list[Panel]], artefact: Artefact) -> dict[str, str]:
    """Return the labels of rows in lines of text that leave room for the panels."""
    longest = BESIDE if max(map(len, lines)) > 1 else LONE
    rows = dict.fromkeys(row for line in lines for panel in line for row in panel.rows)
    return {row: fitting(artefact.rows[row], longest) for row in rows}


def _longest(labels: dict[str, str]) -> int:
    """Characters of the longest line of some labels."""
    return max(len(line) for label in labels.values() for line in label.split("\n"))


def _room(lines: list[list[Panel]], labels: dict[str, str], width: float, style: dict) -> int:
    """Characters of text that fit above or below a panel."""
    across = max(map(len, lines))
    sides = max(sum(panel.labelled for panel in line) for line in lines)
    all_of_them = width * WIDE_CHARACTERS / style["font_size"] - sides * _longest(labels)
    return max(12, int(all_of_them / across) - 2)


def _heights(
    panels: list[Panel],
    labels: dict[str, str],
    ours: pd.DataFrame,
    published: pd.DataFrame,
    style: dict,
) -> dict[str, float]:
    """Inches of each row of a line of panels: room for its label and its marks."""
    rows = max(len(panel.rows) for panel in panels)
    line = (LINE if rows <= MANY_ROWS else DENSE) * style["font_size"]
    least = style["row_height"] if rows <= MANY_ROWS else line
    heights = dict.fromkeys(chain.from_iterable(panel.rows for panel in panels), least)
    for panel in panels:
        in_panel = ours[ours["base"] == panel.column]["row"].value_counts()
        printed = {*published.loc[published["column"] == panel.column, "row"]}
        for row in panel.rows:
            text = line * (1 + labels[row].count("\n"))
            marks = LANE * (in_panel.get(row, 0) + (row in printed)) + GAP
            more = GAP if "\n" in labels[row] else 0
            heights[row] = max(heights[row], text + more, marks)
    return heights


def _depth(panels: list[Panel], heights: dict[str, float]) -> float:
    """Inches of the panel of a line whose rows take most."""
    return max(sum(heights[row] for row in panel.rows) for panel in panels)


def _height(
    lines: list[list[Panel]],
    heights: list[dict[str, float]],
    titles: dict[str, str],
    own_axes: bool,
    style: dict,
) -> float:
    """Inches of a figure: its rows, titles and axes, one for each line where they differ."""
    height = sum(map(_depth, lines, heights)) + (0 if own_axes else AXIS)
    for panels in lines:
        title_lines = max(1 + titles[panel.column].count("\n") for panel in panels)
        height += TITLE + LINE * style["font_size"] * title_lines
        height += AXIS if own_axes else 0.1
    return height


def _centres(rows: list[str], heights: dict[str, float]) -> dict[str, float]:
    """Return where rows stand on an axis in inches, of which 0 is the top."""
    ends = np.cumsum([heights[row] for row in rows])
    return {row: float(heights[row] / 2 - end) for row, end in zip(rows, ends, strict=True)}


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
    return looks | {name: (GREY, looks[name][1]) for name in artefact.chosen}


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
    """Numbers with intervals: hollow on a substitute, faint with a caution."""
    few = np.array([bool(caution(cell)) for cell in cells.to_dict("records")])
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
    """Return the look of a mark, but for its colour; hollow is what uses a substitute."""
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
    bracket = FOR if FOR in label else "("
    first, _, rest = label.partition(f" {bracket}")
    apart = rest and (bracket == FOR or len(first) <= longest)
    parts = [first, bracket + rest] if apart else [label]
    return "\n".join(fill(part, longest) for part in parts)


def _legends(figure: Figure, artefact: Artefact, style: dict) -> None:
    """Draw a legend above all panels; what only one of many shows stands above that panel."""
    ours = [f"ours, {label}" for label in artefact.variants.values()]
    order = [PAPER, "ours", *ours, ON_SUBSTITUTE, CAUTION]
    by_panel = {panel: _entries([panel]) for panel in figure.axes if panel.get_visible()}
    entries = _entries(by_panel)
    if [*entries] == ["ours"]:
        return  # there is nothing to tell apart
    shared = entries
    if len(entries) > MOST_ENTRIES:
        times = Counter(label for of_panel in by_panel.values() for label in of_panel)
        shared = {
            label: entry
            for label, entry in entries.items()
            if times[label] > 1 or label in (ON_SUBSTITUTE, CAUTION)
        }
        for panel, of_panel in by_panel.items():
            own = [entry for label, entry in of_panel.items() if label not in shared]
            if own:
                title = panel.get_title(loc="left")
                panel.legend(handles=own, title=title, **ABOVE_PANEL)
                panel.set_title("", loc="left")
                _grow(figure, 1.4 * LINE * style["font_size"] * len(own))
    legend_above(figure, style, sorted(shared.values(), key=lambda e: order.index(e.get_label())))


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
            if kind == "png":
                _save_png(figure, temporary, dpi)
            else:
                figure.savefig(temporary, metadata=facts[kind])
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
