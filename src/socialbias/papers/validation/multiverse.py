"""The multiverse of Table 5: the headline correlation under every defensible setting.

The evidence has all settings that a researcher could have chosen without having to justify them
(Simonsohn, Simmons and Nelson 2020). The ledger tests them together (rows `table5 gender` and
`table5 race`); here stand their median and that of the paper's own setting.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from socialbias.embeddings.vectors import WordVectors
from socialbias.measures.datasets.census import bias_from_uniform
from socialbias.measures.divdist import ASSOCIATIONS, DIVERGENCES, NORMALIZERS, DivDist
from socialbias.papers.evidence import Evidence
from socialbias.papers.inputs import read_vectors
from socialbias.papers.trustworthy.inputs import read_employment
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.stats.correlation import midranks, percentile_interval, spearman_test
from socialbias.stats.draws import permutations, resampled_counts
from socialbias.stats.multitrait import weighted_pearson, weighted_ranks
from socialbias.stats.multiverse import multiverse

AXES = ("vectors", "lists", "targets", "association", "normalize", "divergence")
VECTORS = ("word2vec", "glove")  # the headline's first
SIGNIFICANT = (
    "what is significant in a resample is another question: the joint test answers for all settings"
)
HEADLINE = "cosine, sum, l1"  # the paper's parameters


def measure(job: Job) -> pd.DataFrame:
    """DivDist's correlation with employment in every combination of settings."""
    words, vectors = job.word_lists("trustworthy"), read_vectors(job, "professions")
    files: dict[Path, str] = {}  # what plays both roles counts once
    for role in filter(vectors.__contains__, VECTORS):
        files.setdefault(job.path(f"vectors/professions/{role}"), role)
    embeddings = {role: vectors[role] for role in files.values()}
    variants = {"code lists": "released-code", "appendix lists": "appendix"}
    lists = {
        "gender": {name: list(words["gender"][key].values()) for name, key in variants.items()},
        "race": {"printed lists": list(words["race"].values())},
    }
    shares, result = read_employment(job, job.settings["trustworthy.census_year"]), Evidence()
    for group_set, statistics in shares.items():
        known = [p for p in statistics.index if any(p in e.index for e in embeddings.values())]
        employment, first = bias_from_uniform(statistics)[known].to_numpy(), True
        world = World.of(known, employment, job.seed)
        settings = product(embeddings.items(), lists[group_set].items())
        for (name, data), (variant, groups) in settings:
            own = data.known(statistics.index)
            common = [p for p in own if all(p in e.index for e in embeddings.values())]
            chosen = {"in all vectors": common}  # the paper's
            if own != common:
                chosen["in these vectors"] = own
            for targets, professions in chosen.items():
                numbers = _tested(data, groups, professions, world, job.level)
                if not numbers:
                    continue
                row, column = f"{name}, {variant}, {targets}", f"contemporary-{group_set}"
                numbers["headline"] = [first and names == HEADLINE for names in numbers["unit"]]
                first &= HEADLINE not in numbers["unit"]
                facts = {"vectors": name, "lists": variant, "targets": targets}
                facts |= {"n": len(professions), "n_of": len(statistics)}
                result.add(row, column, numbers, **facts)
    return result.table()


