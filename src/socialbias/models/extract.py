"""Vectors of words in texts, from one layer of a model.

Words are spans of characters. The tokenizer maps each of its pieces (subword tokens) to characters,
so their spelling does not matter: WordPiece, byte-level BPE and SentencePiece are treated alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from socialbias.errors import UserError
from socialbias.models.batching import (
    BATCH_TEXTS,
    Batches,
    Log,
    Progress,
    on_device,
    padded,
)
from socialbias.models.loading import Model, enough_memory
from socialbias.models.pieces import TOKENS_PER_BATCH, Span, piece_offsets, pieces_of_spans

TOO_LONG = "use shorter texts, dtype bfloat16, or another device"
KEPT_BYTES = 64_000_000  # of vectors that stay on a device until they are handed over


@dataclass(frozen=True)
class Report:
    """What was computed; reports of parts add up to that of the whole."""

    texts: int = 0  # texts with a word; others are not run
    words: int = 0  # Words, each with a vector
    pieces: int = 0  # pieces of the words
    tokens: int = 0  # pieces that were run, including special ones but not padding
    # Words in texts that are too long for the model: each was run in its own window, with as much
    # context as the model allows.
    windows: int = 0
    halvings: int = 0  # how often memory ran out and the batch size was halved

    def __add__(self, other: Report) -> Report:
        both = zip(vars(self).values(), vars(other).values(), strict=True)
        return Report(*(a + b for a, b in both))


@dataclass(frozen=True)
class Encoded:
    """Texts as pieces."""

    rows: list[_Row]  # inputs of the network
    texts: int  # number of texts with a word
    words: int  # number of words


@dataclass(frozen=True)
class Extraction:
    """Vectors and how they were computed."""

    # (m, d) float32, one row per span, in the order of texts and their spans; d is the layer's
    # width.
    vectors: NDArray[np.float32]
    report: Report  # what was computed


def extract(
    model: Model,
    texts: Sequence[str],
    spans: Sequence[Sequence[Span]],
    *,
    layer: int,
    tokens_per_batch: int = TOKENS_PER_BATCH,
    log: Log | None = None,
) -> Extraction:
    """Return the vector of each span: the mean of its pieces' vectors in one layer.

    The layer is `hidden_states[layer]` in transformers: 0 is the input of the first block, the
    highest is the output of the model's body. In models with a final normalisation, such as GPT-2,
    the last layer is therefore normalised, and only the last.

    Texts are run in batches of similar length. In float32 a vector depends on the rest of its batch
    by at most 1e-4.
    """
    progress = Progress(model.name, log, len(texts))
    return Extractor(model, layer, tokens_per_batch, progress)(texts, spans)


class Extractor:
    """`extract` for texts in several parts: progress and batch size carry over.

    Attributes:
        model: The model.
        width: The layer's, which may differ from that of other layers.
    """

    def __init__(self, model: Model, layer: int, tokens_per_batch: int, progress: Progress):
        if not 0 <= layer <= model.layers:
            raise UserError(f"{model.name}: no layer {layer}: choose one from 0 to {model.layers}")
        self.model = model
        with enough_memory(
            f"{model.name}: not even a text of three pieces fits into the memory of {model.device} "
            "beside the model: use a smaller model, dtype bfloat16, or another device"
        ):
            self.width = self._trial(layer)
        self._compute = partial(_pieces, model, layer)
        self._batches = Batches(model, tokens_per_batch, TOO_LONG)
        self._progress = progress

    @torch.inference_mode()
    def _trial(self, layer: int) -> int:
        """Return the layer's width, from a short row."""
        pieces = padded(self.model.body, [(np.array([1, 2, 3]), np.zeros(3))], self.model.device)
        return _hidden(self.model, layer, pieces).shape[-1]

    def __call__(self, texts: Sequence[str], spans: Sequence[Sequence[Span]]) -> Extraction:
        """Return the vectors of the spans of some texts; see `extract`."""
        return self.run(self.encode(texts, spans))

    def encode(self, texts: Sequence[str], spans: Sequence[Sequence[Span]]) -> Encoded:
        """Texts as `run` takes them; this needs no device, and may be done in another thread."""
        rows = list(_rows(self.model, texts, spans))
        return Encoded(rows, sum(1 for words in spans if len(words)), sum(map(len, spans)))

    def run(self, encoded: Encoded) -> Extraction:
        """Return the vectors of the spans of encoded texts.

        What is found stays on the device for some batches: a card that had to hand over each would
        wait for the next one.
        """
        rows, vectors = encoded.rows, np.empty((encoded.words, self.width), np.float32)
        before, kept = self._batches.halvings, []
        for batch, result in self._batches(rows, lambda row: len(row.ids), self._compute):
            kept.append(result)
            if sum(pieces.vectors.nbytes for pieces in kept) > KEPT_BYTES:
                _hand_over(kept, vectors)
            self._progress.advance(len(batch), sum(len(row.ids) for row in batch))
        _hand_over(kept, vectors)
        report = Report(
            texts=encoded.texts,
            words=encoded.words,
            pieces=sum(len(row.places) for row in rows),
            tokens=sum(len(row.ids) for row in rows),
            windows=sum(row.cut for row in rows),
            halvings=self._batches.halvings - before,
        )
        return Extraction(vectors, report)


