"""The validity matrix: do measures of a trait agree, by whatever method, and of two traits not?

A multitrait-multimethod matrix (Campbell and Fiske 1959) over words, for professions and for
nationalities. Its diagonal is reliability, which bounds what stands beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from socialbias.papers.validation.matrix_items import PARTS, SENTIMENT
from socialbias.papers.validation.matrix_scores import Variable, variables
from socialbias.papers.validation.units import TRAITS, UNITS
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.stats.correlation import percentile_interval, spearman_test
from socialbias.stats.draws import resampled_counts
from socialbias.stats.multitrait import (
    obeying,
    pairs_of,
    permuted_labels,
    share_obeying,
    weighted_pearson,
    weighted_ranks,
)
from socialbias.stats.reliability import Reliability, ceiling
from socialbias.stats.similarity import Array

EVIDENCE = "evidence/validation/"
METHODS = ("glove", "word2vec", "own", "text", "representation", SENTIMENT)  # then a run's models
CRITERIA = ("women", "gdp")
NOISY = 0.3  # a reliability below it says that the cell shows noise
MIN_WORDS = 10  # words of a correlation
RHO = "Spearman's rho"


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
    # Ranks and correlations computed so far, by variables and words.
    ranks: dict = field(default_factory=dict, repr=False)

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
    """Reliabilities, correlations, partial ones, and what follows from them."""
    plain = {
        (i, j): _correlation(data, i, j, _known(data, i, j))
        for i in range(len(data.variables))
        for j in data.measures
        if i > j and _known(data, i, j).sum() >= MIN_WORDS
    }
    matrix = _symmetric(data, plain)
    for i in data.measures:
        result, variable = data.reliable[i], data.variables[i]
        if np.isnan(result.value):
            continue
        low, number, high = np.clip([result.low, result.value, result.high], 0, 1)
        cell = (f"{data.unit} {variable.key}", column_of(variable), number)
        fields = {"n": result.n, "n_of": len(data.words), "n_unit": data.unit}
        fields |= {"weak": _noise(data, i), "note": f"reliability over {HALVED[variable.how]}"}
        fields |= {"unit": "reliability", "reliability": number}
        yield value(*cell, interval=(low, high), **fields)
    for (i, j), draws in plain.items():
        if _declared(data, i, j):
            rho, p_value = spearman_test(*data.scores[[i, j]][:, _known(data, i, j)])
            note = _verdict(data, i, j, draws, matrix)
            others = {"p_value": p_value, "draws": draws[1:], "note": note}
            yield from _correlated(data, i, j, rho, draws[1:], **others)
    yield from _summaries(data, matrix)


def _known(data: Measured, i: int, j: int) -> np.ndarray:
    """Return which words have a score of both variables, (n,)."""
    return ~np.isnan(data.scores[[i, j]]).any(axis=0)


def _correlation(data: Measured, i: int, j: int, known: np.ndarray) -> Array:
    """Return the correlation of two variables over some words, and in each sample: (1 + draws,)."""
    key = (i, j, known.tobytes())
    if key not in data.ranks:
        sides, weights = [(k, known.tobytes()) for k in (i, j)], data.weights[:, known]
        for side in sides:
            if side not in data.ranks:
                data.ranks[side] = weighted_ranks(data.scores[side[0], known], weights)
        data.ranks[key] = weighted_pearson(*(data.ranks[side] for side in sides), weights)
    return data.ranks[key]


def _declared(data: Measured, i: int, j: int) -> bool:
    """Return whether a pair has a cell: two models of a user's own have none."""
    return any(data.variables[k].method in ("", *METHODS) for k in (i, j))


def _symmetric(data: Measured, pairs: Mapping) -> Array:
    """(1 + draws, v, v) correlations of measures that are reliable enough, of half of the words.

    NaN elsewhere.
    """
    measures = data.measures
    matrix = np.full((len(data.weights), len(measures), len(measures)), np.nan)
    place = {i: k for k, i in enumerate(measures)}
    for (i, j), draws in pairs.items():
        few = len(data.words) > 2 * _known(data, i, j).sum()
        if i in place and not few and not _noise(data, i, j):
            matrix[:, place[i], place[j]] = matrix[:, place[j], place[i]] = draws
    return matrix


def _noise(data: Measured, *sides: int) -> str:
    """Return why a correlation shows noise: its sides that are too unreliable; "" where none is."""
    reasons = [
        f"{data.variables[i].key} has a reliability of {_short(data.reliable[i].value)}"
        for i in sides
        if not data.reliable[i].value >= NOISY
    ]
    return f"too noisy: {', '.join(reasons)}" if reasons else ""


