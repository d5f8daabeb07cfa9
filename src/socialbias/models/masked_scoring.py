"""Rows that score words and sentences with a masked model; see `socialbias.models.scoring`."""

from __future__ import annotations

import string
from collections.abc import Collection
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from socialbias.errors import UserError
from socialbias.models.items import BLANK, Intersentence, Intrasentence, Item, Pair
from socialbias.models.pieces import PERMUTED, Row, Span, piece_offsets, pieces_of_spans

if TYPE_CHECKING:
    from socialbias.models.loading import Model

# XLNet, trained on long texts, predicts the words of a short one poorly: the released code puts a
# paragraph before it.
PROMPT = (
    "The library opens at nine in the morning and closes at six in the evening. Readers may borrow "
    "four books at a time and keep them for three weeks. Newspapers and maps stay in the reading "
    "room on the second floor. On Saturdays a guide shows visitors the old building, which was a "
    "railway station until the line was closed. The tour takes about an hour and begins at the "
    "main entrance. Tickets are sold at the desk beside the stairs."
)


def default_prompt(model: Model) -> str:
    """Return what is read before a text: `PROMPT` for XLNet, nothing for other models."""
    return PROMPT if model.network.config.model_type in PERMUTED else ""


def likelihood_released(model: Model, item: Intrasentence, k: int) -> list[Row]:
    """Return each subword of a word for the gap, from left to right, as in the released code.

    There is a mask in the subword's place, the subwords before it are written before the mask, and
    those after it are absent. The word is the one that stands in the gap's place when the sentence
    is split at its spaces, without punctuation; a tokenizer that marks spaces encodes it without
    the space before it. If there are several gaps, the first is scored and all are filled.
    """
    context, attribute, sentence = item.context, item.attributes[k], item.sentences[k]
    gaps = [i for i, word in enumerate(context.split(" ")) if BLANK in word]
    words = sentence.split(" ")
    if not gaps or gaps[-1] >= len(words):
        raise UserError(
            f"the sentence {sentence[:80]!r} is not the context {context[:80]!r} with "
            f"{attribute!r}: correct one of them"
        )
    word = words[gaps[-1]].translate(str.maketrans("", "", string.punctuation))
    tokens = model.tokenizer(word, add_special_tokens=False)["input_ids"]
    if not tokens:
        raise UserError(f"{model.name}: the attribute {attribute!r} has no tokens: give it letters")
    rows = []
    for i, token in enumerate(tokens):
        gap = model.tokenizer.decode(tokens[:i]) + model.tokenizer.mask_token
        text = _encode(model, context.replace(BLANK, gap))
        place = text.ids.index(model.tokenizer.mask_token_id)
        rows.append(Row(text.ids, (place,), (token,), text.types))
    return rows


def likelihood_corrected(model: Model, item: Intrasentence, k: int) -> list[Row]:
    """Return each subword of a word in the gap, given those before it.

    Those after it are masked too. Subwords are those of the filled sentence. Several gaps are
    filled from left to right.
    """
    encoded, pieces = _filled(model, item, k)
    return [_masked(model, encoded, pieces[i:], place) for i, place in enumerate(pieces)]


def pseudo_likelihood(model: Model, item: Item, k: int) -> list[Row]:
    """Return tokens, each masked alone, given all others.

    In an item with a gap these are the tokens beside the word in the gap; in two sentences that
    follow each other, those of the first; in a pair, those that both sentences share: the blocks
    that `difflib` matches, as in CrowS-Pairs (Nangia et al. 2020, section 4).
    """
    match item:
        case Intrasentence():
            encoded, word = _filled(model, item, k)
            places = [i for i in encoded.own.tolist() if i not in word]
        case Intersentence():
            lead = f"{prompt} " if (prompt := default_prompt(model)) else ""
            encoded = _encode(model, lead + item.context, after=item.sentences[k])
            places = encoded.pieces([(len(lead), len(lead) + len(item.context))])
        case Pair():
            encoded = _encode(model, item.sentences[k])
            other = _encode(model, item.sentences[1 - k])
            both = ([x.ids[i] for i in x.own] for x in (encoded, other))
            blocks = SequenceMatcher(None, *both).get_matching_blocks()
            own = encoded.own.tolist()
            places = [place for block in blocks for place in own[block.a : block.a + block.size]]
    return [_masked(model, encoded, [place], place) for place in places]


def follows(model: Model, item: Intersentence, k: int) -> list[Row]:
    """Return the pair of sentences as BERT's next-sentence head reads it."""
    encoded = _encode(model, item.context, after=item.sentences[k])
    return [Row(encoded.ids, (0,), (0,), encoded.types)]


@dataclass(frozen=True)
class _Encoded:
    """A text as tokens, with what is read before or after it."""

    text: str  # the text
    ids: tuple[int, ...]  # (n,) tokens
    types: tuple[int, ...]  # (n,) segments
    own: NDArray[np.int64]  # (m,) places of the text's tokens
    offsets: NDArray[np.int64]  # (m, 2) their first characters, and one past their last

    def pieces(self, spans: list[Span]) -> list[int]:
        """Return the places of the spans' tokens."""
        return self.own[np.concatenate(pieces_of_spans(self.text, self.offsets, spans))].tolist()


def _encode(model: Model, text: str, after: str | None = None) -> _Encoded:
    """Return the text, in a pair with a prompt before it or another sentence after it."""
    prompt = "" if after else default_prompt(model)
    pair = (prompt, text) if prompt else (text, after)
    encoded = model.tokenizer(*pair, return_offsets_mapping=True, return_token_type_ids=True)
    ids, number = encoded["input_ids"], 1 if prompt else 0
    own = np.flatnonzero([sequence == number for sequence in encoded.sequence_ids(0)])
    offsets = piece_offsets(model.tokenizer, ids, encoded["offset_mapping"])
    types = tuple(encoded["token_type_ids"])
    return _Encoded(text, tuple(ids), types, own, offsets[own])


def _masked(model: Model, text: _Encoded, hidden: Collection[int], place: int) -> Row:
    """Return the token at a place, with some places masked."""
    mask = model.tokenizer.mask_token_id
    ids = tuple(mask if i in hidden else token for i, token in enumerate(text.ids))
    return Row(ids, (place,), (text.ids[place],), text.types)


def _filled(model: Model, item: Intrasentence, k: int) -> tuple[_Encoded, list[int]]:
    """Return the context with a word in its gaps, and the places of the word's tokens."""
    text, *parts = item.context.split(BLANK)
    if not parts:
        raise UserError(f"the context {text[:80]!r} has no {BLANK}: put one where the word goes")
    word, spans = item.attributes[k], []
    for part in parts:
        spans.append((len(text), len(text) + len(word)))
        text += word + part
    encoded = _encode(model, text)
    return encoded, encoded.pieces(spans)
