"""A number with all that one must know of it, whatever measured it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

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
        percentile: Per cent of the placebo words that have a lower number; NaN without such words.
        p_words_exchanged: Share of deals of the group words to the groups at random that give as
            much; NaN where there is no such test.
        detectable: The smallest true bias that would be found in 80 % of samples; NaN if unknown.
        n: What the number rests on, such as contexts; 0 where words are counted in the result.
        note: A reservation; "" where there is none.
    """

    target: str
    value: float
    low: float
    high: float
    leans_to: str = ""
    percentile: float = math.nan
    p_words_exchanged: float = math.nan
    detectable: float = math.nan
    n: int = 0
    note: str = ""


@dataclass(frozen=True)
class Placebo:
    """What other words of the same subject give, and how the targets differ from them.

    Attributes:
        words: What they are.
        n: How many have a number.
        mean: Of their numbers.
        low, high: Between which 95 % of their numbers lie.
        difference: Mean of the targets less that mean.
        difference_low, difference_high: Its interval.
        share: Of equally large samples of these words, those whose mean is as far from `mean`.
    """

    words: str
    n: int
    mean: float
    low: float
    high: float
    difference: float
    difference_low: float
    difference_high: float
    share: float


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A bias, or a difference of two, with its uncertainty and origin.

    Attributes:
        title: What was measured, in words; "" before that is known.
        measure: Name of the measure.
        statistic: What `value` is of the rows, such as their mean.
        value: The number; NaN where there is none.
        low, high: Its interval; of a mean with placebo words that of its difference from theirs,
            about `null`.
        level: Nominal coverage of the interval.
        null: What the number is of placebo words; without them what it is without bias, of a
            magnitude by chance alone; NaN if unknown.
        placebos: What other words give, the first of which is `null`.
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
        p_words_exchanged: Share of deals of words to lists at random that give as much; NaN where
            there is no such test. It tests these lists, not whether other targets would differ.
        words_exchanged: Which words are dealt, and how.
        citation: Of the measure.
        provenance: Of everything that was read, as plain values.
        rows: The targets.
        notes: Reservations.
        verdict: Of a comparison; "" otherwise.
        changed: Of a comparison by items, how many decisions differ each way, and of how many.
        draws: (draws, rows) the rows' numbers in resamples; None where there are none.
        dealt: (draws,) the number with words dealt to lists at random; None where that says
            nothing.
        meant: By a missing word the known one that was probably meant.
    """

    title: str = ""
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
    missing: dict[str, list[str]] = field(default_factory=dict)
    resampled: str
    reliability: float = math.nan
    reliability_low: float = math.nan
    reliability_high: float = math.nan
    reliability_of: str = ""
    detectable: float = math.nan
    p_value: float = math.nan
    test: str = ""
    p_words_exchanged: float = math.nan
    words_exchanged: str = ""
    placebos: tuple[Placebo, ...] = ()
    citation: str
    provenance: list[dict] = field(default_factory=list)
    rows: tuple[Row, ...] = ()
    notes: tuple[str, ...] = ()
    verdict: str = ""
    changed: dict[str, int] = field(default_factory=dict)
    draws: Array | None = field(default=None, repr=False, compare=False)
    dealt: Array | None = field(default=None, repr=False, compare=False)
    meant: dict[str, str] = field(default_factory=dict)

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
        left_out = ("draws", "dealt")
        kept = {key: value for key, value in vars(self).items() if key not in left_out}
        parts = {name: [vars(each) for each in kept[name]] for name in ("rows", "placebos")}
        return plain(kept | parts)


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
