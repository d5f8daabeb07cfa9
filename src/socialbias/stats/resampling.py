"""Bootstrap over the words of a list."""

from __future__ import annotations

import numpy as np


def resampled_means(vectors: np.ndarray, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Mean vectors of bootstrap samples of a word list.

    Args:
        vectors: (m, d), one row per word.
        draws: Number of samples of m words with replacement.
        rng: Source of randomness.

    Returns:
        (draws, d).
    """
    m = len(vectors)
    counts = rng.multinomial(m, np.full(m, 1 / m), size=draws)
    return counts @ vectors / m
