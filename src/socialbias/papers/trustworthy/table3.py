"""Table 3, face validity: directed gender bias of eight professions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from socialbias.datasets.census import GENDER
from socialbias.embeddings.vectors import WordVectors
from socialbias.measures.divdist import (
    DivDist,
    clipped_sum_normalize,
    has_negative,
    sum_normalize,
)
from socialbias.measures.placebo import FEWEST, LEAST, are_near, draw
from socialbias.measures.similarity import Array, cosine_matrix
from socialbias.papers.evidence import Evidence, counted
from socialbias.papers.evidence import cells as evidence_cells
from socialbias.papers.inputs import read_vectors
from socialbias.papers.reliability import over_words, with_reliability, with_retest
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
from socialbias.stats.two_way import mean_difference
from socialbias.words.of_papers import all_words

NEGATIVE = "an association is negative, so these are no shares (section 4.4 asks for none below 0)"
# Of the random words beside a target: how many have a number, of how many that were drawn; their
# mean, and the ends of the range that holds most of them; how far the target is from their mean.
PLACEBO = ["placebo_n", "placebo_n_of", "placebo", "placebo_low", "placebo_high"]
PLACEBO += ["above", "above_low", "above_high", "above_detectable", "above_p"]
# The variant with the first word list, in which negative strengths are taken for none.
CLIPPED = "clipped-sum"


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
            target: draw(vectors.words, [target], listed, seed, LEAST, by_frequency=True).words
            for target in known
        }
        for variant, name, measure in _variants(gender_lists):
            lists = [gender_lists[name][group] for group in GENDER]
            words = [vectors.known(group) for group in lists]
            if not all(words) or not known:
                continue
            # Variants of one list have the same resamples of it.
            rng = generator(seed, "table3", role, name)
            groups = [vectors.rows(group) for group in words]
            strengths = _strengths(vectors.rows(known), groups, draws, rng)
            of_groups = partial(measure.directed, vectors.rows(known))
            reliable = over_words(of_groups, groups, known, level)
            counts = {"n": sum(map(len, words)), "n_of": sum(map(len, lists))}
            counts["n_unit"] = "group words"
            for target, numbers in by_draw(strengths, measure, known):
                rows = vectors.rows([target]), vectors.rows(random[target])
                counts |= dict.fromkeys(PLACEBO, np.nan) | _beside(*rows, groups, measure, level)
                result.add(target, f"emb-{role}@{variant}", numbers, reliable, **counts)
    return result.table()


def _variants(names: Iterable[str]) -> list[tuple[str, str, DivDist]]:
    """Return each variant of the columns of vectors: its name, its word list and its measure."""
    variants = [(name, name, DivDist()) for name in names]
    return [*variants, (CLIPPED, variants[0][1], DivDist(normalize=clipped_sum_normalize))]


def _strengths(targets: Array, groups: list[Array], draws: int, rng: np.random.Generator) -> Array:
    """Strengths of n targets, (1 + draws, n, 2): of the lists themselves, then of resamples."""
    means = []
    for group in groups:
        m = len(group)
        counts = rng.multinomial(m, np.full(m, 1 / m), size=draws)
        means.append(np.vstack([group.mean(axis=0), counts @ group / m]))
    return np.stack([cosine_matrix(m, targets) for m in means], axis=-1)


def by_draw(
    strengths: Array, measure: DivDist, targets: Sequence[str]
) -> Iterator[tuple[str, dict[str, Array]]]:
    """Yield each target with its numbers by draw, from strengths (1 + draws, n, 2).

    The numbers are the female share minus one half, and whether it is no share.
    """
    k = strengths.shape[2]
    shares = measure.normalize(strengths.reshape(-1, k)).reshape(strengths.shape)
    negative = _no_shares(measure, strengths.reshape(-1, k)).reshape(strengths.shape[:2])
    draws = np.arange(len(strengths)) - 1
    for i, target in enumerate(targets):
        yield target, {"unit": draws, "bias": shares[:, i, 0] - 0.5, "negative": negative[:, i]}


def _beside(
    target: Array, others: Array, groups: Sequence[Array], measure: DivDist, level: float
) -> dict[str, float]:
    """`PLACEBO` of a target (1, d), from random words (m, d); {} where too few of them are left.

    Near neighbours of group words are left out, and words whose association is negative, as they
    have no share. The interval is over group words, the same for the target and the random words.
    """
    if not len(others):
        return {}
    words = np.vstack([target, others[~are_near(others, groups)]])
    cosines = []
    for group in groups:  # the mean of its vectors, then those without each one
        k = len(group)
        without = (group.sum(axis=0) - group) / (k - 1) if k > 1 else group[:0]
        cosines.append(cosine_matrix(np.vstack([group.mean(axis=0), without]), words))
    negative = _no_shares(measure, np.stack([rows[0] for rows in cosines], axis=-1))

    def biases(group: int, place: int) -> Array:
        rows = [of_group[place if i == group else 0] for i, of_group in enumerate(cosines)]
        return np.clip(measure.normalize(np.stack(rows, axis=-1))[:, 0] - 0.5, -0.5, 0.5)

    known = ~negative[1:]
    if known.sum() < FEWEST:
        return {}
    observed = biases(0, 0)
    placebo = observed[1:][known]
    tails = percentile(placebo, level)
    beside = dict(zip(PLACEBO, (len(placebo), len(known), placebo.mean(), *tails), strict=False))
    if negative[0]:
        return beside
    without = [
        np.stack([biases(group, place) for place in range(1, len(rows))])
        for group, rows in enumerate(cosines)
        if len(rows) > 2
    ]
    pairs = [(rows[:, :1], rows[:, 1:][:, known]) for rows in without]
    apart = mean_difference(observed[:1], placebo, pairs, level)
    p = p_values(observed[:1], placebo, signed=True).item()
    numbers = (apart.value, apart.low, apart.high, apart.detectable, p)
    return beside | dict(zip(PLACEBO[-5:], numbers, strict=True))


def _no_shares(measure: DivDist, strengths: Array) -> NDArray[np.bool_]:
    """Return whether strengths (n, 2) make no shares, since the measure keeps a negative one."""
    return has_negative(strengths) & (measure.normalize is sum_normalize)


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
        strengths = [measure.strengths(m[rows], [m[group] for group in groups]) for m in matrices]
        for target, numbers in by_draw(np.stack(strengths), measure, targets):
            counts = {"n": int(reduced.counts[index[target]]), "n_of": np.nan, "n_unit": "contexts"}
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
        records += cells(column, measured, targets, level)
        first.setdefault(column.partition("@")[0], column)
    for name, column in first.items():
        texts = biases if name == "text-automated" else single
        own = texts.get(f"text-automated@{column.partition('@')[2]}")
        for kind, reference in references(own, census, targets).items():
            records += cells(f"{name};{kind}", biases[column], targets, level, reference)
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
        yield from table4.table3_values(job.table(table4.CONTEXTS), GENDER, job.level)
