"""Table 3, face validity: directed gender bias of eight professions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
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
from socialbias.papers.reliability import (
    over_words,
    with_reliability,
    with_retest,
)
from socialbias.papers.trustworthy import probes, table4, text
from socialbias.papers.trustworthy.directed import (
    DIFFERENCE,
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
from socialbias.stats.resampling import resampled_means
from socialbias.stats.seeding import generator
from socialbias.stats.two_way import mean_difference
from socialbias.words.of_papers import all_words

NEGATIVE = "an association is negative, so these are no shares (section 4.4 asks for none below 0)"
# Of the random words beside a target: how many have a number, of how many that were drawn; their
# mean, and the ends of the range that holds most of them; how far the target is from their mean.
PLACEBO = ["placebo_n", "placebo_n_of", "placebo", "placebo_low", "placebo_high"]
PLACEBO += ["above", "above_low", "above_high", "above_detectable", "above_p"]
CLIPPED = (
    "clipped-sum"  # the variant with the first word list and negative strengths taken for none
)


def evidence(
    embeddings: Mapping[str, WordVectors],
    gender_lists: Mapping[str, Mapping[str, Sequence[str]]],
    targets: Sequence[str],
    draws: int,
    seed: int,
    level: float,
    listed: Iterable[str] = (),
) -> pd.DataFrame:
    """Directed gender bias of each target, and of resamples of the group words (section 6).

    Args:
        embeddings: By role, such as `word2vec`, the most frequent words first; those that have no
            input are left out.
        gender_lists: By variant, the words for `female` and `male`.
        targets: Words of which each is a target concept.
        draws: Resamples of each group's words.
        seed: The configuration's seed.
        level: Coverage of intervals, and of the range of the random words.
        listed: Words that are never drawn as random words.

    Returns:
        Evidence of columns such as `emb-word2vec@appendix`, with targets as rows. Units are draws,
        of which -1 is the list itself: `bias` (female share minus one half) and `negative` (whether
        it is of a negative association, which makes no shares). Of a cell `n`, `n_of` (group words
        found and asked for), `n_unit`, the reliability of the order of the targets over halves of
        the group words, and `PLACEBO`.
    """
    result, listed = Evidence(), set(listed)
    for role, vectors in embeddings.items():
        found = vectors.known(targets)
        random = {
            target: draw(vectors.words, [target], listed, seed, LEAST, by_frequency=True).words
            for target in found
        }
        for variant, name, measure in _variants(gender_lists):
            lists = [gender_lists[name][group] for group in GENDER]
            words = [vectors.known(group) for group in lists]
            if not all(words) or not found:
                continue
            # Variants of one list have the same resamples of it.
            rng = generator(seed, "table3", role, name)
            groups = [vectors.rows(group) for group in words]
            strengths = _strengths(vectors.rows(found), groups, draws, rng)
            of_groups = partial(measure.directed, vectors.rows(found))
            reliable = over_words(of_groups, groups, found, level)
            counts = {"n": sum(map(len, words)), "n_of": sum(map(len, lists))}
            counts["n_unit"] = "group words"
            for target, numbers in by_draw(strengths, measure, found):
                rows = vectors.rows([target]), vectors.rows(random[target])
                counts |= dict.fromkeys(PLACEBO, np.nan) | _beside(*rows, groups, measure, level)
                result.add(target, f"emb-{role}@{variant}", numbers, reliable, **counts)
    return result.table()


def _variants(names: Iterable[str]) -> list[tuple[str, str, DivDist]]:
    """Each variant of the columns of vectors: its name, its word list and its measure."""
    variants = [(name, name, DivDist()) for name in names]
    return [*variants, (CLIPPED, variants[0][1], DivDist(normalize=clipped_sum_normalize))]


def _strengths(targets: Array, groups: list[Array], draws: int, rng: np.random.Generator) -> Array:
    """Strengths of n targets, (1 + draws, n, 2): of the lists themselves, then of resamples."""
    means = [
        np.vstack([group.mean(axis=0), resampled_means(group, draws, rng)]) for group in groups
    ]
    return np.stack([cosine_matrix(m, targets) for m in means], axis=-1)


def by_draw(
    strengths: Array, measure: DivDist, targets: Sequence[str]
) -> Iterator[tuple[str, dict[str, Array]]]:
    """Each target with its numbers by draw, from strengths (1 + draws, n, 2).

    Female share minus one half, and whether it is no share.
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
    cosines = [cosine_matrix(_leaving_out(group), words) for group in groups]
    negative = _no_shares(measure, np.stack([each[0] for each in cosines], axis=-1))

    def biases(own: int, at: int) -> Array:
        rows = [each[at if i == own else 0] for i, each in enumerate(cosines)]
        return np.clip(measure.normalize(np.stack(rows, axis=-1))[:, 0] - 0.5, -0.5, 0.5)

    known = ~negative[1:]
    if known.sum() < FEWEST:
        return {}
    found = biases(0, 0)
    placebo = found[1:][known]
    tails = percentile(placebo, level)
    beside = dict(zip(PLACEBO, (len(placebo), len(known), placebo.mean(), *tails), strict=False))
    if negative[0]:
        return beside
    without = [
        np.stack([biases(own, at) for at in range(1, len(each))])
        for own, each in enumerate(cosines)
        if len(each) > 2
    ]
    pairs = [(each[:, :1], each[:, 1:][:, known]) for each in without]
    apart = mean_difference(found[:1], placebo, pairs, level)
    p = p_values(found[:1], placebo, signed=True).item()
    numbers = (apart.value, apart.low, apart.high, apart.detectable, p)
    return beside | dict(zip(PLACEBO[-5:], numbers, strict=True))


