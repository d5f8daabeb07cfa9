"""Which contexts people label.

The draw is one of contexts as the corpus has them, so that shares of labels among the drawn ones
estimate those of the corpus: it is stratified by the groups whose words a context has, each
stratum in its natural proportion, and over documents, a document with many contexts of a target
giving more of them.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from socialbias.seeding import generator


def draw(table: pd.DataFrame, n: int, per_target: int, shared: int, seed: int) -> pd.DataFrame:
    """Draw contexts for annotation.

    Within a target and a stratum the contexts, in the order of the corpus, are cut into as many
    stretches of equal length as contexts are wanted, and one is drawn from each. No sentence
    is drawn twice, for whichever target; where that leaves a stretch without a context, one is
    drawn from anywhere. The rarest target chooses first.

    Args:
        table: Columns `target`, `document`, `first`, `stratum`.
        n: Sentences of a context.
        per_target: Contexts of each target; all that do not overlap where there are fewer.
        shared: How many of these all annotators label.
        seed: The configuration's seed.

    Returns:
        Columns `target`, `document`, `first`, `everyone`, in the order in which people see
        them: those for everyone first, and at random within. Without the stratum, which is all but
        the automated label.
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
    """Rows of one target's contexts, spread over strata and documents; marks what they use."""
    firsts = own["first"].to_numpy()
    strata = own["stratum"].to_numpy()
    chosen: list[int] = []
    for stratum, quota in proportional(strata, min(size, len(own))).items():
        for stretch in np.array_split(np.flatnonzero(strata == stratum), quota or 1):
            wanted = min(1, quota)
            chosen += _free(rng.permutation(stretch), firsts, n, wanted, used)
    return chosen + _free(rng.permutation(len(own)), firsts, n, size - len(chosen), used)


def _free(
    rows: NDArray[np.int64], firsts: NDArray[np.int64], n: int, wanted: int, used: set[int]
) -> list[int]:
    """The first `wanted` rows none of whose sentences is used; marks theirs as used."""
    chosen: list[int] = []
    for row in rows.tolist():
        if len(chosen) == wanted:
            break
        window = range(firsts[row], firsts[row] + n)
        if used.isdisjoint(window):
            used.update(window)
            chosen.append(row)
    return chosen


def proportional(strata: NDArray, size: int) -> dict[int, int]:
    """How many of each stratum make up `size` in natural proportion, by largest remainders.

    Args:
        strata: (c,) the stratum of each context, c >= size.
        size: How many are wanted.

    Returns:
        Numbers by stratum, which sum to `size`.
    """
    names, counts = np.unique(strata, return_counts=True)
    shares = counts * size / max(1, counts.sum())
    quotas = np.floor(shares).astype(int)
    largest = np.argsort(quotas - shares, kind="stable")[: size - quotas.sum()]
    quotas[largest] += 1
    return dict(zip(names.tolist(), quotas.tolist(), strict=True))
