"""WEAT 1 to 10 (Caliskan, Bryson and Narayanan 2017) on the vectors that are bound.

The paper has no table of them; they stand beside its Table 5 as the test that most of the field
uses, with both definitions of the effect size and a permutation test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from socialbias.datasets.weat import WeatTest, read_tests
from socialbias.embeddings.vectors import SMALLEST_SHARE, WordVectors
from socialbias.measures.weat import (
    association,
    effect_size,
    permutation_p,
    resampled_effect_sizes,
)
from socialbias.papers.inputs import Input, concat, fidelity_for, provenance, read_vectors
from socialbias.papers.reliability import FIELDS, fields, over_words, with_reliability
from socialbias.pipeline.job import Job
from socialbias.reporting.values import NO_INPUT, value
from socialbias.seeding import generator
from socialbias.sources.fidelity import worst_fidelity
from socialbias.sources.manifest import read_manifest
from socialbias.stats.reliability import detectable

SETS = ("x", "y", "a", "b")
COLUMNS = ["row", "set", "association", "n", "n_of", "n_unit", *FIELDS, "sources", "fidelity"]
CELLS = ("effect-size", "effect-size-population", "p-value")
PACKAGED = "-as-packaged"  # a test with its source's misspelt words


def evidence(
    vectors: Input[WordVectors] | None,
    tests: Mapping[str, Mapping[str, Sequence[str]]],
    lists: str,
    level: float,
) -> pd.DataFrame:
    """The association of each target word with the two attributes.

    Args:
        vectors: Word vectors; None where there are none. Words that they lack are left out.
        tests: By name, the words of X, Y, A and B as `x`, `y`, `a`, `b`.
        lists: Fidelity of the word lists.
        level: Coverage of the intervals of reliabilities.

    Returns:
        Columns `row` (the test), `set` (`x` or `y`), `association`, `n`, `n_of` and `n_unit` (see
        `_counted`), `reliability`, `reliability_low`, `reliability_high` (of the associations, over
        attribute words), `sources`, `fidelity`. A test of which one set has no word is left out.
    """
    parts = []
    for name, sets in tests.items() if vectors is not None else ():
        known = {key: vectors.data.known(sets[key]) for key in SETS}
        if not all(known.values()):
            continue
        rows = {key: vectors.data.rows(words) for key, words in known.items()}
        scores = {key: association(rows[key], rows["a"], rows["b"]) for key in ("x", "y")}
        part = pd.concat(
            [pd.DataFrame({"set": key, "association": s}) for key, s in scores.items()]
        )
        targets = np.vstack([rows["x"], rows["y"]])
        names = [*known["x"], *known["y"]]
        reliable = over_words(
            lambda ab, t=targets: association(t, *ab), [rows["a"], rows["b"]], names, level
        )
        asked = [word for key in SETS for word in sets[key]]
        parts.append(
            part.assign(
                row=name,
                **_counted([(len(known[key]), len(sets[key])) for key in SETS]),
                **fields(reliable),
                sources=vectors.source,
                fidelity=worst_fidelity([fidelity_for(vectors, asked), lists]),
            )
        )
    return concat(parts, COLUMNS)


def _counted(counts: Sequence[tuple[int, int]]) -> dict:
    """Words found and asked for: in all four sets, or in one of which less than half are found.

    A test is no better than its poorest set: 5 of 32 names are too few, however many words the
    other sets have.
    """
    for n, n_of in counts:
        if n < SMALLEST_SHARE * n_of:
            return {"n": n, "n_of": n_of, "n_unit": "words of a set"}
    n, n_of = map(sum, zip(*counts, strict=True))
    return {"n": n, "n_of": n_of, "n_unit": "words"}


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
            "n_unit": cells["n_unit"].iloc[0],
            "fidelity": cells["fidelity"].iloc[0],
            "sources": cells["sources"].iloc[0],
            "note": "exact permutation test" if exact else "Monte-Carlo permutation test",
        }
        for column, ddof in (("effect-size", 1), ("effect-size-population", 0)):
            draws = resampled_effect_sizes(
                x, y, ddof, replicates, generator(seed, "weat", name, column)
            )
            low, high = np.nanquantile(draws, [(1 - level) / 2, (1 + level) / 2])
            unit = "standard deviations"
            record = value(
                name,
                column,
                effect_size(x, y, ddof),
                ci_low=low,
                ci_high=high,
                detectable=detectable(draws),
                unit=unit,
                **said,
            )
            records.append(with_reliability(record, cells["reliability"].iloc[0]))
        records.append(value(name, "p-value", p_value, unit="probability, one-sided", **said))
    return records


def measure(job: Job) -> pd.DataFrame:
    """The evidence of all tests, and of those with an erratum as they were packaged."""
    fetched, errata = read_manifest(job.path("weat_lists")), job.errata.get("weat_lists", {})
    tests, packaged = read_tests(*fetched, errata), read_tests(*fetched, {})
    sets = {test.name: _sets(test) for test in tests}
    sets |= {
        f"{before.name}{PACKAGED}": _sets(before)
        for before, test in zip(packaged, tests, strict=True)
        if before != test
    }
    _, fidelity = provenance(job, "weat_lists")
    return evidence(read_vectors(job, "weat").get("word2vec"), sets, fidelity, job.level)


def _sets(test: WeatTest) -> dict[str, Sequence[str]]:
    return dict(zip(SETS, (*test.targets, *test.attributes), strict=True))


def summarise(job: Job) -> list[dict]:
    """All cells; none without word lists."""
    if "evidence/trustworthy/weat" not in job:
        return []
    table = job.table("evidence/trustworthy/weat")
    records = values(table, job.replicates, job.level, job.seed)
    if not table["row"].str.endswith(PACKAGED).any():
        note = "these word lists have no erratum"
        row = f"weat10{PACKAGED}"
        records += [value(row, column, np.nan, fidelity=NO_INPUT, note=note) for column in CELLS]
    return records
