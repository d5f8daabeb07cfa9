"""The validity matrix: do measures of a trait agree, by whatever method, and of two traits not?

A multitrait-multimethod matrix (Campbell and Fiske 1959) over words, for professions and for
nationalities. Its diagonal is reliability, which bounds what stands beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from socialbias.measurement.reliability import by_halves, of_halves
from socialbias.papers.validation.matrix_items import CONTEXTS, KNOWN, MODELS, PARTS, SENTIMENT
from socialbias.papers.validation.units import TRAITS, UNITS
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.stats.correlation import percentile_interval, spearman_test
from socialbias.stats.draws import resampled_counts
from socialbias.stats.reliability import Reliability, ceiling, of_bootstraps
from socialbias.stats.similarity import Array
from socialbias.stats.weighted_correlation import spearman_draws

EVIDENCE = "evidence/validation/"
METHODS = ("glove", "word2vec", "own", "text", "representation", SENTIMENT)  # then a run's models
CRITERIA = ("women", "gdp")
NOISY = 0.3  # a reliability below it says that the cell shows noise
MIN_WORDS = 10  # words of a correlation
RHO = "Spearman's rho"
TRAIT_AND_METHOD = ("trait", "method")
FEWEST_CONTEXTS = 10  # with one pole alone: with fewer a word has no association in a text
SMOOTHING = 0.5  # of a context that stands with each pole, so that none makes a logarithm infinite
Poles = Sequence[Array]  # (items, n) of the positive and, if any, of the negative pole


def score(how: str, poles: Poles) -> Array:
    """Return the scores of items: the mean of the positive pole less that of the negative, (n,).

    If they are counts of contexts, it is the logarithm of the ratio of the two poles' counts.
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


@dataclass(frozen=True)
class Measured:
    """The variables of one unit on the same words."""

    unit: str  # such as `professions`
    words: list[str]  # n words
    variables: list[Variable]  # v variables
    scores: Array  # (v, n), NaN where a variable has no score of a word
    reliable: list[Reliability]  # v reliabilities
    # (1 + draws, n) how often each word is in each bootstrap sample; first, once each.
    weights: Array
    level: float  # coverage of intervals

    @property
    def measures(self) -> list[int]:
        """The places of the variables that are no criteria."""
        return [i for i, variable in enumerate(self.variables) if variable.method]


def summarise(job: Job) -> Iterator[dict]:
    """Yield all cells."""
    names = [f"{EVIDENCE}{name}" for name in job.below(EVIDENCE)]
    table = pd.concat([job.table(name) for name in names], ignore_index=True)
    for unit in UNITS:
        part = table[table["unit"] == unit]
        if part.empty:
            continue
        words = sorted(part["term"].unique())
        yield from of_unit(measure_unit(unit, words, variables(part), job.level, job.seed))


def measure_unit(
    unit: str, words: list[str], unordered: Iterable[Variable], level: float, seed: int
) -> Measured:
    """Return the variables of a unit in the order of the matrix, on all its words."""
    found = list(unordered)
    models = sorted({each.method for each in found} - {"", *METHODS})
    traits, methods = (*TRAITS, *CRITERIA), (*METHODS, *models, "")
    ordered = sorted(found, key=lambda v: (traits.index(v.trait), methods.index(v.method)))
    scores = [variable.scores().reindex(words).to_numpy(float) for variable in ordered]
    reliable = [variable.reliability(level) for variable in ordered]
    weights = np.vstack([np.ones(len(words)), resampled_counts(words, seed)])
    return Measured(unit, words, ordered, np.array(scores), reliable, weights, level)


