"""The automated measure's view of the contexts that people label."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray


def sentence_masks(
    contexts: Sequence[Sequence[Sequence[str]]], groups: Sequence[Iterable[str]]
) -> NDArray[np.uint64]:
    """Which groups the sentences of each context mention, in the form that `vote` takes.

    Args:
        contexts: c contexts of s sentences of lower-cased tokens.
        groups: Words of each group.

    Returns:
        (c, s), bit g is set if a word of group g is a token of the sentence.
    """
    sets = [frozenset(words) for words in groups]
    masks = [
        [sum(1 << g for g, words in enumerate(sets) if not words.isdisjoint(s)) for s in context]
        for context in contexts
    ]
    return np.array(masks, dtype=np.uint64)
