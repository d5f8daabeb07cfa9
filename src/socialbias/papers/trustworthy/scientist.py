"""Section 8: the example of scientist, man and woman for the sum in Manzini's measure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from socialbias.embeddings.vectors import WordVectors
from socialbias.measures.divdist import DivDist
from socialbias.measures.prior import garg_cosine, manzini
from socialbias.measures.similarity import cosine_matrix
from socialbias.papers.evidence import correlation
from socialbias.papers.inputs import read_vectors
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.stats.correlation import paired_spearman

TARGET, PAIR = "scientist", ("man", "woman")


def values(row: str, vectors: WordVectors, professions: Sequence[str], job: Job) -> list[dict]:
    """Return the cells of one embedding; [] if a word of the example is missing."""
    known = vectors.known([TARGET, *PAIR])
    if len(known) < 3:
        return []
    target, *pair = (vectors.rows([word]) for word in known)
    man, woman = cosine_matrix(target, np.vstack(pair))[0]
    numbers = {"man": man, "woman": woman, "sum": man + woman, "difference": man - woman}
    records = [value(row, column, number, unit="cosine") for column, number in numbers.items()]
    records.append(value(row, "divdist", float(DivDist()(target, pair)[0]), unit="l1 distance"))
    words = vectors.known(professions)
    if len(words) > 2:
        targets = vectors.rows(words)
        sums, sizes = manzini(targets, pair), garg_cosine(targets, pair)
        fit = paired_spearman(sums, sizes, words, job.level, job.seed)
        records += correlation(row, "rho", fit, n_of=len(professions), n_unit="professions")
    return records


def summarise(job: Job) -> Iterator[dict]:
    """Yield all cells."""
    professions = job.word_lists("trustworthy")["professions"]
    for role, vectors in read_vectors(job, "lists").items():
        yield from values(role, vectors, professions, job)
