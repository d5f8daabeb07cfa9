"""Generated seed sets: a random word and its nearest neighbours (section 6)."""

from __future__ import annotations

import numpy as np

from socialbias.embeddings.vectors import WordVectors
from socialbias.measures.similarity import unit_rows
from socialbias.papers.bad_seeds.inputs import Corpus

NEIGHBOURS = 4  # section 6
Band = tuple[float, float]


def candidates(vectors: WordVectors, corpus: Corpus, pos: str, band: Band) -> list[int]:
    """Return the rows of the words of a part of speech and a frequency band."""
    return [
        row
        for row, word in enumerate(vectors.words)
        if band[0] <= corpus.counts.get(word, -1) <= band[1] and corpus.tags.get(word) == pos
    ]


def generated_sets(
    vectors: WordVectors,
    corpus: Corpus,
    pos: str,
    band: Band,
    sets: int,
    rng: np.random.Generator,
    neighbours: int = NEIGHBOURS,
) -> list[tuple[str, ...]]:
    """Random seed sets from one model.

    Antoniak and Mimno 2021, section 6, "Generated seed sets". Print filters the targets by part of
    speech and frequency and calls the sets controlled; its examples are nouns throughout, so the
    neighbours are filtered here too.
    """
    pool = np.array(candidates(vectors, corpus, pos, band), dtype=int)
    if len(pool) <= neighbours:
        return []
    chosen = rng.permutation(pool)[:sets]
    unit = unit_rows(np.asarray(vectors.matrix[pool]))
    cosines = unit_rows(np.asarray(vectors.matrix[chosen])) @ unit.T
    cosines[chosen[:, None] == pool[None, :]] = -np.inf  # a word is no neighbour of its own
    nearest = pool[np.argsort(-cosines, axis=1, kind="stable")[:, :neighbours]]
    rows = np.column_stack([chosen, nearest])
    return [tuple(vectors.words[i] for i in row) for row in rows]


def generated_pairs(
    vectors: WordVectors,
    corpus: Corpus,
    pos: str,
    band: Band,
    pairs: int,
    rng: np.random.Generator,
    neighbours: int = NEIGHBOURS,
) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Pairs of random seed sets (`generated_sets`) in the order drawn; an odd one is left out."""
    sets = generated_sets(vectors, corpus, pos, band, 2 * pairs, rng, neighbours)
    return list(zip(sets[::2], sets[1::2], strict=False))
