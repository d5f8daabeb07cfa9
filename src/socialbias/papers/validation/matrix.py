"""The validity matrix: do measures of a trait agree, by whatever method, and of two traits not?

A multitrait-multimethod matrix (Campbell and Fiske 1959) over words, for professions and for
nationalities. Its diagonal is reliability, which bounds what stands beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from socialbias.measures.similarity import Array, cosine_matrix, unit_rows
from socialbias.papers.inputs import read_vectors
from socialbias.papers.validation import units
from socialbias.papers.validation.matrix_items import COSINES, PARTS
from socialbias.papers.validation.matrix_models import POLES, SENTIMENT
from socialbias.papers.validation.matrix_scores import Variable, disjoint, variables
from socialbias.papers.validation.units import GENDER, TRAITS, UNITS
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.stats.correlation import partial_spearman, percentile_interval, spearman_test
from socialbias.stats.draws import as_many, resamples
from socialbias.stats.intervals import percentile
from socialbias.stats.multitrait import (
    counts_of,
    obeying,
    pairs_of,
    partialled,
    permuted_labels,
    share_obeying,
    spearman_draws,
    weighted_pearson,
    weighted_ranks,
)
from socialbias.stats.reliability import Reliability, ceiling
from socialbias.stats.seeding import generator

EVIDENCE = "evidence/validation/"
METHODS = ("glove", "word2vec", "own", "text", "representation", SENTIMENT)  # then a run's models
CRITERIA = ("women", "gdp", "frequency")
NOISY = 0.3  # a reliability below it says that the cell shows noise
FEWEST = 10  # words of a correlation
RHO, PARTIAL = "Spearman's rho", "Spearman's rho, frequency partialled out"
ALL = "all"
PLANTED, PLACEBO = "planted", "placebo"
NOISE = 0.1  # of a planted bias with a standard deviation of 1
DIRECTIONS = 200  # random ones


@dataclass(frozen=True)
class Measured:
    """The variables of one unit on the same words.

    Attributes:
        unit: Such as `professions`.
        words: n words.
        found: v variables.
        scores: (v, n), NaN where a variable has no score of a word.
        reliable: v reliabilities.
        weights: (1 + draws, n) how often each word is in each bootstrap sample; first, once each.
        level: Coverage of intervals.
    """

    unit: str
    words: list[str]
    found: list[Variable]
    scores: Array
    reliable: list[Reliability]
    weights: Array
    level: float
    ranks: dict = field(default_factory=dict, repr=False)  # those asked for, by variable and words


def summarise(job: Job) -> list[dict]:
    """All cells."""
    names = [f"{EVIDENCE}{name}" for name in job.below(EVIDENCE)]
    table = pd.concat([job.table(name) for name in names], ignore_index=True)
    alone = table[table["unit"] == POLES].set_index("term")["number"]
    words = {unit: table.loc[table["unit"] == unit, "term"].unique() for unit in UNITS}
    records = []
    for unit in UNITS:
        found = variables(table[table["unit"] == unit])
        if found:
            measured = measure_unit(unit, sorted(words[unit]), found, job.level, job.seed)
            records += of_unit(measured) + switched(measured, alone, job.seed)
            glove = read_vectors(job, "matrix").get("glove")
            if glove is not None:
                poles = units.traits(job)
                records += controls(measured, glove, poles, job.seed)
    return records


def measure_unit(
    unit: str, words: Sequence[str], found: Sequence[Variable], level: float, seed: int
) -> Measured:
    """The variables of a unit in the order of the matrix, on all its words."""
    found = sorted(found, key=_place)
    scores = np.array([each.scores().reindex(words).to_numpy(float) for each in found])
    counted = counts_of(resamples(list(words), seed))
    weights = np.vstack([np.ones(len(words)), counted])
    reliable = [each.reliability(level) for each in found]
    return Measured(unit, list(words), list(found), scores, reliable, weights, level)


def _place(variable: Variable) -> tuple:
    """Traits in their order, methods in theirs, criteria last."""
    if not variable.method:
        return len(TRAITS), CRITERIA.index(variable.trait), ""
    known = variable.method in METHODS
    place = METHODS.index(variable.method) if known else len(METHODS)
    return TRAITS.index(variable.trait), place, variable.method


def of_unit(data: Measured) -> list[dict]:
    """Reliabilities, correlations, partial ones, and what follows from them."""
    count = len(data.found)
    measures = [i for i in range(count) if data.found[i].method]
    criteria = [i for i in range(count) if not data.found[i].method]
    plain = {
        (i, j): _correlation(data, i, j, _known(data, i, j))
        for i in range(count)
        for j in measures
        if i > j and _known(data, i, j).sum() >= FEWEST
    }
    matrix = _symmetric(data, plain, measures)
    frequency = [i for i in criteria if data.found[i].trait == "frequency"]
    records = [_diagonal(data, i) for i in measures if not np.isnan(data.reliable[i].value)]
    for (i, j), draws in plain.items():
        if _declared(data, i, j):
            records += _cell(data, i, j, draws, _verdict(data, i, j, draws, matrix))
    for (i, j), _ in plain.items():
        if frequency and i not in frequency and _declared(data, i, j):
            records += _partial(data, i, j, frequency[0])
    return records + _summaries(data, matrix, measures)


def _known(data: Measured, i: int, j: int) -> np.ndarray:
    return ~np.isnan(data.scores[[i, j]]).any(axis=0)


def _correlation(data: Measured, i: int, j: int, known: np.ndarray) -> Array:
    """The correlation of two variables over some words, and in each sample: (1 + draws,)."""
    key = (i, j, known.tobytes())
    if key not in data.ranks:
        sides = [_ranks(data, k, known) for k in (i, j)]
        data.ranks[key] = weighted_pearson(*sides, data.weights[:, known])
    return data.ranks[key]


def _ranks(data: Measured, i: int, known: np.ndarray) -> Array:
    """The ranks of a variable among some words, in each sample."""
    key = (i, known.tobytes())
    if key not in data.ranks:
        data.ranks[key] = weighted_ranks(data.scores[i, known], data.weights[:, known])
    return data.ranks[key]


def _declared(data: Measured, i: int, j: int) -> bool:
    """Whether a pair has a cell: two models of a user's own have none."""
    return any(data.found[k].method in ("", *METHODS) for k in (i, j))


