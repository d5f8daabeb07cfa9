"""The figure of a result or a table: targets with their intervals, for each subject."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from socialbias.api.estimate import Row
from socialbias.errors import UserError
from socialbias.files.atomic_write import aside

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")  # of subjects: Okabe and Ito 2008
MARKERS = ("o", "s", "^", "D")
WIDTHS = {"wide": 7.0, "narrow": 3.4}  # inches: the text of a page, and one of two columns
Series = dict[str, Sequence[Row]]  # rows by subject


def figure(panels: dict[str, Series], names: Sequence[str], labels: Sequence[str], **how):
    """Draw a panel for each set of groups, as a matplotlib figure.

    Args:
        panels: The rows of each subject, by the title of the panel.
        names: The targets, from top to bottom.
        labels: Of each panel's axis.
        how: `nulls`, the number without bias of each panel or NaN; `title` and `unit` of all
            panels; and the arguments of `Result.plot`: `path`, `ax`, `size`.

    Raises:
        UserError: there is no such size, or not one axes for each panel.
    """
    from matplotlib.figure import Figure

    size, ax = how.get("size") or "wide", how.get("ax")
    if size not in WIDTHS:
        raise UserError(f"size: must be one of {', '.join(WIDTHS)}, not {size!r}")
    many, rows = len(panels), 0.9 + 0.24 * len(names)
    if ax is None:
        across = many if size == "wide" else 1
        shape = (WIDTHS[size], 0.3 + rows * many / across)
        drawing = Figure(figsize=shape, layout="constrained")
        all_axes = drawing.subplots(many // across, across, sharey=True, squeeze=False).ravel()
        drawing.suptitle(how.get("title", ""), fontsize="medium", wrap=True)
        drawing.supxlabel(how.get("unit", ""), fontsize="small", wrap=True)
    else:
        all_axes = list(ax) if isinstance(ax, Sequence) or hasattr(ax, "ravel") else [ax]
        drawing = all_axes[0].figure
        if len(all_axes) != many:
            raise UserError(f"ax: there are {many} panels, but {len(all_axes)} axes")
    nulls = how["nulls"]
    for axes, (title, series), label, null in zip(
        all_axes, panels.items(), labels, nulls, strict=True
    ):
        _panel(axes, series, names, null)
        axes.set_title(title, fontsize="medium")
        axes.set_xlabel(
            label if ax is None else f"{label}\n{how.get('unit', '')}", fontsize="small"
        )
    if len(next(iter(panels.values()))) > 1:
        place = {"loc": "outside upper center"} if ax is None else {"loc": "best"}
        holder = drawing if ax is None else all_axes[0]
        handles = all_axes[0].get_legend_handles_labels()
        many = min(len(handles[0]), 3)
        holder.legend(*handles, ncols=many, frameon=False, fontsize="small", **place)
    if (path := how.get("path")) is not None:
        target = Path(path)
        with aside(target) as part:
            drawing.savefig(part, format=target.suffix.removeprefix(".") or None, dpi=200)
    return drawing


def _panel(axes, series: Series, names: Sequence[str], null: float) -> None:
    """Draw the rows of each subject, and for two subjects a line between their numbers."""
    place = {name: i for i, name in enumerate(names)}
    if null == null:
        axes.axvline(null, color="0.5", linewidth=0.8, linestyle=":")
    if len(series) == 2:
        first, second = ({row.target: row.value for row in rows} for rows in series.values())
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
        values = [row.value for row in rows]
        axes.plot(values, heights, marker, color=colour, markersize=4, label=subject)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(labelsize="small")
