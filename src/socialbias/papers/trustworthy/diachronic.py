"""Table 5's diachronic columns: mean bias of professions over the decades (section 6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from socialbias.datasets.census import bias_from_uniform
from socialbias.embeddings.vectors import WordVectors
from socialbias.measurement.reliability import CENSUS, over_words, with_reliability
from socialbias.measures.divdist import negative_note
from socialbias.measures.registry import Measure
from socialbias.measures.similarity import Array
from socialbias.papers.evidence import Evidence, cells, correlation, counted
from socialbias.papers.trustworthy.inputs import group_lists, read_decades, read_employment
from socialbias.papers.trustworthy.measured import measured_words
from socialbias.pipeline.job import Job
from socialbias.stats.correlation import (
    Estimate,
    percentile_interval,
    rowwise_spearman,
    spearman_test,
)
from socialbias.stats.draws import resamples
from socialbias.stats.reliability import Reliability

FEWEST_DECADES = 4


def evidence(
    decades: Mapping[int, WordVectors],
    shares: Mapping[int, Mapping[str, pd.DataFrame]],
    lists: Mapping[str, Mapping[str, Sequence[str]]],
    level: float,
) -> pd.DataFrame:
    """Bias of each profession in the vectors and in the census of each decade.

    Professions and words that any decade lacks are dropped from all, as in the authors' code.
    """
    result = Evidence()
    for column, by_group in lists.items():
        group_set, words_of_groups = column.partition("@")[0], [*by_group.values()]
        years = sorted(year for year in decades if group_set in shares.get(year, {}))
        if len(years) < FEWEST_DECADES:
            continue
        of_set = {year: shares[year][group_set] for year in years}
        spaces = in_every_decade({year: decades[year] for year in years})
        professions, first = common_professions(spaces, of_set), spaces[years[0]]
        if not professions or not all(map(first.known, words_of_groups)):
            continue
        employment = [bias_from_uniform(part)[professions] for part in of_set.values()]
        targets = [space.rows(professions) for space in spaces.values()]
        for measure, words in measured_words(first, words_of_groups):
            groups = [[space.rows(group) for group in words] for space in spaces.values()]
            pairs = [*zip(targets, groups, strict=True)]
            result.add(
                measure.name,
                f"diachronic-{column}",
                {
                    "unit": professions * len(years),
                    "decade": np.repeat(years, len(professions)),
                    "bias": np.concatenate([measure.function(*pair) for pair in pairs]),
                    "negative": np.concatenate([measure.negative(*pair) for pair in pairs]),
                    "employment_bias": np.concatenate(employment),
                },
                _reliability(measure, targets, groups, years, level),
                n_of=len(decades),
            )
    return result.table()


def common_professions(
    decades: Mapping[int, WordVectors], shares: Mapping[int, pd.DataFrame]
) -> list[str]:
    """Return the professions that have a vector and labour statistics in every decade."""
    sets = [set(shares[year].index) & set(decades[year].words) for year in decades]
    return sorted(set.intersection(*sets))


def in_every_decade(decades: Mapping[int, WordVectors]) -> dict[int, WordVectors]:
    """Return the vectors of each decade for the words that all have, in the order of the last."""
    last = decades[max(decades)].words
    common = [w for w in last if all(w in part.index for part in decades.values())]
    return {year: part.only(common) for year, part in decades.items()}


def _reliability(
    measure: Measure,
    targets: Sequence[Array],
    groups: Sequence[Sequence[Array]],
    years: Sequence[int],
    level: float,
) -> Reliability:
    """Reliability over group words of a measure's mean in each decade."""
    # Side by side, so that the same words are in a half in all decades.
    beside = [np.hstack(words) for words in zip(*groups, strict=True)]

    def means(halves: Sequence[Array]) -> Array:
        by_decade = zip(*(np.hsplit(half, len(years)) for half in halves), strict=True)
        pairs = zip(targets, by_decade, strict=True)
        return np.array([measure.function(t, list(g)).mean() for t, g in pairs])

    return over_words(means, beside, list(map(str, years)), level, measure.pairs)


def values(table: pd.DataFrame, level: float, seed: int) -> Iterator[dict]:
    """Yield the diachronic cells: Spearman's correlation over decades of the two means.

    The interval resamples professions and decades: were the decades fixed, two series whose
    shocks have nothing to do with each other would seem to correlate in more than half of all
    cases, since a shock is common to all professions (`docs/error-rates.md`).
    """
    for row, column, units, facts in cells(table):
        bias = units.pivot(index="unit", columns="decade", values="bias").to_numpy()
        in_census = units.pivot(index="unit", columns="decade", values="employment_bias")
        employment, (n, decades) = in_census.to_numpy(), in_census.shape
        rho, p_value = spearman_test(bias.mean(axis=0), employment.mean(axis=0))
        chosen = resamples(list(in_census.index), seed)
        years = resamples([str(year) for year in in_census.columns], seed)
        sides = [side[chosen].mean(axis=1) for side in (bias, employment)]
        draws = rowwise_spearman(*(np.take_along_axis(side, years, axis=1) for side in sides))
        fit = Estimate(rho, *percentile_interval(draws, level, decades), p_value, decades, draws)
        signs = negative_note(units["negative"], units["bias"], "professions by decade")
        notes = {"note": "; ".join(filter(None, [f"{n} professions", signs]))}
        for record in correlation(row, column, fit, **counted(facts), n_unit="decades", **notes):
            yield with_reliability(record, facts["reliability"], CENSUS)


def measure(job: Job) -> pd.DataFrame:
    """Return the evidence of the diachronic columns."""
    decades = read_decades(job)
    shares = {year: read_employment(job, year) for year in decades}
    return evidence(decades, shares, group_lists(job), job.level)
