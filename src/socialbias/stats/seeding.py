"""Randomness: one seed in the configuration, split by name."""

from __future__ import annotations

import hashlib

import numpy as np


def generator(seed: int, *names: str | int) -> np.random.Generator:
    """Return a random generator of its own for each rule and replicate.

    Args:
        seed: The configuration's seed.
        names: What the randomness is for, such as `("table5", "divdist", 3)`. The same names
            give the same numbers whatever else is drawn, in whatever order.
    """
    digest = hashlib.sha256("\x1f".join(map(str, names)).encode()).digest()
    return np.random.default_rng([seed, int.from_bytes(digest[:8], "big")])
