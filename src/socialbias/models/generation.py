"""Unconditional samples of a causal language model, as JSON lines.

A sample begins with the begin-of-text token only, like the published samples of GPT-2. The seed and
the sample's number decide which tokens are drawn: each sample has its own random numbers, one per
token. A model's rounding depends on the batch size, and changes a draw that is on the edge, about
one in a million; so the batches are always the same, and an interrupted run produces the same
bytes.
"""

from __future__ import annotations

import hashlib
import inspect
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional
from transformers import DynamicCache

from socialbias.errors import UserError
from socialbias.files.atomic_write import move_into_place
from socialbias.models.causal_scoring import start_token
from socialbias.models.loading import Model, enough_memory, ran_on
from socialbias.models.threads import one_thread
from socialbias.stats.seeding import generator
from socialbias.system.progress import Log, Pace

NO_CACHE = (
    "{}: {} does not support `past_key_values`, which sampling needs: use another causal model, "
    "such as GPT-2"
)
BLOCK = 256  # tokens whose probabilities are added up at once
DIGITS = 8  # of the key that distinguishes partial files of different runs


@dataclass(frozen=True)
class Options:
    """How to draw samples from the model's own distribution."""

    # Maximum tokens of a sample; never more than the model's context length, which is the default.
    tokens: int | None = None
    batch: int = 64  # samples computed at once


def generate(
    model: Model, path: Path, n: int, options: Options, seed: int, log: Log | None = None
) -> None:
    """Draw n samples and write them, one line of JSON each.

    A line has `id` (from 0), `text` (as the tokenizer decodes it: a word-level model's words are
    separated by spaces), `length` (tokens) and `ended` (whether the model ended it, rather than the
    limit). Unfinished output is kept beside `path`: when a run that was killed is repeated with the
    same model and arguments, it continues after the last complete line.
    """
    if model.kind != "causal":
        raise UserError(f"{model.name}: loaded as {model.kind}: samples need a causal model")
    bos, tokens = start_token(model), _limit(model, options)
    # Without a cache a model would see only one token at a time.
    if "past_key_values" not in inspect.signature(type(model.network).forward).parameters:
        raise UserError(NO_CACHE.format(model.name, type(model.network).__name__))
    part = path.with_name(f"{path.name}.{_key(model, n, options, seed)}.part")
    path.parent.mkdir(parents=True, exist_ok=True)
    done = _complete_lines(part)
    pace, drawn = Pace(log), 0
    with part.open("ab") as file, one_thread():
        for first in range(done - done % options.batch, n, options.batch):
            numbers = range(first, min(first + options.batch, n))
            samples = _batch(model, bos, tokens, numbers, options, seed)
            for number, sample in zip(numbers, samples, strict=True):
                if number >= done:
                    file.write(_line(model, number, *sample))
            file.flush()
            drawn += sum(len(ids) for ids, _ in samples)
            if pace.due():
                left = pace.left(numbers.stop - done, n - done)
                rate = f"{drawn / pace.seconds:,.0f} tokens/s"
                pace.log(f"{path.name}: {numbers.stop:,} of {n:,} samples, {rate}, {left}")
    move_into_place(part, path)
    for other in path.parent.glob(f"{path.name}.{'[0-9a-f]' * DIGITS}.part"):
        other.unlink()  # from an unfinished run with other arguments


def _limit(model: Model, options: Options) -> int:
    """Maximum tokens of a sample."""
    limits = [limit for limit in (options.tokens, model.limit) if limit is not None]
    if not limits:
        raise UserError(f"{model.name}: has no maximum length: set `tokens`")
    return min(limits)


def _key(model: Model, n: int, options: Options, seed: int) -> str:
    """Return a short key of what determines samples.

    Weights, device, precision, tokenizer, arguments.
    """
    arguments = {"n": n, "seed": seed} | ran_on(model) | asdict(options)
    arguments |= {"begin": start_token(model), "tokens": _limit(model, options)}
    arguments["end"] = model.tokenizer.eos_token_id
    digest = hashlib.sha256(json.dumps(arguments).encode())
    digest.update(model.tokenizer.backend_tokenizer.to_str().encode())
    for name, values in sorted(model.network.state_dict().items()):
        digest.update(name.encode())
        digest.update(values.detach().cpu().flatten().view(torch.uint8).numpy())
    return digest.hexdigest()[:DIGITS]


