"""WEAT 1 to 10 (Caliskan, Bryson and Narayanan 2017) on the vectors that are bound.

The paper has no table of them; they are shown beside its Table 5 as the test that most of the field
uses, with both definitions of the effect size and a permutation test.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from socialbias.embeddings.vectors import WordVectors
from socialbias.measurement.reliability import with_reliability
from socialbias.measurement.vectors import VectorBias
from socialbias.measures.datasets.weat import WeatTest, read_tests
from socialbias.measures.registry import MEASURES
from socialbias.measures.weat import (
    EFFECT_SIZES,
    named_permutation_p,
    sampled_effect_size,
    words_counted,
)
from socialbias.papers.evidence import Evidence, cells, counted, estimated
from socialbias.papers.inputs import read_vectors
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.sources.manifest import read_manifest

SETS = ("x", "y", "a", "b")
CELLS = (*EFFECT_SIZES, "p-value")
PACKAGED = "-as-packaged"  # a test with its source's misspelt words


def evidence(
    vectors: WordVectors | None, tests: Mapping[str, Mapping[str, Sequence[str]]], level: float
) -> pd.DataFrame:
    """Return the association of each target word with the two attributes."""
    result = Evidence()
    for name, sets in tests.items() if vectors is not None else ():
        known = {key: vectors.known(sets[key]) for key in SETS}
        if not all(known.values()):
            continue
        x, y, *attributes = known.values()
        bias = VectorBias(vectors, [*x, *y], attributes, MEASURES["weat"])
        result.add(
            name,
            "association",
            {
                "unit": bias.targets,
                "set": ["x"] * len(x) + ["y"] * len(y),
                "association": bias.values,
            },
            bias.reliability(level),
            **words_counted([(len(known[key]), len(sets[key])) for key in SETS]),
            whole=vectors.has_whole(word for key in SETS for word in sets[key]),
        )
    return result.table()


def measure(job: Job) -> pd.DataFrame:
    """Return the evidence of all tests, and of those with an erratum as they were packaged."""
    fetched, errata = read_manifest(job.path("weat_lists")), job.errata.get("weat_lists", {})
    tests, packaged = read_tests(*fetched, errata), read_tests(*fetched, {})
    sets = {test.name: _sets(test) for test in tests}
    sets |= {
        f"{before.name}{PACKAGED}": _sets(before)
        for before, test in zip(packaged, tests, strict=True)
        if before != test
    }
    return evidence(read_vectors(job, "weat").get("word2vec"), sets, job.level)


def summarise(job: Job) -> Iterator[dict]:
    """Effect sizes with bootstrap intervals over the target words, and p-values."""
    if "evidence/trustworthy/weat" not in job:
        return  # there are no word lists
    table, seed = job.table("evidence/trustworthy/weat"), job.seed
    for name, _, units, facts in cells(table):
        x, y = (units.loc[units["set"] == key, "association"].to_numpy() for key in ("x", "y"))
        if np.ptp(np.concatenate([x, y])) == 0:
            continue  # all words are associated alike: there is no effect to speak of
        p_value, exact = named_permutation_p(x, y, name, seed)
        note = "exact permutation test" if exact else "Monte-Carlo permutation test"
        common = {"p_value": p_value, "note": note, **counted(facts)}
        sampling = {"seed": seed, "level": job.level, "replicates": job.replicates}
        for column in EFFECT_SIZES:
            effect = sampled_effect_size(x, y, name, kind=column, **sampling)
            numbers = estimated(effect) | common
            record = value(name, column, effect.value, unit="standard deviations", **numbers)
            yield with_reliability(record, facts["reliability"])
        yield value(name, "p-value", p_value, unit="probability, one-sided", **common)
    if not table["row"].str.endswith(PACKAGED).any():
        note = "these word lists have no erratum"
        for column in CELLS:
            yield value(f"weat10{PACKAGED}", column, np.nan, note=note)


def _sets(test: WeatTest) -> dict[str, Sequence[str]]:
    return dict(zip(SETS, (*test.targets, *test.attributes), strict=True))
