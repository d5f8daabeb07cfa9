"""Random words matched to given words by frequency."""

from __future__ import annotations

import numpy as np

from socialbias.errors import UserError

BAND = 0.2  # a random word's rank is within this share of the rank of the word that it replaces
MIN_HALF_WIDTH = 10  # ranks on either side, so that the most frequent words have a choice
MAX_TRIES = 200
TOO_FEW = "too few words of similar frequency for lists of distinct random words"


def matched_lists(ranks: np.ndarray, size: int, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Return lists of random words, each with about the frequency of the word that it replaces.

    Args:
        ranks: (m,) distinct ranks of the words in the vocabulary, 0 for the most frequent. They
            are never drawn themselves.
        size: Words in the vocabulary.
        draws: Number of lists.
        rng: Source of randomness.

    Returns:
        (draws, m) ranks, distinct within a list.

    Raises:
        UserError: the bands have too few words for a list of distinct ones.
    """
    half_width = np.maximum(MIN_HALF_WIDTH, (BAND * ranks).astype(int))
    low, high = np.maximum(0, ranks - half_width), np.minimum(size, ranks + half_width + 1)
    lists = rng.integers(low, high, size=(draws, len(ranks)))
    for _ in range(MAX_TRIES):
        wrong = np.isin(lists, ranks) | _repeated(lists)
        if not wrong.any():
            return lists
        lists = np.where(wrong, rng.integers(low, high, size=lists.shape), lists)
    raise UserError(TOO_FEW)


def _repeated(lists: np.ndarray) -> np.ndarray:
    """Return whether an element occurs earlier in its row."""
    order = np.argsort(lists, axis=1, kind="stable")
    ordered = np.take_along_axis(lists, order, axis=1)
    duplicate = np.zeros_like(lists, dtype=bool)
    duplicate[:, 1:] = ordered[:, 1:] == ordered[:, :-1]
    result = np.zeros_like(duplicate)
    np.put_along_axis(result, order, duplicate, axis=1)
    return result