def _complete_lines(part: Path) -> int:
    """Return the number of lines left by an interrupted run; an incomplete last line is removed."""
    if not part.exists():
        return 0
    lines, end = 0, 0
    with part.open("r+b") as file:
        for line in file:
            if line.endswith(b"\n"):
                lines, end = lines + 1, end + len(line)
        file.truncate(end)
    return lines


def _line(model: Model, number: int, ids: list[int], ended: bool) -> bytes:
    text = model.tokenizer.decode(ids, clean_up_tokenization_spaces=False)
    sample = {"id": number, "text": text, "length": len(ids), "ended": ended}
    return (json.dumps(sample, ensure_ascii=False) + "\n").encode()


@torch.inference_mode()
def _batch(
    model: Model, bos: int, tokens: int, numbers: range, options: Options, seed: int
) -> list[tuple[list[int], bool]]:
    """Return some samples' tokens, without special ones, and whether the model ended each."""
    uniforms = np.stack([generator(seed, "sample", i).random(tokens) for i in numbers])
    ids = np.zeros((len(numbers), tokens), np.int64)
    lengths = np.full(len(numbers), tokens)
    eos = -1 if model.tokenizer.eos_token_id is None else model.tokenizer.eos_token_id
    live = np.arange(len(numbers))
    last = np.full(len(numbers), bos)
    cache = DynamicCache(config=model.network.config)
    for step in range(tokens):
        logits = _next_logits(model, last, cache)
        if not cache.get_seq_length():
            raise UserError(NO_CACHE.format(model.name, type(model.network).__name__))
        chances = torch.from_numpy(uniforms[live, step]).to(logits.device)
        drawn = sample_tokens(logits, chances).cpu().numpy()
        continues = drawn != eos
        lengths[live[~continues]] = step
        live, last = live[continues], drawn[continues]
        ids[live, step] = last
        if not len(live):
            break
        if not continues.all():  # remove samples that have ended from the computation
            cache.batch_select_indices(torch.from_numpy(np.flatnonzero(continues)).to(model.device))
    return [(row[:n].tolist(), bool(n < tokens)) for row, n in zip(ids, lengths, strict=True)]


def _next_logits(model: Model, last: NDArray[np.int64], cache: DynamicCache) -> torch.Tensor:
    """Logits of the next token of each sample, given the last one and the cache: (b, v).

    They are where tokens are drawn: on the model's device, but for Apple's, which have no float64.
    """
    pieces = torch.from_numpy(last)[:, None].to(model.device)
    with enough_memory(
        f"{model.name}: {len(last)} samples of {cache.get_seq_length()} tokens do not fit on "
        f"{model.device}: lower `batch` or `tokens` (trustworthy.small_gpt2)"
    ):
        logits = model.network(pieces, past_key_values=cache, use_cache=True).logits
    # Models may have more rows than tokens.
    logits = logits[:, -1, : len(model.tokenizer)].float()
    return logits.cpu() if model.device.type == "mps" else logits


def sample_tokens(logits: torch.Tensor, uniforms: torch.Tensor) -> torch.Tensor:
    """Return the first token (b,) at which the cumulative probability exceeds the row's number.

    `logits` are (b, v), and `uniforms` (b,) float64, uniform in [0, 1).
    """
    weights = logits.softmax(dim=1).double()
    # In blocks, as products with a triangle of ones: a card's cumulative sums have no fixed order.
    blocks = functional.pad(weights, (0, -weights.shape[1] % BLOCK)).unflatten(1, (-1, BLOCK))
    ends = blocks.sum(2) @ _triangle(blocks.shape[1], weights.device)
    thresholds = uniforms[:, None] * ends[:, -1:]
    block = (ends <= thresholds).sum(1).clamp(max=ends.shape[1] - 1)
    rows = torch.arange(len(weights), device=weights.device)
    before = ends[rows, block, None] - blocks[rows, block].sum(1, keepdim=True)
    bounds = before + blocks[rows, block] @ _triangle(BLOCK, weights.device)
    place = (bounds <= thresholds).sum(1).clamp(max=BLOCK - 1)
    return (block * BLOCK + place).clamp(max=weights.shape[1] - 1)


def _triangle(n: int, device: torch.device) -> torch.Tensor:
    """Return the matrix by which a row of n numbers gives its cumulative sums."""
    return torch.ones(n, n, dtype=torch.float64, device=device).triu()
