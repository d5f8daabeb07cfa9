"""Table 5, predictive validity: bias in word vectors against bias in employment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter

import numpy as np
import pandas as pd

from socialbias.datasets.census import bias_from_uniform
from socialbias.embeddings.vectors import WordVectors
from socialbias.measurement.reliability import (
    CENSUS,
    alpha_of_words,
    fields,
    with_reliability,
)
from socialbias.measurement.vectors import VectorBias
from socialbias.measures.divdist import negative_note
from socialbias.papers.evidence import Evidence, cells, correlation, counted
from socialbias.papers.inputs import read_vectors
from socialbias.papers.trustworthy import diachronic
from socialbias.papers.trustworthy.inputs import group_lists, read_employment
from socialbias.papers.trustworthy.measured import measured_words
from socialbias.pipeline.job import Job
from socialbias.stats.correlation import paired_spearman
from socialbias.stats.multiplicity import max_t

SAME = "these vectors have unit length, on which this is the measure of Bolukbasi et al."


def evidence(
    embeddings: Mapping[str, WordVectors],
    shares: Mapping[str, pd.DataFrame],
    lists: Mapping[str, Mapping[str, Sequence[str]]],
    level: float,
) -> pd.DataFrame:
    """Bias in word2vec and in employment, profession by profession (section 6, contemporary).

    Words that GloVe lacks are left out as well, as in the authors' code.
    """
    result = Evidence()
    if "word2vec" not in embeddings:
        return result.table()
    others = [embeddings["glove"].index] if "glove" in embeddings else []
    measured = embeddings["word2vec"]
    vectors = measured.only(sorted(set(measured.words).intersection(*others)))
    for column, by_group in lists.items():
        group_set, words_of_groups = column.partition("@")[0], [*by_group.values()]
        employment = bias_from_uniform(shares[group_set]) if group_set in shares else pd.Series()
        professions = vectors.known(employment.index)
        if not professions or not all(map(vectors.covers, words_of_groups)):
            continue
        # Professions that GloVe lacks need no vector.
        needed = [word for word in employment.index if all(word in words for words in others)]
        needed += [word for words in words_of_groups for word in words]
        every = [vectors.rows(vectors.known(words)) for words in words_of_groups]
        alpha = alpha_of_words(vectors.rows(professions), every, level)
        for measure, words in measured_words(vectors, words_of_groups):
            bias = VectorBias(vectors, professions, words, measure)
            result.add(
                measure.name,
                f"contemporary-{column}",
                {
                    "unit": professions,
                    "bias": bias.values,
                    "negative": bias.negative,
                    "employment_bias": employment[professions].to_numpy(),
                },
                bias.reliability(level),
                **fields(alpha, "alpha"),
                n_of=len(employment),
                whole=vectors.has_whole(needed),
            )
    return result.table()


def measure(job: Job) -> pd.DataFrame:
    """Return the evidence of the contemporary columns."""
    return evidence(
        read_vectors(job, "professions"),
        read_employment(job, job.settings["trustworthy.census_year"]),
        group_lists(job),
        job.level,
    )


def summarise(job: Job) -> Iterator[dict]:
    """Table 5's cells: Spearman's correlation over professions, with a bootstrap over them.

    The same professions are drawn for all measures, and permuted for all alike: q-values are those
    of the largest correlation of the column (`max_t`).
    """
    table, level, seed = job.table("evidence/trustworthy/table5"), job.level, job.seed
    records, biases = [], {(cell.row, cell.column): cell.units["bias"] for cell in cells(table)}
    for row, column, units, facts in cells(table):
        bias, employment = units["bias"], units["employment_bias"]
        fit = paired_spearman(bias, employment, units["unit"], level, seed)
        bolukbasi = biases.get((row.replace("ethayarajh", "bolukbasi"), column), np.nan)
        same = row.startswith("ethayarajh") and np.allclose(bias, bolukbasi, atol=1e-6)
        notes = [SAME if same else "", negative_note(units["negative"], bias, "professions")]
        note = "; ".join(filter(None, notes))
        common = counted(facts) | {"n": fit.n, "n_unit": "professions", "note": note}
        # Too few professions, or a measure that gives them all the same, have no correlation.
        for record in correlation(row, column, fit, **common):
            records.append(with_reliability(record, facts["reliability"], CENSUS))
    for _, family in groupby(records, itemgetter("column")):
        members = [*family]
        null = np.column_stack([record["null"] for record in members])
        q_values = max_t([record["value"] for record in members], null)
        yield from (r | {"q_value": q} for r, q in zip(members, q_values, strict=True))
    if "evidence/trustworthy/diachronic" in job:
        yield from diachronic.values(job.table("evidence/trustworthy/diachronic"), level, seed)