def _leaving_out(group: Array) -> Array:
    """The mean of a group's vectors (k, d), and its means without each of them, (1 + k, d)."""
    k = len(group)
    others = (group.sum(axis=0) - group) / (k - 1) if k > 1 else group[:0]
    return np.vstack([group.mean(axis=0), others])


def _no_shares(measure: DivDist, strengths: Array) -> NDArray[np.bool_]:
    """Whether strengths (n, 2) make no shares, since one is negative and the measure keeps it."""
    return has_negative(strengths) & (measure.normalize is sum_normalize)


def reduction_evidence(
    reduced: Reduction,
    gender_lists: Mapping[str, Mapping[str, Sequence[str]]],
    targets: Sequence[str],
) -> pd.DataFrame:
    """Directed gender bias in contextualised representations reduced to one vector a word.

    Args:
        reduced: The words' vectors, with those of resampled documents.
        gender_lists: By variant, the words for `female` and `male`.
        targets: Words of which each is a target concept.

    Returns:
        As `evidence`, of the columns `cr-reduction@<variant>`; the draws resample documents, and n
        is the number of sentences behind the target's vector.
    """
    places = {word: i for i, word in enumerate(reduced.vectors.words)}
    at = [places[target] for target in targets]
    matrices = [np.asarray(reduced.vectors.matrix), *reduced.resampled]
    result = Evidence()
    for variant, name, measure in _variants(gender_lists):
        groups = [[places[word] for word in gender_lists[name][group]] for group in GENDER]
        strengths = [measure.strengths(m[at], [m[group] for group in groups]) for m in matrices]
        for target, numbers in by_draw(np.stack(strengths), measure, targets):
            n = int(reduced.counts[places[target]])
            counts = {"n": n, "n_of": np.nan, "n_unit": "contexts"}
            result.add(target, f"cr-reduction@{variant}", numbers, **counts)
    return result.table()


def values(table: pd.DataFrame, level: float) -> list[dict]:
    """Table 3's cells from its evidence, with intervals over what was resampled.

    `replicates` are the biases themselves. The draws of group words are wider, by Student's factor
    for so few: that is for intervals, and no error of measurement.
    """
    records = []
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
            unit="female share minus 1/2",
            note=note,
        )
        records.append(with_reliability(record, facts["reliability"]) if halved else record)
    return records


def placebo_values(table: pd.DataFrame) -> list[dict]:
    """The columns beside those of vectors, from the evidence: random words, and targets above them.

    Of the random words, the interval is the range of the words themselves.
    """
    records = []
    for row, column, _, facts in evidence_cells(table):
        if np.isnan(facts.get("placebo", np.nan)):
            continue
        name, _, variant = column.partition("@")
        common = {"n": facts["placebo_n"], "n_of": facts["placebo_n_of"], "n_unit": "random words"}
        ends, number = (facts["placebo_low"], facts["placebo_high"]), facts["placebo"]
        kind = f"{name};placebo@{variant}"
        unit = "female share minus 1/2"
        records.append(value(row, kind, number, interval=ends, unit=unit, **common))
        common |= {"p_value": facts["above_p"], "detectable": facts["above_detectable"]}
        ends, number = (facts["above_low"], facts["above_high"]), facts["above"]
        if np.isnan(number):
            common["note"] = NEGATIVE
        kind = f"{name};above-placebo@{variant}"
        records.append(value(row, kind, number, interval=ends, unit=DIFFERENCE, **common))
    return records


