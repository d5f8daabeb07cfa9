"""Generated seed sets: a random word and its nearest neighbours (section 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from socialbias.embeddings.vectors import WordVectors
from socialbias.measures.similarity import unit_rows

NEIGHBOURS = 4  # section 6
Band = tuple[float, float]


def candidates(
    vectors: WordVectors,
    counts: Mapping[str, int],
    tags: Mapping[str, str],
    pos: str | None,
    band: Band,
) -> list[int]:
    """The rows of the words of a part of speech and a frequency band.

    Args:
        vectors: A model.
        counts: Occurrences in the corpus; a word without a count is left out.
        tags: Part of speech by word.
        pos: Such as `noun`; None for any.
        band: Fewest and most occurrences, both included.
    """
    return [
        row
        for row, word in enumerate(vectors.words)
        if band[0] <= counts.get(word, -1) <= band[1] and (pos is None or tags.get(word) == pos)
    ]


def generated_sets(
    vectors: WordVectors,
    counts: Mapping[str, int],
    tags: Mapping[str, str],
    pos: str | None,
    band: Band,
    sets: int,
    rng: np.random.Generator,
    neighbours: int = NEIGHBOURS,
    control_neighbours: bool = True,
) -> list[tuple[str, ...]]:
    """Random seed sets from one model.

    Antoniak and Mimno 2021, section 6, "Generated seed sets".

    Args:
        vectors: A model.
        counts: Occurrences in the corpus.
        tags: Part of speech by word.
        pos: Part of speech of the targets; None for any.
        band: Fewest and most occurrences of the targets.
        sets: How many; targets are distinct, sets may overlap.
        rng: Source of randomness.
        neighbours: Nearest words by cosine that join the target.
        control_neighbours: Take the neighbours too from the part of speech and the band. Print
            filters the target and calls the sets controlled; its examples are nouns throughout.

    Returns:
        The target and its neighbours, nearest first; of equally near ones the one first in the
        vocabulary first. Fewer sets than asked for where there are too few words.
    """
    targets = candidates(vectors, counts, tags, pos, band)
    pool = np.array(targets if control_neighbours else range(len(vectors.words)), dtype=int)
    if not targets or len(pool) <= neighbours:
        return []
    chosen = rng.permutation(targets)[:sets]
    unit = unit_rows(np.asarray(vectors.matrix[pool]))
    cosines = unit_rows(np.asarray(vectors.matrix[chosen])) @ unit.T
    cosines[chosen[:, None] == pool[None, :]] = -np.inf  # a word is no neighbour of its own
    nearest = pool[np.argsort(-cosines, axis=1, kind="stable")[:, :neighbours]]
    rows = np.column_stack([chosen, nearest])
    return [tuple(vectors.words[i] for i in row) for row in rows]


def in_pairs(sets: Sequence[tuple[str, ...]]) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The sets in pairs, in the order drawn; one left over is dropped."""
    return list(zip(sets[::2], sets[1::2], strict=False))
