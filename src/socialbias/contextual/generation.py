"""Unconditional samples of a causal language model, as JSON lines.

A sample begins with nothing but the mark that texts begin with, as the published samples of GPT-2.
Which words are drawn is decided by the seed and the sample's number: each sample has its own random
numbers, one for each of its words. Rounding in a model depends on how many samples are computed at
once, and turns a draw that is as good as on the edge, about one in a million; so samples are always
computed in the same company, and a run that was interrupted comes to the same bytes.
"""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import DynamicCache

from socialbias.contextual.models import Model, out_of_memory
from socialbias.contextual.threads import one_thread
from socialbias.errors import UserError
from socialbias.seeding import generator
from socialbias.sources.atomic_write import move_into_place

EVERY = 10.0  # seconds between lines of progress
DIGITS = 8  # of the key that tells parts of different samples from each other

Log = Callable[[str], None]


@dataclass(frozen=True)
class Options:
    """How samples are drawn; by default from the model's own distribution.

    Attributes:
        tokens: Most tokens of a sample, after which it is cut; never more than the model can read
            at once, and as many as that if it is None.
        temperature: Divides the scores; below 1 the likely becomes likelier.
        top_k: Only the so many likeliest tokens may be drawn (more where the last ones tie); None
            for all.
        top_p: Only the fewest likeliest tokens that have this probability together may be drawn;
            None for all.
        batch: Samples that are computed at once.
    """

    tokens: int | None = None
    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None
    batch: int = 64


def generate(
    model: Model, path: Path, n: int, options: Options, seed: int, say: Log | None = None
) -> None:
    """Draw n samples and write them, a line of JSON each.

    A line has `id` (from 0), `text` (as the tokenizer puts it together: the words of a word-level
    model with blanks between), `length` (tokens) and `ended` (whether the model ended it, rather
    than the limit). Until all are drawn they stand beside `path`. When a run that was killed is
    repeated with the same model and arguments it goes on behind the last whole line.

    Args:
        model: Loaded as causal.
        path: Of the JSON lines.
        n: How many samples.
        options: How they are drawn.
        seed: The configuration's seed.
        say: Called with a line of progress every 10 seconds.

    Raises:
        UserError: the model is not causal, does not say how a text begins or keeps nothing of what
            it has read from one word to the next; there is no limit to a sample; or a batch does
            not fit into memory.
    """
    begin, tokens = _beginning(model), _limit(model, options)
    if "past_key_values" not in inspect.signature(type(model.network).forward).parameters:
        raise _forgets(model)
    part = path.with_name(f"{path.name}.{_key(model, n, options, seed)}.part")
    path.parent.mkdir(parents=True, exist_ok=True)
    done = _whole_lines(part)
    progress = _Progress(path.name, n, done, say)
    with part.open("ab") as file, one_thread():
        for first in range(done - done % options.batch, n, options.batch):
            numbers = range(first, min(first + options.batch, n))
            samples = _batch(model, begin, tokens, numbers, options, seed)
            for number, sample in zip(numbers, samples, strict=True):
                if number >= done:
                    file.write(_line(model, number, *sample))
            file.flush()
            progress.advance(numbers.stop, sum(len(ids) for ids, _ in samples))
    move_into_place(part, path)
    for other in path.parent.glob(f"{path.name}.{'[0-9a-f]' * DIGITS}.part"):
        other.unlink()  # of a run with other arguments that was never finished


def _beginning(model: Model) -> int:
    """The token that stands before a text."""
    if model.kind != "causal":
        raise UserError(f"{model.name}: loaded as {model.kind}: samples need a causal model")
    begin = model.tokenizer.bos_token_id
    begin = model.tokenizer.eos_token_id if begin is None else begin
    if begin is None:
        raise UserError(
            f"{model.name}: its tokenizer has no bos_token and no eos_token for a sample to begin "
            "with: name one in its tokenizer_config.json"
        )
    return begin


def _limit(model: Model, options: Options) -> int:
    """Most tokens of a sample."""
    limits = [limit for limit in (options.tokens, model.limit) if limit is not None]
    if not limits:
        raise UserError(f"{model.name}: sets no limit to a text: give `tokens`")
    return min(limits)


def _forgets(model: Model) -> UserError:
    """What is said of a model that would be shown one word at a time, and know no other."""
    return UserError(
        f"{model.name}: {type(model.network).__name__} does not keep what it has read in "
        "`past_key_values`, from which samples are drawn: take another causal model, such as GPT-2"
    )


def _key(model: Model, n: int, options: Options, seed: int) -> str:
    """What decides the samples, in short: weights, where they are, tokenizer and arguments."""
    arguments = {"n": n, "seed": seed, "device": model.device.type} | asdict(options)
    arguments |= {"begin": _beginning(model), "tokens": _limit(model, options)}
    arguments["end"] = model.tokenizer.eos_token_id
    digest = hashlib.sha256(json.dumps(arguments).encode())
    digest.update(model.tokenizer.backend_tokenizer.to_str().encode())
    for name, values in sorted(model.network.state_dict().items()):
        digest.update(name.encode())
        digest.update(values.detach().cpu().flatten().view(torch.uint8).numpy())
    return digest.hexdigest()[:DIGITS]