def counted_values(
    found: Mapping[str, pd.DataFrame],
    targets: Sequence[str],
    level: float,
    census: pd.DataFrame | None = None,
    seed: int = 0,
) -> list[dict]:
    """The columns that are made of counts: text, automated, and the probe.

    Args:
        found: Of `wikipedia` (contexts by document, `text.evidence`) and `probe_bert`
            (`probes.evidence`) those that there are.
        targets: The rows.
        level: Coverage of the intervals.
        census: Shares of women and men by profession, if any.
        seed: The configuration's seed.

    Returns:
        Cells of each variant of the word lists, and of the first one against other references, in
        columns that end in `;base` (the share of women among all contexts of the text that are as
        long) and `;employment` (that in the profession). Print has one half alone.
    """
    measured = {}
    if "wikipedia" in found:
        measured |= _of_text(found["wikipedia"], text.DEFAULT_LENGTH, level)
    if "probe_bert" in found:
        evidence = found["probe_bert"]
        for variant in evidence["variant"].unique():
            part = probes.probe_counts(evidence, "given", variant)
            here = directed(part, level, "wikipedia")
            weak = probes.weakness(evidence, variant, level, seed)
            measured[f"cr-probe@{variant}"] = replace(here, weak=weak)
    # The probe is asked about single sentences.
    single = _of_text(found["wikipedia"], 1, level) if "wikipedia" in found else {}
    records, first = [], {}
    for column, here in measured.items():
        records += cells(column, here, targets, level)
        first.setdefault(column.partition("@")[0], column)
    for name, column in first.items():
        texts = measured if name == "text-automated" else single
        of_text = texts.get(f"text-automated@{column.partition('@')[2]}")
        for kind, reference in references(of_text, census, targets).items():
            records += cells(f"{name};{kind}", measured[column], targets, level, reference)
    return records


def _of_text(found: pd.DataFrame, n: int, level: float) -> dict[str, Directed]:
    """By column, the biases in contexts of n sentences."""
    table = found[found["n"] == n]
    return {
        f"text-automated@{variant}": directed(part, level, "wikipedia")
        for variant, part in table.groupby("variant", sort=False)
    }


def against_employment(records: Sequence[dict], variant: str, census: pd.DataFrame) -> list[dict]:
    """Cells of vectors against the share of women in the profession instead of one half.

    Args:
        records: Of `values`.
        variant: Of the word lists, of which alone this is done.
        census: Shares of women and men by profession.
    """
    found = []
    for record in records:
        name, _, of = record["column"].partition("@")
        if of != variant or record["row"] not in census.index:
            continue
        shift = 0.5 - census.loc[record["row"], "female"]
        numbers = {key: record[key] + shift for key in ("value", "ci_low", "ci_high", "draws")}
        said = {"column": f"{name};employment", "unit": DIFFERENCE}
        found.append(record | numbers | said)
    return found


def measure(job: Job) -> pd.DataFrame:
    """The evidence of the columns of vectors."""
    trustworthy = job.word_lists("trustworthy")
    targets = trustworthy["table3_targets"]
    listed = all_words(trustworthy).union(job.word_lists("placebo")["first_names"])
    lists = gender_lists(job)
    draws = job.settings["trustworthy.word_list_draws"]
    vectors = read_vectors(job, "vocabulary")
    parts = [evidence(vectors, lists, targets, draws, job.seed, job.level, listed)]
    reduction = read_reduction(job)
    if reduction is not None:
        parts.append(reduction_evidence(reduction, lists, targets))
    return pd.concat(parts, ignore_index=True)


def summarise(job: Job) -> list[dict]:
    """All columns."""
    targets = job.word_lists("trustworthy")["table3_targets"]
    census = read_employment(job, job.settings["trustworthy.census_year"]).get("gender")
    records = values(job.table("evidence/trustworthy/table3"), job.level)
    records = with_retest(records, job.level)
    if census is not None:
        records += against_employment(records, first_gender_list(job)[0], census)
    records += placebo_values(job.table("evidence/trustworthy/table3"))
    records += counted_values(read_tables(job), targets, job.level, census, job.seed)
    if table4.CONTEXTS in job:
        records += table4.table3_values(job.table(table4.CONTEXTS), GENDER, job.level)
    return records
