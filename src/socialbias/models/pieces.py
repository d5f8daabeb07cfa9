"""Pieces of texts, and what is asked of them: all that a model behind an address needs.

Nothing here imports torch, which takes seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from socialbias.errors import UserError

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

Kind = Literal["encoder", "masked", "causal", "next-sentence"]
Span = tuple[int, int]
TOKENS_PER_BATCH = 16384
# Bidirectional architectures without a masked form in transformers: their language model predicts
# what is at a place, as masked ones do.
PERMUTED = ("xlnet",)


@dataclass(frozen=True)
class Row:
    """An input of the network and what is asked of it."""

    ids: tuple[int, ...]  # (n,) tokens
    places: tuple[int, ...]  # (p,) places among the n
    # (p,) the token whose log-probability is asked for at each place. A masked model predicts the
    # token at the place, a causal one the token after it. A model of next sentences is asked only
    # whether the second one follows, whatever stands here.
    targets: tuple[int, ...]
    types: tuple[int, ...] = ()  # (n,) segments; empty for a single one


def piece_offsets(
    tokenizer: PreTrainedTokenizerFast, ids: list[int], mapping: list[Span]
) -> NDArray[np.int64]:
    """(n, 2) first character of each piece, and one past its last.

    A space that a tokenizer inserts before a text is mapped to the text's first character, like the
    piece after it; here it gets an empty span.
    """
    offsets = np.array(mapping, np.int64).reshape(-1, 2)
    shared = (offsets[:-1, 0] == offsets[1:, 0]) & (offsets[:-1, 0] < offsets[:-1, 1])
    for k in np.flatnonzero(shared):
        if not tokenizer.decode([ids[k]]).strip():
            offsets[k] = 0
    return offsets


def pieces_of_spans(
    text: str, offsets: NDArray[np.int64], spans: Sequence[Span]
) -> list[NDArray[np.int64]]:
    """Return the pieces of each span: those that share a non-space character with it."""
    visible = np.array([not character.isspace() for character in text], bool)
    before = np.concatenate([[0], np.cumsum(visible)])  # visible characters before each position
    owned = []
    for start, end in spans:
        first = np.maximum(offsets[:, 0], start)
        last = np.maximum(np.minimum(offsets[:, 1], end), first)
        if not 0 <= start <= end <= len(text):
            raise UserError(f"characters {start} to {end} are not in a text of {len(text)}")
        pieces = np.flatnonzero(
            before[last.clip(max=len(text))] > before[first.clip(max=len(text))]
        )
        if not len(pieces):
            raise UserError(
                f"the tokenizer has no piece for {text[start:end]!r}, characters {start} to {end} "
                f"of {text[:80]!r}"
            )
        owned.append(pieces)
    return owned
