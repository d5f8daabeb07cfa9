"""Worlds of models that decide on items of terms."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from socialbias.reporting.statements import FAILS, HOLDS, OPEN
from socialbias.stats.paired import HIGHER, LOWER, Pairs, compare
from tests.simulations.simulate import Outcome

Array = NDArray[np.float64]
ITEMS = 27  # of a term


def terms_of(n: int) -> list[str]:
    return [f"term {i}" for i in range(n) for _ in range(ITEMS)]


def decided(rng: Generator, chances: Array) -> Array:
    """Decisions (n ITEMS, m) of chances (n, m); models decide alike on half of the items."""
    chances = np.repeat(chances, ITEMS, axis=0)
    own, common = rng.uniform(size=chances.shape), rng.uniform(size=(len(chances), 1))
    alike = rng.uniform(size=own.shape) < 0.5
    return (np.where(alike, common, own) < chances).astype(float)


def swapped(rng: Generator, n: int, truth: float) -> Pairs:
    """Two different models whose decisions are swapped term by term at random, then moved apart."""
    shared = 0.6 + 0.08 * rng.standard_normal((n, 1))
    chances = shared + np.array([0.05, 0]) + 0.05 * rng.standard_normal((n, 2))
    swap = rng.uniform(size=(n, 1)) < 0.5
    chances = np.where(swap, chances[:, ::-1], chances) + truth * np.array([0.5, -0.5])
    return compare(*decided(rng, chances).T, terms_of(n), seed=1)


def paired(rng: Generator, n: int, truth: float) -> Outcome:
    """Whether the first model's score is higher."""
    found = swapped(rng, n, truth)
    verdict = {HIGHER: HOLDS, LOWER: FAILS}.get(found.verdicts()[0], OPEN)
    return verdict, float(found.low[0] <= truth <= found.high[0])


def as_detectable(rng: Generator, n: int, truth: float) -> Outcome:
    """As `paired`, in a world with the difference that another without it says can be found."""
    return paired(rng, n, truth * swapped(rng, n, 0).detectable[0])
