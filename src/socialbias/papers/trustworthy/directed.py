"""Directed gender bias of targets, from counts by document: what text and probes have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import sparse

from socialbias.artefacts.values import value
from socialbias.census import GENDER
from socialbias.measures.similarity import Array
from socialbias.measures.text import DocumentCounts, directed_bias, resampled_counts
from socialbias.papers.trustworthy.inputs import Input
from socialbias.stats.clustered import shares_of_counts

UNIT = "female share minus 1/2"


@dataclass(frozen=True)
class Directed:
    """Female share minus one half for each target, and how it varies over resampled documents.

    Attributes:
        targets: t words.
        observed: (t,) the bias; NaN where a target stands with neither group.
        low, high: (t,) its interval, which takes contexts of one document for dependent.
        draws: (draws, t) the bias in resamples of the documents, for what is made of several
            targets or texts; NaN as above.
        n: (t,) contexts with one of the groups.
        source: Id of the text's source.
        fidelity: How near the source is to the paper's own.
    """

    targets: tuple[str, ...]
    observed: Array
    low: Array
    high: Array
    draws: Array
    n: Array
    source: str
    fidelity: str

    def of(self, targets: Sequence[str]) -> Directed:
        """These targets in this order; one that is not there is NaN with n = 0."""
        places = {target: i for i, target in enumerate(self.targets)}
        at = [places.get(target, -1) for target in targets]  # -1 is the column put behind the last
        numbers = (np.append(row, np.nan)[at] for row in (self.observed, self.low, self.high))
        return Directed(
            tuple(targets),
            *numbers,
            np.pad(self.draws, ((0, 0), (0, 1)), constant_values=np.nan)[:, at],
            np.append(self.n, 0)[at],
            self.source,
            self.fidelity,
        )


def directed(
    counts: pd.DataFrame, source: Input, draws: int, level: float, rng: np.random.Generator
) -> Directed:
    """The bias of each target with its resamples of documents.

    Args:
        counts: Columns `target`, `document`, `female`, `male` (contexts, or weights of them) and
            `corpus_documents`.
        source: Where the text is from.
        draws: Resamples of the documents.
        level: Coverage of the intervals.
        rng: Source of randomness.
    """
    targets, owners = np.unique(counts["target"].to_numpy(str), return_inverse=True)
    documents, rows = np.unique(counts["document"].to_numpy(), return_inverse=True)
    width = len(GENDER) + 1  # the last column of each target is for contexts of no group
    numbers = counts[list(GENDER)].to_numpy(float)
    cells = [(numbers[:, g], (rows, owners * width + g)) for g in range(len(GENDER))]
    shape = (len(documents), len(targets) * width)
    table = sum(sparse.csr_array(cell, shape=shape) for cell in cells)
    by_document = DocumentCounts(documents, table, len(targets), len(GENDER))
    n_documents = int(counts["corpus_documents"].max()) if len(counts) else 0
    observed = table.sum(axis=0).reshape(len(targets), width)
    shares = shares_of_counts(numbers, owners, len(targets), level)
    return Directed(
        tuple(targets.tolist()),
        directed_bias(observed),
        shares.low[:, 0] - 0.5,
        shares.high[:, 0] - 0.5,
        directed_bias(resampled_counts(by_document, n_documents, draws, rng)),
        np.rint(observed[:, : len(GENDER)].sum(axis=1)).astype(int),
        source.source,
        source.fidelity,
    )


def cells(column: str, measured: Directed, targets: Sequence[str]) -> list[dict]:
    """A column of values, a row for each target that stands with either group."""
    chosen = measured.of(targets)
    return [
        value(
            target,
            column,
            chosen.observed[i],
            ci_low=chosen.low[i],
            ci_high=chosen.high[i],
            n=int(chosen.n[i]),
            n_unit="contexts",
            unit=UNIT,
            fidelity=chosen.fidelity,
            sources=chosen.source,
        )
        for i, target in enumerate(targets)
        if not np.isnan(chosen.observed[i])
    ]


def interval(draws: Array, level: float) -> dict:
    """`ci_low` and `ci_high` of the draws that are defined; {} where there are none."""
    defined = draws[~np.isnan(draws)]
    if not len(defined):
        return {}
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return {"ci_low": low, "ci_high": high}
