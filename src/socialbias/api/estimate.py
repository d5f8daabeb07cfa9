"""The parts of a result: its rows and the placebo words, as plain values."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np


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
