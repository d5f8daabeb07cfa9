"""Table 3, face validity: directed gender bias of eight professions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

import numpy as np
import pandas as pd

from socialbias.embeddings.vectors import WordVectors
from socialbias.embeddings.words.of_papers import all_words
from socialbias.measurement.instruments import instrument
from socialbias.measurement.reliability import with_reliability, with_retest
from socialbias.measurement.vectors import VectorBias
from socialbias.measures.datasets.census import GENDER
from socialbias.measures.placebo import MIN_WORDS, WANTED_WORDS, draw
from socialbias.measures.registry import Measure
from socialbias.papers.evidence import Evidence, counted
from socialbias.papers.evidence import cells as evidence_cells
from socialbias.papers.inputs import read_vectors
from socialbias.papers.trustworthy import probes, table4, text
from socialbias.papers.trustworthy.directed import (
    DIFFERENCE,
    UNIT,
    Directed,
    cells,
    directed,
    references,
)
from socialbias.papers.trustworthy.inputs import (
    Reduction,
    first_gender_list,
    gender_lists,
    read_employment,
    read_reduction,
    read_tables,
)
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.stats.controls import p_values
from socialbias.stats.draws import as_many, widened
from socialbias.stats.intervals import percentile
from socialbias.stats.seeding import generator
from socialbias.stats.similarity import Array

NEGATIVE = "an association is negative, so these are no shares (section 4.4 asks for none below 0)"
# Of the random words beside a target: how many have a number, of how many that were drawn; their
# mean, and the ends of the range that holds most of them; how far the target is from their mean.
PLACEBO = ["placebo_n", "placebo_n_of", "placebo", "placebo_low", "placebo_high"]
PLACEBO += ["above", "above_low", "above_high", "above_detectable", "above_p"]
# The variant with the first word list, in which negative strengths are taken for none.
CLIPPED = "clipped-sum"
BESIDE = 200  # resamples of group words for the distance from random words


def evidence(
    embeddings: Mapping[str, WordVectors],
    gender_lists: Mapping[str, Mapping[str, Sequence[str]]],
    targets: Sequence[str],
    draws: int,
    seed: int,
    level: float,
    listed: Iterable[str] = (),
) -> pd.DataFrame:
    """Directed gender bias of each target, and of resamples of the group words (section 6)."""
    result, listed = Evidence(), set(listed)
    for role, vectors in embeddings.items():
        known = vectors.known(targets)
        random = {
            target: draw(
                vectors.words, [target], listed, seed, WANTED_WORDS, by_frequency=True
            ).words
            for target in known
        }
        for variant, name, measure in _variants(gender_lists):
            lists = [gender_lists[name][group] for group in GENDER]
            words = [vectors.known(group) for group in lists]
            if not all(words) or not known:
                continue
            bias = VectorBias(vectors, known, words, measure, undefined=measure.negative)
            # Variants of one list have the same resamples of it.
            stream = (seed, "table3", role, name)
            drawn = bias.samples(generator(*stream), draws)
            negative = bias.samples(generator(*stream), draws, measure.negative)
            reliable, observed = bias.reliability(level), (bias.values, bias.without_share)
            counts = {"n": sum(map(len, words)), "n_of": sum(map(len, lists))}
            counts["n_unit"] = "group words"
            for i, target in enumerate(known):
                counts["whole"] = vectors.has_whole([target, *chain(*lists)])
                numbers = by_draw(*(side[i] for side in observed), drawn[:, i], negative[:, i])
                counts |= dict.fromkeys(PLACEBO, np.nan) | _beside(
                    bias, target, random, seed, level
                )
                result.add(target, f"emb-{role}@{variant}", numbers, reliable, **counts)
    return result.table()


def _variants(names: Iterable[str]) -> list[tuple[str, str, Measure]]:
    """Return each variant of the columns of vectors: its name, its word list and its measure."""
    variants = [(name, name, instrument("directed", 2)) for name in names]
    clipped = instrument("directed", 2, normalize="clipped-sum")
    return [*variants, (CLIPPED, variants[0][1], clipped)]


def by_draw(observed: float, no_share: bool, draws: Array, no_shares: Array) -> dict[str, Array]:
    """Return the female share minus one half, and whether it is no share, of all draws of a target.

    The observed one is draw -1.
    """
    biases, negative = np.append(observed, draws), np.append(no_share, no_shares)
    return {"unit": np.arange(-1, len(draws)), "bias": biases, "negative": negative}


def _beside(
    bias: VectorBias, target: str, random: Mapping[str, Sequence[str]], seed: int, level: float
) -> dict[str, float]:
    """Return `PLACEBO` of a target beside random words; {} where too few of them are left.

    Near neighbours of group words are left out, and words whose association is negative, as they
    have no share. The interval is over group words, the same for the target and the random words.
    """
    words, rng = bias.far(random[target]), generator(seed, "table3", "beside", target)
    own, others, apart = bias.apart(target, words, BESIDE, rng, level)
    placebo = others[~np.isnan(others)]
    if len(placebo) < MIN_WORDS:
        return {}
    tails = percentile(placebo, level)
    beside = dict(zip(PLACEBO, (len(placebo), len(words), placebo.mean(), *tails), strict=False))
    if np.isnan(own):
        return beside
    p = p_values([own], placebo, signed=True).item()
    numbers = (apart.value, apart.low, apart.high, apart.detectable, p)
    return beside | dict(zip(PLACEBO[-5:], numbers, strict=True))


def reduction_evidence(
    reduced: Reduction,
    gender_lists: Mapping[str, Mapping[str, Sequence[str]]],
    targets: Sequence[str],
) -> pd.DataFrame:
    """Directed gender bias in contextualised representations reduced to one vector a word."""
    index, matrices = reduced.vectors.index, [reduced.vectors.matrix, *reduced.resampled]
    rows = [index[target] for target in targets]
    result = Evidence()
    for variant, name, measure in _variants(gender_lists):
        groups = [[index[word] for word in gender_lists[name][group]] for group in GENDER]
        pairs = [(m[rows], [m[group] for group in groups]) for m in matrices]
        (observed, *drawn), (no_share, *negative) = (
            [of(*pair) for pair in pairs] for of in (measure.function, measure.negative)
        )
        for i, target in enumerate(targets):
            draws = ([each[i] for each in side] for side in (drawn, negative))
            numbers = by_draw(observed[i], no_share[i], *draws)
            counts = {"n": int(reduced.counts[index[target]]), "n_of": np.nan, "n_unit": "contexts"}
            counts["whole"] = False
            result.add(target, f"cr-reduction@{variant}", numbers, **counts)
    return result.table()


def values(table: pd.DataFrame, level: float) -> Iterator[dict]:
    """Table 3's cells from its evidence, with intervals over what was resampled.

    `replicates` are the biases themselves. The draws of group words are wider, by Student's factor
    for so few: that is for intervals, and no error of measurement.
    """
    for row, column, units, facts in evidence_cells(table):
        [observed] = units[units["unit"] == -1].to_dict("records")
        resampled = units[units["unit"] != -1]
        draws = replicates = resampled["bias"].to_numpy()
        halved = facts["n_unit"] == "group words"
        if halved:
            half = int(facts["n"]) // 2  # each group's words are drawn by themselves
            draws = widened(replicates, observed["bias"], half, half)
        note = NEGATIVE if observed["negative"] else ""
        if not note and resampled["negative"].any():
            share = resampled["negative"].mean()
            note = f"in {share:.1%} of the resamples behind the interval {NEGATIVE}"
        record = value(
            row,
            column,
            observed["bias"],
            interval=percentile(draws, level),
            draws=as_many(draws),
            replicates=replicates,
            **counted(facts),
            unit=UNIT,
            note=note,
        )
        yield with_reliability(record, facts["reliability"]) if halved else record


def placebo_values(table: pd.DataFrame) -> Iterator[dict]:
    """Yield the columns beside those of vectors, from the evidence.

    Random words, and targets above them. Of the random words, the interval is the range of the
    words themselves.
    """
    for row, column, _, facts in evidence_cells(table):
        if np.isnan(facts.get("placebo", np.nan)):
            continue
        name, _, variant = column.partition("@")
        common = {"n": facts["placebo_n"], "n_of": facts["placebo_n_of"], "n_unit": "random words"}
        test = {"p_value": facts["above_p"], "detectable": facts["above_detectable"]}
        if np.isnan(facts["above"]):
            test["note"] = NEGATIVE
        for key, label, fields in (
            ("placebo", "placebo", {"unit": UNIT}),
            ("above", "above-placebo", {"unit": DIFFERENCE} | test),
        ):
            ends, cell = (facts[f"{key}_low"], facts[f"{key}_high"]), f"{name};{label}@{variant}"
            yield value(row, cell, facts[key], interval=ends, **common, **fields)


def counted_values(
    tables: Mapping[str, pd.DataFrame],
    targets: Sequence[str],
    level: float,
    census: pd.DataFrame | None = None,
    seed: int = 0,
) -> list[dict]:
    """Return the columns that are made of counts: text, automated, and the probe."""
    biases, single = {}, {}  # the probe reads single sentences
    if "wikipedia" in tables:
        biases |= _of_text(tables["wikipedia"], text.DEFAULT_LENGTH, level)
        single = _of_text(tables["wikipedia"], 1, level)
    if "probe_bert" in tables:
        evidence = tables["probe_bert"]
        for variant in evidence["variant"].unique():
            counts = probes.probe_counts(evidence, "given", variant)
            weak = probes.weakness(evidence, variant, level, seed)
            biases[f"cr-probe@{variant}"] = directed(counts, level, "wikipedia", weak)
    records, first = [], {}
    for column, measured in biases.items():
        records += cells(column, measured.of(targets), level)
        first.setdefault(column.partition("@")[0], column)
    for name, column in first.items():
        texts = biases if name == "text-automated" else single
        own = texts.get(f"text-automated@{column.partition('@')[2]}")
        for kind, reference in references(own, census, targets).items():
            records += cells(f"{name};{kind}", biases[column].of(targets), level, reference)
    return records


def _of_text(table: pd.DataFrame, n: int, level: float) -> dict[str, Directed]:
    """Return by column, the biases in contexts of n sentences."""
    return {
        f"text-automated@{variant}": directed(part, level, "wikipedia")
        for variant, part in table[table["n"] == n].groupby("variant", sort=False)
    }


def measure(job: Job) -> pd.DataFrame:
    """Return the evidence of the columns of vectors."""
    trustworthy, lists = job.word_lists("trustworthy"), gender_lists(job)
    targets = trustworthy["table3_targets"]
    listed = all_words(trustworthy).union(job.word_lists("placebo")["first_names"])
    draws = job.settings["trustworthy.word_list_draws"]
    vectors, reduction = read_vectors(job, "vocabulary"), read_reduction(job)
    parts = [evidence(vectors, lists, targets, draws, job.seed, job.level, listed)]
    if reduction is not None:
        parts.append(reduction_evidence(reduction, lists, targets))
    return pd.concat(parts, ignore_index=True)


def summarise(job: Job) -> Iterator[dict]:
    """Yield all columns."""
    targets = job.word_lists("trustworthy")["table3_targets"]
    census = read_employment(job, job.settings["trustworthy.census_year"]).get("gender")
    table = job.table("evidence/trustworthy/table3")
    records = with_retest(values(table, job.level), job.level)
    yield from records
    variant, _ = first_gender_list(job)
    for record in records if census is not None else ():
        name, _, own_variant = record["column"].partition("@")
        if own_variant == variant and record["row"] in census.index:
            shift = 0.5 - census.loc[record["row"], "female"]
            numbers = {key: record[key] + shift for key in ("value", "ci_low", "ci_high", "draws")}
            yield record | numbers | {"column": f"{name};employment", "unit": DIFFERENCE}
    yield from placebo_values(table)
    yield from counted_values(read_tables(job), targets, job.level, census, job.seed)
    if table4.CONTEXTS in job:
        yield from table4.table3_values(job.table(table4.CONTEXTS), job.level)
