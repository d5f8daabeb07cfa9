"""The size of several biases together."""

from __future__ import annotations

import numpy as np

from socialbias.stats.similarity import Array


def size(observed: Array, variance: Array) -> Array:
    """Return how large biases are: the root of their mean square, without what sampling adds to it.

    The fewer contexts there are, the larger a bias is by chance, in whichever direction: a mean of
    absolute values would call the text with fewer contexts the more biased one.

    Args:
        observed: (..., t) biases.
        variance: (..., t) their variances over samples.

    Returns:
        (...,), not below 0.
    """
    return np.sqrt(np.maximum((observed**2 - variance).mean(axis=-1), 0))
