"""Vectors of words in texts, from one layer of a model.

Words are spans of characters. The tokenizer tells which characters each of its pieces is of, so
that no piece's spelling matters: WordPiece, byte-level BPE and SentencePiece are treated alike.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import monotonic

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from socialbias.contextual.models import Model, out_of_memory, release
from socialbias.errors import UserError

TOKENS_PER_BATCH = 16384
# On a CPU larger batches leave its caches: 16,384 tokens take twice as long as in batches of these.
TOKENS_PER_BATCH_CPU = 1024
AT_ONCE = 1000  # texts that are cut into pieces at a time
EVERY = 10.0  # seconds between lines of progress

Log = Callable[[str], None]
Span = tuple[int, int]


@dataclass(frozen=True)
class Report:
    """What was done; reports of parts add up to that of the whole.

    Attributes:
        texts: Texts with a word in them; the others are not run.
        words: Words, each with a vector.
        pieces: The pieces of the words.
        tokens: Pieces that were run, special ones included and padding not.
        windows: Words in texts that are too long for the model: each was run in a window of its
            own, as many pieces around it as the model allows.
        halvings: How often the memory was full and the batch was halved.
    """

    texts: int = 0
    words: int = 0
    pieces: int = 0
    tokens: int = 0
    windows: int = 0
    halvings: int = 0

    def __add__(self, other: Report) -> Report:
        return Report(*(a + b for a, b in zip(self._all(), other._all(), strict=True)))

    def _all(self) -> tuple[int, ...]:
        return tuple(vars(self).values())


@dataclass(frozen=True)
class Extraction:
    """Vectors and how they came about.

    Attributes:
        vectors: (m, d) float32, one row a span, in the order of texts and their spans; d is the
            layer's width.
        report: What was done.
    """

    vectors: NDArray[np.float32]
    report: Report


def extract(
    model: Model,
    texts: Sequence[str],
    spans: Sequence[Sequence[Span]],
    *,
    layer: int,
    tokens_per_batch: int = TOKENS_PER_BATCH,
    say: Log | None = None,
) -> Extraction:
    """The vector of each span: the mean over its pieces of one layer's vectors.

    That layer is `hidden_states[layer]` of transformers: 0 is what goes into the first block, the
    highest what comes out of the model's body. For GPT-2 and others that end with a normalisation
    the last layer is therefore behind it, and only the last.

    Texts are run in batches of about equal length, and blocks behind the layer not at all. In
    float32 a vector does not depend on what else is in its batch by more than 1e-4.

    Args:
        model: What to run.
        texts: As the model should read them, case and spacing included.
        spans: For each text the words, each as its first character and the one behind its last. A
            piece belongs to a word when it is of one of the word's characters; blanks do not
            count, since a piece may begin with the blank in front of the word.
        layer: From 0 to `model.layers`.
        tokens_per_batch: Most pieces in a batch, padding included, unless one text has more; on a
            CPU no more than 1,024, since it is slower with more. Halved whenever memory is full.
        say: Called with a line of progress every 10 seconds.

    Raises:
        UserError: there is no such layer, a span has no piece, or memory is too small for one text.
    """
    progress = Progress(model.name, say, len(texts))
    return Extractor(model, layer, tokens_per_batch, progress)(texts, spans)


class Extractor:
    """`extract` for texts that come in parts: progress and the size of a batch carry over."""

    def __init__(self, model: Model, layer: int, tokens_per_batch: int, progress: Progress):
        if not 0 <= layer <= model.layers:
            raise UserError(f"{model.name}: no layer {layer}: write one from 0 to {model.layers}")
        self.model = model
        try:
            self._forward = _Forward(model, layer)
        except RuntimeError as error:
            if not out_of_memory(error):
                raise
            raise UserError(
                f"{model.name}: not even a text of three pieces fits into the memory of "
                f"{model.device} beside the model: take a smaller one, dtype bfloat16, or another "
                "device"
            ) from None
        if model.device.type == "cpu":
            tokens_per_batch = min(tokens_per_batch, TOKENS_PER_BATCH_CPU)
        self._tokens_per_batch = tokens_per_batch
        self._progress = progress

    def __call__(self, texts: Sequence[str], spans: Sequence[Sequence[Span]]) -> Extraction:
        """The vectors of the spans of some texts; see `extract`."""
        rows = list(_rows(self.model, texts, spans))
        n_words = sum(map(len, spans))
        vectors = np.empty((n_words, self._forward.width), np.float32)
        # The longest first: if memory is too small, that shows at once.
        order = sorted(rows, key=lambda row: -len(row.ids))
        halvings = start = 0
        while start < len(order):
            longest = len(order[start].ids)
            batch = order[start : start + max(1, self._tokens_per_batch // longest)]
            found = self._run(batch)
            if found is None:
                self._tokens_per_batch = longest * max(1, len(batch) // 2)
                halvings += 1
                continue
            words, vectors_of_words = found
            vectors[words] = vectors_of_words
            self._progress.advance(len(batch), sum(len(row.ids) for row in batch))
            start += len(batch)
        report = Report(
            texts=sum(1 for words in spans if len(words)),
            words=n_words,
            pieces=sum(len(row.places) for row in rows),
            tokens=sum(len(row.ids) for row in rows),
            windows=sum(row.cut for row in rows),
            halvings=halvings,
        )
        return Extraction(vectors, report)

    def _run(self, batch: list[_Row]) -> tuple[NDArray[np.int64], NDArray[np.float32]] | None:
        """The words of a batch and their vectors; None where memory is too small for it."""
        try:
            return _vectors(self._forward, batch)
        except RuntimeError as error:
            if not out_of_memory(error):
                raise
        # Here, since an exception that is being handled keeps the tensors that it has seen.
        if len(batch) == 1:
            raise UserError(
                f"{self.model.name}: a text of {len(batch[0].ids):,} pieces does not fit into the "
                f"memory of {self.model.device}: take shorter texts, dtype bfloat16, or another "
                "device"
            )
        release(self.model.device)
        return None


@dataclass(frozen=True)
class _Row:
    """What the network is given at once: a text, or a window of one.

    Attributes:
        ids: (n,) the pieces.
        types: (n,) their segments.
        places: (p,) where the words' pieces are among the n, word by word.
        words: (p,) the number of the word that each of them is of.
        cut: Whether it is a window.
    """

    ids: NDArray[np.int32]
    types: NDArray[np.int8]
    places: NDArray[np.int32]
    words: NDArray[np.int64]
    cut: bool = False


def _rows(model: Model, texts: Sequence[str], spans: Sequence[Sequence[Span]]) -> Iterator[_Row]:
    """The texts that have words, in pieces; words are numbered through all texts."""
    ends = np.cumsum([len(words) for words in spans])
    numbers = [i for i, words in enumerate(spans) if len(words)]
    for first in range(0, len(numbers), AT_ONCE):
        some = numbers[first : first + AT_ONCE]
        pieces = model.tokenizer(
            [texts[i] for i in some],
            padding=False,
            truncation=False,
            return_offsets_mapping=True,
            return_special_tokens_mask=True,
            return_token_type_ids=True,
            verbose=False,
        )
        for k, i in enumerate(some):
            offsets = _offsets(model, pieces["input_ids"][k], pieces["offset_mapping"][k])
            owned = _owned(texts[i], offsets, spans[i])
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


def _offsets(model: Model, ids: list[int], found: list[Span]) -> NDArray[np.int64]:
    """(n, 2) first character of each piece, and the one behind its last.

    A blank that a tokenizer puts in front of a text claims the text's first character, as the
    piece behind it does; it gets none here, as blanks between words have none that is visible.
    """
    offsets = np.array(found, np.int64).reshape(-1, 2)
    shared = (offsets[:-1, 0] == offsets[1:, 0]) & (offsets[:-1, 0] < offsets[:-1, 1])
    for k in np.flatnonzero(shared):
        if not model.tokenizer.decode([ids[k]]).strip():
            offsets[k] = 0
    return offsets


def _owned(text: str, offsets: NDArray[np.int64], spans: Sequence[Span]) -> list[NDArray[np.int64]]:
    """The pieces of each span: those that share a character with it that is no blank.

    Args:
        text: What was cut.
        offsets: (n, 2) first character of each piece, and the one behind its last.
        spans: Words.
    """
    visible = np.array([not character.isspace() for character in text], bool)
    before = np.concatenate([[0], np.cumsum(visible)])  # visible characters before each place
    owned = []
    for start, end in spans:
        first = np.maximum(offsets[:, 0], start)
        behind = np.maximum(np.minimum(offsets[:, 1], end), first)
        if not 0 <= start <= end <= len(text):
            raise UserError(f"characters {start} to {end} are not in a text of {len(text)}")
        pieces = np.flatnonzero(
            before[behind.clip(max=len(text))] > before[first.clip(max=len(text))]
        )
        if not len(pieces):
            raise UserError(
                f"the tokenizer has no piece for {text[start:end]!r}, characters {start} to {end} "
                f"of {text[:80]!r}"
            )
        owned.append(pieces)
    return owned


def _windows(row: _Row, special: NDArray[np.int64], limit: int) -> Iterator[_Row]:
    """For each word of a text that is too long, a window with the word in its middle.

    Special pieces at the text's ends are those of the window's ends too.
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


