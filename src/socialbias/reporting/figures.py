"""Figures, drawn from values."""

from __future__ import annotations

import io
from collections.abc import Callable
from itertools import cycle, product
from math import ceil
from pathlib import Path
from textwrap import fill
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from socialbias.reporting.artefact import Artefact, base_column, numbers_drawn
from socialbias.reporting.captions import counted, left_out, over, sentences
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
LONE, BESIDE = 58, 40  # characters of a line of row labels: of a lone panel, of one of two
COLUMN = 0.48  # of the width of a page: one of two columns of print
NARROW = 24  # characters of labels that leave room for a panel in one column
NO_NUMBERS = "Nothing to draw: none of the numbers of this figure could be computed in this run."
CHARACTERS = 155  # of the small text below a figure, to an inch, at a size of one point
WIDE_CHARACTERS = 124  # of other text, likewise
LINE = 1.25 / 72  # inches of a line of text, at a size of one point
DENSE = 1.03 / 72  # the same of many lines
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
NO_INTERVAL = "A mark without a line has no interval, or one narrower than the mark."


class Panel(NamedTuple):
    """What a panel of a dot plot shows: rows of a column, with or without their labels."""

    column: str
    rows: list[str]
    labelled: bool


def draw_artefact(drawing: Drawing, draw: Callable[[Drawing], Figure]) -> Figure:
    """The figure of an artefact, or one sentence where it would show nothing of ours.

    It can be understood alone: above it stands its title, below it the run and what its numbers
    rest on.

    Args:
        drawing: What it is drawn from.
        draw: The function that draws it.
    """
    style, artefact = drawing.style, drawing.artefact
    shown = numbers_drawn(drawing.values, artefact)
    if not shown.empty:
        figure = draw(drawing)
        _add_title(figure, artefact.title, style)
        _add_below(figure, " ".join(sentences(artefact, shown, drawing.run)), style)
        return figure
    with mpl.rc_context(settings_of(style)):
        figure = Figure(figsize=(style["width"], 0.6))
        figure.text(0.01, 0.5, f"{artefact.title}\n{NO_NUMBERS}", va="center")
    return figure


def _add_title(figure: Figure, title: str, style: dict) -> None:
    """Put a title above all panels and the legend, in a figure that grows by it."""
    width, height = figure.get_size_inches()
    title = fill(title, int(width * WIDE_CHARACTERS / style["font_size"]))
    look = {"size": style["font_size"], "weight": "bold"}
    if figure.legends:  # both would stand in one place
        figure.legends[0].set_title(title, prop=look)
        figure.legends[0].set_alignment("left")
    else:
        figure.suptitle(title, x=0.01, ha="left", **look)
    figure.set_size_inches(width, height + LINE * style["font_size"] * (1 + title.count("\n")))


def _add_below(figure: Figure, text: str, style: dict) -> None:
    """Put small lines of text below all panels, in a figure that grows by them."""
    above = figure.get_supxlabel()
    if not text and not above:
        return
    width, height = figure.get_size_inches()
    longest = int(width * CHARACTERS / style["font_size"])
    lines = "\n".join(fill(part, longest) for part in (above, text) if part)
    figure.set_size_inches(width, height + LINE * style["font_size"] * (1 + lines.count("\n")))
    small = {"fontsize": style["font_size"] - 1, "color": GREY}
    figure.supxlabel(lines, x=0.01, ha="left", **small)


def draw_dot_plot(drawing: Drawing) -> Figure:
    """The figure of an artefact that declares none of its own: `dot_plot` of its values."""
    return dot_plot(drawing.values, drawing.published, drawing.artefact, drawing.style)


