"""Word vectors from a few words with their coordinates."""

import numpy as np

from socialbias.embeddings.vectors import WordVectors


def vectors(**words) -> WordVectors:
    """Return vectors of these words, in this order."""
    return WordVectors(tuple(words), np.array(list(words.values()), dtype=np.float32))
