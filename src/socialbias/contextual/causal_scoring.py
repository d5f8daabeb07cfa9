"""Rows that score sentences with a causal model; see `socialbias.contextual.scoring`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from socialbias.contextual.extract import piece_offsets, pieces_of_spans
from socialbias.contextual.models import Model
from socialbias.contextual.token_scores import Row
from socialbias.errors import UserError

STOPS = (".", "!", "?")


def sentence(model: Model, text: str) -> list[Row]:
    """Each token of a text, given the start token and the tokens before it."""
    return [_following((start_token(model), *_encode(model, text)), 1)]


def sentence_released(model: Model, text: str) -> list[Row]:
    """As the released code: the first token given the start token, the others without it."""
    return _without_start(model, _encode(model, text))


def continuation(model: Model, context: str, text: str) -> list[Row]:
    """Each token of a text, given the start token, the context and the tokens before it."""
    context = finished(context)
    whole = f"{context} {text}"
    encoded = model.tokenizer(whole, add_special_tokens=False, return_offsets_mapping=True)
    if "offset_mapping" in encoded:
        offsets = piece_offsets(model, encoded["input_ids"], encoded["offset_mapping"])
        span = (len(context) + 1, len(whole))
        first = int(pieces_of_spans(whole, offsets, [span])[0][0])
    else:  # a server gives tokens alone: those of the context come first
        pairs = zip(_encode(model, context), encoded["input_ids"], strict=False)
        first = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return [_following((start_token(model), *encoded["input_ids"]), first + 1)]


def context_released(model: Model, context: str, text: str) -> list[Row]:
    """The tokens of the context in the joint text, as the released code counts them."""
    context = finished(context)
    ids = _encode(model, f"{context} {text}")[: len(_encode(model, context))]
    return _without_start(model, ids)


def texts_of(context: str, sentences: Sequence[str]) -> list[str]:
    """All texts that are encoded to score sentences, alone and, if there is one, after a context.

    A server is asked for the tokens of all of them at once.
    """
    if not context:
        return [*sentences]
    context = finished(context)
    return [*sentences, context, *(f"{context} {text}" for text in sentences)]


def finished(context: str) -> str:
    """The context with a full stop where it has none, as in the released code."""
    return context if context.endswith(STOPS) else f"{context}."


def start_token(model: Model) -> int:
    """The token that a text begins with: its beginning, or else the end of the text before.

    Raises:
        UserError: the tokenizer has neither.
    """
    tokenizer = model.tokenizer
    for token in (
        tokenizer.bos_token_id,
        tokenizer.eos_token_id,
        model.network.config.bos_token_id,
    ):
        if token is not None and token < len(tokenizer):
            return token
    raise UserError(
        f"{model.name}: its tokenizer has no token for the beginning or end of a text, which "
        "scoring the first word of a sentence needs: name one in tokenizer_config.json (bos_token)"
    )


def _encode(model: Model, text: str) -> tuple[int, ...]:
    ids = tuple(model.tokenizer(text, add_special_tokens=False)["input_ids"])
    if not ids:
        raise UserError(f"{model.name}: the text {text!r} has no tokens: give it words")
    return ids


def _following(ids: tuple[int, ...], first: int) -> Row:
    """The tokens from `first` on, each given those before it. The last one is not an input."""
    return Row(ids[:-1], tuple(range(first - 1, len(ids) - 1)), ids[first:])


def _without_start(model: Model, ids: tuple[int, ...]) -> list[Row]:
    rows = [Row((start_token(model),), (0,), ids[:1])]
    return [*rows, _following(ids, 1)] if len(ids) > 1 else rows
