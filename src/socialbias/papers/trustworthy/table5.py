"""Table 5, predictive validity: bias in word vectors against bias in employment.

In the diachronic columns it is the mean bias of professions over the decades (section 6).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter

import numpy as np
import pandas as pd

from socialbias.embeddings.vectors import WordVectors
from socialbias.measurement.reliability import (
    CENSUS,
    alpha_of_words,
    fields,
    over_words,
    with_reliability,
)
from socialbias.measurement.vectors import VectorBias
from socialbias.measures.datasets.census import bias_from_uniform
from socialbias.measures.divdist import negative_note
from socialbias.measures.registry import MEASURES, Measure
from socialbias.papers.evidence import Evidence, cells, correlation, counted
from socialbias.papers.inputs import read_vectors
from socialbias.papers.trustworthy.inputs import group_lists, read_decades, read_employment
from socialbias.pipeline.job import Job
from socialbias.stats.correlation import (
    Estimate,
    paired_spearman,
    percentile_interval,
    rowwise_spearman,
    spearman_test,
)
from socialbias.stats.draws import resamples
from socialbias.stats.multiplicity import max_t
from socialbias.stats.reliability import Reliability
from socialbias.stats.similarity import Array

# The measures that are the rows of the table.
TABLE5 = {each.row: each for each in MEASURES.values() if each.fits("trustworthy_table5")}
TABLE5 |= {"divdist": MEASURES["divdist"]}
FEWEST_DECADES = 4
SAME_AS_BOLUKBASI = (
    "these vectors have unit length, on which this is the measure of Bolukbasi et al."
)


def measured_words(
    vectors: WordVectors, lists: Sequence[Sequence[str]]
) -> Iterator[tuple[Measure, list[list[str]]]]:
    """Yield each measure that is defined for these groups, with the words that it can use."""
    for measure in TABLE5.values():
        pairs = measure.pairs
        if len(lists) != 2 and not measure.many:
            continue
        words = vectors.known_pairs(*lists) if pairs else [vectors.known(group) for group in lists]
        if all(len(group) >= (2 if pairs else 1) for group in words):
            yield measure, words


def measure_diachronic(job: Job) -> pd.DataFrame:
    """Bias of each profession in the vectors and in the census of each decade.

    Professions and words that any decade lacks are dropped from all, as in the authors' code.
    """
    result, decades = Evidence(), read_decades(job)
    shares = {year: read_employment(job, year) for year in decades}
    for column, by_group in group_lists(job).items():
        group_set, words_of_groups = column.partition("@")[0], [*by_group.values()]
        years = sorted(year for year in decades if group_set in shares[year])
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
                measure.row,
                f"diachronic-{column}",
                {
                    "unit": professions * len(years),
                    "decade": np.repeat(years, len(professions)),
                    "bias": np.concatenate([measure.function(*pair) for pair in pairs]),
                    "negative": np.concatenate([measure.negative(*pair) for pair in pairs]),
                    "employment_bias": np.concatenate(employment),
                },
                _reliability(measure, targets, groups, years, job.level),
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


def diachronic_values(table: pd.DataFrame, level: float, seed: int) -> Iterator[dict]:
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


def evidence(
    embeddings: Mapping[str, WordVectors],
    shares: Mapping[str, pd.DataFrame],
    lists: Mapping[str, Mapping[str, Sequence[str]]],
    level: float,
) -> pd.DataFrame:
    """Bias in word2vec and in employment, profession by profession (section 6, contemporary).

    Words that GloVe lacks are left out as well, as in the authors' code.
    """
    result = Evidence()
    if "word2vec" not in embeddings:
        return result.table()
    others = [embeddings["glove"].index] if "glove" in embeddings else []
    measured = embeddings["word2vec"]
    vectors = measured.only(sorted(set(measured.words).intersection(*others)))
    for column, by_group in lists.items():
        group_set, words_of_groups = column.partition("@")[0], [*by_group.values()]
        employment = bias_from_uniform(shares[group_set]) if group_set in shares else pd.Series()
        professions = vectors.known(employment.index)
        if not professions or not all(map(vectors.covers, words_of_groups)):
            continue
        # Professions that GloVe lacks need no vector.
        needed = [word for word in employment.index if all(word in words for words in others)]
        needed += [word for words in words_of_groups for word in words]
        every = [vectors.rows(vectors.known(words)) for words in words_of_groups]
        alpha = alpha_of_words(vectors.rows(professions), every, level)
        for measure, words in measured_words(vectors, words_of_groups):
            bias = VectorBias(vectors, professions, words, measure)
            result.add(
                measure.row,
                f"contemporary-{column}",
                {
                    "unit": professions,
                    "bias": bias.values,
                    "negative": bias.negative,
                    "employment_bias": employment[professions].to_numpy(),
                },
                bias.reliability(level),
                **fields(alpha, "alpha"),
                n_of=len(employment),
                whole=vectors.has_whole(needed),
            )
    return result.table()


def measure(job: Job) -> pd.DataFrame:
    """Return the evidence of the contemporary columns."""
    return evidence(
        read_vectors(job, "professions"),
        read_employment(job, job.settings["trustworthy.census_year"]),
        group_lists(job),
        job.level,
    )


def contemporary_values(table: pd.DataFrame, level: float, seed: int) -> Iterator[dict]:
    """Yield the contemporary cells: Spearman's correlation over professions, and its interval.

    The same professions are drawn for all measures, and permuted for all alike: q-values are those
    of the largest correlation of the column (`max_t`).
    """
    records, biases = [], {(cell.row, cell.column): cell.units["bias"] for cell in cells(table)}
    for row, column, units, facts in cells(table):
        bias, employment = units["bias"], units["employment_bias"]
        fit = paired_spearman(bias, employment, units["unit"], level, seed)
        bolukbasi = biases.get((row.replace("ethayarajh", "bolukbasi"), column), np.nan)
        same = row.startswith("ethayarajh") and np.allclose(bias, bolukbasi, atol=1e-6)
        notes = [
            SAME_AS_BOLUKBASI if same else "",
            negative_note(units["negative"], bias, "professions"),
        ]
        note = "; ".join(filter(None, notes))
        common = counted(facts) | {"n": fit.n, "n_unit": "professions", "note": note}
        # Too few professions, or a measure that gives them all the same, have no correlation.
        for record in correlation(row, column, fit, **common):
            records.append(with_reliability(record, facts["reliability"], CENSUS))
    for _, family in groupby(records, itemgetter("column")):
        members = [*family]
        null = np.column_stack([record["null"] for record in members])
        q_values = max_t([record["value"] for record in members], null)
        yield from (r | {"q_value": q} for r, q in zip(members, q_values, strict=True))


def summarise(job: Job) -> Iterator[dict]:
    """Table 5's cells."""
    how = (job.level, job.seed)
    yield from contemporary_values(job.table("evidence/trustworthy/table5"), *how)
    if "evidence/trustworthy/diachronic" in job:
        yield from diachronic_values(job.table("evidence/trustworthy/diachronic"), *how)
