"""Directed gender bias of targets, from counts by document: what text and probes have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import sparse

from socialbias.datasets.census import GENDER
from socialbias.measures.similarity import Array
from socialbias.measures.text import DocumentCounts, directed_bias, resampled_counts
from socialbias.papers.inputs import Input, joined
from socialbias.reporting.values import NO_INPUT, value
from socialbias.sources.fidelity import worst_fidelity
from socialbias.stats.clustered import share_draws, shares_of_counts
from socialbias.stats.draws import resamples, widened

UNIT = "female share minus 1/2"
FEWEST_CONTEXTS = 20  # with a group, for a profession to be taken with others
FEWEST_TARGETS = 4  # of fewer, no order can be significant
NO_CONTEXT = "no context of this target has one of the groups: use a larger text"


@dataclass(frozen=True)
class Directed:
    """Female share minus one half for each target, and how it varies over resampled documents.

    Attributes:
        targets: t words.
        observed: (t,) the bias; NaN where a target stands with neither group.
        low, high: (t,) its interval, which takes contexts of one document for dependent.
        variance: (t,) its variance over samples of documents; NaN with fewer than two of them.
        draws: (draws, t) the bias in resamples of the documents, for means over targets; NaN as
            above.
        n: (t,) contexts with one of the groups; of probabilities, the contexts that have some.
        source: Id of the text's source.
        fidelity: How near the source is to the paper's own.
        effective, clusters: (t,) contexts that are worth as much were they independent, and the
            documents that they are in; None where they are no counts.
        negative: (t,) whether the bias is of a negative association, which makes no shares; None
            where they are counts.
    """

    targets: tuple[str, ...]
    observed: Array
    low: Array
    high: Array
    variance: Array
    draws: Array
    n: Array
    source: str
    fidelity: str
    effective: Array | None = None
    clusters: Array | None = None
    negative: Array | None = None

    def of(self, targets: Sequence[str]) -> Directed:
        """These targets in this order; one that is not there is NaN with n = 0."""
        places = {target: i for i, target in enumerate(self.targets)}
        at = [places.get(target, -1) for target in targets]  # -1 is the column put behind the last
        rows = (self.observed, self.low, self.high, self.variance)
        numbers = (np.append(row, np.nan)[at] for row in rows)
        return Directed(
            tuple(targets),
            *numbers,
            np.pad(self.draws, ((0, 0), (0, 1)), constant_values=np.nan)[:, at],
            np.append(self.n, 0)[at],
            self.source,
            self.fidelity,
            *(
                None if row is None else np.append(row, 0)[at]
                for row in (self.effective, self.clusters, self.negative)
            ),
        )


def directed(
    counts: pd.DataFrame,
    source: Input,
    level: float,
    draws: int = 0,
    rng: np.random.Generator | None = None,
) -> Directed:
    """The bias of each target, its interval, and its resamples of documents if they are wanted.

    Args:
        counts: A row for each target and document, with the columns `target`, `document`,
            `female`, `male` (contexts, or weights of them), for `draws` `corpus_documents`, and
            where they are weights `contexts`, how many they are of.
        source: Where the text is from.
        level: Coverage of the intervals.
        draws: Resamples of the documents.
        rng: Source of their randomness.
    """
    targets, owners = np.unique(counts["target"].to_numpy(str), return_inverse=True)
    numbers = counts[list(GENDER)].to_numpy(float)
    shares = shares_of_counts(numbers, owners, len(targets), level)
    contexts = counts["contexts"].to_numpy(float) if "contexts" in counts else numbers.sum(axis=1)
    return Directed(
        tuple(targets.tolist()),
        shares.share[:, 0] - 0.5,
        shares.low[:, 0] - 0.5,
        shares.high[:, 0] - 0.5,
        shares.variance[:, 0],
        _resampled(counts, owners, len(targets), draws, rng),
        np.rint(np.bincount(owners, contexts, len(targets))).astype(int),
        source.source,
        source.fidelity,
        shares.effective[:, 0],
        shares.clusters,
    )


def _resampled(
    counts: pd.DataFrame, owners: Array, t: int, draws: int, rng: np.random.Generator | None
) -> Array:
    """The biases of t targets in resamples of all documents of the corpus, (draws, t)."""
    if not draws:
        return np.empty((0, t))
    documents, rows = np.unique(counts["document"].to_numpy(), return_inverse=True)
    width = len(GENDER) + 1  # the last column of each target is for contexts of no group
    columns = [(counts[group], (rows, owners * width + i)) for i, group in enumerate(GENDER)]
    shape = (len(documents), t * width)
    table = sum(sparse.csr_array(column, shape=shape, dtype=float) for column in columns)
    by_document = DocumentCounts(documents, table, t, len(GENDER))
    n_documents = int(counts["corpus_documents"].max()) if len(counts) else 0
    return directed_bias(resampled_counts(by_document, n_documents, draws, rng))


def cells(column: str, measured: Directed, targets: Sequence[str]) -> list[dict]:
    """A column of values, a row for each target."""
    chosen = measured.of(targets)
    freedom, names = np.maximum(chosen.clusters - 1, 1), [f"{column} {t}" for t in targets]
    draws = share_draws(chosen.observed + 0.5, chosen.effective, freedom, names) - 0.5
    return [
        without_contexts(target, column)
        if np.isnan(chosen.observed[i])
        else value(
            target,
            column,
            chosen.observed[i],
            ci_low=chosen.low[i],
            ci_high=chosen.high[i],
            draws=draws[:, i],
            n=int(chosen.n[i]),
            n_unit="contexts",
            unit=UNIT,
            fidelity=chosen.fidelity,
            sources=chosen.source,
        )
        for i, target in enumerate(targets)
    ]


def without_contexts(target: str, column: str) -> dict:
    """The value of a target that stands with neither group: there is none, and n says why."""
    said = {"n": 0, "n_unit": "contexts", "unit": UNIT, "note": NO_CONTEXT}
    return value(target, column, np.nan, fidelity=NO_INPUT, **said)


def size(observed: Array, variance: Array) -> Array:
    """How large biases are: the root of their mean square, without what sampling adds to it.

    The fewer contexts there are, the larger a bias is by chance, in whichever direction: a mean of
    absolute values would call the text with fewer contexts the more biased one.

    Args:
        observed: (..., t) biases.
        variance: (..., t) their variances over samples.

    Returns:
        (...,), not below 0.
    """
    return np.sqrt(np.maximum((observed**2 - variance).mean(axis=-1), 0))


def sizes(
    row: str,
    column: str,
    here: Directed,
    other: Directed | None,
    level: float,
    seed: int,
) -> list[dict]:
    """The size of biases, or by how much it is above that of others of the same targets.

    Args:
        row: The cell's row.
        column: The cell's column.
        here: The biases.
        other: What they are held against, if anything: the same targets in the same order.
        level: Coverage of the interval.
        seed: The configuration's seed; the same targets are drawn for all sizes.

    Returns:
        One value; [] with fewer than four targets whose variance is known.
    """
    sides = [here] if other is None else [here, other]
    known = np.all([~np.isnan(side.observed + side.variance) for side in sides], axis=0)
    t, targets = int(known.sum()), [w for w, k in zip(here.targets, known, strict=True) if k]
    if t < FEWEST_TARGETS:
        return []
    drawn = np.vstack([np.arange(t), resamples(targets, seed)])  # observed ones first
    found = [size(side.observed[known][drawn], side.variance[known][drawn]) for side in sides]
    numbers = found[0] - (found[1] if other else 0)
    draws = widened(numbers[1:], numbers[0], t)
    if other is None:
        draws = np.maximum(draws, 0)
    said = {
        "n": t,
        "n_unit": "professions",
        "unit": UNIT,
        "sources": joined(side.source for side in sides),
        "fidelity": worst_fidelity([side.fidelity for side in sides]),
    }
    said |= interval(draws, level) | {"draws": draws}
    return [value(row, column, numbers[0], **said)]


def interval(draws: Array, level: float) -> dict:
    """`ci_low` and `ci_high` of the draws that are defined; {} where there are none."""
    defined = draws[~np.isnan(draws)]
    if not len(defined):
        return {}
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return {"ci_low": low, "ci_high": high}
