"""The parts of a result: its rows and the placebo words, as plain values."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

FEWEST_CONTEXTS = 20  # with a group, for a target to be judged in a text
LONGEST_WINDOW = 5  # sentences of a context


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
        n: Sample size, such as the number of contexts; None if only the result has one.
        note: A reservation, if any.
        freedom: Degrees of freedom of the interval, if it is Student's t; else NaN.
    """

    target: str
    value: float
    low: float
    high: float
    leans_to: str = ""
    percentile: float = math.nan
    p_words_exchanged: float = math.nan
    detectable: float = math.nan
    n: int | None = None
    note: str = ""
    freedom: float = math.nan


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


def filled(records: Iterable[dict]) -> list[dict]:
    """Return records without the columns that are empty in all of them."""
    records = list(records)
    empty = {None, ""}
    kept = {
        key
        for record in records
        for key, value in record.items()
        if value not in empty and value == value  # NaN is not equal to itself
    }
    return [{key: value for key, value in record.items() if key in kept} for record in records]


def too_rare(rows: Iterable[Row], window: int | None = None) -> str:
    """Return which targets have too few contexts, and what would help; "" for none.

    Args:
        rows: Of a text.
        window: Sentences of a context.
    """
    rare = sorted((row for row in rows if row.n < FEWEST_CONTEXTS), key=lambda row: -row.n)
    if not rare:
        return ""
    named = ", ".join(f"{row.target} ({row.n})" for row in rare[:8])
    named += f" and {len(rare) - 8} more" * (len(rare) > 8)
    times = FEWEST_CONTEXTS / max(rare[0].n, 1)
    help_ = f"about {times:.2g} times as many documents for the first of them"
    if window is None or window < LONGEST_WINDOW:
        help_ += ", or longer contexts (--window)"
    return f"too rare, with fewer than {FEWEST_CONTEXTS} contexts: {named}. What helps: {help_}"


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
