"""Recovery: do the measures find what was planted? A test of validity with a known truth.

A corpus is written with planted associations (`planted_corpus`): what a measure should say is
known, for targets that stand beside words of groups (`direct`), for targets that only share
attributes with them (`second-order`), and for targets with no association (`null`). Measures are
compared with it: here those of models trained on one corpus, in `recovery_corpora` also those of
text and static vectors, on many. Bommasani and Liang 2022 test validity by what cannot be known
(section 5); here it can.

The evidence has one row for each measure and target:

| column | content |
|---|---|
| measure | such as `text` or `word2vec divdist` |
| target, kind | of the design |
| frequency | how often the target is written, relative to others of its kind |
| truth | what is planted: the share of the first group; for a magnitude its distance from base |
| measured | what the measure says |
| low, high | its interval, where it has one |
| flagged | whether its own test at 0.05 calls the target biased; empty where it has none |
| n | how many contexts it is measured in, if any |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from socialbias.corpora.contexts import contexts_of, match, word_presence
from socialbias.corpora.prepared import Corpus
from socialbias.embeddings.vectors import WordVectors
from socialbias.measures.divdist import DivDist
from socialbias.measures.registry import MEASURES
from socialbias.measures.text import exclusive
from socialbias.measures.weat import association
from socialbias.papers.evidence import correlation
from socialbias.papers.validation.planted_design import DIRECT, KINDS, SECOND, Design
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.stats.clustered import (
    ClusteredShares,
    Ints,
    clustered_shares,
    shares_of_counts,
    wilson,
)
from socialbias.stats.correlation import rowwise_pearson, spearman
from socialbias.stats.intervals import normal, percentile
from socialbias.stats.seeding import generator
from socialbias.stats.similarity import Array

DESIGN = Design()
# The evidence of the models trained on the one planted corpus.
EVIDENCE = ["planted/bert", "planted/gpt2"]
COLUMNS = ["measure", "target", "kind", "frequency", "truth", "measured", "low", "high"]
COLUMNS += ["flagged", "n"]
SIGNIFICANT = 0.05
TIE = 1e-9  # biases that differ by a smaller share of themselves are equal
ONE_TRAINING = (
    "one corpus and one training: the interval resamples targets alone, and another training "
    "gives another number"
)

# Measures on vectors with a direction: targets, groups -> (n,), large where a target leans to the
# first group.
SOFTMAX = DivDist.named("cosine", "softmax", "l1")
DIRECTED = {
    "divdist": lambda targets, groups: DivDist().distribution(targets, groups)[:, 0],
    "divdist-softmax": lambda targets, groups: SOFTMAX.distribution(targets, groups)[:, 0],
    "weat": lambda targets, groups: association(targets, *groups),
}
# Measures of magnitude alone.
MAGNITUDES = {"divdist-magnitude": DivDist()}
MAGNITUDES |= {each.row: each.function for each in MEASURES.values() if each.prior}


# --- text -------------------------------------------------------------------------------------


def text_shares(
    corpus: Corpus, targets: Sequence[str], groups: Mapping[str, Sequence[str]], level: float
) -> ClusteredShares:
    """Shares of the groups among the sentences of each target, by the exclusive rule.

    Bommasani and Liang 2022, section 4.1, with contexts of one sentence.
    """
    contexts = contexts_of(match(corpus, {t: [t] for t in targets}, groups, max_window=1), 1)
    labels = exclusive(contexts.masks, len(groups))
    documents, n, k = contexts.documents, len(targets), len(groups)
    return clustered_shares(labels, contexts.targets, documents, n, k, level)


def chained_shares(
    corpus: Corpus,
    targets: Sequence[str],
    classes: Mapping[str, Sequence[str]],
    groups: Mapping[str, Sequence[str]],
    level: float,
) -> ClusteredShares:
    """Shares of the groups in the sentences of the attributes in a target's sentences.

    Two steps of the text measure: the attributes in a target's sentences, and the groups in the
    sentences of these attributes. It sees what the text measure cannot, given the attributes.
    """
    attributes = [word for words in classes.values() for word in words]
    shares = np.nan_to_num(text_shares(corpus, attributes, groups, level).share)
    matches = match(corpus, {t: [t] for t in targets}, classes, max_window=1)
    contexts = contexts_of(matches, 1)
    counts = word_presence(matches, contexts).astype(float) @ shares  # of an attribute its shares
    return soft_shares(counts, contexts.targets, contexts.documents, len(targets), level)


def soft_shares(
    weights: Array, targets: Ints, documents: Ints, n: int, level: float
) -> ClusteredShares:
    """Return shares of the groups in sums of weights (m, k) of n targets, over documents."""
    width = int(documents.max(initial=0)) + 1
    pairs, pair = np.unique(targets * width + documents, return_inverse=True)
    sums = np.stack([np.bincount(pair, column, len(pairs)) for column in weights.T], axis=1)
    return shares_of_counts(sums, pairs // width, n, level)


def text_evidence(corpus: Corpus, design: Design, level: float, measure: str) -> pd.DataFrame:
    """Return the text measure on a planted corpus, or on what a model that learned it writes."""
    is_far = design.targets["kind"] == SECOND
    near, far = design.targets[~is_far], design.targets[is_far]
    shares = text_shares(corpus, list(near["target"]), design.groups, level)
    parts = [shares_evidence(near, shares, design, measure)]
    if len(far):
        chained = chained_shares(corpus, list(far["target"]), design.classes, design.groups, level)
        parts.append(shares_evidence(far, chained, design, f"{measure} chain"))
    return pd.concat(parts, ignore_index=True)


def shares_evidence(
    rows: pd.DataFrame, shares: ClusteredShares, design: Design, measure: str
) -> pd.DataFrame:
    """Evidence of a measure that estimates the share of the first group, with an interval."""
    low, high, base = shares.low[:, 0], shares.high[:, 0], design.base[0]
    flagged = np.where(np.isnan(low), np.nan, (low > base) | (high < base))
    columns = {"low": low, "high": high, "flagged": flagged, "n": shares.n}
    truth = rows["truth 0"].to_numpy()
    return _rows(measure, rows, truth, shares.share[:, 0], **columns)


def _rows(
    measure: str, rows: pd.DataFrame, truth: Array, measured: Array, **columns
) -> pd.DataFrame:
    """Evidence of one measure; columns that are not given are empty."""
    table = rows[["target", "kind", "weight"]].rename(columns={"weight": "frequency"})
    table = table.reset_index(drop=True)
    table = table.assign(measure=measure, truth=truth, measured=measured, **columns)
    return table.reindex(columns=COLUMNS)


# --- vectors ----------------------------------------------------------------------------------


def vector_evidence(
    vectors: WordVectors, design: Design, prefix: str, names: Sequence[str], draws: int, seed: int
) -> pd.DataFrame:
    """Measures on static vectors.

    The test of a measure divides the words of all groups at random, as WEAT's does with its two
    lists: a target is flagged where at most one in twenty of such divisions gives it so large a
    bias, or one so far from the divisions' median where the measure has a direction.
    """
    table = design.targets
    targets = vectors.rows(list(table["target"]))
    groups = np.stack([vectors.rows(words) for words in design.groups.values()])
    rng = generator(seed, "recovery", "divisions", prefix)
    words = groups.reshape(-1, groups.shape[-1])
    divided = [rng.permutation(words).reshape(groups.shape) for _ in range(draws)]
    share = table["truth 0"].to_numpy()
    parts = []
    for name in names:
        measure = (DIRECTED | MAGNITUDES)[name]
        truth = share if name in DIRECTED else 2 * np.abs(share - design.base[0])
        observed = measure(targets, list(groups))
        null = np.array([measure(targets, list(division)) for division in divided])
        middle = np.median(null, axis=0) if name in DIRECTED else 0
        as_large = np.abs(null - middle) >= np.abs(observed - middle) * (1 - TIE)
        flagged = (1 + as_large.sum(axis=0)) / (1 + draws) <= SIGNIFICANT
        # A measure without a bias has no test either.
        flagged = np.where(np.isnan(observed), np.nan, flagged)
        parts.append(_rows(f"{prefix} {name}", table, truth, observed, flagged=flagged))
    return pd.concat(parts, ignore_index=True)


# --- values -----------------------------------------------------------------------------------


def summarise(job: Job) -> list[dict]:
    """Slopes, correlations and alarms of the recovery curves.

    Alarms are targets that the measure's own test calls biased: wrongly of `null` ones, rightly of
    the others.
    """
    evidence, records = pd.concat(map(job.table, EVIDENCE), ignore_index=True), []
    for measure, table in evidence.groupby("measure", sort=False):
        rng = generator(job.seed, "recovery", "values", measure)
        for kind in (DIRECT, SECOND):
            part = table[table["kind"] == kind].dropna(subset=["measured"])
            if len(part) >= 3:
                x, y = part["truth"].to_numpy(), part["measured"].to_numpy()
                records += slope_and_rank(measure, f"@{kind}", x, y, job, rng, "targets")
        for kind in KINDS:
            flagged = table.loc[table["kind"] == kind, "flagged"]
            records += share_flagged(measure, f"alarms@{kind}", flagged, "targets", job.level)
    return [record | {"weak": ONE_TRAINING} for record in records if not np.isnan(record["value"])]


def slope_and_rank(
    row: str, variant: str, x: Array, y: Array, job: Job, rng: np.random.Generator, units: str
) -> list[dict]:
    """Slope and rank correlation of measured numbers y on planted x, over resampled units."""
    chosen = rng.integers(len(x), size=(job.replicates, len(x)))
    ends = percentile(rowwise_slope(x[chosen], y[chosen]), job.level)
    slope = float(rowwise_slope(x[None], y[None])[0])
    rank = spearman(x, y, job.replicates, job.level, rng)
    counts = {"n": len(x), "n_unit": units}
    return [
        value(row, f"slope{variant}", slope, interval=ends, unit="measured per planted", **counts),
        *correlation(row, f"spearman{variant}", rank, **counts),
    ]


def rowwise_slope(x: Array, y: Array) -> Array:
    """Least-squares slope of each row of y (r, n) on the same row of x; NaN where x is flat."""
    spread = y.std(axis=1) / np.where(np.ptp(x, axis=1) > 0, x.std(axis=1), np.nan)
    return np.where(np.ptp(y, axis=1) > 0, np.nan_to_num(rowwise_pearson(x, y)), 0.0) * spread


def share_flagged(row: str, column: str, flags: pd.Series, unit: str, level: float) -> list[dict]:
    """Return the share of units that are flagged, with Wilson's interval.

    [] where none has a test.
    """
    flagged = flags.dropna().to_numpy(float)
    if not len(flagged):
        return []
    share, n = float(flagged.mean()), len(flagged)
    ends = map(float, wilson(share, np.array(n), normal(level)))
    return [value(row, column, share, interval=ends, n=n, n_unit=unit, unit=f"share of {unit}")]
