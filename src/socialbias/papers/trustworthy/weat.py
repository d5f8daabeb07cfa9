"""WEAT 1 to 10 (Caliskan, Bryson and Narayanan 2017) on the vectors that are bound.

The paper has no table of them; they stand beside its Table 5 as the test that most of the field
uses, with both definitions of the effect size and a permutation test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from socialbias.datasets.weat import read_tests
from socialbias.embeddings.vectors import WordVectors
from socialbias.measures.similarity import Array
from socialbias.measures.weat import association, effect_size, permutation_p
from socialbias.papers.inputs import Input, concat, joined, provenance, read_vectors
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.seeding import generator
from socialbias.sources.fidelity import worst_fidelity
from socialbias.sources.manifest import read_manifest

SETS = ("x", "y", "a", "b")
COLUMNS = ["row", "set", "association", "n", "n_of", "sources", "fidelity"]


def union(inputs: Sequence[Input]) -> Input:
    """The words of several inputs together; a word that stands in two keeps its first vector."""
    words: dict[str, Array] = {}
    for part in inputs:
        for word, vector in zip(part.data.words, part.data.matrix, strict=True):
            words.setdefault(word, vector)
    vectors = WordVectors(tuple(words), np.stack(list(words.values())))
    source = joined(part.source for part in inputs)
    return Input(vectors, source, worst_fidelity([part.fidelity for part in inputs]))


def evidence(
    inputs: Sequence[Input], tests: Mapping[str, Mapping[str, Sequence[str]]], lists: str
) -> pd.DataFrame:
    """The association of each target word with the two attributes.

    Args:
        inputs: Word vectors of one training; a word is looked up in the first that has it.
        tests: By name, the words of X, Y, A and B as `x`, `y`, `a`, `b`.
        lists: Fidelity of the word lists.

    Returns:
        Columns `row` (the test), `set` (`x` or `y`), `association`, `n` and `n_of` (words of all
        four sets found and asked for), `sources`, `fidelity`. A test of which one set has no word
        is left out.
    """
    if not inputs:
        return pd.DataFrame(columns=COLUMNS)
    vectors = union(inputs)
    parts = []
    for name, sets in tests.items():
        known = {key: vectors.data.known(sets[key]) for key in SETS}
        if not all(known.values()):
            continue
        rows = {key: vectors.data.rows(words) for key, words in known.items()}
        scores = {key: association(rows[key], rows["a"], rows["b"]) for key in ("x", "y")}
        part = pd.concat(
            [pd.DataFrame({"set": key, "association": s}) for key, s in scores.items()]
        )
        parts.append(
            part.assign(
                row=name,
                n=sum(map(len, known.values())),
                n_of=sum(len(sets[key]) for key in SETS),
                sources=vectors.source,
                fidelity=worst_fidelity([vectors.fidelity, lists]),
            )
        )
    return concat(parts, COLUMNS)


def values(table: pd.DataFrame, replicates: int, level: float, seed: int) -> list[dict]:
    """Effect sizes with bootstrap intervals over the target words, and p-values."""
    records = []
    for name, cells in table.groupby("row"):
        x, y = (cells.loc[cells["set"] == key, "association"].to_numpy() for key in ("x", "y"))
        if np.ptp(np.concatenate([x, y])) == 0:
            continue  # all words are associated alike: there is no effect to speak of
        p_value, exact = permutation_p(x, y, rng=generator(seed, "weat", name))
        said = {
            "p_value": p_value,
            "n": cells["n"].iloc[0],
            "n_of": cells["n_of"].iloc[0],
            "n_unit": "words",
            "fidelity": cells["fidelity"].iloc[0],
            "sources": cells["sources"].iloc[0],
            "note": "exact permutation test" if exact else "Monte-Carlo permutation test",
        }
        for column, ddof in (("effect-size", 1), ("effect-size-population", 0)):
            draws = _resampled(x, y, ddof, replicates, generator(seed, "weat", name, column))
            low, high = np.nanquantile(draws, [(1 - level) / 2, (1 + level) / 2])
            unit = "standard deviations"
            records.append(
                value(
                    name,
                    column,
                    effect_size(x, y, ddof),
                    ci_low=low,
                    ci_high=high,
                    unit=unit,
                    **said,
                )
            )
        records.append(value(name, "p-value", p_value, unit="probability, one-sided", **said))
    return records


def _resampled(x: Array, y: Array, ddof: int, draws: int, rng: np.random.Generator) -> Array:
    """Effect sizes of bootstrap samples of the words in X and in Y, (draws,)."""
    xs = x[rng.integers(len(x), size=(draws, len(x)))]
    ys = y[rng.integers(len(y), size=(draws, len(y)))]
    together = np.hstack([xs, ys])
    varies = np.ptp(together, axis=1) > 0
    difference = xs.mean(axis=1) - ys.mean(axis=1)
    spread = together.std(axis=1, ddof=ddof)
    return np.divide(difference, spread, out=np.full(draws, np.nan), where=varies)


def measure(job: Job) -> pd.DataFrame:
    """The evidence of all tests, in the vectors for words and those for names."""
    tests = read_tests(*read_manifest(job.path("weat_lists")))
    sets = {t.name: dict(zip("xyab", (*t.targets, *t.attributes), strict=True)) for t in tests}
    _, fidelity = provenance(job, "weat_lists")
    return evidence(list(read_vectors(job, "weat").values()), sets, fidelity)


def summarise(job: Job) -> list[dict]:
    """All cells; none without word lists."""
    if "evidence/trustworthy/weat" not in job:
        return []
    table = job.table("evidence/trustworthy/weat")
    return values(table, job.replicates, job.level, job.seed)