def of_unit(data: Measured) -> Iterator[dict]:
    """Reliabilities, correlations, and what follows from them."""
    measures = data.measures
    # (1 + draws, v, v) of the measures that are reliable enough, over half of the words; else NaN.
    matrix = np.full((len(data.weights), len(measures), len(measures)), np.nan)
    for i in measures:
        result, variable = data.reliable[i], data.variables[i]
        if np.isnan(result.value):
            continue
        low, number, high = np.clip([result.low, result.value, result.high], 0, 1)
        cell = (f"{data.unit} {variable.key}", column_of(variable), number)
        fields = {"n": result.n, "n_of": len(data.words), "n_unit": data.unit}
        fields |= {"weak": _noise(data, i), "note": f"reliability over {HALVED[variable.how]}"}
        fields |= {"unit": "reliability", "reliability": number}
        yield value(*cell, interval=(low, high), **fields)
    for i, j in product(range(len(data.variables)), measures):
        known = ~np.isnan(data.scores[[i, j]]).any(axis=0)
        if i <= j or known.sum() < MIN_WORDS:
            continue
        draws = spearman_draws(*data.scores[[i, j]], data.weights)
        if i in measures and len(data.words) <= 2 * known.sum() and not _noise(data, i, j):
            k, m = measures.index(i), measures.index(j)
            matrix[:, k, m] = matrix[:, m, k] = draws
        # Two models of a user's own have no cell.
        if any(data.variables[k].method in ("", *METHODS) for k in (i, j)):
            yield from _correlated(data, i, j, known, draws[1:])
    yield from _summaries(data, matrix)


def _noise(data: Measured, *sides: int) -> str:
    """Return why a correlation shows noise: its sides that are too unreliable; "" where none is."""
    reasons = []
    for variable, reliable in ((data.variables[i], data.reliable[i].value) for i in sides):
        if not reliable >= NOISY:
            size = "unknown size" if np.isnan(reliable) else f"{reliable:.2f}"
            reasons.append(f"{variable.key} has a reliability of {size}")
    return f"too noisy: {', '.join(reasons)}" if reasons else ""


HALVED = {
    "cosines": "halves of the attribute words",
    "log-odds": "halves of the templates",
    "contexts": f"halves of the text, in {PARTS} parts",
    "models": "bootstrapped models",
    "known": "everybody",
}


def column_of(variable: Variable) -> str:
    """Return the column of a measure."""
    return f"{variable.trait}-{variable.method}"


def _correlated(
    data: Measured, i: int, j: int, known: NDArray[np.bool_], drawn: Array
) -> Iterator[dict]:
    """Yield a correlation of two variables, over the words that both know, where it is defined."""
    rho, p_value = spearman_test(*data.scores[[i, j]][:, known])
    if np.isnan(rho):
        return
    n, reliable = int(known.sum()), [data.reliable[k].value for k in (i, j)]
    fields = {"interval": percentile_interval(drawn, data.level, n), "n": n, "unit": RHO}
    fields |= {"n_of": len(data.words), "n_unit": data.unit, "weak": _noise(data, i, j)}
    if not np.isnan(reliable).any():
        fields["reliability"] = float(np.clip(min(reliable), 0, 1))
        fields["ceiling"] = ceiling(*reliable)
    cell = f"{data.unit} {data.variables[i].key}", column_of(data.variables[j]), float(rho)
    yield value(*cell, p_value=p_value, draws=drawn, **fields)


def _summaries(data: Measured, matrix: Array) -> Iterator[dict]:
    """Yield each measure's convergent correlation, and its lead over the other trait."""
    measures = [data.variables[i] for i in data.measures]
    traits, methods = (np.array([getattr(m, name) for m in measures]) for name in TRAIT_AND_METHOD)
    for k, measure in enumerate(measures):
        # Two measures of one trait by one method are neither.
        same = matrix[:, k][:, (traits == traits[k]) & (methods != methods[k])]
        rivals = np.abs(matrix[:, k][:, traits != traits[k]])
        if np.isnan(same[0]).all() or np.isnan(rivals[0]).all():
            continue
        agreement = np.nanmean(same, axis=1)
        lead = agreement - np.nanmean(rivals, axis=1)
        n = len(data.words)
        for column, draws, unit in (
            ("convergent", agreement, "mean of rho"),
            ("discriminant", lead, "difference of rho"),
        ):
            facts = {"interval": percentile_interval(draws[1:], data.level, n), "n": n}
            facts |= {"draws": draws[1:], "n_unit": data.unit, "unit": unit}
            yield value(f"{data.unit} {measure.key}", column, float(draws[0]), **facts)