def _symmetric(data: Measured, pairs: Mapping, measures: Sequence[int]) -> Array:
    """(1 + draws, v, v) correlations of measures that are reliable enough, of half of the words.

    NaN elsewhere.
    """
    found = np.full((len(data.weights), len(measures), len(measures)), np.nan)
    place = {i: k for k, i in enumerate(measures)}
    for (i, j), draws in pairs.items():
        few = len(data.words) > 2 * _known(data, i, j).sum()
        if i in place and not few and not _noise(data, i, j):
            found[:, place[i], place[j]] = found[:, place[j], place[i]] = draws
    return found


def _noise(data: Measured, *of: int) -> str:
    """Why a correlation shows noise: its sides that are too unreliable; "" where none is."""
    low = [i for i in of if not data.reliable[i].value >= NOISY]
    said = [
        f"{data.found[i].key} has a reliability of {_short(data.reliable[i].value)}" for i in low
    ]
    return f"too noisy: {', '.join(said)}" if said else ""


def _short(number: float) -> str:
    return "unknown size" if np.isnan(number) else f"{number:.2f}"


def _diagonal(data: Measured, i: int) -> dict:
    """The reliability of one measure."""
    found, each = data.reliable[i], data.found[i]
    low, number, high = np.clip([found.low, found.value, found.high], 0, 1)
    return value(
        f"{data.unit} {each.key}",
        column_of(each),
        number,
        interval=(low, high),
        n=found.n,
        n_of=len(data.words),
        n_unit=data.unit,
        unit="reliability",
        reliability=number,
        weak=_noise(data, i),
        note=f"reliability over {HALVED[each.how]}",
    )


HALVED = {
    "cosines": "halves of the attribute words",
    "log-odds": "halves of the templates",
    "contexts": f"halves of the text, in {PARTS} parts",
    "counts": f"halves of the text, in {PARTS} parts",
    "models": "bootstrapped models",
    "known": "everybody",
}


def column_of(each: Variable) -> str:
    """The column of a measure."""
    return f"{each.trait}-{each.method}"


def _about(data: Measured, *of: int) -> dict:
    values = [data.reliable[i].value for i in of]
    said = {
        "n_of": len(data.words),
        "n_unit": data.unit,
        "weak": _noise(data, *of),
    }
    if not np.isnan(values).any():
        said["reliability"] = float(np.clip(min(values), 0, 1))
        said["ceiling"] = ceiling(*values)
    return said


def _cell(data: Measured, i: int, j: int, draws: Array, note: str) -> list[dict]:
    """One correlation of two variables; [] where it is not defined."""
    known = _known(data, i, j)
    rho, p_value = spearman_test(*data.scores[[i, j]][:, known])
    if np.isnan(rho):
        return []
    n = int(known.sum())
    ends = percentile_interval(draws[1:], data.level, n)
    numbers = {"interval": ends, "p_value": p_value, "draws": draws[1:]}
    numbers |= {"n": n, "unit": RHO, "note": note}
    row = f"{data.unit} {data.found[i].key}"
    return [value(row, column_of(data.found[j]), rho, **numbers, **_about(data, i, j))]


