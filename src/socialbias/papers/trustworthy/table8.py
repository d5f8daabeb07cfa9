"""Table 8, sensitivity: directed bias and magnitude under perturbed parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

import numpy as np
import pandas as pd

from socialbias.corpora.contexts import contexts_of, match, word_presence
from socialbias.corpora.prepared import Corpus
from socialbias.measures.datasets.census import GENDER
from socialbias.measures.divdist import DivDist, l2_divergence, softmax_normalize
from socialbias.measures.text import counts_with_words, random_words
from socialbias.papers.evidence import Evidence, counted
from socialbias.papers.inputs import read_vectors
from socialbias.papers.trustworthy.inputs import (
    contexts_options,
    first_gender_list,
    read_reduction,
    read_tables,
)
from socialbias.papers.trustworthy.probes import probe_counts, weakness
from socialbias.papers.trustworthy.text import DEFAULT_LENGTH
from socialbias.pipeline.job import Job
from socialbias.reporting.values import exact, value
from socialbias.stats.correlation import rowwise_pearson, rowwise_spearman
from socialbias.stats.draws import DRAWS
from socialbias.stats.intervals import tails
from socialbias.stats.seeding import generator
from socialbias.stats.similarity import Array, cosine_matrix

DEFAULT = "default"
UNIFORM = np.array([0.5, 0.5])
MEASURES = {  # by perturbation, those that need no other words
    DEFAULT: DivDist(),
    "l2": DivDist(divergence=l2_divergence),
    "softmax": DivDist(normalize=softmax_normalize),
}
SIZES = (3, 5)  # words that lists are cut down to
TARGETS = 8
TEXT = "prepared/wikipedia"
MOST_FLAT = 0.05  # share of draws without a correlation that may be left out


def measure(job: Job) -> pd.DataFrame:
    """Directed bias and magnitude of each target, by default and under each perturbation."""
    variant, lists = first_gender_list(job)
    targets = job.word_lists("trustworthy")["table3_targets"]
    vectors = {f"emb {role}": space for role, space in read_vectors(job, "lists").items()}
    reduction, probe = read_reduction(job), read_tables(job).get("probe_bert")
    if reduction is not None:
        vectors["cr-reduction bert"] = reduction.vectors
    result, draws = Evidence(), job.settings["trustworthy.word_list_draws"]
    for row, space in vectors.items():
        words = [space.known(lists[group]) for group in GENDER]
        known = space.known(targets)
        if min(map(len, words)) < max(SIZES) or not known:
            continue
        rows, groups = space.rows(known), [space.rows(group) for group in words]
        rng = generator(job.seed, "table8", row)
        samples = {}
        for size in SIZES:  # strengths with each list cut down to so many random words of it
            means = []
            for group in groups:
                order = rng.permuted(np.tile(np.arange(len(group)), (draws, 1)), axis=1)
                means.append(group[order[:, :size]].mean(axis=1))
            samples[size] = np.stack([cosine_matrix(rows, m).T for m in means], axis=-1)
        whole = space.has_whole([*targets, *chain(*(lists[group] for group in GENDER))])
        strengths = DivDist().strengths(rows, groups)[None]
        _add(result, row, known, strengths, samples, whole=whole)
    parts = [result.table()]
    if TEXT in job:
        corpus, how = Corpus.load(job.path(TEXT).parent), contexts_options(job)
        parts.append(text_evidence(corpus, lists, targets, SIZES, draws, job.seed, how))
    if probe is not None:
        parts.append(probe_evidence(probe, variant, targets, job.level, job.seed))
    return pd.concat(parts, ignore_index=True)


def _add(
    result: Evidence,
    row: str,
    targets: Sequence[str],
    strengths: Array,
    samples: Mapping[int, Array],
    **facts,
) -> None:
    """Add the cells of a row, one a perturbation, from strengths (draws, t, groups)."""
    facts = {"weak": "", "whole": False} | facts
    parts = [(name, measure, strengths) for name, measure in MEASURES.items()]
    parts += [(f"lists-{size}", MEASURES[DEFAULT], part) for size, part in samples.items()]
    for name, measure, strengths in parts:
        draws, t, groups = strengths.shape
        shares = measure.normalize(strengths.reshape(-1, groups).astype(float))
        numbers = {
            "unit": np.tile(targets, draws),
            "draw": np.repeat(np.arange(draws), t),
            "direction": shares[:, 0] - UNIFORM[0],
            "magnitude": measure.divergence(shares, UNIFORM),
        }
        result.add(row, name, numbers, **facts)


def text_evidence(
    corpus: Corpus,
    lists: Mapping[str, Sequence[str]],
    targets: Sequence[str],
    sizes: Sequence[int],
    draws: int,
    seed: int,
    contexts: Mapping[str, int],
) -> pd.DataFrame:
    """As `measure`, of the text measure.

    A target that occurs with no group at all is left out. One that occurs with none of the words
    of a draw is without bias in it: the paper's normalisation makes a uniform distribution of it
    (section 4.4), and a correlation needs all targets in all draws.
    """
    groups = {group: lists[group] for group in GENDER}
    lengths = {key: contexts[key] for key in ("shortest", "longest")}
    matches = match(corpus, {target: [target] for target in targets}, groups, **lengths)
    limits = {"keep_last": contexts["keep_last"], "limit": contexts["windows"] or None}
    windows = contexts_of(matches, DEFAULT_LENGTH, **limits)
    presence, owners = word_presence(matches, windows), matches.word_groups

    def counts_of(chosen: Array) -> Array:
        counts = counts_with_words(presence, windows.targets, len(targets), owners, chosen)
        return counts[:, :, : len(GENDER)]

    counts = counts_of(np.ones((1, len(owners)), bool))
    which, names = _with_a_group(counts, targets)
    samples = {}
    for size in sizes:
        rng = generator(seed, "table8", "text", size)
        samples[size] = counts_of(random_words(owners, size, draws, rng))[:, which]
    result = Evidence()
    _add(result, "text-automated wikipedia", names, counts[:, which], samples)
    return result.table()


def probe_evidence(
    table: pd.DataFrame, variant: str, targets: Sequence[str], level: float = 0.95, seed: int = 0
) -> pd.DataFrame:
    """As `measure`, of the probe; word lists play no part in it once the labels are given.

    A target of which the probe never predicts a group is left out.
    """
    by_target = probe_counts(table, "given", variant).groupby("target", observed=True)
    counts = by_target[list(GENDER)].sum().reindex(targets, fill_value=0).to_numpy()[None]
    which, names = _with_a_group(counts, targets)
    result, weak = Evidence(), weakness(table, variant, level, seed)
    _add(result, "cr-probe bert", names, counts[:, which], {}, weak=weak)
    return result.table()


def _with_a_group(counts: Array, targets: Sequence[str]) -> tuple[Array, list[str]]:
    """Return the numbers and names of the targets that have any of the counts (1, t, groups)."""
    which = np.flatnonzero(counts[0].sum(axis=1))
    return which, [targets[i] for i in which]


def summarise(job: Job) -> Iterator[dict]:
    """Yield Table 8's cells: correlation over the targets of the default with each perturbation.

    A perturbation with many draws gives its median and the range of the middle `level` of the
    draws, and as the variant `one-draw` the first of them, which is what print has. A draw in
    which all targets are alike has no correlation: a few of them are left out, and the note says
    how many; with more there is no number.
    """
    table, level = job.table("evidence/trustworthy/table8"), job.level
    for row, part in table.groupby("row"):
        facts = {
            "n": part["unit"].nunique(),
            "n_of": TARGETS,
            "n_unit": "targets",
            "unit": "correlation with the default",
            "weak": part["weak"].iloc[0],
            **counted(part.iloc[0]),
        }
        for what in ("direction", "magnitude"):
            grids = {
                name: cells.pivot(index="draw", columns="unit", values=what).to_numpy()
                for name, cells in part.groupby("column")
            }
            base, columns = grids.pop(DEFAULT), {}
            for name, grid in grids.items():  # each draw against the default
                default = np.broadcast_to(base, grid.shape)
                columns[f"{name} spearman_rho"] = rowwise_spearman(default, grid)
                columns[f"{name} pearson_r2"] = rowwise_pearson(default, grid) ** 2
            for column, draws in columns.items():
                defined = draws[~np.isnan(draws)]
                flat = len(draws) - len(defined)
                if flat <= MOST_FLAT * len(draws):
                    note = f"{flat} of {len(draws)} draws have no correlation" if flat else ""
                    fields = facts | {"note": note}
                    yield _cell(row, f"{column}@{what}", defined, level, fields)
                if what == "direction" and len(draws) > 1 and not np.isnan(draws[0]):
                    yield _cell(row, f"{column}@one-draw", draws[:1], level, facts)


def _cell(row: str, column: str, draws: Array, level: float, facts: dict) -> dict:
    """Return the median of the draws with their range; a single draw has none."""
    if len(draws) == 1:
        return exact(row, column, draws[0], **facts)
    low, high = tails(level)
    low, middle, high = np.quantile(draws, [low, 0.5, high])
    # The eight targets are all there are, so that only the random lists leave the median uncertain:
    # the place of the true median among n draws has this beta distribution.
    half = (len(draws) + 1) / 2
    places = generator(0, "medians", len(draws)).beta(half, half, DRAWS)
    drawn = np.quantile(draws, places, method="weibull")
    return value(row, column, float(middle), interval=(low, high), draws=drawn, **facts)
