"""Reliability of an artefact's numbers, measured with what the numbers are measured with.

Every table has things that are measured (professions, seed sets) and something of which there is
only a sample: words of a group, documents, bootstrapped models. How far the numbers would be the
same with another sample is their reliability: Cronbach's alpha of each word's cosine, or the
measure itself with random halves of the words or documents, or in bootstrap replicates.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from socialbias.stats import reliability
from socialbias.stats.correlation import midranks
from socialbias.stats.draws import resamples
from socialbias.stats.reliability import HALVES, Reliability
from socialbias.stats.seeding import generator
from socialbias.stats.similarity import Array, cosine_matrix

CENSUS = 1.0  # employment counts everybody: it is taken for measured without error


def fields(found: Reliability, name: str = "reliability") -> dict[str, float]:
    """Return a reliability as columns of evidence: `name`, `<name>_low` and `<name>_high`."""
    return {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}


def divisions(sizes: Sequence[int], paired: bool) -> Iterator[tuple[list[NDArray], list[NDArray]]]:
    """Yield the places of the words of each group in both halves, division by division."""
    rng = generator(0, "halves", *sizes)
    for _ in range(HALVES):
        orders = [rng.permutation(size) for size in (sizes[:1] if paired else sizes)]
        orders *= len(sizes) if paired else 1
        yield [o[: len(o) // 2] for o in orders], [o[len(o) // 2 :] for o in orders]


def sums_by_halves(
    counts: Array, owners: NDArray[np.int64], documents: NDArray, n: int
) -> NDArray[np.float64]:
    """Return counts of n things in both halves of the documents, (2, HALVES, n, k).

    For each row (rows, k), `owners` (rows,) says which thing it is of, from 0, and `documents`
    (rows,) in which document it was counted.
    """
    from scipy.sparse import csr_array

    names, at = np.unique(documents, return_inverse=True)
    k = np.shape(counts)[1]
    places = np.ravel(owners[:, None] * k + np.arange(k))
    table = csr_array(
        (np.ravel(counts).astype(float), (places, np.repeat(at, k))), shape=(n * k, len(names))
    )
    sums = np.empty((2, HALVES, n * k))
    for i, ([first], _) in enumerate(divisions([len(names)], paired=False)):
        kept = np.zeros(len(names))
        kept[first] = 1
        sums[0, i] = table @ kept
    sums[1] = table.sum(axis=1) - sums[0]
    return sums.reshape(2, HALVES, n, k)


def over_words(
    measure: Callable[[Sequence[Array]], Array],
    groups: Sequence[Array],
    names: Sequence[str],
    level: float,
    paired: bool = False,
) -> Reliability:
    """Split-half reliability of a measure over the words of its groups, of ranks."""
    sizes = [len(group) for group in groups]
    if min(sizes) < (4 if paired else 2):  # two pairs are the fewest that differ from their mean
        return Reliability(np.nan, np.nan, np.nan, len(names), min(sizes))
    return of_halves(*by_halves(measure, groups, paired), names, level, min(sizes))


def by_halves(
    measure: Callable[[Sequence[Array]], Array], groups: Sequence[Array], paired: bool = False
) -> tuple[Array, Array]:
    """Return the numbers of n things by both halves of the words, (HALVES, n) each."""
    halves: tuple[list, list] = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a half may have a bias that the whole has not
        for division in divisions([len(group) for group in groups], paired):
            for side, places in zip(halves, division, strict=True):
                side.append(measure([g[at] for g, at in zip(groups, places, strict=True)]))
    return np.array(halves[0]), np.array(halves[1])


def of_halves(
    first: Array, second: Array, names: Sequence[str], level: float, k: int
) -> Reliability:
    """Split-half reliability of ranks, from the numbers of n things by halves (r, n)."""
    known = ~np.isnan(first + second).any(axis=1)
    ranks = (midranks(side[known]) for side in (first, second))
    return reliability.split_half(*ranks, resamples([*map(str, names)], 0), level, k)


def alpha_of_words(targets: Array, groups: Sequence[Array], level: float) -> Reliability:
    """Cronbach's alpha of the words of two groups: items are pairs' differences of cosines.

    Words at the same place make a pair, as far as the shorter group goes. Of more than two groups,
    each item is a word of the first less the mean of those at its place in the others.
    """
    k = min(map(len, groups))
    cosines = np.stack([cosine_matrix(targets, group[:k]) for group in groups])
    return reliability.cronbach_alpha(cosines[0] - cosines[1:].mean(axis=0), level)


def with_reliability(record: dict, own: float, other: float | None = None) -> dict:
    """Return a record with the reliability of what it is of and, of a correlation, its ceiling."""
    said = {"reliability": float(np.clip(own, 0, 1))}
    if other is not None:
        said["ceiling"] = reliability.ceiling(own, other)
    return record | said


def retested(
    records: Iterable[dict], level: float, by: str = "column"
) -> dict[str, tuple[Reliability, Reliability]]:
    """Test-retest reliability of numbers that are means over bootstrapped models."""
    tables = defaultdict(list)
    for record in records:
        if "replicates" in record and not np.isnan(record["replicates"]).any():
            tables[record[by], len(record["replicates"])].append(record["replicates"])
    found = {}
    for (name, k), numbers in tables.items():
        if k > 1 and len(numbers) >= reliability.MIN_MEASURED:
            how = (reliability.retest, reliability.of_bootstraps)
            found[name] = tuple(of(np.array(numbers), level) for of in how)
    return found


def with_retest(records: Iterable[dict], level: float, by: str = "column") -> list[dict]:
    """Return records, each with the reliability of its mean unless it has one already."""
    records = list(records)
    found = retested(records, level, by)

    def of(record: dict) -> dict:
        if "reliability" in record or "replicates" not in record or record[by] not in found:
            return record
        return with_reliability(record, found[record[by]][1].value)

    return [of(record) for record in records]
