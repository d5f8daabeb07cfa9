"""Worlds of models that decide on items of terms."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import expit

from socialbias.reporting.statements import FAILS, HOLDS, OPEN
from socialbias.stats.decisions import agreement, rank_intervals, score_draws
from socialbias.stats.item_response import fit
from socialbias.stats.paired import HIGHER, LOWER, Pairs, compare
from tests.simulations.simulate import Outcome

Array = NDArray[np.float64]
ITEMS = 27  # of a term
MODELS = 6


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


def ranked(rng: Generator, n: int, truth: float) -> Outcome:
    """Whether the first of several close models has the highest score."""
    mean = 0.6 + np.array([truth, 0, *np.linspace(-0.06, -0.01, MODELS - 2)])
    chances = mean + 0.05 * rng.standard_normal((n, MODELS))
    terms = terms_of(n)
    _, low, high = rank_intervals(*score_draws(decided(rng, chances), terms, seed=1))
    best = 1 + (mean[:, None] < mean).sum(axis=1)
    worst = MODELS - (mean[:, None] > mean).sum(axis=1)
    covered = float(((low <= best) & (worst <= high)).mean())
    return (HOLDS if high[0] == 1 else FAILS if low[0] > 1 else OPEN), covered


def scored_alike(rng: Generator, n: int, truth: float) -> Outcome:
    """Whether two scorings agree with a kappa above .6: on eight of ten items, save for effects."""
    kappa = 0.6 + truth
    share = (1 + kappa) / 2
    alike = rng.beta(20 * share, 20 * (1 - share), n).repeat(ITEMS)
    first = (rng.uniform(size=len(alike)) < 0.5).astype(float)
    second = np.where(rng.uniform(size=len(alike)) < alike, first, 1 - first)
    same, found = agreement(first, second, terms_of(n), seed=1)
    held = same.low <= share <= same.high, found.low <= kappa <= found.high
    verdict = HOLDS if found.low > 0.6 else FAILS if found.high < 0.6 else OPEN
    return verdict, float(np.mean(held))


def loaded(rng: Generator, n: int, truth: float) -> Outcome:
    """Whether one of several models has a negative loading."""
    loadings = np.array([-truth, *rng.uniform(0.5, 2, MODELS - 1)])
    intercepts, x = rng.uniform(-1, 1, MODELS), rng.integers(6, size=n) / 5
    theta = 0.5 * (x - x.mean()) + rng.standard_normal(n)
    chances = expit(intercepts + theta[:, None] * loadings)
    found = fit(rng.uniform(size=chances.shape) < chances, range(MODELS), x)
    low, high = found.intervals()
    truths = np.array([*intercepts, *loadings, 0.5])
    known = ~np.isnan(low)
    verdict = HOLDS if high[MODELS] < 0 else FAILS if low[MODELS] > 0 else OPEN
    return verdict, float(((low <= truths) & (truths <= high))[known].mean())
