"""The result of `measure` and `compare`, with its output formats."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from socialbias.api import rendering
from socialbias.api.estimate import Estimate
from socialbias.errors import naming_extras


@dataclass(frozen=True)
class Result(Estimate):
    """An estimate that can be printed, plotted and written to files."""

    def to_json(self, path: str | Path | None = None) -> str:
        """Return `as_dict` as JSON, and write it to a file if one is named."""
        text = json.dumps(self.as_dict(), indent=2, ensure_ascii=False) + "\n"
        return written(text, path)

    def to_csv(self, path: str | Path | None = None) -> str:
        """Return the rows as CSV with 6-digit numbers, and write it to a file if one is named."""
        return written(rendering.csv_text(self), path)

    def to_latex(self, path: str | Path | None = None) -> str:
        """Return the rows as a LaTeX table (booktabs), and write it to a file if one is named."""
        return written(rendering.latex(self), path)

    def to_html(self, path: str | Path | None = None) -> str:
        """Return an HTML page, and write it to a file if one is named."""
        return written(rendering.page(self), path)

    @naming_extras()
    def plot(self, path: str | Path | None = None, most: int = 30):
        """Plot the rows with their intervals, as a matplotlib figure.

        Args:
            path: Where to save it; its suffix is the format.
            most: Rows drawn: those that are farthest from the null value.
        """
        from socialbias.api.drawing import dots

        return dots(self, path, most)

    def explain(self) -> str:
        """Explain the number: its null value, direction, certainty, data and measure."""
        return rendering.explained(self)

    def __str__(self) -> str:
        return rendering.text(self)

    def _repr_html_(self) -> str:
        return rendering.fragment(self)


def written(text: str, path: str | Path | None) -> str:
    """Write a text to a file, if one is named, and return it."""
    if path is not None:
        Path(path).write_text(text, "utf-8", newline="\n")
    return text
