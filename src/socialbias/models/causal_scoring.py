"""Rows that score sentences with a causal model; see `socialbias.models.scoring`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from socialbias.errors import UserError
from socialbias.models.items import Intersentence, Item
from socialbias.models.pieces import Row, piece_offsets, pieces_of_spans

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

    from socialbias.models.loading import Model

BRACKETED = re.compile(r"<(?!0x).+>|\[.+\]")  # how special tokens are spelt; <0x41> is a byte


class Beginning(NamedTuple):
    """What the first token of a text is given."""

    tokens: tuple[int, ...]  # at least one
    name: str  # as the vocabulary spells them
    why: str  # why it is these, in words that follow the name


def sentence(model: Model, item: Item, k: int) -> list[Row]:
    """Return each token of a text, given the start token and the tokens before it."""
    return [_following(model, _encode(model, item.sentences[k]), 0)]


def sentence_released(model: Model, item: Item, k: int) -> list[Row]:
    """As the released code: the first token given the start token, the others without it."""
    ids = _encode(model, item.sentences[k])
    rows = [_following(model, ids[:1], 0)]
    return [*rows, _row(ids, 1)] if len(ids) > 1 else rows


def after_and_alone(model: Model, item: Intersentence, k: int) -> list[Row]:
    """Return each token of a text, given the context before it, and without the context."""
    context = finished(item.context)
    whole = f"{context} {item.sentences[k]}"
    encoded = model.tokenizer(whole, add_special_tokens=False, return_offsets_mapping=True)
    if "offset_mapping" in encoded:
        offsets = piece_offsets(model.tokenizer, encoded["input_ids"], encoded["offset_mapping"])
        span = (len(context) + 1, len(whole))
        first = int(pieces_of_spans(whole, offsets, [span])[0][0])
    else:  # a server gives tokens alone: those of the context come first
        pairs = zip(_encode(model, context), encoded["input_ids"], strict=False)
        first = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    after = _following(model, tuple(encoded["input_ids"]), first)
    return [after, *sentence(model, item, k)]


def texts_of(item: Item) -> list[str]:
    """Return all texts that are encoded to score an item's sentences, alone and after any context.

    A server is asked for the tokens of all of them at once.
    """
    if not isinstance(item, Intersentence):
        return [*item.sentences]
    context = finished(item.context)
    return [*item.sentences, context, *(f"{context} {text}" for text in item.sentences)]


def finished(context: str) -> str:
    """Return the context with a full stop where it has none, as in the released code."""
    return context if context.endswith((".", "!", "?")) else f"{context}."


def beginning(model: Model) -> Beginning:
    """Return what the first token of a text is given.

    Tokens that begin a text, or the end of another.
    """
    tokenizer, config = model.tokenizer, model.network.config
    if hasattr(config, "get_text_config"):  # a server's has none
        config = config.get_text_config()
    if tokens := _prescribed(tokenizer):
        return Beginning(tokens, _named(tokenizer, tokens), "as its tokenizer begins a text")
    begins, ends = tokenizer.bos_token_id, tokenizer.eos_token_id
    for token, why in (
        (begins, "its token for the beginning of a text"),
        (ends, "the end of a text, since it has no token for the beginning"),
        (config.bos_token_id, "the beginning of a text in config.json"),
    ):
        if token is None or token >= len(tokenizer):
            continue
        name = _named(tokenizer, [token])
        declared = (
            token in (begins, ends)
            or token in tokenizer.all_special_ids
            or getattr(tokenizer.added_tokens_decoder.get(token), "special", False)
        )
        if name.isalnum() or not (declared or BRACKETED.fullmatch(name)):
            raise UserError(
                f"{model.name}: begins a text with {name!r}, which is an ordinary piece: name a "
                "special token in tokenizer_config.json (bos_token)"
            )
        return Beginning((token,), name, why)
    raise UserError(
        f"{model.name}: its tokenizer has no token for the beginning or end of a text, which "
        "scoring the first word of a sentence needs: name one in tokenizer_config.json (bos_token)"
    )


def start_token(model: Model) -> int:
    """Return the last token before a text; for errors see `beginning`."""
    return beginning(model).tokens[-1]


@lru_cache(maxsize=8)
def _prescribed(tokenizer: PreTrainedTokenizerFast) -> tuple[int, ...]:
    """Return what a tokenizer itself puts before a text; nothing is known of a server's."""
    encoded = tokenizer("a") if hasattr(tokenizer, "backend_tokenizer") else None
    if encoded is None or 0 not in encoded.sequence_ids(0):
        return ()
    return tuple(encoded["input_ids"][: encoded.sequence_ids(0).index(0)])


def _named(tokenizer: PreTrainedTokenizerFast, tokens: Sequence[int]) -> str:
    return "".join(tokenizer.convert_ids_to_tokens([*tokens])).strip("Ġ▁#")


def _encode(model: Model, text: str) -> tuple[int, ...]:
    ids = tuple(model.tokenizer(text, add_special_tokens=False)["input_ids"])
    if not ids:
        raise UserError(f"{model.name}: the text {text!r} has no tokens: give it words")
    return ids


def _following(model: Model, ids: tuple[int, ...], first: int) -> Row:
    """Return the tokens from `first` on, each given what begins a text and those before it."""
    begin = beginning(model).tokens
    return _row((*begin, *ids), len(begin) + first)


def _row(ids: tuple[int, ...], first: int) -> Row:
    """Return the tokens from `first` on, each given those before it (the last is no input)."""
    return Row(ids[:-1], tuple(range(first - 1, len(ids) - 1)), ids[first:])
