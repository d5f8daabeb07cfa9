"""Random words that match given ones by frequency."""

from __future__ import annotations

import numpy as np

BAND = 0.2  # a random word's rank lies within this share of the rank of the word it stands for
SMALLEST_REACH = 10  # ranks to both sides, so that the most frequent words have a choice
TRIES = 200


def matched_lists(ranks: np.ndarray, size: int, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Lists of random words, each of about the frequency of the word that it stands for.

    Args:
        ranks: (m,) distinct ranks of the words in the vocabulary, 0 the most frequent. They are
            never drawn themselves.
        size: Words in the vocabulary.
        draws: Number of lists.
        rng: Source of randomness.

    Returns:
        (draws, m) ranks, distinct within a list.

    Raises:
        ValueError: the bands hold too few words for a list of distinct ones.
    """
    reach = np.maximum(SMALLEST_REACH, (BAND * ranks).astype(int))
    low, high = np.maximum(0, ranks - reach), np.minimum(size, ranks + reach + 1)
    lists = rng.integers(low, high, size=(draws, len(ranks)))
    for _ in range(TRIES):
        wrong = np.isin(lists, ranks) | _repeated(lists)
        if not wrong.any():
            return lists
        lists = np.where(wrong, rng.integers(low, high, size=lists.shape), lists)
    raise ValueError("too few words of about these frequencies for lists of distinct words")


def _repeated(lists: np.ndarray) -> np.ndarray:
    """Whether an element stands earlier in its row already."""
    order = np.argsort(lists, axis=1, kind="stable")
    in_order = np.take_along_axis(lists, order, axis=1)
    again = np.zeros_like(lists, dtype=bool)
    again[:, 1:] = in_order[:, 1:] == in_order[:, :-1]
    result = np.zeros_like(again)
    np.put_along_axis(result, order, again, axis=1)
    return result
