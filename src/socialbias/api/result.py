"""What every command and function gives back: a number with all that one must know of it."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from socialbias.measures.similarity import Array


@dataclass(frozen=True)
class Row:
    """The bias of one target.

    Attributes:
        target: The word.
        value: Its bias; NaN where there is none.
        low, high: Its interval.
        leans_to: The group that it is associated with most.
        p_value: Of no bias; NaN where there is no test.
        detectable: The smallest true bias that would be found in 80 % of samples; NaN if unknown.
        n: What the number rests on, such as contexts; 0 where words are counted in the result.
        note: A reservation; "" where there is none.
    """

    target: str
    value: float
    low: float
    high: float
    leans_to: str = ""
    p_value: float = math.nan
    detectable: float = math.nan
    n: int = 0
    note: str = ""


@dataclass(frozen=True)
class Result:
    """A bias, or a difference of two, with its uncertainty and origin.

    Attributes:
        title: What was measured, in words.
        measure: Name of the measure.
        statistic: What `value` is of the rows, such as their mean.
        value: The number; NaN where there is none.
        low, high: Its interval.
        level: Nominal coverage of the interval.
        null: What the number is without bias; for a magnitude what chance alone gives, if known.
        unit: Of the numbers.
        direction: Which way they go.
        n, n_of: What was found of what was asked for.
        n_unit: Such as targets.
        missing: Words that were not found, by the list that has them.
        resampled: What the interval is over.
        reliability: That of the rows' order, with its interval; NaN if unknown.
        reliability_low, reliability_high: Its interval.
        reliability_of: What it is over.
        detectable: How far from `null`, or from 0 without one, a true number is found at 0.05 in
            80 % of samples.
        p_value: NaN where there is no test.
        test: What the p-value is of.
        citation: Of the measure.
        provenance: Of everything that was read, as plain values.
        rows: The targets.
        notes: Reservations.
        verdict: Of a comparison; "" otherwise.
        units: How many words, or pairs of them, each group has that was resampled by itself.
        draws: (draws, rows) the rows' numbers in resamples; None where there are none.
    """

    title: str
    measure: str
    statistic: str
    value: float
    low: float
    high: float
    level: float
    null: float
    unit: str
    direction: str
    n: int
    n_of: int
    n_unit: str
    missing: dict[str, list[str]]
    resampled: str
    reliability: float
    reliability_low: float
    reliability_high: float
    reliability_of: str
    detectable: float
    p_value: float
    test: str
    citation: str
    provenance: list[dict]
    rows: tuple[Row, ...] = ()
    notes: tuple[str, ...] = ()
    verdict: str = ""
    units: tuple[int, ...] = ()
    draws: Array | None = field(default=None, repr=False, compare=False)

    @property
    def interval(self) -> tuple[float, float]:
        """The ends of the interval."""
        return self.low, self.high

    @property
    def passport(self) -> str:
        """Name of the measure's page in docs/passports, and of its row in a run's passport."""
        if self.measure == "decisions":
            return "stereotype-score"
        kinds = {entry.get("role") for entry in self.provenance}
        if self.measure in ("directed", "divdist") and kinds & {"corpus", "model"}:
            return "reduction" if "model" in kinds else "text"
        return self.measure

    @property
    def table(self):
        """The rows, as a pandas data frame, or as a list of dicts where pandas is not installed."""
        rows = [vars(row) for row in self.rows]
        try:
            import pandas as pd
        except ImportError:
            return rows
        return pd.DataFrame(rows, columns=list(Row.__dataclass_fields__))

    def as_dict(self) -> dict:
        """Everything but the draws, as plain JSON values: a number that there is not is None."""
        kept = {key: value for key, value in vars(self).items() if key not in ("draws", "units")}
        return plain(kept | {"rows": [vars(row) for row in self.rows]})

    def to_json(self, path: str | Path | None = None) -> str:
        """`as_dict` as JSON, written to a file if one is named."""
        text = json.dumps(self.as_dict(), indent=2, ensure_ascii=False) + "\n"
        return _written(text, path)

    def to_csv(self, path: str | Path | None = None) -> str:
        """The rows as CSV with numbers of 6 digits, written to a file if one is named."""
        from socialbias.api.rendering import csv_text

        return _written(csv_text(self), path)

    def to_latex(self, path: str | Path | None = None) -> str:
        """The rows as a LaTeX table (booktabs) with a note, written to a file if one is named."""
        from socialbias.api.rendering import latex

        return _written(latex(self), path)

    def to_html(self, path: str | Path | None = None) -> str:
        """A whole page, written to a file if one is named."""
        from socialbias.api.rendering import page

        return _written(page(self), path)

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
        from socialbias.api.rendering import explained

        return explained(self)

    def __str__(self) -> str:
        from socialbias.api.rendering import text

        return text(self)

    def _repr_html_(self) -> str:
        from socialbias.api.rendering import fragment

        return fragment(self)


def plain(value: object) -> object:
    """JSON values, of which NaN and infinity are none."""
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, float | np.floating):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    if isinstance(value, np.integer):
        return int(value)
    return value


def _written(text: str, path: str | Path | None) -> str:
    if path is not None:
        Path(path).write_text(text, "utf-8", newline="\n")
    return text
