"""A result as a figure."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

from socialbias.api.estimate import Estimate
from socialbias.api.rendering import ordered

COLOUR = "#0072b2"


def dots(result: Estimate, path: str | Path | None = None, most: int = 30) -> Figure:
    """Draw a dot with its interval for each of the rows farthest from no bias.

    Args:
        result: The result.
        path: File to save the figure to, if any.
        most: Number of rows drawn.
    """
    rows = ordered(result)[:most]
    figure = Figure(figsize=(6, 0.9 + 0.22 * len(rows)), layout="constrained")
    axes = figure.subplots()
    for i, row in enumerate(rows):
        axes.plot([row.low, row.high], [i, i], color=COLOUR, linewidth=1)
        axes.plot(row.value, i, "o", color=COLOUR, markersize=4)
    if result.null == result.null:
        axes.axvline(result.null, color="0.5", linewidth=0.8, linestyle=":")
    axes.set_yticks(range(len(rows)), [row.target for row in rows])
    axes.invert_yaxis()
    axes.set_xlabel(f"{result.unit}, {result.level:.0%} intervals\n{result.direction}")
    axes.set_title(result.title, fontsize="medium", wrap=True)
    if path is not None:
        figure.savefig(path)
    return figure
