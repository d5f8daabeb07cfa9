"""A measured number with its uncertainty, its comparisons and its origin."""

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
        value: Its bias; NaN if undefined.
        low, high: Its interval.
        leans_to: The group that it is most associated with.
        percentile: Percentage of placebo words with a lower number; NaN without such words.
        p_words_exchanged: p-value of a permutation test over group words; NaN without one.
        detectable: The smallest true bias detected with 80 % power; NaN if unknown.
        n: Sample size, such as the number of contexts; 0 if only the result has one.
        note: A reservation, if any.
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
    """The numbers of other words of the same subject, and how the targets differ from them.

    Attributes:
        words: Description of these words.
        n: How many have a number.
        mean: Mean of their numbers.
        low, high: Range of 95 % of their numbers.
        difference: Mean of the targets minus that mean.
        difference_low, difference_high: Its interval.
        share: Share of equally large samples of these words that differ as much from `mean`.
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
        title: What was measured; "" until that is known.
        measure: Name of the measure.
        statistic: How `value` summarises the rows, such as their mean.
        value: The number; NaN if undefined.
        low, high: Its interval; with placebo words, the interval of the difference from them,
            around `null`.
        level: Nominal coverage of the interval.
        null: The number of placebo words; without them, the number without bias (for a magnitude,
            by chance alone); NaN if unknown.
        placebos: The numbers of other words; the first are the null.
        unit: Unit of the numbers.
        direction: What the sign or size of the numbers means.
        n, n_of: Sample size, and what was asked for.
        n_unit: What n counts, such as targets.
        missing: Words that were not found, by list.
        resampled: What the interval resamples.
        reliability: Reliability of the rows' ranking; NaN if unknown.
        reliability_low, reliability_high: Its interval.
        reliability_of: What was ranked, and how it was split.
        detectable: Smallest distance from `null`, or from 0 without one, that is detected at 0.05
            with 80 % power.
        p_value: p-value of `test`; NaN without a test.
        test: The test, in words.
        p_words_exchanged: p-value of a permutation test over the words of lists; NaN without one.
            It tests these lists, not whether other targets would differ.
        words_exchanged: That test, in words.
        citation: Source of the measure.
        provenance: Everything that was read, as plain values.
        rows: The targets.
        notes: Reservations.
        verdict: Verdict of a comparison; "" otherwise.
        changed: In a comparison by items, how many decisions differ in each direction, of how many.
        draws: (draws, rows) the rows' numbers in resamples, if any.
        dealt: (draws,) the number with permuted words, if it was tested.
        meant: The known word that was probably meant, by missing word.
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
        parts = {name: [vars(part) for part in kept[name]] for name in ("rows", "placebos")}
        return plain(kept | parts)


def plain(value: object) -> object:
    """Return plain JSON values; NaN and infinity become None."""
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, float | np.floating):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    if isinstance(value, np.integer):
        return int(value)
    return value