def dot_plot(
    values: pd.DataFrame, published: pd.DataFrame, artefact: Artefact, style: dict
) -> Figure:
    """Dots with intervals, a panel for each printed column: print beside every variant of ours.

    What has no number of ours gets neither panel nor line, nor do columns whose numbers are all
    one, and numbers on hardly anything no mark: small text below says so.

    Args:
        values: A table of values, at least one of them a number to draw.
        published: Columns `row, column, value`, text.
        artefact: Order, labels, and which columns are drawn.
        style: `width`, `row_height`, `font_size`, `colours` of the configuration.
    """
    ours, notes = _numbers(values, artefact)
    published = published[published["value"] != ""]
    drawn, in_words = _columns(ours, published, artefact)
    ours = ours[ours["column"].map(base_column).isin(drawn)]
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
    titles = {c: fill(f"{artefact.columns[c]}{_mark(ours, c)}", characters) for c in drawn}
    height = _height(lines, heights, titles, own_scales, style)
    with mpl.rc_context(settings_of(style)):
        figure = Figure(figsize=(width, height), layout="constrained")
        grid = figure.subplots(
            len(lines), across, squeeze=False,
            sharex="none" if own_scales else artefact.scale,
            height_ratios=[sum(of.values()) for of in heights],
        )  # fmt: skip
        for i, (panels, row_heights) in enumerate(zip(lines, heights, strict=True)):
            for axes, panel in zip(grid[i], panels, strict=False):
                part = ours[ours["column"].map(base_column) == panel.column]
                part = part[part["row"].isin(panel.rows)]
                printed = published[published["column"] == panel.column]
                printed = printed[printed["row"].isin(panel.rows)]
                _panel(axes, part, printed, artefact, looks, _centres(panel.rows, row_heights))
                _name_rows(axes, panel, labels, row_heights)
                axes.set_title(titles[panel.column], loc="left")
                unit = artefact.unit if artefact.unit != SEE_COLUMN else ""
                if own_scales:
                    unit = "; ".join(sorted(set(part["unit"]) - {""})) or unit
                below = lines[i + 1] if i + 1 < len(lines) else []
                if own_scales or len(below) <= list(grid[i]).index(axes):
                    axes.set_xlabel(fill(unit, characters))
                    axes.tick_params(labelbottom=True)
            for axes in grid[i][len(panels) :]:
                axes.set_visible(False)
        if any(notes):
            figure.supxlabel(" ".join(filter(None, notes)))
        _legend(figure, grid, artefact, style)
    return figure


def _numbers(values: pd.DataFrame, artefact: Artefact) -> tuple[pd.DataFrame, list[str]]:
    """The numbers to draw, and what is to be said of those that are not."""
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
    """What the small text below the panels says, some of it empty.

    Args:
        ours: The numbers that are drawn.
        drawn: Their columns.
        in_words: By column that is told in words, the words.
        notes: What is to be said of single numbers.
        artefact: What was to be drawn.
    """
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
    bases = ours["column"].map(base_column)
    drawn = [c for c in artefact.drawn or artefact.columns if (bases == c).any()]
    same = {}
    for column in drawn:
        numbers = ours.loc[bases == column, "value"].round(artefact.digits + 3)
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
    """The panels in lines of two, or of more that share many rows, with the rows of each."""
    bases, lines = ours["column"].map(base_column), []
    rows = {c: {*ours.loc[bases == c, "row"]} for c in drawn}
    ordered = {c: [row for row in artefact.rows if row in rows[c]] for c in drawn}
    lengths = [len(artefact.rows[row]) for row in ordered[drawn[0]]]
    if len(drawn) == 1 and len(lengths) > MOST_ROWS and np.median(lengths) <= BESIDE:
        (column,) = drawn
        half = ceil(len(ordered[column]) / 2)
        halves = (ordered[column][:half], ordered[column][half:])
        return [[Panel(column, part, True) for part in halves]]
    across = _abreast(rows, artefact)
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
    """Whether panels with these rows can share their labels."""
    return len(set().union(*rows)) <= ALIKE * max(map(len, rows))


def _abreast(rows: dict[str, set[str]], artefact: Artefact) -> int:
    """How many panels stand side by side: more than two only where that saves a page."""
    all_rows = set().union(*rows.values())
    if len(rows) <= 2 or len(all_rows) <= MANY_ROWS or not _alike(list(rows.values())):
        return 2
    return min(len(rows), MOST_ABREAST)


def _labels(lines: list[list[Panel]], artefact: Artefact) -> dict[str, str]:
    """The labels of rows in lines of text that leave room for the panels."""
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
) -> dict[int, float]:
    """Inches of each row of a line of panels, by its place: room for its label and its marks."""
    rows = max(len(panel.rows) for panel in panels)
    line = (LINE if rows <= MANY_ROWS else DENSE) * style["font_size"]
    least = style["row_height"] if rows <= MANY_ROWS else line
    heights = dict.fromkeys(range(rows), least)
    for panel in panels:
        in_panel = ours[ours["column"].map(base_column) == panel.column]["row"].value_counts()
        printed = {*published.loc[published["column"] == panel.column, "row"]}
        for i, row in enumerate(panel.rows):
            text = line * (1 + labels[row].count("\n"))
            marks = LANE * (in_panel.get(row, 0) + (row in printed)) + GAP
            more = GAP if "\n" in labels[row] else 0
            heights[i] = max(heights[i], text + more, marks)
    return heights


def _height(
    lines: list[list[Panel]],
    heights: list[dict[int, float]],
    titles: dict[str, str],
    own_scales: bool,
    style: dict,
) -> float:
    """Inches of a figure: its rows, titles and axes, one for each line where scales differ."""
    height = sum(sum(of.values()) for of in heights) + (0 if own_scales else AXIS)
    for panels in lines:
        title_lines = max(1 + titles[panel.column].count("\n") for panel in panels)
        height += TITLE + LINE * style["font_size"] * title_lines
        height += AXIS if own_scales else 0.1
    return height