@dataclass(frozen=True)
class _Row:
    """One row of the network's input: a text, or a window of one."""

    ids: NDArray[np.int32]  # (n,) the pieces
    types: NDArray[np.int8]  # (n,) their segments
    places: NDArray[np.int32]  # (p,) positions of the words' pieces among the n, word by word
    words: NDArray[np.int64]  # (p,) the number of the word of each of these pieces
    cut: bool = False  # whether it is a window


def _rows(model: Model, texts: Sequence[str], spans: Sequence[Sequence[Span]]) -> Iterator[_Row]:
    """Yield the texts with words, as pieces; words are numbered across all texts."""
    ends = np.cumsum([len(words) for words in spans])
    numbers = [i for i, words in enumerate(spans) if len(words)]
    for first in range(0, len(numbers), BATCH_TEXTS):
        batch = numbers[first : first + BATCH_TEXTS]
        pieces = model.tokenizer(
            [texts[i] for i in batch],
            padding=False,
            truncation=False,
            return_offsets_mapping=True,
            return_special_tokens_mask=True,
            return_token_type_ids=True,
            verbose=False,
        )
        for k, i in enumerate(batch):
            offsets = piece_offsets(
                model.tokenizer, pieces["input_ids"][k], pieces["offset_mapping"][k]
            )
            owned = pieces_of_spans(texts[i], offsets, spans[i])
            first_word = ends[i] - len(spans[i])
            row = _Row(
                ids=np.array(pieces["input_ids"][k], np.int32),
                types=np.array(pieces["token_type_ids"][k], np.int8),
                places=np.concatenate(owned).astype(np.int32),
                words=first_word + np.repeat(np.arange(len(owned)), [len(x) for x in owned]),
            )
            if model.limit is None or len(row.ids) <= model.limit:
                yield row
            else:
                yield from _windows(row, np.array(pieces["special_tokens_mask"][k]), model.limit)


def _windows(row: _Row, special: NDArray[np.int64], limit: int) -> Iterator[_Row]:
    """For each word of a text that is too long, a window with the word in its middle.

    Special pieces at the text's ends are kept at the window's ends.
    """
    ordinary = np.flatnonzero(special == 0)
    head, end = int(ordinary[0]), int(ordinary[-1]) + 1
    room = limit - head - (len(row.ids) - end)
    for word in np.unique(row.words):
        places = row.places[row.words == word]
        middle = int(places[0] + places[-1] + 1) // 2
        start = min(max(middle - room // 2, head), end - room)
        kept = np.r_[0:head, start : start + room, end : len(row.ids)]
        inside = places[(places >= start) & (places < start + room)]
        yield _Row(
            ids=row.ids[kept],
            types=row.types[kept],
            places=inside - start + head,
            words=np.full(len(inside), word),
            cut=True,
        )


class _Pieces(NamedTuple):
    """What a batch gives: only vectors of words' pieces leave the device."""

    words: NDArray[np.int64]  # (m,) the numbers of the words
    starts: NDArray[np.int64]  # (m,) where the pieces of each begin
    sizes: NDArray[np.int64]  # (m,) how many each has
    vectors: Tensor  # (p, d) of the pieces, on the device


@torch.inference_mode()
def _pieces(model: Model, layer: int, batch: list[_Row]) -> _Pieces:
    """Return the vectors of the pieces of a batch's words, word by word."""
    longest = len(batch[0].ids)
    rows = [(row.ids, row.types) for row in batch]
    hidden = _hidden(model, layer, padded(model.body, rows, model.device))
    places = np.concatenate([i * longest + row.places for i, row in enumerate(batch)])
    owners = np.concatenate([row.words for row in batch])
    order = np.argsort(owners, kind="stable")
    spans_of_words = np.unique(owners[order], return_index=True, return_counts=True)
    chosen = on_device(places[order], model.device)
    return _Pieces(*spans_of_words, hidden.reshape(-1, hidden.shape[-1])[chosen].float())


def _hand_over(kept: list[_Pieces], vectors: NDArray[np.float32]) -> None:
    """Write the vectors of words, the means over their pieces, of some batches; forget those.

    On the CPU, piece by piece: a GPU adds what has one target in an order of its own, and hardly
    more pieces than words leave the device.
    """
    if not kept:
        return
    everything = torch.cat([batch.vectors for batch in kept]).cpu().numpy()
    ends = np.cumsum([len(batch.vectors) for batch in kept])
    for batch, pieces in zip(kept, np.split(everything, ends[:-1]), strict=True):
        if len(batch.words) == len(pieces):
            vectors[batch.words] = pieces
        else:
            sums = np.add.reduceat(pieces.astype(np.float64), batch.starts)
            vectors[batch.words] = (sums / batch.sizes[:, None]).astype(np.float32)
    kept.clear()


def _hidden(model: Model, layer: int, inputs: dict) -> Tensor:
    """Return a layer, (rows, n, width), from the arguments of the body."""
    if layer == model.layers:  # without keeping the others
        return model.body(**inputs).last_hidden_state
    return model.body(**inputs, output_hidden_states=True).hidden_states[layer]
