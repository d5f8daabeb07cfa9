"""Scorers without a language model: the baselines of section 5.3, and controls for them.

Critics of these benchmarks ask that a model be compared with such controls, instead of 50: the
longer candidate, its words' frequency, its overlap with the context, and the cosine of target and
candidate in static vectors, for which no sentence is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from socialbias.corpora.prepared import Corpus
from socialbias.embeddings.vectors import WordVectors
from socialbias.measures.datasets.stereoset import TASKS, words
from socialbias.measures.stereoset import CANDIDATES
from socialbias.papers.inputs import read_vectors
from socialbias.papers.stereoset.items import scored, wide
from socialbias.pipeline.job import Job
from socialbias.stats.seeding import generator

CONTROLS = ("longer", "overlap", "frequency", "cosine")
Scores = NDArray[np.float64]


def measure(job: Job) -> pd.DataFrame:
    """Scores of baselines and controls on every item that each covers."""
    table = job.table("evidence/stereoset/items")
    # The attribute within a sentence, the sentence after one.
    candidate = table["attribute"].where(table["attribute"] != "", table["sentence"])
    texts = wide(table.assign(candidate=candidate), "candidate")
    parts = [scored(texts, scores, row, "") for row, scores in baselines(texts, job.seed).items()]
    characters = texts[list(CANDIDATES)].map(len)
    parts.append(scored(texts, characters, "longer", ""))
    inter = texts[texts["task"] == TASKS[1]]  # an attribute is hardly ever in its context too
    parts.append(scored(inter, overlaps(inter), "overlap", ""))
    if "prepared/wikitext" in job:
        means = texts[list(CANDIDATES)].map(partial(frequency, counts=counts_of(job)))
        parts.append(scored(texts, means, "frequency", ""))
    for vectors in read_vectors(job, "stereoset").values():
        scores = cosines(texts, vectors)
        known = ~np.isnan(scores).any(axis=1)
        parts.append(scored(texts[known], scores[known], "cosine", ""))
    return pd.concat(parts, ignore_index=True)


def baselines(items: pd.DataFrame, seed: int) -> dict[str, Scores]:
    """Return the hypothetical models of section 5.3.

    `ideal` ranks the unrelated candidate last, and the stereotype first in every other item of a
    term; `stereotyped` ranks the stereotype before the anti-stereotype, and the unrelated candidate
    anywhere; `random` ranks all three at random.
    """
    rng = generator(seed, "random scores")
    random = rng.random((len(items), len(CANDIDATES)))
    # Terms in turn begin with the stereotype, so that odd numbers of items balance over terms.
    order = items.groupby(["split", "task", "target"], sort=False)
    first = (order.cumcount() + order.ngroup()).to_numpy() % 2
    ideal = np.stack([1.0 + first, 2.0 - first, np.zeros(len(items))], axis=1)
    stereotyped = np.sort(random, axis=1)
    swapped = rng.integers(3, size=len(items))  # the place of the unrelated candidate
    places = np.array([[2, 1, 0], [2, 0, 1], [1, 0, 2]])[swapped]
    stereotyped = np.take_along_axis(stereotyped, places, axis=1)
    return {"ideal": ideal, "stereotyped": stereotyped, "random": random}


def _each(items: pd.DataFrame, score: Callable[[dict, str], float]) -> Scores:
    """Return a score of each candidate, from its item and its text."""
    rows = items.to_dict("records")
    return np.array([[score(item, item[kind]) for kind in CANDIDATES] for item in rows], float)


def overlaps(items: pd.DataFrame) -> Scores:
    """Return the share of a candidate's different words in its context too; 0 without words."""

    def share(item: dict, text: str) -> float:
        own, context = set(words(text)), set(words(item["context"]))
        return len(own & context) / len(own) if own else 0.0

    return _each(items, share)


def frequency(text: str, counts: Mapping[str, int]) -> float:
    """Return the mean of log(1 + count in a corpus) of a text's words; 0 without words."""
    logarithms = [np.log1p(counts.get(word, 0)) for word in words(text)]
    return float(np.mean(logarithms)) if logarithms else 0.0


def counts_of(job: Job) -> dict[str, int]:
    """Return how often each word is in the reference corpus."""
    corpus = Corpus.load(job.path("prepared/wikitext").parent)
    return dict(zip(corpus.words, corpus.counts.tolist(), strict=True))


def cosines(items: pd.DataFrame, vectors: WordVectors) -> Scores:
    """Return the cosine of the target and the mean vector of a candidate's words, (n, 3).

    NaN where the target or a candidate has no word with a vector.
    """
    index, matrix = vectors.index, vectors.matrix

    def vector(text: str) -> NDArray | None:
        rows = [index[word] for word in words(text) if word in index]
        return matrix[rows].mean(axis=0) if rows else None

    targets = {target: vector(target) for target in items["target"].unique()}

    def cosine(item: dict, text: str) -> float:
        target, candidate = targets[item["target"]], vector(text)
        if target is None or candidate is None:
            return np.nan
        return float(target @ candidate / np.sqrt((target @ target) * (candidate @ candidate)))

    return _each(items, cosine)