def _partial(data: Measured, i: int, j: int, frequency: int) -> list[dict]:
    """The correlation with the ranks of frequency partialled out."""
    known = _known(data, i, j)
    sides = [data.scores[k][known] for k in (i, j, frequency)]
    rho, p_value = partial_spearman(*sides)
    if np.isnan(rho):
        return []
    pairs = ((i, j), (i, frequency), (j, frequency))
    draws = partialled(*(_correlation(data, *pair, known) for pair in pairs))[1:]
    n = int(known.sum())
    ends = percentile_interval(draws, data.level, n)
    numbers = {"interval": ends, "p_value": p_value, "n": n, "unit": PARTIAL}
    row = f"{data.unit}-partial {data.found[i].key}"
    return [value(row, column_of(data.found[j]), rho, **numbers, **_about(data, i, j))]


def _verdict(data: Measured, i: int, j: int, draws: Array, matrix: Array) -> str:
    """What a correlation says of validity, in words; "" with a criterion or with noise."""
    a, b = data.found[i], data.found[j]
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
    others = [matrix[0, k][convergent[k]] for k in (i, j)]
    rivals = np.concatenate(others)
    rivals = rivals[~np.isnan(rivals)]
    below = int((abs(draws[0]) < rivals).sum())
    return f"discriminant: nearer 0 than {below} of {len(rivals)} convergent correlations"


def _labels(data: Measured) -> tuple[list[str], list[str]]:
    """Trait and method of each measure."""
    measures = [each for each in data.found if each.method]
    return [each.trait for each in measures], [each.method for each in measures]


def _summaries(data: Measured, matrix: Array, measures: Sequence[int]) -> list[dict]:
    """Of each measure, and of all: convergent correlation, its lead, and the share that obeys."""
    traits, methods = _labels(data)
    obey, of = obeying(matrix, traits, methods)
    convergent, other = pairs_of(traits, methods)
    known = ~np.isnan(matrix[0]).all(axis=0)
    records = []
    for k, i in enumerate(measures):
        same, rivals = matrix[:, k][:, convergent[k]], np.abs(matrix[:, k][:, other[k]])
        if not known[k] or not of[0, k] or np.isnan(same[0]).all():
            continue
        with_partner = np.nanmean(same, axis=1)
        lead = with_partner - np.nanmean(rivals, axis=1)
        row = f"{data.unit} {data.found[i].key}"
        numbers = {
            "convergent": (with_partner, "mean of rho"),
            "discriminant": (lead, "difference of rho"),
            "obey": (obey[:, k] / of[:, k], "share"),
        }
        for column, (draws, unit) in numbers.items():
            records.append(_summary(data, row, column, draws, unit))
        records[-1]["note"] = f"{obey[0, k]:.0f} of {of[0, k]:.0f} comparisons"
    share = share_obeying(matrix, traits, methods)
    if not np.isnan(share[0]):
        sound = np.flatnonzero(known)
        labels = [[names[k] for k in sound] for names in (traits, methods)]
        p_value, ways = permuted_labels(matrix[0][np.ix_(sound, sound)], *labels)
        record = _summary(data, f"{data.unit} {ALL}", "obey", share, "share")
        note = (
            f"{obey[0].sum():.0f} of {of[0].sum():.0f} comparisons; p-value by {ways} ways to deal"
        )
        records.append(record | {"p_value": p_value, "note": f"{note} the traits to the measures"})
    return records


def _summary(data: Measured, row: str, column: str, draws: Array, unit: str) -> dict:
    n = len(data.words)
    ends = percentile_interval(draws[1:], data.level, n)
    numbers = {"interval": ends, "draws": draws[1:], "n": n, "n_unit": data.unit}
    return value(row, column, float(draws[0]), unit=unit, **numbers)


def switched(data: Measured, alone: pd.Series, seed: int) -> list[dict]:
    """Convergent correlations with the words of the two sides aligned where they were not, or not.

    Two methods with attribute words share them, so here they take disjoint halves. A classifier
    has words of its own: here each attribute word weighs as the classifier scores it alone. And a
    model says "she" or "he", so that here the other side has these two words alone.
    """
    records = []
    measures = [i for i, each in enumerate(data.found) if each.method]
    for i in measures:
        for j in measures:
            a, b = data.found[i], data.found[j]
            if i <= j or a.trait != b.trait or not _declared(data, i, j):
                continue
            pairs = list(_switched(a, b, alone, seed))
            found = [_of_pair(data, *pair) for pair in pairs]
            found = [draws for draws in found if draws is not None]
            if not found:
                continue
            draws, n = np.mean(found, axis=0), int(_known(data, i, j).sum())
            ends = percentile_interval(draws[1:], data.level, n)
            row, about = f"{data.unit}-switched {a.key}", _about(data, i, j)
            about |= {"interval": ends, "n": n, "unit": RHO}
            about |= {"ceiling": np.nan, "reliability": np.nan}  # those are of other items
            records.append(value(row, column_of(b), float(draws[0]), **about))
    return records


