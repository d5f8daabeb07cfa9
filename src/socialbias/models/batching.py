"""Inputs of a network in batches of similar length, and lines of progress."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from socialbias.models.loading import Model, within_memory
from socialbias.system.progress import Log, Pace

# Larger batches do not fit into a CPU's caches: 16,384 tokens take twice as long.
TOKENS_PER_BATCH_CPU = 1024
BATCH_TEXTS = 1000  # texts tokenised at a time

Ids = tuple[NDArray[np.int32], NDArray[np.int8]]  # the pieces of a text and their segments
Row = TypeVar("Row")
Result = TypeVar("Result")


class Batches:
    """Runs rows in batches of similar length; their size is halved whenever memory runs out.

    Attributes:
        halvings: How often it was.
    """

    def __init__(self, model: Model, tokens: int, advice: str):
        """`tokens` includes padding; for `advice` see `within_memory`."""
        self._model, self._advice, self.halvings = model, advice, 0
        on_cpu = model.device.type == "cpu"
        self._tokens = min(tokens, TOKENS_PER_BATCH_CPU) if on_cpu else tokens

    def __call__(
        self,
        rows: Sequence[Row],
        length: Callable[[Row], int],
        compute: Callable[[list[Row]], Result],
    ) -> Iterator[tuple[list[Row], Result]]:
        """Yield each batch with its result, the longest rows first.

        A small memory shows immediately.
        """
        order, start = sorted(rows, key=lambda row: -length(row)), 0
        while start < len(order):
            longest = length(order[start])
            batch = order[start : start + max(1, self._tokens // longest)]
            run = partial(compute, batch)
            result = within_memory(self._model, run, len(batch), longest, self._advice)
            if result is None:
                self._tokens = longest * max(1, len(batch) // 2)
                self.halvings += 1
                continue
            yield batch, result
            start += len(batch)


def on_device(array: NDArray, device: torch.device) -> Tensor:
    """Return a copy on a device, without waiting for what the GPU does."""
    tensor = torch.from_numpy(array)
    if device.type == "cuda":
        tensor = tensor.pin_memory()
    return tensor.to(device, non_blocking=True)


def padded(body: nn.Module, rows: Sequence[Ids], device: torch.device) -> dict:
    """Return the arguments of a network's body for some rows, run as one batch."""
    arrays = np.zeros((3, len(rows), max(len(ids) for ids, _ in rows)), np.int64)
    for i, (ids, types) in enumerate(rows):
        n = len(ids)
        arrays[0, i, :n], arrays[1, i, :n], arrays[2, i, :n] = ids, types, 1
    has_segments = arrays[1].any()  # asked of the card, it would have to finish first
    ids, types, mask = on_device(arrays, device)
    inputs = {"input_ids": ids, "attention_mask": mask}
    # GPT-2 adds an embedding for every segment, even the first: do not pass segments of zeros.
    return inputs | ({"token_type_ids": types} if has_segments else {}) | without_cache(body)


def without_cache(body: nn.Module) -> dict[str, bool]:
    """Return the argument that tells a causal model to keep nothing for tokens to come.

    XLNet has one of its own.
    """
    parameters = inspect.signature(body.forward).parameters
    return {name: False for name in ("use_cache", "use_mems") if name in parameters}


class Progress:
    """Logs texts, rate and, if the total is known, the time left."""

    def __init__(self, name: str, log: Log | None, texts: int = 0):
        """`texts` is the total number; 0 if it is unknown."""
        self._name, self._whole, self._pace = name, texts, Pace(log)
        self._texts = self._tokens = 0

    def advance(self, texts: int, tokens: int) -> None:
        """Count texts, and their pieces, that have been run."""
        self._texts += texts
        self._tokens += tokens
        if self._pace.due():
            of = f" of {self._whole:,}" if self._whole else ""
            left = f", {self._pace.left(self._texts, self._whole)}" if self._whole else ""
            rate = self._tokens / self._pace.seconds
            line = f"{self._name}: {self._texts:,}{of} texts, {rate:,.0f} tokens/s{left}"
            self._pace.log(line)
