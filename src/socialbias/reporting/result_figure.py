"""The figures: targets with their intervals, for each subject; and targets over time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from io import BytesIO
from pathlib import Path

import numpy as np

from socialbias.errors import UserError
from socialbias.files.atomic_write import write_output
from socialbias.measurement.estimates import Row
from socialbias.measurement.trends import Line

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")  # of subjects: Okabe and Ito 2008
MARKERS = ("o", "s", "^", "D")
WIDTHS = {"wide": 7.0, "narrow": 3.4}  # inches: the text of a page, and one of two columns
Series = dict[str, Sequence[Row]]  # rows by subject


def load_matplotlib():
    """Import Matplotlib; raise UserError if its settings or its environment keep it from that."""
    try:
        import matplotlib
    except (ValueError, OverflowError) as error:  # of the environment, or of a matplotlibrc
        raise UserError(f"Matplotlib cannot be loaded: {error}") from None
    return matplotlib


def _by_own_settings(draw: Callable) -> Callable:
    """Let a function draw with Matplotlib's defaults, except on axes of the user's."""

    @wraps(draw)
    def drawn(*args, **how):
        matplotlib = load_matplotlib()
        with matplotlib.rc_context():
            if how.get("ax") is None:
                matplotlib.rcdefaults()
            return draw(*args, **how)

    return drawn


@_by_own_settings
def figure(panels: dict[str, Series], names: Sequence[str], labels: Sequence[str], **how):
    """Draw a panel for each set of groups, as a matplotlib figure.

    The panels have the rows of each subject, by their title; the names are the targets from top to
    bottom, and the labels those of each panel's axis. `how` has `nulls`, the number without bias of
    each panel or NaN; `title` and `unit` of all panels; and the arguments of `Result.plot`.
    """
    many, rows = len(panels), 0.9 + 0.24 * len(names)
    across = many if how.get("size") != "narrow" else 1
    drawing, all_axes = _axes(many, across, 0.3 + rows * many / across, **how)
    ax = how.get("ax")
    rare = any(row.note for series in panels.values() for rows in series.values() for row in rows)
    unit = f"{how['unit']}{'; hollow: too little data' * rare}"
    if ax is None:
        drawing.supxlabel(unit, fontsize="small", wrap=True)
    parts = zip(all_axes, panels.items(), labels, how["nulls"], strict=True)
    for axes, (title, series), label, null in parts:
        _panel(axes, series, names, null)
        axes.set_title(title, fontsize="medium")
        axes.set_xlabel(label if ax is None else f"{label}\n{unit}", fontsize="small")
    if len(next(iter(panels.values()))) > 1:
        place = {"loc": "outside upper center"} if ax is None else {"loc": "best"}
        holder = drawing if ax is None else all_axes[0]
        handles = all_axes[0].get_legend_handles_labels()
        many = min(len(handles[0]), 3)
        holder.legend(*handles, ncols=many, frameon=False, fontsize="small", **place)
    return _saved(drawing, how.get("path"))


@_by_own_settings
def trends_figure(panels: Mapping[str, Line], unit: str, **how):
    """Draw shares by period, their trend and that of random words, as a matplotlib figure.

    The panels have a target each, by their title. `how` has arguments of `Result.plot`.
    """
    many = len(panels)
    across = min(many, 2 if how.get("size") == "narrow" else 3)
    drawing, all_axes = _axes(many, across, 0.5 + 1.6 * -(-many // across), sharex=True, **how)
    months = any((line.times % 1).any() for line in panels.values())
    for axes, (title, line) in zip(all_axes, panels.items(), strict=True):
        middle = np.average(line.times, weights=line.contexts)
        away = line.times - middle
        share = np.average(line.shares, weights=line.contexts)
        low, high = (share + slope * away for slope in line.band)
        axes.fill_between(line.times, low, high, color="0.85", linewidth=0)
        sizes = np.maximum(30 * line.contexts / line.contexts.max(), 3)
        axes.scatter(line.times, line.shares, sizes, COLOURS[0], alpha=0.5, linewidths=0)
        style = "-" if line.has_interval else ":"
        axes.plot(line.times, share + line.slope * away, style, color=COLOURS[1])
        axes.set_title(title, fontsize="medium")
        axes.set_ylim(-0.03, 1.03)
        axes.locator_params(axis="x", nbins=3)
        axes.xaxis.set_major_formatter(_month if months else "{x:.0f}")
        axes.tick_params(labelsize="small")
    if how.get("ax") is None:
        drawing.supxlabel(unit, fontsize="small", wrap=True)
    return _saved(drawing, how.get("path"))


def shown(most: int, of: int) -> str:
    """Return that only some of the targets are drawn; "" if all are."""
    return f"; {most} of {of} targets" * (most < of)


def _month(time: float, _: int) -> str:
    """Return a time in years as a month."""
    year, month = divmod(round(12 * time), 12)
    return f"{year}-{month + 1:02}"


def _axes(
    many: int, across: int, height: float, *, ax=None, size="wide", title="", sharex=False, **_
):
    """Return a figure with a number of panels, or that of the given axes; and the axes."""
    from socialbias.reporting.notebook_figure import Picture

    size = size or "wide"
    if size not in WIDTHS:
        raise UserError(f"size: must be one of {', '.join(WIDTHS)}, not {size!r}")
    if ax is not None:
        given = list(ax) if isinstance(ax, Sequence) or hasattr(ax, "ravel") else [ax]
        if len(given) != many:
            raise UserError(f"ax: there are {many} panels, but {len(given)} axes")
        return given[0].figure, given
    drawing = Picture(figsize=(WIDTHS[size], height), layout="constrained")
    how = {"sharey": True, "sharex": sharex, "squeeze": False}
    grid = drawing.subplots(-(-many // across), across, **how).ravel()
    for axes in grid[many:]:
        axes.set_axis_off()
    for axes in grid[many - across : many]:  # the lowest of each column
        axes.tick_params(labelbottom=True)
    drawing.suptitle(title, fontsize="medium", wrap=True)
    return drawing, grid[:many]


def _saved(drawing, path: str | Path | None):
    """Return a figure, written to a file if one is named."""
    if path is not None:
        data, format_ = BytesIO(), Path(path).suffix.removeprefix(".") or None
        try:
            drawing.savefig(data, format=format_, dpi=200)
        except (ValueError, OverflowError) as error:  # such as of SOURCE_DATE_EPOCH
            raise UserError(f"{path}: cannot be drawn ({error})") from None
        write_output(path, data.getvalue())
    return drawing


def _panel(axes, series: Series, names: Sequence[str], null: float) -> None:
    """Draw the rows of each subject, and for two subjects a line between their numbers."""
    place = {name: i for i, name in enumerate(names)}
    if null == null:
        axes.axvline(null, color="0.5", linewidth=0.8, linestyle=":")
    if len(series) == 2:
        first, second = (
            {row.target: row.value for row in rows if not row.note} for rows in series.values()
        )
        for name in (name for name in names if name in first and name in second):
            ends = [first[name], second[name]]
            axes.plot(ends, [place[name]] * 2, color="0.8", linewidth=3, zorder=0)
    for i, (subject, rows) in enumerate(series.items()):
        aside_by = 0.16 * (i - (len(series) - 1) / 2)  # so that intervals are not on each other
        colour, marker = COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)]
        rows = [row for row in rows if row.target in place]
        heights = [place[row.target] + aside_by for row in rows]
        lows, highs = [row.low for row in rows], [row.high for row in rows]
        axes.hlines(heights, lows, highs, color=colour, linewidth=1)
        axes.plot([], [], marker, color=colour, markersize=4, label=subject)
        for row, height in zip(rows, heights, strict=True):
            fill = "none" if row.note else "full"
            axes.plot(row.value, height, marker, color=colour, markersize=4, fillstyle=fill)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.locator_params(axis="x", nbins=4)
    axes.tick_params(labelsize="small")