def _switched(a: Variable, b: Variable, alone: pd.Series, seed: int):
    """Pairs of scores with the switch thrown; the first has the larger place in the matrix."""
    if a.how == b.how == COSINES:
        yield from disjoint(a, b, generator(seed, "matrix", a.unit, a.key, b.key))
    elif b.how == COSINES and a.method == SENTIMENT and len(alone):
        yield a.scores(), b.weighed(alone - alone.mean())
    elif b.how == COSINES and a.trait == GENDER and a.method not in METHODS:
        yield a.scores(), b.scores_of(["she", "he"])


def _of_pair(data: Measured, first: pd.Series, second: pd.Series) -> Array | None:
    """The correlation of two scores in each sample; None with too few words."""
    sides = np.array([side.reindex(data.words).to_numpy(float) for side in (first, second)])
    known = ~np.isnan(sides).any(axis=0)
    if known.sum() < FEWEST:
        return None
    return spearman_draws(*sides[:, known], data.weights[:, known])


# -- controls --------------------------------------------------------------------------------------


def controls(data: Measured, vectors, poles: Mapping[str, units.Poles], seed: int) -> list[dict]:
    """A planted method, which must agree with each measure, and a placebo, which must not.

    Both are GloVe's vectors of the unit's words. Into the planted ones the measure's own scores are
    planted, with a standard deviation of one, as long as everything else in the vector, and noise
    of a tenth; they are then measured like any others, by cosines with the trait's words. The
    placebo is the projection on random directions: the mean correlation, with the interval that
    holds 95 % of the directions.
    """
    forms = units.looked_up(data.words, vectors.index)
    place = [data.words.index(word) for word in forms]
    if len(place) < FEWEST:
        return []
    rows, records = vectors.rows(list(forms.values())), []
    core = next((e for e in data.found if e.method == "glove"), None)
    for i, each in enumerate(data.found):
        scores = data.scores[i][place]
        known = ~np.isnan(scores)
        if not each.method or core is None or known.sum() < FEWEST or each.trait not in poles:
            continue
        rng = generator(seed, "matrix controls", data.unit, each.key)
        attributes = [vectors.rows(vectors.known(words)) for words in poles[each.trait]]
        words = [data.words[k] for k, has in zip(place, known, strict=True) if has]
        weights = data.weights[:, [data.words.index(word) for word in words]]
        measured = planted(rows[known], scores[known], attributes, rng)
        draws = spearman_draws(scores[known], measured, weights)
        random = placebo(rows[known], scores[known], rng)
        said = {
            "n": int(known.sum()),
            "n_of": len(data.words),
            "n_unit": data.unit,
            "unit": RHO,
        }
        ends = percentile_interval(draws[1:], data.level, len(words))
        found = {"interval": ends, "draws": draws[1:]}
        column = column_of(each)
        records.append(value(f"{data.unit} {PLANTED}", column, float(draws[0]), **found, **said))
        found = {"interval": percentile(random, data.level), "draws": as_many(random)}
        records.append(value(f"{data.unit} {PLACEBO}", column, random.mean(), **found, **said))
    return records


def planted(
    rows: Array, scores: Array, attributes: Sequence[Array], rng: np.random.Generator
) -> Array:
    """The association of words in whose vectors scores are planted, with strength one.

    Args:
        rows: (n, d) vectors of the words.
        scores: (n,) what is planted, along the difference of the two poles.
        attributes: (m, d) vectors of the words of each pole.
        rng: Source of the noise.

    Returns:
        (n,) mean cosine with the first pole less that with the second.
    """
    poles = [unit_rows(matrix).mean(axis=0) for matrix in attributes]
    direction = (poles[0] - poles[1]) / np.linalg.norm(poles[0] - poles[1])
    rest = unit_rows(rows - np.outer(rows @ direction, direction))
    bias = (scores - scores.mean()) / scores.std() + NOISE * rng.standard_normal(len(scores))
    vectors = rest + np.outer(bias, direction)
    cosines = [cosine_matrix(vectors, matrix).mean(axis=1) for matrix in attributes]
    return cosines[0] - cosines[1]


def placebo(rows: Array, scores: Array, rng: np.random.Generator) -> Array:
    """Rank correlations of scores (n,) with cosines to random directions, (DIRECTIONS,)."""
    directions = rng.standard_normal((DIRECTIONS, rows.shape[1]))
    cosines = cosine_matrix(rows, directions)
    return np.array([spearman_test(scores, each)[0] for each in cosines.T])