def _short(number: float) -> str:
    return "unknown size" if np.isnan(number) else f"{number:.2f}"


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


def _correlated(data: Measured, i: int, j: int, rho: float, drawn: Array, **others) -> list[dict]:
    """Return a correlation of two variables as a value; [] where it is not defined."""
    if np.isnan(rho):
        return []
    n, reliable = int(_known(data, i, j).sum()), [data.reliable[k].value for k in (i, j)]
    fields = {"interval": percentile_interval(drawn, data.level, n), "n": n, "unit": RHO}
    fields |= {"n_of": len(data.words), "n_unit": data.unit, "weak": _noise(data, i, j)}
    if not np.isnan(reliable).any():
        fields["reliability"] = float(np.clip(min(reliable), 0, 1))
        fields["ceiling"] = ceiling(*reliable)
    row = f"{data.unit} {data.variables[i].key}"
    return [value(row, column_of(data.variables[j]), float(rho), **(fields | others))]


def _verdict(data: Measured, i: int, j: int, draws: Array, matrix: Array) -> str:
    """Return whether a correlation speaks for validity; "" with a criterion or with noise."""
    a, b = data.variables[i], data.variables[j]
    few = len(data.words) > 2 * _known(data, i, j).sum()
    if not a.method or not b.method or few or _noise(data, i, j):
        return ""
    if a.trait == b.trait:
        low, _ = percentile_interval(draws[1:], data.level, int(_known(data, i, j).sum()))
        if low > 0:
            return "convergent: above 0"
        sides = " and ".join(_short(data.reliable[k].value) for k in (i, j))
        return f"not convergent: not above 0, though both sides are reliable ({sides})"
    convergent, _ = pairs_of(*_labels(data))
    rivals = np.concatenate([matrix[0, k][convergent[k]] for k in (i, j)])
    rivals = rivals[~np.isnan(rivals)]
    below = int((abs(draws[0]) < rivals).sum())
    return f"discriminant: closer to 0 than {below} of {len(rivals)} convergent correlations"


def _labels(data: Measured) -> tuple[list[str], list[str]]:
    """Trait and method of each measure."""
    measures = [data.variables[i] for i in data.measures]
    return [each.trait for each in measures], [each.method for each in measures]


def _summaries(data: Measured, matrix: Array) -> Iterator[dict]:
    """Yield each measure's convergent correlation, its lead and the share that obeys."""
    traits, methods = _labels(data)
    obey, of = obeying(matrix, traits, methods)
    convergent, discriminant = pairs_of(traits, methods)
    known = ~np.isnan(matrix[0]).all(axis=0)
    for k, i in enumerate(data.measures):
        same, rivals = matrix[:, k][:, convergent[k]], np.abs(matrix[:, k][:, discriminant[k]])
        if not known[k] or not of[0, k] or np.isnan(same[0]).all():
            continue
        agreement = np.nanmean(same, axis=1)
        lead = agreement - np.nanmean(rivals, axis=1)
        row, share = f"{data.unit} {data.variables[i].key}", obey[:, k] / of[:, k]
        yield _summary(data, row, "convergent", agreement, "mean of rho")
        yield _summary(data, row, "discriminant", lead, "difference of rho")
        note = f"{obey[0, k]:.0f} of {of[0, k]:.0f} comparisons"
        yield _summary(data, row, "obey", share, "share") | {"note": note}
    share = share_obeying(matrix, traits, methods)
    if not np.isnan(share[0]):
        sound = np.flatnonzero(known)
        labels = [[names[k] for k in sound] for names in (traits, methods)]
        p_value, ways = permuted_labels(matrix[0][np.ix_(sound, sound)], *labels)
        record = _summary(data, f"{data.unit} all", "obey", share, "share")
        note = (
            f"{obey[0].sum():.0f} of {of[0].sum():.0f} comparisons; p-value by {ways} ways to deal"
        )
        yield record | {"p_value": p_value, "note": f"{note} the traits to the measures"}


def _summary(data: Measured, row: str, column: str, draws: Array, unit: str) -> dict:
    """Return a number with its draws (1 + draws,) over the words as a value."""
    n = len(data.words)
    ends = percentile_interval(draws[1:], data.level, n)
    numbers = {"interval": ends, "draws": draws[1:], "n": n, "n_unit": data.unit}
    return value(row, column, float(draws[0]), unit=unit, **numbers)
