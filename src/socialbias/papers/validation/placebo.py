"""Placebo tests of Table 5: how easy is it to get its correlations by chance?

Random word lists stand in place of the group words, matched to them by frequency. Contemporary:
beside them the correlation with frequency partialled out. Diachronic: any two series that trend
correlate, so there is the correlation of their first differences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain

import numpy as np
import pandas as pd

from socialbias.embeddings.vectors import WordVectors
from socialbias.errors import UserError
from socialbias.measures.datasets.census import GENDER, bias_from_uniform
from socialbias.measures.registry import Measure
from socialbias.papers.evidence import Evidence, cells, counted
from socialbias.papers.inputs import read_vectors
from socialbias.papers.trustworthy.inputs import (
    gender_lists,
    read_decades,
    read_employment,
)
from socialbias.papers.trustworthy.table5 import (
    FEWEST_DECADES,
    common_professions,
    in_every_decade,
    measured_words,
)
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.stats.correlation import (
    midranks,
    partial_spearman,
    rowwise_pearson,
    rowwise_spearman,
    spearman_test,
)
from socialbias.stats.draws import as_many, resamples, widened
from socialbias.stats.intervals import percentile
from socialbias.stats.matching import TOO_FEW, matched_lists
from socialbias.stats.seeding import generator
from socialbias.stats.similarity import Array

DRAWS, DRAWN = "trustworthy.word_list_draws", "differences, drawn"
Groups = Sequence[Sequence[str]]


def measure(job: Job) -> pd.DataFrame:
    """Return the evidence of all columns, for whatever vectors and decades there are."""
    embeddings, decades = read_vectors(job, "vocabulary"), read_decades(job)
    others = read_vectors(job, "professions").values()
    by_year = {year: read_employment(job, year) for year in decades}
    now = read_employment(job, job.settings["trustworthy.census_year"])
    gender, race = gender_lists(job), job.word_lists("trustworthy")["race"]
    named = {"gender": next(iter(gender.values()))}
    if "appendix" in gender:
        named["gender;appendix"] = gender["appendix"]
    groups = {name: [lists[group] for group in GENDER] for name, lists in named.items()}
    groups["race"] = [race[group] for group in ("white", "hispanic", "asian")]
    result = Evidence()
    for name, lists in groups.items():
        group_set = name.partition(";")[0]
        if "word2vec" in embeddings and group_set in now:
            shares, column = now[group_set], f"contemporary-{name}"
            vectors, words = embeddings["word2vec"], [*shares.index, *chain(*lists)]
            missing = {w for w in words if any(w not in space.index for space in others)}
            if missing:
                vectors = vectors.only(word for word in vectors.words if word not in missing)
            contemporary(result, vectors, shares, lists, column, job)
        shares = {y: sets[group_set] for y, sets in by_year.items() if group_set in sets}
        diachronic(result, decades, shares, lists, f"diachronic-{name}", job)
    return result.table()


def contemporary(
    result: Evidence, data: WordVectors, shares: pd.DataFrame, lists: Groups, column: str, job: Job
) -> None:
    """Correlations over professions: observed, partial, of random word lists.

    The kinds are `observed`, `partial` and `random-lists`. Nothing is added where fewer
    than five professions, or less than half of a group's words, have vectors.
    """
    employment = bias_from_uniform(shares)
    professions = data.known(employment.index)
    words = [data.known(group) for group in lists]
    if len(professions) < 5 or not all(map(data.covers, lists)):
        return
    targets, outcome = data.rows(professions), employment[professions].to_numpy()
    frequency = [data.index[word] for word in professions]
    ranks = np.array([data.index[word] for group in words for word in group])
    random = random_lists(ranks, len(data.words), column, job)
    counts = {"n": len(professions), "n_of": len(employment), "n_unit": "professions"}
    for measure, groups in measured_words(data, lists):
        function = measure.function
        observed = function(targets, [data.rows(group) for group in groups])
        # Where the words of each group stand among all group words.
        places = [[list(ranks).index(data.index[word]) for word in group] for group in groups]
        chance = [
            function(targets, [np.asarray(data.matrix[chosen[p]], float) for p in places])
            for chosen in random
        ]
        kinds = {
            "observed": spearman_test(observed, outcome),
            "partial": partial_spearman(observed, outcome, frequency),
            "random-lists": (_rhos(np.array(chance), outcome), np.nan),
        }
        _add(result, measure.row, column, kinds, counts)


def random_lists(ranks: Array, size: int, column: str, job: Job) -> Array:
    """Return lists of random words for a column, (draws, m); none if too few words are similar."""
    rng = generator(job.seed, "placebo", column)
    with suppress(UserError):
        return matched_lists(ranks, size, job.settings[DRAWS], rng)
    return np.empty((0, len(ranks)), int)


def _add(
    result: Evidence,
    row: str,
    column: str,
    kinds: Mapping[str, tuple[float | Array, float]],
    counts: Mapping,
) -> None:
    """Add a cell: by kind its correlation, or that of each draw, and its p-value."""
    for kind, (rho, p_value) in kinds.items():
        if not np.size(rho):  # no random lists could be drawn
            rho = np.nan
        rhos = np.atleast_1d(rho)
        numbers = {"unit": np.arange(len(rhos)), "kind": kind, "rho": rhos, "p_value": p_value}
        result.add(row, column, numbers, **counts)


def _rhos(x: Array, y: Array) -> Array:
    """Spearman's correlation of each row of x (r, n) with y (n,), (r,).

    NaN where one side does not vary or has a NaN.
    """
    if not len(x):
        return np.empty(0)
    ranks = np.broadcast_to(midranks(y), x.shape)
    return np.where(np.isnan(x).any(axis=1), np.nan, rowwise_pearson(midranks(x), ranks))


def diachronic(
    result: Evidence,
    decades: Mapping[int, WordVectors],
    shares: Mapping[int, pd.DataFrame],
    lists: Groups,
    column: str,
    job: Job,
) -> None:
    """Correlations over decades of mean bias in vectors with mean bias in employment.

    The kinds are `observed`, `differences` (of consecutive decades), `differences, drawn` (of
    samples of them) and `random-lists`. Nothing is added where fewer than four decades have both
    sides.
    """
    years = sorted(decades.keys() & shares.keys())
    if len(years) < FEWEST_DECADES:
        return
    of_years = ({year: side[year] for year in years} for side in (decades, shares))
    professions = common_professions(*of_years)
    spaces = in_every_decade({year: decades[year] for year in years})
    words = [spaces[years[0]].known(group) for group in lists]
    if not professions or not all(words):
        return
    outcome = np.array([bias_from_uniform(shares[y])[professions].mean() for y in years])
    last, wanted = spaces[years[-1]], list(dict.fromkeys(chain(*words)))
    ranks = np.array([last.index[word] for word in wanted])
    random = random_lists(ranks, len(last.words), column, job)
    sampled = resamples([str(year) for year in years[1:]], job.seed)
    counts = {"n": len(years), "n_of": len(years), "n_unit": "decades"}
    for measure, groups in measured_words(spaces[years[0]], lists):
        observed = _series(measure, spaces, professions, groups)
        change, outcome_change = np.diff(observed), np.diff(outcome)
        chance = []
        for row in random:
            stand_in = dict(zip(wanted, (last.words[i] for i in row), strict=True))
            chosen = [[stand_in[word] for word in group] for group in groups]
            chance.append(_series(measure, spaces, professions, chosen))
        kinds = {
            "observed": spearman_test(observed, outcome),
            "differences": spearman_test(change, outcome_change),
            DRAWN: (rowwise_spearman(change[sampled], outcome_change[sampled]), np.nan),
            "random-lists": (_rhos(np.array(chance), outcome), np.nan),
        }
        _add(result, measure.row, column, kinds, counts)


def _series(
    measure: Measure,
    spaces: Mapping[int, WordVectors],
    professions: Sequence[str],
    groups: Groups,
) -> Array:
    """Mean bias of the professions in each decade, (years,)."""
    return np.array(
        [
            measure.function(data.rows(professions), [data.rows(g) for g in groups]).mean()
            for data in spaces.values()
        ]
    )


def summarise(job: Job) -> Iterator[dict]:
    """Yield the placebo's cells: each correlation, and the middle of its null distribution.

    A null's p-value is the share of its draws that reach the observed correlation in magnitude,
    the observed one counted among them.
    """
    for row, column, units, facts in cells(job.table("evidence/validation/placebo")):
        by_kind = dict(iter(units.groupby("kind")))
        observed = by_kind["observed"]["rho"].item()
        sampled = by_kind.pop(DRAWN, None)
        for kind, part in by_kind.items():
            draws = part["rho"].dropna().to_numpy()
            if not len(draws) or np.isnan(observed):
                if kind == "random-lists" and not np.isnan(observed):
                    yield value(row, f"{column}@{kind}", np.nan, note=TOO_FEW)
                continue
            null = {"p_value": part["p_value"].iloc[0]}
            if len(part) > 1:
                extreme = (np.abs(draws) >= abs(observed) - 1e-12).sum()
                share = (1 + extreme) / (1 + len(draws))
                null = {"interval": percentile(draws, job.level), "p_value": share}
            if kind == "differences" and sampled is not None:
                null["draws"] = change_draws(sampled["rho"], draws[0], int(facts["n"]) - 1)
            null |= counted(facts) | {"unit": "Spearman's rho"}
            yield value(row, f"{column}@{kind}", float(np.median(draws)), **null)


def change_draws(sampled: Array, rho: float, changes: int) -> Array:
    """Draws of the correlation of two series' changes from one decade to the next.

    There are few changes, and two that follow each other depend where decades deviate from a trend
    by chance, so that percentiles alone are too narrow.
    """
    return as_many(np.clip(widened(sampled, rho, changes), -1, 1))
