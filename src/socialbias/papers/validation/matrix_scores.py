"""Scores of words from their items, with their reliability."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from socialbias.measurement.reliability import by_halves, of_halves
from socialbias.papers.validation.matrix_items import CONTEXTS, KNOWN, MODELS
from socialbias.stats.reliability import Reliability, of_bootstraps
from socialbias.stats.similarity import Array

FEWEST_CONTEXTS = 10  # with one pole alone: with fewer a word has no association in a text
SMOOTHING = 0.5  # of a context that stands with each pole, so that none makes a logarithm infinite
Poles = Sequence[Array]  # (items, n) of the positive and, if any, of the negative pole


def score(how: str, poles: Poles) -> Array:
    """Return the scores of items: the mean of the positive pole less that of the negative, (n,).

    Of contexts, the logarithm of the ratio of those with either pole.
    """
    if how == CONTEXTS:
        plus, minus = (pole.sum(axis=0) + SMOOTHING for pole in poles)
        return np.log(plus / minus)
    means = [pole.mean(axis=0) for pole in poles]
    return means[0] - means[1] if len(means) > 1 else means[0]


@dataclass(frozen=True)
class Variable:
    """One trait by one method, or a criterion."""

    unit: str  # such as `professions`
    trait: str  # such as `gender`; of a criterion, its name
    method: str  # such as `glove`; "" of a criterion
    how: str  # how items become a score
    terms: tuple[str, ...]  # n words
    numbers: tuple[Array, ...]  # (items, n) of each pole

    @property
    def key(self) -> str:
        """`gender glove`; a criterion's name."""
        return f"{self.trait} {self.method}".strip()

    def scores(self) -> pd.Series:
        """Return the score of each word that has one."""
        scores = pd.Series(score(self.how, self.numbers), index=list(self.terms))
        return scores[self._measured()]

    def reliability(self, level: float) -> Reliability:
        """Over halves of the items; over models, of their mean; 1 of what counts everybody."""
        scores = self.scores()
        if self.how == KNOWN:
            return Reliability(1.0, 1.0, 1.0, len(scores), 1)
        kept = [numbers[:, self._measured()] for numbers in self.numbers]
        if self.how == MODELS:
            return of_bootstraps(kept[0].T, level)
        paired = self.how == CONTEXTS
        least = min(len(numbers) for numbers in kept)
        if least < (4 if paired else 2):
            return Reliability(np.nan, np.nan, np.nan, len(scores), least)
        halves = by_halves(partial(score, self.how), kept, paired)
        return of_halves(*halves, list(scores.index), level, least)

    def _measured(self) -> np.ndarray:
        """Return which words have a score: in a text, those with enough contexts."""
        sums = sum(numbers.sum(axis=0) for numbers in self.numbers)
        return sums >= FEWEST_CONTEXTS if self.how == CONTEXTS else ~np.isnan(sums)


def variables(table: pd.DataFrame) -> Iterator[Variable]:
    """Yield the variables of a table of items (`matrix_items`), in the order of the table."""
    for (unit, trait, method), part in table.groupby(["unit", "trait", "method"], sort=False):
        grids = [
            part[part["pole"] == pole].pivot(index="item", columns="term", values="number")
            for pole in (1, -1)
            if (part["pole"] == pole).any()
        ]
        terms = [t for t in dict.fromkeys(part["term"]) if all(t in grid for grid in grids)]
        numbers = tuple(grid[terms].to_numpy(float) for grid in grids)
        how = part["how"].iloc[0]
        yield Variable(unit, trait, method, how, tuple(terms), numbers)
