"""How much larger the biases in one of two corpora are, by the log odds of the first group."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from socialbias.measures.aggregate_magnitude import size
from socialbias.stats.draws import DRAWS
from socialbias.stats.intervals import Difference
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
    differences of absolute log odds, and the difference in `size`. Its interval is that of a paired
    permutation test: each target's two numbers change places at random.
    """
    odds = np.stack([first[0], second[0]])
    noise = np.stack([draws.var(axis=0) for _, draws in (first, second)])
    kept = np.zeros((1, len(names)), bool)
    exchanged = generator(seed, "exchanged", *names).random((DRAWS, len(names))) < 0.5
    exchanged = np.vstack([kept, exchanged])  # as observed first
    sides = [[np.where(exchanged, *pair[::way]) for pair in (odds, noise)] for way in (-1, 1)]
    one, other = (size(*side) for side in sides)
    value, *apart = other - one
    reach = float(np.quantile(np.abs(apart), level))
    detectable = reach + float(np.quantile(apart, POWER))
    overall = Difference(float(value), value - reach, value + reach, detectable)
    return np.abs(second[0]) - np.abs(first[0]), overall


def log_odds(shares: Array, n: Array, base: float) -> Array:
    """Log odds (..., t) of shares of n contexts (t,), less those of a base rate."""
    inner = (np.clip(shares, 0, 1) * n + 0.5) / (n + 1)  # never 0 or 1
    return np.log(inner / (1 - inner)) - math.log(base / (1 - base))
