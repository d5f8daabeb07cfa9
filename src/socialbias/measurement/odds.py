"""How much larger the biases in one of two corpora are, by the log odds of the first group."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from socialbias.measures.aggregate_magnitude import size
from socialbias.stats.draws import DRAWS, resamples
from socialbias.stats.intervals import Difference, quantile, student
from socialbias.stats.seeding import generator
from socialbias.stats.similarity import Array

POWER = 0.8


def compare_odds(
    first: tuple[Array, Array],
    second: tuple[Array, Array],
    names: Sequence[str],
    seed: int,
    level: float,
) -> tuple[Array, Difference]:
    """Return how much larger biases are in the second corpus: of each target, and together.

    From log odds (n,) of the targets in each corpus, and draws (draws, n) of them, come (n,)
    differences of absolute log odds, and the difference in `size`. Its interval reaches to 0 where
    as large a difference is not rare among exchanges of the corpora's numbers.
    """
    odds = np.stack([first[0], second[0]])
    noise = np.stack([draws.var(axis=0) for _, draws in (first, second)])
    chosen = np.vstack([np.arange(len(names)), resamples(names, seed)])  # observed ones first
    one, other = size(odds[:, chosen], noise[:, chosen])
    apart = other - one
    value, freedom = float(apart[0]), len(names) - 1
    error = float(apart[1:].std()) * math.sqrt(len(names) / freedom)
    reach = student(level, freedom)
    low, high = value - reach * error, value + reach * error
    # Over few targets the error is too small: equal corpora must be this far apart as seldom where
    # each target's two numbers change places at random, which is exact for any number of targets.
    exchanged = generator(seed, "exchanged", *names).random((DRAWS, len(names))) < 0.5
    sides = [[np.where(exchanged, *pair[::way]) for pair in (odds, noise)] for way in (1, -1)]
    one, other = (size(*side) for side in sides)
    as_far = 1 + (np.abs(other - one) >= abs(value) - 1e-12).sum()
    if as_far / (1 + DRAWS) > 1 - level:
        low, high = min(low, 0.0), max(high, 0.0)
    overall = Difference(value, low, high, (reach + quantile(POWER, freedom)) * error)
    return np.abs(second[0]) - np.abs(first[0]), overall


def log_odds(shares: Array, n: Array, base: float) -> Array:
    """Log odds (..., t) of shares of n contexts (t,), less those of a base rate."""
    inner = (np.clip(shares, 0, 1) * n + 0.5) / (n + 1)  # never 0 or 1
    return np.log(inner / (1 - inner)) - math.log(base / (1 - base))
