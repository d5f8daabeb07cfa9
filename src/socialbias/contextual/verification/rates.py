"""How fast a device is: products of matrices, and models of real shapes with random weights."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.autograd import DeviceType
from torch.optim.optimizer import register_optimizer_step_post_hook
from torch.profiler import ProfilerActivity, profile

from socialbias.contextual import causal_scoring, masked_scoring
from socialbias.contextual.batching import TOKENS_PER_BATCH, Progress
from socialbias.contextual.extract import Encoded, Extractor
from socialbias.contextual.fine_tuning import NEXT_SENTENCE, Examples, fine_tune
from socialbias.contextual.models import DTYPES, TF32, Kind, Model, load_model, save_model
from socialbias.contextual.token_scores import Row, TokenScorer
from socialbias.contextual.verification import made_up

SIDE = 512  # of the first matrices that are multiplied; doubled until it takes long enough
MOST_SIDE, MOST_TEXTS = 16_384, 262_144  # a call is timed with one text first; likewise
PAIRED = (15, 40)  # words of each sentence of a pair to train on
STEPS = 120  # in an epoch, at the end of which a checkpoint is written
CPU_BATCH = 2  # pairs in a step
SEED = 7
EXTRACTION = "extraction, BERT-base"
# What time is spent on.
NETWORK, TOKENISER, COPIES, OTHER = "network", "tokeniser", "copies", "the rest, mostly Python"

Words = list[str]


@dataclass(frozen=True)
class Rate:
    """How fast a path is.

    Attributes:
        name: The path and the model.
        dtype: What it was run in.
        tokens: A second; of the texts, including special tokens but not padding.
        flops: What that is in operations a second of the model's blocks.
        peak_mb: The most of the card's memory that was allocated; None on a CPU.
        shares: Of the time, by what it was spent on; empty where that was not measured.
        seconds_per_text: What a text waits for the processor, beside the network; or None.
    """

    name: str
    dtype: str
    tokens: float
    flops: float
    peak_mb: float | None
    shares: dict[str, float] = field(default_factory=dict)
    seconds_per_text: float | None = None


def product_rate(device: torch.device, dtype: str, least: float) -> float:
    """Operations a second in a product of two square matrices.

    Args:
        device: Where.
        dtype: A name in `DTYPES`.
        least: Seconds that a timed product must take; larger matrices are tried until it does.
    """
    before = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = dtype == TF32
    try:
        side, seconds = SIDE // 2, 0.0
        while seconds < least and side < MOST_SIDE:
            side *= 2
            a = torch.randn(side, side, device=device).to(DTYPES[dtype])
            seconds = min(timed(lambda a=a: a @ a, device) for _ in range(3))
        return 2 * side**3 / seconds
    finally:
        torch.backends.cuda.matmul.allow_tf32 = before


def timed(function: Callable[[], object], device: torch.device) -> float:
    """Seconds until a function and what it asked of the device are done."""
    _wait(device)
    started = perf_counter()
    function()
    _wait(device)
    return perf_counter() - started


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    elif device.type == "mps":
        torch.mps.synchronize()


def operations(model: Model, length: float) -> float:
    """Operations of the blocks for each token of a text of some length.

    Two for each weight of a matrix, and four times the width for each token that is attended to.
    """
    blocks = next(x for x in model.body.modules() if isinstance(x, nn.ModuleList))
    weights = sum(p.numel() for p in blocks.parameters() if p.dim() == 2)
    return 2 * weights + 4 * model.layers * model.width * length


def extraction(folder: Path, device: str, dtype: str, least: float) -> Rate:
    """Extraction of a word of each sentence by BERT-base, from its last layer."""
    model = _loaded(made_up.bert_base(folder), "encoder", device, dtype)
    extractor = Extractor(model, 12, TOKENS_PER_BATCH, Progress(model.name, None))

    def encode(texts: Words) -> Encoded:
        return extractor.encode(texts, [made_up.spans_of(text)[:1] for text in texts])

    def run(texts: Words) -> None:
        extractor.run(encode(texts))

    texts, seconds = _timed_texts(model, run, least)
    tokens = _tokens(model, texts)
    rate = _rate(EXTRACTION, model, dtype, tokens, tokens / len(texts), seconds)
    shares = _shares(extractor, partial(encode, texts))
    waiting = seconds * (1 - shares[NETWORK]) / len(texts) if NETWORK in shares else None
    return replace(rate, shares=shares, seconds_per_text=waiting)


def likelihoods(folder: Path, device: str, least: float) -> Rate:
    """Log-probabilities of sentences by GPT-2, in float32 as all scores."""
    model = _loaded(made_up.gpt2(folder), "causal", device, "float32")
    return _scores("likelihood, GPT-2", model, causal_scoring.sentence, least)


def pseudo_likelihoods(folder: Path, device: str, least: float) -> Rate:
    """Log-probabilities of sentences by BERT-base, each token masked in turn."""
    model = _loaded(made_up.bert_base(folder), "masked", device, "float32")

    def rows(model: Model, text: str) -> list[Row]:
        return masked_scoring.pseudo_likelihood(model, f"{text} BLANK", "w1", "")

    return _scores("pseudo-likelihood, BERT-base", model, rows, least)


def _scores(
    name: str, model: Model, rows_of: Callable[[Model, str], list[Row]], least: float
) -> Rate:
    scorer, rows = TokenScorer(model), []

    def run(texts: Words) -> None:
        rows[:] = [row for text in texts for row in rows_of(model, text)]
        scorer(rows)

    _, seconds = _timed_texts(model, run, least)
    tokens = sum(len(row.ids) for row in rows)
    return _rate(name, model, "float32", tokens, tokens / len(rows), seconds)


def training(folder: Path, device: str, dtype: str, least: float) -> Rate:
    """Steps of next-sentence training of BERT-base, on pairs of about 60 pieces."""
    made_up.bert_base(folder)
    model = _loaded(folder, "encoder", device, "float32")
    if not (folder / "model.safetensors").exists():
        save_model(model, folder)
    batch = NEXT_SENTENCE.batch if model.device.type != "cpu" else CPU_BATCH
    options = replace(NEXT_SENTENCE, batch=batch, dtype=dtype)
    rng, size = np.random.default_rng(SEED), {"words": made_up.REAL_WORDS, "lengths": PAIRED}
    pairs = batch * STEPS
    firsts, seconds = (made_up.sentences(pairs, rng, **size) for _ in range(2))
    train = Examples(firsts, np.arange(pairs) % 2, seconds)
    held_out = Examples(firsts[:2], [0, 1], seconds[:2])
    times: list[float] = []

    def stepped(*_: object) -> None:
        _wait(model.device)
        times.append(perf_counter())
        if len(times) == STEPS - 1 or (len(times) > 2 and times[-1] - times[0] > least):
            raise _Enough

    handle = register_optimizer_step_post_hook(stepped)
    _reset_peak(model.device)
    try:
        fine_tune(folder, train, held_out, folder / dtype, options, SEED, device=device)
    except _Enough:
        pass
    finally:
        handle.remove()
    pieces = model.tokenizer(firsts, seconds, return_attention_mask=False)["input_ids"]
    length = sum(map(len, pieces)) / pairs
    tokens = length * batch * (len(times) - 1)
    name = "next-sentence training, BERT-base"
    return _rate(name, model, dtype, tokens, length, times[-1] - times[0], backward=2)


class _Enough(Exception):
    """Enough steps were timed."""


def _loaded(folder: Path, kind: Kind, device: str, dtype: str) -> Model:
    return load_model(folder, kind, device=device, dtype=dtype, seed=SEED)


def _timed_texts(model: Model, run: Callable[[Words], None], least: float) -> tuple[Words, float]:
    """Texts of which a run took long enough, and its seconds."""
    n, seconds = 1, 0.0
    while seconds < least and n < MOST_TEXTS:
        n *= 2
        rng = np.random.default_rng(SEED)
        texts = made_up.sentences(n, rng, words=made_up.REAL_WORDS, lengths=made_up.LENGTHS)
        if n == 2:
            run(texts)  # the first call takes longer
        _reset_peak(model.device)
        seconds = timed(lambda texts=texts: run(texts), model.device)
    return texts, seconds


def _reset_peak(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)


def _rate(
    name: str,
    model: Model,
    dtype: str,
    tokens: float,
    length: float,
    seconds: float,
    *,
    backward: int = 0,
    **more: Any,
) -> Rate:
    """A rate, from tokens in texts of some mean length, and seconds."""
    cuda = model.device.type == "cuda"
    peak = torch.cuda.max_memory_allocated(model.device) / 1e6 if cuda else None
    flops = tokens / seconds * operations(model, length) * (1 + backward)
    return Rate(name, dtype, tokens / seconds, flops, peak, **more)


def _shares(extractor: Extractor, encode: Callable[[], Encoded]) -> dict[str, float]:
    """What the time of an extraction is spent on."""
    device = extractor.model.device
    started = perf_counter()
    encoded = encode()
    tokeniser = perf_counter() - started
    if device.type != "cuda":
        network, copies = timed(lambda: extractor.run(encoded), device), 0.0
    else:
        with profile(activities=[ProfilerActivity.CUDA]) as seen:
            extractor.run(encoded)
            _wait(device)
        network, copies = device_seconds(seen.key_averages())
    whole = perf_counter() - started
    if not network:
        return {TOKENISER: tokeniser / whole}  # this driver lets nobody profile
    shares = {NETWORK: network / whole, TOKENISER: tokeniser / whole, COPIES: copies / whole}
    return shares | {OTHER: max(0.0, 1 - sum(shares.values()))}


def device_seconds(events: Iterable[Any]) -> tuple[float, float]:
    """The seconds of a card's kernels, and of its copies, in a profile."""
    own = [event for event in events if event.device_type == DeviceType.CUDA]
    copies = [x for x in own if x.key.startswith(("Memcpy", "Memset"))]
    total, copied = (sum(x.self_device_time_total for x in some) / 1e6 for some in (own, copies))
    return total - copied, copied


def _tokens(model: Model, texts: Words) -> int:
    return sum(map(len, model.tokenizer(texts, return_attention_mask=False)["input_ids"]))
