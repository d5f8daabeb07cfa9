"""One vector per text, or per pair of texts, from a model as it is: input of a classification head.

The vector is that of the first position, or the mean over all positions of the last layer. For
GPT-2, whose first position sees nothing but itself, Nadeem et al. 2021 (appendix A.5) take the mean
over the sequence.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from socialbias.errors import UserError
from socialbias.models.batching import (
    BATCH_TEXTS,
    Batches,
    Ids,
    Log,
    Progress,
    padded,
)
from socialbias.models.extract import TOO_LONG
from socialbias.models.loading import Model
from socialbias.models.pieces import TOKENS_PER_BATCH
from socialbias.models.threads import threads as fixed_threads

Pooling = Literal["mean", "first"]


def text_features(
    model: Model,
    texts: Sequence[str],
    *,
    longest: int | None = None,
    threads: int = 1,
    log: Log | None = None,
) -> NDArray[np.float32]:
    """Return the mean vector of each text.

    Texts are run in batches of similar length, each distinct one once: the same call gives the same
    bytes on any number of cores. What else is in its batch changes a vector by at most 1e-4.
    """
    rows = encoded(model, texts, longest=longest)
    distinct: dict[tuple[bytes, bytes], int] = {}
    which = [distinct.setdefault((a.tobytes(), b.tobytes()), len(distinct)) for a, b in rows]
    numbers, firsts = np.array(which, int), np.unique(which, return_index=True)[1]
    progress = Progress(model.name, log, len(distinct))
    rows = [rows[i] for i in firsts]
    vectors = np.empty((0, model.width), np.float32)

    def compute(batch: list[int]) -> NDArray[np.float32]:
        return pooled(model, [rows[i] for i in batch], "mean").cpu().numpy()

    run = Batches(model, TOKENS_PER_BATCH, TOO_LONG)
    with fixed_threads(threads), torch.inference_mode():
        for batch, result in run(range(len(rows)), lambda i: len(rows[i][0]), compute):
            if not len(vectors):
                vectors = np.empty((len(rows), result.shape[1]), np.float32)
            vectors[batch] = result
            progress.advance(len(batch), sum(len(rows[i][0]) for i in batch))
    return vectors[numbers]


def pair_features(
    model: Model,
    texts: Sequence[str],
    pairs: Sequence[str],
    *,
    threads: int = 1,
    log: Log | None = None,
) -> NDArray[np.float32]:
    """Return the vectors u and v of both texts, each encoded alone, as [u, v, |u - v|, u * v]."""
    vectors = text_features(model, [*texts, *pairs], threads=threads, log=log)
    u, v = vectors[: len(texts)], vectors[len(texts) :]
    return np.hstack([u, v, np.abs(u - v), u * v])


def encoded(
    model: Model,
    texts: Sequence[str],
    pairs: Sequence[str] | None = None,
    longest: int | None = None,
) -> list[Ids]:
    """Return the pieces of each text, or of each pair of texts, and their segments."""
    added = model.tokenizer.num_special_tokens_to_add
    if pairs is not None and added(pair=True) <= added(pair=False):  # nothing would separate them
        texts = [f"{first} {second}" for first, second in zip(texts, pairs, strict=True)]
        pairs = None
    limits = [limit for limit in (longest, model.limit) if limit is not None]
    options = {"truncation": "longest_first", "max_length": min(limits)} if limits else {}
    rows = []
    for first in range(0, len(texts), BATCH_TEXTS):
        part = slice(first, first + BATCH_TEXTS)
        pieces = model.tokenizer(
            list(texts[part]),
            None if pairs is None else list(pairs[part]),
            padding=False,
            return_attention_mask=False,
            return_token_type_ids=True,
            verbose=False,
            **options,
        )
        both = zip(pieces["input_ids"], pieces["token_type_ids"], strict=True)
        rows += [(np.array(ids, np.int32), np.array(types, np.int8)) for ids, types in both]
    empty = next((i for i, (ids, _) in enumerate(rows) if not len(ids)), None)
    if empty is not None:
        raise UserError(
            f"{model.name}: its tokenizer makes no piece of text {empty + 1}, {texts[empty][:40]!r}"
        )
    return rows


def batches(rows: Sequence[Ids], tokens: int) -> list[list[int]]:
    """Return the numbers of rows of similar length, with at most so many pieces including padding.

    A row that is longer than that is alone.
    """
    order, result = sorted(range(len(rows)), key=lambda i: -len(rows[i][0])), []
    while order:
        size = max(1, tokens // len(rows[order[0]][0]))
        result.append(order[:size])
        order = order[size:]
    return result


def pooled(model: Model, rows: Sequence[Ids], pooling: Pooling) -> Tensor:
    """(n, d) vectors of some rows, run as one batch on the model's device."""
    hidden, mask = hidden_states(model, rows)
    if pooling == "first":
        return hidden[:, 0].float()
    weights = mask[..., None].to(hidden.dtype)
    return (hidden * weights).sum(dim=1).float() / weights.sum(dim=1).float()


def hidden_states(model: Model, rows: Sequence[Ids]) -> tuple[Tensor, Tensor]:
    """(n, longest, d) the last layer of some rows, run as one batch, and (n, longest) its mask."""
    inputs = padded(model.body, rows, model.device)
    return model.body(**inputs).last_hidden_state, inputs["attention_mask"]
