"""Drawing the contexts that people label.

The sample is representative: shares of labels in it estimate those of the corpus. It is stratified
by the groups whose words a context contains, each stratum in its natural proportion, and spread
over documents, so that a document with many contexts of a target contributes more of them.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from socialbias.stats.seeding import generator


def draw(table: pd.DataFrame, n: int, per_target: int, shared: int, seed: int) -> pd.DataFrame:
    """Draw contexts for annotation.

    Within a target and a stratum the contexts, in corpus order, are divided into as many segments
    of equal length as contexts are needed, and one is drawn from each. No sentence is drawn twice,
    not even for different targets; if that leaves a segment without a context, one is drawn from
    anywhere. The rarest target chooses first.

    Args:
        table: Columns `target`, `document`, `first`, `stratum`.
        n: Sentences of a context.
        per_target: Contexts of each target; if there are fewer, all that do not overlap.
        shared: How many of these all annotators label.
        seed: The configuration's seed.

    Returns:
        Columns `target`, `document`, `first`, `everyone`, in the order in which annotators see
        them: those for everyone first, otherwise random. The stratum, which nearly determines the
        automated label, is omitted.
    """
    table = table.sort_values(["target", "first"], ignore_index=True)
    sizes = table["target"].value_counts()
    used: set[int] = set()
    parts = []
    for target in sorted(sizes.index, key=lambda name: (sizes[name], name)):
        rng = generator(seed, "annotation", target)
        own = table[table["target"] == target]
        rows = _spread(own, n, per_target, used, rng)
        everyone = rng.permutation(len(rows)) < shared
        parts.append(own.iloc[rows].assign(everyone=everyone))
    drawn = pd.concat(parts) if parts else table.assign(everyone=False)
    drawn = drawn.sample(frac=1, random_state=generator(seed, "annotation", "order"))
    drawn = drawn.sort_values("everyone", ascending=False, kind="stable", ignore_index=True)
    return drawn[["target", "document", "first", "everyone"]]


def _spread(
    own: pd.DataFrame, n: int, size: int, used: set[int], rng: np.random.Generator
) -> list[int]:
    """Rows of one target's contexts, spread over strata and documents; updates `used`."""
    firsts = own["first"].to_numpy()
    strata = own["stratum"].to_numpy()
    chosen: list[int] = []
    for stratum, quota in proportional(strata, min(size, len(own))).items():
        for segment in np.array_split(np.flatnonzero(strata == stratum), quota or 1):
            needed = min(1, quota)
            chosen += _free(rng.permutation(segment), firsts, n, needed, used)
    return chosen + _free(rng.permutation(len(own)), firsts, n, size - len(chosen), used)


def _free(
    rows: NDArray[np.int64], firsts: NDArray[np.int64], n: int, needed: int, used: set[int]
) -> list[int]:
    """The first `needed` rows without a used sentence; updates `used`."""
    chosen: list[int] = []
    for row in rows.tolist():
        if len(chosen) == needed:
            break
        window = range(firsts[row], firsts[row] + n)
        if used.isdisjoint(window):
            used.update(window)
            chosen.append(row)
    return chosen


def proportional(strata: NDArray, size: int) -> dict[int, int]:
    """Sample sizes of the strata in natural proportion, by the largest-remainder method.

    Args:
        strata: (c,) the stratum of each context, c >= size.
        size: Total sample size.

    Returns:
        Sizes by stratum, which sum to `size`.
    """
    names, counts = np.unique(strata, return_counts=True)
    shares = counts * size / max(1, counts.sum())
    quotas = np.floor(shares).astype(int)
    largest = np.argsort(quotas - shares, kind="stable")[: size - quotas.sum()]
    quotas[largest] += 1
    return dict(zip(names.tolist(), quotas.tolist(), strict=True))