@dataclass(frozen=True)
class World:
    """The professions that any vectors have, with samples and permutations of all of them."""

    professions: list[str]  # n names
    employment: NDArray[np.float64]  # (n,) their bias in employment
    weights: NDArray[np.float64]  # (draws, n) how often each is in each sample
    orders: NDArray[np.int64]  # (draws, n) places: whose employment each has in each permutation

    @classmethod
    def of(cls, professions: list[str], employment: ArrayLike, seed: int) -> World:
        """Return the world of n named professions and their bias in employment (n,)."""
        weights = resampled_counts(professions, seed)
        orders = permutations(professions, seed)
        return cls(professions, np.asarray(employment, float), weights, orders)

    def places(self, professions: Sequence[str]) -> NDArray[np.int64]:
        """Return where some professions stand."""
        return pd.Index(self.professions).get_indexer(professions)

    def resampled(self, bias: ArrayLike, at: NDArray[np.int64]) -> NDArray[np.float64]:
        """Spearman's correlation of biases (k, m) of m professions in each sample, (k, draws)."""
        weights = self.weights[:, at]
        ranked = weighted_ranks(self.employment[at], weights)
        drawn = [weighted_pearson(weighted_ranks(b, weights), ranked, weights) for b in bias]
        return np.array(drawn)

    def permuted(self, bias: ArrayLike, at: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return that correlation in each permutation, (k, draws).

        Professions exchange their employment with all others, also with those that these vectors
        lack: so a permutation is the same in every specification.
        """
        ranked = _standard(midranks(self.employment[self.orders[:, at]]))
        return _standard(midranks(bias)) @ ranked.T


def _standard(ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows with a mean of 0 and a length of 1; NaN where all are the same."""
    ranks = ranks - ranks.mean(axis=1, keepdims=True)
    lengths = np.linalg.norm(ranks, axis=1, keepdims=True)
    return np.divide(ranks, lengths, out=np.full_like(ranks, np.nan), where=lengths > 0)


def _tested(
    vectors: WordVectors,
    groups: Sequence[Sequence[str]],
    professions: list[str],
    world: World,
    level: float,
) -> dict[str, Sequence]:
    """Correlations of biases with employment, by each choice of parameters that has one."""
    if len(professions) < 5 or not all(map(vectors.covers, groups)):
        return {}
    targets, at = vectors.rows(professions), world.places(professions)
    rows, by_names = [vectors.rows(vectors.known(group)) for group in groups], {}
    for names in product(ASSOCIATIONS, NORMALIZERS, DIVERGENCES):
        bias = DivDist.named(*names)(targets, rows)
        if np.isfinite(bias).all() and np.ptp(bias):
            by_names[names] = bias
    if not by_names:
        return {}
    biases = np.array(list(by_names.values()))
    rho, p_value = zip(*(spearman_test(b, world.employment[at]) for b in biases), strict=True)
    draws, null = world.resampled(biases, at), world.permuted(biases, at)
    low, high = zip(*(percentile_interval(row, level, len(at)) for row in draws), strict=True)
    return {
        "unit": [", ".join(names) for names in by_names],
        **dict(zip(AXES[3:], zip(*by_names, strict=True), strict=True)),
        **{"rho": rho, "p_value": p_value, "ci_low": low, "ci_high": high},
        **{"draws": list(draws), "null": list(null)},
    }


def summarise(job: Job) -> Iterator[dict]:
    """Median correlation and share that is significant, in all settings and in the paper's own.

    Columns `<column>@median` and `<column>@significant` (share positive at 0.05), over distinct
    specifications with balanced weights.
    """
    for column, part in job.table("evidence/validation/multiverse").groupby("column"):
        yield from _summary("all", column, part, job.level)
        yield from _summary("headline", column, part[part["headline"]], job.level)


def _summary(row: str, column: str, part: pd.DataFrame, level: float) -> list[dict]:
    """Median and share significant of some specifications."""
    if part.empty:
        return []
    draws, null = (np.array(part[name].tolist()) for name in ("draws", "null"))
    result = multiverse(part[list(AXES)], part["rho"], null)
    kept, weights = part.iloc[result.kept], result.weights
    counts = {"n": len(kept), "n_of": len(part), "n_unit": "distinct specifications"}
    medians = weighted_median(draws[result.kept], weights)
    ends = percentile_interval(medians, level, int(kept["n"].min()))
    rho = {"interval": ends, "draws": medians, "unit": "Spearman's rho"}
    rho |= {"null": weighted_median(null[result.kept], weights)}
    significant = ((kept["rho"] > 0) & (kept["p_value"] <= 0.05)).to_numpy()
    share = {"weak": SIGNIFICANT, "unit": "share of specifications"}
    median = weighted_median(kept["rho"].to_numpy()[:, None], weights)[0]
    return [
        value(row, f"{column}@median", median, **rho, **counts),
        value(row, f"{column}@significant", weights @ significant, **share, **counts),
    ]


def weighted_median(numbers: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray:
    """Return the median of each column of numbers (s, d), whose rows weigh (s,) and sum to 1: (d,).

    Where exactly half of the weight lies below a gap it is the middle of the gap.
    """
    order = np.argsort(numbers, axis=0)
    ordered = np.take_along_axis(numbers, order, axis=0)
    below = weights[order].cumsum(axis=0)
    ends = [(below >= half).argmax(axis=0) for half in (0.5 - 1e-9, 0.5 + 1e-9)]
    return np.mean([ordered[end, np.arange(numbers.shape[1])] for end in ends], axis=0)