def _whole_lines(part: Path) -> int:
    """How many lines an interrupted run has left; an unfinished last one is cut off."""
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
    model: Model, begin: int, tokens: int, numbers: range, options: Options, seed: int
) -> list[tuple[list[int], bool]]:
    """The tokens of some samples, without marks, and whether the model ended each."""
    chances = np.stack([generator(seed, "sample", i).random(tokens) for i in numbers])
    ids = np.zeros((len(numbers), tokens), np.int64)
    lengths = np.full(len(numbers), tokens)
    end = -1 if model.tokenizer.eos_token_id is None else model.tokenizer.eos_token_id
    live = np.arange(len(numbers))
    shown = np.full(len(numbers), begin)
    cache = DynamicCache(config=model.network.config)
    for step in range(tokens):
        scores = _scores(model, shown, cache) / options.temperature
        if not cache.get_seq_length():
            raise _forgets(model)
        scores = admitted(scores, options.top_k, options.top_p)
        drawn = draw(scores, torch.from_numpy(chances[live, step])).numpy()
        goes_on = drawn != end
        lengths[live[~goes_on]] = step
        live, shown = live[goes_on], drawn[goes_on]
        ids[live, step] = shown
        if not len(live):
            break
        if not goes_on.all():  # samples that have ended leave the computation
            cache.batch_select_indices(torch.from_numpy(np.flatnonzero(goes_on)).to(model.device))
    return [(row[:n].tolist(), bool(n < tokens)) for row, n in zip(ids, lengths, strict=True)]


def _scores(model: Model, shown: NDArray[np.int64], cache: DynamicCache) -> torch.Tensor:
    """Scores of the next token of each sample, when one more has been shown: (b, v)."""
    pieces = torch.from_numpy(shown)[:, None].to(model.device)
    try:
        scores = model.network(pieces, past_key_values=cache, use_cache=True).logits
    except RuntimeError as error:
        if not out_of_memory(error):
            raise
        raise UserError(
            f"{model.name}: {len(shown)} samples of {cache.get_seq_length()} tokens do not fit on "
            f"{model.device}: lower `batch` or `tokens` (trustworthy.small_gpt2)"
        ) from None
    return scores[:, -1, : len(model.tokenizer)].float()  # models may have more rows than words


def admitted(scores: torch.Tensor, top_k: int | None, top_p: float | None) -> torch.Tensor:
    """Scores (b, v) with minus infinity for the tokens that must not be drawn.

    Args:
        scores: Logits.
        top_k: As in `Options`.
        top_p: As in `Options`; of the probabilities that are left by `top_k` (Holtzman et al.
            2020, section 3.1).
    """
    if top_k is not None and top_k < scores.shape[1]:
        least = scores.topk(top_k, dim=1).values[:, -1:]
        scores = scores.masked_fill(scores < least, -torch.inf)
    if top_p is not None:
        ordered, places = scores.sort(dim=1, descending=True, stable=True)
        shares = ordered.softmax(dim=1)
        enough = shares.cumsum(dim=1) - shares >= top_p  # without this one
        scores = scores.masked_fill(torch.zeros_like(enough).scatter(1, places, enough), -torch.inf)
    return scores


def draw(scores: torch.Tensor, chances: torch.Tensor) -> torch.Tensor:
    """One token a row: the first at which the sum of probabilities exceeds the row's chance.

    Args:
        scores: (b, v) logits.
        chances: (b,) float64, uniform in [0, 1).

    Returns:
        (b,) tokens.
    """
    shares = scores.softmax(dim=1)
    if shares.device.type == "mps":
        shares = shares.cpu()  # it has no float64, in which the sum does not depend on its order
    bounds = shares.cumsum(dim=1, dtype=torch.float64)
    wanted = chances.to(bounds.device)[:, None] * bounds[:, -1:]
    places = torch.searchsorted(bounds, wanted, right=True).squeeze(1)
    return places.clamp(max=bounds.shape[1] - 1).cpu()


class _Progress:
    """Samples, rate and time left, a line every 10 seconds."""

    def __init__(self, name: str, n: int, done: int, say: Log | None):
        self._name, self._n, self._before, self._say, self._tokens = name, n, done, say, 0
        self._started = self._said = monotonic()

    def advance(self, done: int, tokens: int) -> None:
        """So many samples are done; the last ones had so many tokens."""
        self._tokens += tokens
        now = monotonic()
        if self._say is None or now - self._said < EVERY:
            return
        self._said = now
        spent = now - self._started
        left = spent / max(1, done - self._before) * (self._n - done)
        minutes, seconds = divmod(round(left), 60)
        self._say(
            f"{self._name}: {done:,} of {self._n:,} samples, {self._tokens / spent:,.0f} tokens/s, "
            f"{minutes}:{seconds:02d} left"
        )
