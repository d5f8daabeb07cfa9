"""What every command and function gives back: an estimate that writes itself down."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from socialbias.api import rendering
from socialbias.api.estimate import Estimate
from socialbias.errors import naming_extras


@dataclass(frozen=True)
class Result(Estimate):
    """An estimate, in the forms in which it is shown and kept; its attributes are all of those."""

    def to_json(self, path: str | Path | None = None) -> str:
        """`as_dict` as JSON, written to a file if one is named."""
        text = json.dumps(self.as_dict(), indent=2, ensure_ascii=False) + "\n"
        return written(text, path)

    def to_csv(self, path: str | Path | None = None) -> str:
        """The rows as CSV with numbers of 6 digits, written to a file if one is named."""
        return written(rendering.csv_text(self), path)

    def to_latex(self, path: str | Path | None = None) -> str:
        """The rows as a LaTeX table (booktabs) with a note, written to a file if one is named."""
        return written(rendering.latex(self), path)

    def to_html(self, path: str | Path | None = None) -> str:
        """A whole page, written to a file if one is named."""
        return written(rendering.page(self), path)

    @naming_extras()
    def plot(self, path: str | Path | None = None, most: int = 30):
        """The rows with their intervals, as a matplotlib figure.

        Args:
            path: Where to save it; its suffix is the format.
            most: Rows drawn: those that are farthest from the null value.
        """
        from socialbias.api.drawing import dots

        return dots(self, path, most)

    def explain(self) -> str:
        """What the number is, its null value, which way it goes, how sure it is, and from what."""
        return rendering.explained(self)

    def __str__(self) -> str:
        return rendering.text(self)

    def _repr_html_(self) -> str:
        return rendering.fragment(self)


def written(text: str, path: str | Path | None) -> str:
    """The text, after it is written to a file if one is named."""
    if path is not None:
        Path(path).write_text(text, "utf-8", newline="\n")
    return text