@torch.inference_mode()
def _vectors(forward: _Forward, batch: list[_Row]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The words of a batch and their vectors; only these leave the device."""
    longest = len(batch[0].ids)
    ids = np.zeros((3, len(batch), longest), np.int64)  # pieces, segments, what is no padding
    for i, row in enumerate(batch):
        n = len(row.ids)
        ids[0, i, :n], ids[1, i, :n], ids[2, i, :n] = row.ids, row.types, 1
    device = forward.device
    hidden = forward(*torch.from_numpy(ids).to(device))
    places = np.concatenate([i * longest + row.places for i, row in enumerate(batch)])
    words, owner, n_pieces = np.unique(
        np.concatenate([row.words for row in batch]), return_inverse=True, return_counts=True
    )
    pieces = hidden.reshape(-1, hidden.shape[-1])[torch.from_numpy(places).to(device)].float()
    means = torch.zeros(len(words), hidden.shape[-1], device=device)
    means.index_add_(0, torch.from_numpy(owner).to(device), pieces)
    means /= torch.from_numpy(n_pieces).to(device)[:, None]
    return words, means.cpu().numpy()


class _Reached(Exception):
    """The layer that is wanted has been computed."""


class _Forward:
    """A pass through the network as far as a layer.

    What a block is given first is the layer before it: there the pass ends. Where a model is built
    otherwise, which one trial shows, it runs to its end and all layers are kept.

    Attributes:
        width: The layer's, which need not be that of others.
    """

    def __init__(self, model: Model, layer: int):
        self.device = model.device
        self._body, self._layer, self._last = model.body, layer, layer == model.layers
        wanted = inspect.signature(self._body.forward).parameters
        self._options = {"use_cache": False} if "use_cache" in wanted else {}
        self._block = None if self._last else _block(self._body, layer, model.layers)
        self.width = self._tried()

    def __call__(self, ids: Tensor, types: Tensor, mask: Tensor) -> Tensor:
        """The layer, (rows, n, width), from pieces, segments and mask of (rows, n)."""
        inputs = {"input_ids": ids, "attention_mask": mask, **self._options}
        # GPT-2 adds a word's embedding for every segment, the first included: it is not given one.
        if types.any():
            inputs["token_type_ids"] = types
        if self._last:
            return self._body(**inputs).last_hidden_state
        if self._block is None:
            return self._body(**inputs, output_hidden_states=True).hidden_states[self._layer]
        return self._until(inputs)

    def _until(self, inputs: dict) -> Tensor:
        """What the block is given."""
        reached = []

        def stop(block: nn.Module, positional: tuple, named: dict) -> None:
            reached.append(positional[0] if positional else named["hidden_states"])
            raise _Reached

        handle = self._block.register_forward_pre_hook(stop, with_kwargs=True)
        try:
            self._body(**inputs)
        except _Reached:
            pass
        finally:
            handle.remove()
        return reached[0]

    @torch.inference_mode()
    def _tried(self) -> int:
        """The layer's width, from two short rows; they show whether the pass may end early too."""
        ids = torch.tensor([[1, 2, 3], [2, 1, 0]], device=self.device)
        inputs = {"input_ids": ids, "attention_mask": (ids > 0).long(), **self._options}
        if self._last:
            return self._body(**inputs).last_hidden_state.shape[-1]
        whole = self._body(**inputs, output_hidden_states=True).hidden_states[self._layer]
        if self._block is not None and not self._stops_right(inputs, whole):
            self._block = None
        return whole.shape[-1]

    def _stops_right(self, inputs: dict, whole: Tensor) -> bool:
        """Whether the early end gives what transformers calls this layer."""
        try:
            early = self._until(inputs)
        except (KeyError, IndexError):
            return False
        return early.shape == whole.shape and torch.allclose(early, whole, atol=1e-3)


def _block(body: nn.Module, layer: int, layers: int) -> nn.Module | None:
    """The block behind a layer: the model's first list of as many modules as it has layers."""
    for module in body.modules():
        if isinstance(module, nn.ModuleList) and len(module) == layers:
            return module[layer]
    return None


class Progress:
    """Texts and rate, a line every 10 seconds."""

    def __init__(self, name: str, say: Log | None, texts: int | None = None):
        """`texts` is how many there are, if that is known."""
        self._name, self._say = name, say
        self._of = f" of {texts:,}" if texts else ""
        self._texts = self._tokens = 0
        self._started = self._said = monotonic()

    def advance(self, texts: int, tokens: int) -> None:
        """So many more texts, and pieces of them, have been run."""
        self._texts += texts
        self._tokens += tokens
        now = monotonic()
        if self._say is None or now - self._said < EVERY:
            return
        self._said = now
        rate = self._tokens / (now - self._started)
        self._say(f"{self._name}: {self._texts:,}{self._of} texts, {rate:,.0f} tokens/s")
