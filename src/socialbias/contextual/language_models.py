"""Small language models of a corpus's words, trained in the run: a GPT-2 and a BERT.

They are there so that training data, representation and samples truly belong to each other, and so
that a model can be had of a corpus whose associations are known. The architectures are those of
transformers with fewer and narrower layers; the words are the corpus's own tokens, so that a word
is one piece. What comes out is an ordinary folder that transformers loads without the network.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from math import ceil
from pathlib import Path
from time import monotonic

import numpy as np
import torch
from transformers import PreTrainedModel

from socialbias.contextual.models import Model, save_model
from socialbias.contextual.objectives import Causal, Masked, Options
from socialbias.contextual.threads import one_thread
from socialbias.corpora.prepared import Corpus
from socialbias.seeding import generator
from socialbias.sources.atomic_write import part_path

EVERY = 10.0  # seconds between lines of progress
LAST = 100  # steps over which the loss is told
FLOOR = 1e-3  # share of the learning rate that is left in the last step
CPU = torch.device("cpu")
REPORT = "report.json"
# One epoch of WikiText-2 (1.9 M tokens) is about 40 s of one core.
GPT2 = Options()
# It normalises behind each sum, not before, and bears only a lower rate.
BERT = Options(batch=8, learning_rate=2e-3)

Log = Callable[[str], None]


def train_gpt2(
    corpus: Corpus, folder: Path, options: Options, seed: int, say: Log | None = None
) -> dict:
    """Train a small GPT-2 and save it.

    A text begins and ends with `<eos>`, so that an unconditional sample begins with it as well.

    In a step, the words to choose from are those of the batch and some noise words in place of the
    whole vocabulary; the logarithm of each one's chance to be among them is taken off its score,
    which makes up for the choice on average (Jean et al. 2015, section 3). Perplexity is over the
    whole vocabulary.

    Args:
        corpus: Prepared.
        folder: Gets `config.json`, `model.safetensors`, the tokenizer and `report.json`, when all
            is done; one that is there is replaced.
        options: How.
        seed: The configuration's seed.
        say: Called with a line of progress every 10 seconds.

    Returns:
        The report: `options`, `seed`, `vocabulary` (words the model knows), `documents`, `tokens`
        and `unknown` (share of the corpus's tokens) of the training part, `trained` (tokens gone
        through), `loss` (mean of the last 100 steps, in nats a token; among candidates, where
        noise stands in for the vocabulary), `held_out` (tokens), `perplexity` of the held-out
        documents in blocks that know nothing of what is before them, `unigram_perplexity` by the
        frequencies of the training part, `seconds`.

    Raises:
        UserError: the corpus is too small for these options.
    """
    with one_thread():
        return _train(Causal(corpus, options, seed), folder, say)


def train_bert(
    corpus: Corpus, folder: Path, options: Options, seed: int, say: Log | None = None
) -> dict:
    """Train a small BERT to predict masked words and save it.

    Of the words of a block some are predicted; 80 % of these are replaced by `[MASK]`, 10 % by any
    word, 10 % left as they are (Devlin et al. 2019, section 3.1). Blocks stand between `[CLS]` and
    `[SEP]`; no second sentence is predicted.

    Args:
        corpus: Prepared.
        folder: As of `train_gpt2`.
        options: How.
        seed: The configuration's seed.
        say: Called with a line of progress every 10 seconds.

    Returns:
        As `train_gpt2`; the perplexities are those of masked words of the held-out documents.

    Raises:
        UserError: the corpus is too small for these options.
    """
    with one_thread():
        return _train(Masked(corpus, options, seed), folder, say)


def _train(task: Causal | Masked, folder: Path, say: Log | None) -> dict:
    """Train, try and save a model; the report."""
    started = monotonic()
    report = task.text.facts() | _fit(task, say)
    tokens, loss, unigram = task.held_out()
    report |= {"held_out": tokens, "perplexity": float(np.exp(loss))}
    report |= {"unigram_perplexity": float(np.exp(unigram)), "seconds": monotonic() - started}
    _save(folder, Model(folder.name, task.kind, task.network, task.tokenizer, CPU, None), report)
    return report


def _save(folder: Path, model: Model, report: dict) -> None:
    """Write a folder beside its place, and put it there when it is complete."""
    arrival = part_path(folder)
    shutil.rmtree(arrival, ignore_errors=True)
    arrival.mkdir(parents=True)
    save_model(model, arrival)
    (arrival / REPORT).write_text(json.dumps(report, indent=2) + "\n", "utf-8")
    shutil.rmtree(folder, ignore_errors=True)
    arrival.rename(folder)


def _fit(task: Causal | Masked, say: Log | None) -> dict:
    """Go through the training part as often as wanted; tokens, mean loss of the last steps."""
    options, network = task.text.options, task.network
    rng = generator(task.text.seed, task.name, "training")
    order = [rng.permutation(task.blocks) for _ in range(ceil(options.epochs))]
    order = np.concatenate(order)[: max(1, round(options.epochs * task.blocks))]
    steps = ceil(len(order) / options.batch)
    optimizer = _optimizer(network, options)
    progress = _Progress(f"{task.name} of {len(task.text.known.words):,} words", steps, say)
    losses: list[float] = []
    network.train()
    for step, first in enumerate(range(0, len(order), options.batch)):
        for group in optimizer.param_groups:
            group["lr"] = options.learning_rate * _height((step + 1) / steps, options.warmup)
        loss = task.loss(order[first : first + options.batch], rng)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), options.clip)
        optimizer.step()
        losses.append(loss.item())
        progress.advance(step + 1, options.batch * options.length, losses)
    network.eval()
    return {"trained": len(order) * options.length, "loss": float(np.mean(losses[-LAST:]))}


def _optimizer(network: PreTrainedModel, options: Options) -> torch.optim.AdamW:
    """AdamW; what is added or scales, and is no matrix, does not decay."""
    parameters = list(network.parameters())
    groups = [
        {"params": [p for p in parameters if p.dim() > 1], "weight_decay": options.weight_decay},
        {"params": [p for p in parameters if p.dim() == 1], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=options.learning_rate, betas=(0.9, 0.95), fused=True)


def _height(done: float, warmup: float) -> float:
    """The share of the highest learning rate when so much of the steps is done."""
    rising = done / warmup if warmup else 1.0
    return min(rising, (1 - done) / (1 - warmup) + FLOOR)


class _Progress:
    """Loss, rate and time left, a line every 10 seconds."""

    def __init__(self, name: str, steps: int, say: Log | None):
        self._name, self._steps, self._say = name, steps, say
        self._started = self._said = monotonic()

    def advance(self, step: int, tokens: int, losses: list[float]) -> None:
        """So many steps of so many tokens are done."""
        now = monotonic()
        if self._say is None or now - self._said < EVERY:
            return
        self._said = now
        pace = (now - self._started) / step
        minutes, seconds = divmod(round((self._steps - step) * pace), 60)
        self._say(
            f"{self._name}, step {step:,} of {self._steps:,}: loss {np.mean(losses[-LAST:]):.2f}, "
            f"{tokens / pace:,.0f} tokens/s, {minutes}:{seconds:02d} left"
        )
