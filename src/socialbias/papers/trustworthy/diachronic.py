"""Table 5's diachronic columns: mean bias of professions over the decades (section 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from socialbias.datasets.census import bias_from_uniform
from socialbias.embeddings.vectors import WordVectors
from socialbias.measures.divdist import negative_note
from socialbias.measures.registry import MEASURES
from socialbias.measures.similarity import Array
from socialbias.papers.inputs import concat
from socialbias.papers.reliability import CENSUS, FIELDS, fields, over_words, with_reliability
from socialbias.papers.trustworthy.inputs import (
    gender_lists,
    read_decades,
    read_employment,
)
from socialbias.papers.trustworthy.measured import measured_words
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.stats.correlation import percentile_interval, rowwise_spearman, spearman_test
from socialbias.stats.draws import resamples
from socialbias.stats.reliability import Reliability

FEWEST_DECADES = 4
COLUMNS = ["column", "row", "decade", "profession", "bias", "negative", "employment_bias"]
COLUMNS += ["n_of", *FIELDS]


def evidence(
    decades: Mapping[int, WordVectors],
    shares: Mapping[int, Mapping[str, pd.DataFrame]],
    gender_lists: Mapping[str, Mapping[str, Sequence[str]]],
    race_lists: Mapping[str, Sequence[str]],
    level: float,
) -> pd.DataFrame:
    """Bias of each profession in the vectors and in the census of each decade.

    Professions and words that any decade lacks are dropped from all, as in the authors' code.

    Args:
        decades: Word vectors by decade.
        shares: By decade and group set (`gender`, `race`), shares of the groups in professions.
        gender_lists: By variant, the words for `female` and `male`.
        race_lists: The words for each race or ethnicity.
        level: Coverage of the intervals of reliabilities.

    Returns:
        Columns `column` (such as `diachronic-gender@appendix`), `row` (the measure), `decade`,
        `profession`, `bias`, `negative` (whether it is of a negative association), `n_of`
        (decades), `employment_bias`, `reliability`, `reliability_low`, `reliability_high` of the
        means by decade over group words.
    """
    settings = [("gender", f"@{name}", lists) for name, lists in gender_lists.items()]
    settings += [("race", "", race_lists)]
    parts = []
    for group_set, variant, lists in settings:
        years = sorted(year for year in decades if group_set in shares.get(year, {}))
        if len(years) < FEWEST_DECADES:
            continue
        of_set = {year: shares[year][group_set] for year in years}
        part = _biases({y: decades[y] for y in years}, of_set, list(lists.values()), level)
        parts.append(part.assign(column=f"diachronic-{group_set}{variant}", n_of=len(decades)))
    return concat(parts, COLUMNS)


def common_professions(
    decades: Mapping[int, WordVectors], shares: Mapping[int, pd.DataFrame]
) -> list[str]:
    """The professions that have a vector and labour statistics in every decade."""
    sets = [set(shares[year].index) & set(decades[year].words) for year in decades]
    return sorted(set.intersection(*sets))


def in_every_decade(decades: Mapping[int, WordVectors]) -> dict[int, WordVectors]:
    """The vectors of each decade for the words that all have, in the order of the last."""
    last = decades[max(decades)].words
    common = [w for w in last if all(w in part.index for part in decades.values())]
    return {year: part.only(common) for year, part in decades.items()}


def _biases(
    decades: Mapping[int, WordVectors],
    shares: Mapping[int, pd.DataFrame],
    lists: list[Sequence[str]],
    level: float,
) -> pd.DataFrame:
    """Every measure's bias of every profession in every decade."""
    professions = common_professions(decades, shares)
    spaces = in_every_decade(decades)
    if not professions or not all(spaces[year].known(g) for g in lists for year in spaces):
        return pd.DataFrame()
    parts = []
    for year, vectors in spaces.items():
        employment = bias_from_uniform(shares[year])[professions].to_numpy()
        targets = vectors.rows(professions)
        for measure, words in measured_words(vectors, lists):
            groups = [vectors.rows(group) for group in words]
            part = {"profession": professions, "bias": measure.function(targets, groups)}
            part = pd.DataFrame(part | {"negative": measure.negative(targets, groups)})
            parts.append(part.assign(row=measure.name, decade=year, employment_bias=employment))
    table = pd.concat(parts, ignore_index=True)
    reliable = {
        row: fields(_reliability(row, spaces, professions, lists, level))
        for row in table["row"].unique()
    }
    return table.assign(
        **{name: table["row"].map({r: f[name] for r, f in reliable.items()}) for name in FIELDS},
    )


def _reliability(
    name: str,
    spaces: Mapping[int, WordVectors],
    professions: list[str],
    lists: list[Sequence[str]],
    level: float,
) -> Reliability:
    """Reliability over group words of a measure's mean in each decade; the words are common."""
    measure, space = MEASURES[name], next(iter(spaces.values()))
    words = next(words for each, words in measured_words(space, lists) if each is measure)
    # Side by side, so that the same words are in a half in all decades.
    groups = [np.hstack([space.rows(group) for space in spaces.values()]) for group in words]
    targets = [space.rows(professions) for space in spaces.values()]

    def means(halves: Sequence[Array]) -> Array:
        by_decade = zip(*(np.hsplit(half, len(targets)) for half in halves), strict=True)
        pairs = zip(targets, by_decade, strict=True)
        return np.array([measure.function(t, list(g)).mean() for t, g in pairs])

    return over_words(means, groups, list(map(str, spaces)), level, measure.pairs)


def values(table: pd.DataFrame, level: float, seed: int) -> list[dict]:
    """The diachronic cells: Spearman's correlation over decades of the two means.

    The interval resamples professions and decades: were the decades fixed, two series whose
    shocks have nothing to do with each other would seem to correlate in more than half of all
    cases, since a shock is common to all professions (`docs/error-rates.md`).
    """
    records = []
    for (column, row), cells in table.groupby(["column", "row"]):
        bias = cells.pivot(index="profession", columns="decade", values="bias").to_numpy()
        other = cells.pivot(index="profession", columns="decade", values="employment_bias")
        employment = other.to_numpy()
        rho, p_value = spearman_test(bias.mean(axis=0), employment.mean(axis=0))
        if np.isnan(rho):
            continue
        n, chosen = len(bias), resamples(list(other.index), seed)
        years = resamples([str(year) for year in other.columns], seed)
        sides = [side[chosen].mean(axis=1) for side in (bias, employment)]
        draws = rowwise_spearman(*(np.take_along_axis(side, years, axis=1) for side in sides))
        low, high = percentile_interval(draws, level, bias.shape[1])
        first = cells.iloc[0]
        signs = negative_note(cells["negative"], cells["bias"], "professions by decade")
        record = value(
            row,
            column,
            rho,
            ci_low=low,
            ci_high=high,
            p_value=p_value,
            draws=draws,
            n=bias.shape[1],
            n_of=first["n_of"],
            n_unit="decades",
            unit="Spearman's rho",
            note="; ".join(filter(None, [f"{n} professions", signs])),
        )
        records.append(with_reliability(record, first["reliability"], CENSUS))
    return records


def measure(job: Job) -> pd.DataFrame:
    """The evidence of the diachronic columns."""
    decades = read_decades(job)
    shares = {year: read_employment(job, year) for year in decades}
    return evidence(
        decades, shares, gender_lists(job), job.word_lists("trustworthy")["race"], job.level
    )