def _name_rows(axes: Axes, panel: Panel, labels: dict[str, str], heights: dict[int, float]) -> None:
    """Ticks at the rows of a panel, with their labels where the panel has them."""
    names = [labels[row] for row in panel.rows] if panel.labelled else []
    axes.set_ylim(-sum(heights.values()), 0)
    axes.set_yticks(list(_centres(panel.rows, heights).values()))
    axes.set_yticklabels(names or [""] * len(panel.rows))


def _centres(rows: list[str], heights: dict[int, float]) -> dict[str, float]:
    """Where rows stand on an axis in inches, of which 0 is the top."""
    ends = np.cumsum([heights[i] for i in range(len(heights))])
    return {row: float(heights[i] / 2 - ends[i]) for i, row in enumerate(rows)}


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
    """By variant, "" for a plain column, its colour and marker; no two that are drawn are alike.

    What was chosen to be near print is grey.
    """
    names = list(artefact.variants)
    if not names or not ours["column"].str.contains("@").all():
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
    """One printed column: a dark diamond for print, a coloured mark for each variant of ours."""
    if artefact.scale == "log":
        panel.set_xscale("log")
    elif artefact.scale == "symlog":
        panel.set_xscale("symlog", linthresh=LINEAR)
    if artefact.scale != "log":
        panel.axvline(artefact.neutral, color="#999999", linewidth=0.6, zorder=0)
    panel.tick_params(left=False)
    panel.grid(axis="y", color="#eeeeee", linewidth=0.6)
    panel.set_axisbelow(True)
    columns = artefact.in_print_order(list(part["column"]))
    present = {row: [""] if row in set(printed["row"]) else [] for row in centres}
    for column in columns:
        for row in part.loc[part["column"] == column, "row"]:
            present[row].append(column)
    place = {
        (row, series): centres[row] - offset
        for row, all_series in present.items()
        for series, offset in zip(all_series, _lanes(len(all_series)), strict=True)
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
    """The look of a mark, but for its colour; hollow is what rests on a substitute."""
    return {"mfc": "white", "ms": 3.2, "mew": 0.8} if hollow else {"ms": 3.2}


def add_marks(panel: Axes, hollow: np.ndarray, few: np.ndarray) -> None:
    """The legend's entries of hollow and of faint marks, as far as there are any."""
    if np.any(hollow):
        panel.plot([], [], "o", color=GREY, label=ON_SUBSTITUTE, **mark(True))
    if np.any(few):
        panel.plot([], [], "o", color=GREY, label=CAUTION, alpha=FAINT, **mark(False))


def fitting(label: str, longest: int) -> str:
    """A label in lines that are no longer than that.

    One that says what it stands in for has a line for either, where they fit.
    """
    if len(label) <= longest:
        return label
    real, stands_in, original = label.partition(f" {FOR}")
    parts = [real, FOR + original] if stands_in else [label]
    return "\n".join(fill(part, longest) for part in parts)


def _lanes(n: int) -> list[float]:
    """Offsets of n series around the line of their row, in inches, so that none hides another."""
    return [(i - (n - 1) / 2) * LANE for i in range(n)]


def _mark(ours: pd.DataFrame, column: str) -> str:
    """The fidelity of a panel's numbers, where it is not exact."""
    marks = {*ours.loc[ours["column"].map(base_column) == column, "fidelity"]} - {"exact"}
    return f" [{', '.join(sorted(marks))}]" if marks else ""


def _legend(figure: Figure, panels, artefact: Artefact, style: dict) -> None:
    """One legend for all panels, above them, in the order of the variants."""
    entries = {}
    for panel in panels.flat:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    order = [PAPER, "ours", *(f"ours, {label}" for label in artefact.variants.values())]
    order += [ON_SUBSTITUTE, CAUTION]
    entries = dict(sorted(entries.items(), key=lambda entry: order.index(entry[0])))
    legend_above(figure, list(entries.values()), list(entries), style)


def legend_above(figure: Figure, handles: list, labels: list[str], style: dict) -> None:
    """A legend above all panels, in as many columns as there is room for; the figure grows."""
    width, height = figure.get_size_inches()
    entry = (MARKED + max(map(len, labels))) / WIDE_CHARACTERS * style["font_size"]
    columns = max(1, min(len(labels), int(width / entry)))
    figure.legend(
        handles,
        labels,
        loc="outside upper left",
        ncols=columns,
        frameon=False,
        columnspacing=1.0,
        handletextpad=0.4,
    )
    rows = ceil(len(labels) / columns)
    figure.set_size_inches(width, height + 1.1 * LINE * style["font_size"] * rows)


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
        figure.set_layout_engine("none")  # all three have one layout, which takes long to find


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
