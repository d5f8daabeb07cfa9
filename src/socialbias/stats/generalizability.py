"""Variance components of numbers over things and one or two facets, and how many levels it takes.

A number is of a thing (a word, a term, a model), measured by one level of each facet (a word of a
list, a template, a model); things and facets are crossed, and their levels are taken for a random
sample. What differs between levels is error where numbers should hold beyond these levels
(Cronbach, Gleser, Nanda and Rajaratnam 1972; Brennan 2001, chapters 3 to 5). Components are those
of the analysis of variance, negative ones set to 0: of balanced data without negative ones they
are REML's.

Intervals are by generalized pivots (Weerahandi 1993): an effect's sum of squares over its expected
mean square has a chi-squared distribution with its degrees of freedom, which is drawn. They allow
for few levels of a facet, of which a bootstrap over things knows nothing, and rest on components
that are about normal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from math import prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from socialbias.stats.draws import DRAWS
from socialbias.stats.intervals import percentile
from socialbias.stats.seeding import generator

Array = NDArray[np.float64]
Effect = tuple[int, ...]  # the axes that it is of, 0 the things
FEWEST = 4  # things
MOST_FACETS = 2
GOAL = 0.8  # a coefficient that is called good enough for comparing things
MOST_LEVELS = 10_000  # more is as good as no number of levels


@dataclass(frozen=True)
class Components:
    """Variance components, with draws of them.

    Attributes:
        effects: (e,) each effect's axes; the last is what is left over.
        variance: (e,) at least 0.
        draws: (DRAWS, e) of the same.
        levels: Things, then levels of each facet.
    """

    effects: tuple[Effect, ...]
    variance: Array
    draws: Array
    levels: tuple[int, ...]

    def interval(self, effect: Effect, level: float) -> tuple[float, float]:
        """Of the variance of an effect."""
        return percentile(self.draws[:, self.effects.index(effect)], level)

    def shares(self) -> tuple[Array, Array]:
        """Each component's share of their sum, (e,), and draws of it; NaN where all are 0."""
        return tuple(_over_sum(part) for part in (self.variance, self.draws))

    def coefficient(self, counts: Sequence[int], absolute: bool = False) -> tuple[float, Array]:
        """The generalizability coefficient of means over so many levels, and draws of it.

        Args:
            counts: Levels of each facet that a number is a mean over.
            absolute: Whether a level's own height is error too (dependability, phi), as where a
                number is held against a fixed one; else only what reorders the things is.

        Returns:
            The share of the variance of such means that is of the things; NaN where none varies.
        """
        weights = self._error_weights(counts, absolute)
        things = self.effects.index((0,))
        found = []
        for variance in (self.variance[None], self.draws):
            error = variance @ weights
            with np.errstate(invalid="ignore"):
                found.append(variance[:, things] / (variance[:, things] + error))
        return float(found[0][0]), found[1]

    def _error_weights(self, counts: Sequence[int], absolute: bool) -> Array:
        if len(counts) != len(self.levels) - 1:
            raise ValueError(f"{len(counts)} counts for {len(self.levels) - 1} facets")
        return np.array(
            [
                1 / prod(counts[axis - 1] for axis in effect if axis)
                if effect != (0,) and (absolute or 0 in effect)
                else 0.0
                for effect in self.effects
            ]
        )

    def needed(self, facet: int, goal: float = GOAL) -> tuple[float, float, float]:
        """How many levels of a facet it takes, with as many of the other as there are.

        Args:
            facet: From 1.
            goal: The coefficient to reach.

        Returns:
            The number and its 95 % interval; infinite where no number of levels is enough.
        """
        found = [self._levels_for(part, facet, goal) for part in (self.variance[None], self.draws)]
        low, high = np.quantile(found[1], [0.025, 0.975], method="nearest")
        return float(found[0][0]), float(low), float(high)

    def _levels_for(self, variance: Array, facet: int, goal: float) -> Array:
        """(draws,) whole numbers of levels; infinite beyond `MOST_LEVELS`."""
        counts = list(self.levels[1:])
        counts[facet - 1] = 1
        weights = self._error_weights(counts, absolute=False)
        of_facet = np.array([facet in effect for effect in self.effects])
        things = variance[:, self.effects.index((0,))]
        # things / (things + rest + by / n) >= goal, solved for n.
        allowed = things * (1 - goal) / goal - variance @ (weights * ~of_facet)
        by = variance @ (weights * of_facet)
        with np.errstate(divide="ignore", invalid="ignore"):
            wanted = np.where(allowed > 0, np.maximum(np.ceil(by / allowed - 1e-9), 1), np.inf)
        return np.where(wanted > MOST_LEVELS, np.inf, wanted)


def components(numbers: ArrayLike, draws: int = DRAWS) -> Components | None:
    """Variance components of a crossed random design.

    Args:
        numbers: (n, a) or (n, a, b): things by the levels of one facet or of two, one number each.
            A thing with a NaN is left out.
        draws: Number of draws.

    Returns:
        None with fewer than four things, or two levels of a facet, and where nothing varies.

    Raises:
        ValueError: there are no facets, or more than two.
    """
    x = np.asarray(numbers, float)
    if not 2 <= x.ndim <= 1 + MOST_FACETS:
        raise ValueError(f"one or two facets, not {x.ndim - 1}")
    x = x[~np.isnan(x).reshape(len(x), -1).any(axis=1)]
    if len(x) < FEWEST or min(x.shape[1:]) < 2 or np.ptp(x) == 0:
        return None
    axes = range(x.ndim)
    effects = tuple(chain.from_iterable(combinations(axes, k) for k in range(1, x.ndim + 1)))
    squares = {effect: _mean_square(x, effect) for effect in effects}
    freedom = {effect: prod(x.shape[axis] - 1 for axis in effect) for effect in effects}
    rng = generator(0, "generalizability", *x.shape)
    pivots = {e: freedom[e] / rng.chisquare(freedom[e], draws) for e in effects}
    drawn = {effect: squares[effect] * pivots[effect] for effect in effects}
    variance = np.array([float(_component(e, squares, x.shape)) for e in effects])
    sampled = np.column_stack([_component(e, drawn, x.shape) for e in effects])
    return Components(effects, np.maximum(variance, 0), np.maximum(sampled, 0), x.shape)


def _mean_square(x: Array, effect: Effect) -> float:
    """The mean square of an effect: of its cells' means less what smaller effects explain."""
    others = tuple(axis for axis in range(x.ndim) if axis not in effect)
    left = x.mean(axis=others, keepdims=True)
    for axis in effect:
        left = left - left.mean(axis=axis, keepdims=True)
    times = prod(x.shape[axis] for axis in others)
    return float((left**2).sum() * times / prod(x.shape[axis] - 1 for axis in effect))


def _component(effect: Effect, squares: dict, shape: tuple[int, ...]):
    """The variance of an effect from mean squares (Cornfield and Tukey 1956)."""
    above = [other for other in squares if set(effect) <= set(other)]
    signed = sum((-1) ** (len(other) - len(effect)) * squares[other] for other in above)
    return signed / prod(size for axis, size in enumerate(shape) if axis not in effect)


def _over_sum(variance: Array) -> Array:
    total = variance.sum(axis=-1, keepdims=True)
    return np.divide(variance, total, out=np.full_like(variance, np.nan), where=total > 0)
