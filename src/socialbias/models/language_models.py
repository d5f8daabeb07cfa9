"""Small language models trained in the run on a corpus's words: a GPT-2 and a BERT.

They ensure that training data, representations and samples belong together, and allow training on a
corpus whose associations are known. The architectures are those of transformers with fewer and
narrower layers; the vocabulary consists of the corpus's tokens, so that a word is one piece. The
result is an ordinary folder that transformers loads without the network.
"""

from __future__ import annotations

import json
from math import ceil
from pathlib import Path
from time import monotonic

import numpy as np
import torch

from socialbias.corpora.prepared import Corpus
from socialbias.files.atomic_write import folder_aside
from socialbias.models.loading import Model, save_model
from socialbias.models.objectives import Causal, Masked, Options
from socialbias.models.threads import one_thread
from socialbias.stats.seeding import generator
from socialbias.system.progress import Log, Pace

LOSS_WINDOW = 100  # steps over which the reported loss is averaged
FINAL_RATE = 1e-3  # share of the learning rate in the last step
CPU = torch.device("cpu")
REPORT = "report.json"
# One epoch of WikiText-2 (1.9 M tokens) takes about 40 s on one core.
GPT2 = Options()
# BERT normalises after each sum, not before, and needs a lower learning rate.
BERT = Options(batch=8, learning_rate=2e-3)


def train_gpt2(
    corpus: Corpus, folder: Path, options: Options, seed: int, log: Log | None = None
) -> dict:
    """Train a small GPT-2 and save it.

    A text begins and ends with `<eos>`, so that an unconditional sample also begins with it.

    A training step uses sampled softmax: instead of the whole vocabulary, the words of the batch
    and some noise words; the logarithm of each candidate's inclusion probability is subtracted from
    its logit, which corrects for the sampling on average (Jean et al. 2015, section 3). Perplexity
    is over the whole vocabulary.
    """
    with one_thread():
        return _train(Causal(corpus, options, seed), folder, log)


def train_bert(
    corpus: Corpus, folder: Path, options: Options, seed: int, log: Log | None = None
) -> dict:
    """Train a small BERT to predict masked words and save it.

    Some words of a block are predicted; 80 % of these are replaced by `[MASK]`, 10 % by a random
    word, 10 % left unchanged (Devlin et al. 2019, section 3.1). Blocks are enclosed in `[CLS]` and
    `[SEP]`; there is no next-sentence prediction.
    """
    with one_thread():
        return _train(Masked(corpus, options, seed), folder, log)


def _train(task: Causal | Masked, folder: Path, log: Log | None) -> dict:
    """Train, evaluate and save a model; returns the report."""
    started = monotonic()
    report = task.text.summary() | _fit(task, log)
    tokens, loss, unigram = task.held_out()
    report |= {"held_out": tokens, "perplexity": float(np.exp(loss))}
    report |= {"unigram_perplexity": float(np.exp(unigram)), "seconds": monotonic() - started}
    with folder_aside(folder) as part:
        save_model(Model(folder.name, task.kind, task.network, task.tokenizer, CPU, None), part)
        (part / REPORT).write_text(json.dumps(report, indent=2) + "\n", "utf-8")
    return report


def _fit(task: Causal | Masked, log: Log | None) -> dict:
    """Train for the given number of epochs; tokens processed and mean loss of the last steps."""
    options, network = task.text.options, task.network
    rng = generator(task.text.seed, task.name, "training")
    order = [rng.permutation(task.blocks) for _ in range(ceil(options.epochs))]
    order = np.concatenate(order)[: max(1, round(options.epochs * task.blocks))]
    steps = ceil(len(order) / options.batch)
    parameters = list(network.parameters())
    groups = [  # weight decay for matrices but not for biases and scales
        {"params": [p for p in parameters if p.dim() > 1], "weight_decay": options.weight_decay},
        {"params": [p for p in parameters if p.dim() == 1], "weight_decay": 0.0},
    ]
    rate = options.learning_rate
    optimizer = torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.95), fused=True)
    pace, name = Pace(log), f"{task.name} of {len(task.text.vocabulary.words):,} words"
    losses: list[float] = []
    network.train()
    for step, first in enumerate(range(0, len(order), options.batch), 1):
        done = step / steps
        rising = done / options.warmup if options.warmup else 1.0
        falling = (1 - done) / (1 - options.warmup) + FINAL_RATE
        for group in optimizer.param_groups:
            group["lr"] = rate * min(rising, falling)
        loss = task.loss(order[first : first + options.batch], rng)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), options.clip)
        optimizer.step()
        losses.append(loss.item())
        if pace.due():
            speed = step * options.batch * options.length / pace.seconds
            mean = np.mean(losses[-LOSS_WINDOW:])
            line = f"{name}, step {step:,} of {steps:,}: loss {mean:.2f}, {speed:,.0f} tokens/s"
            pace.log(f"{line}, {pace.left(step, steps)}")
    network.eval()
    return {"trained": len(order) * options.length, "loss": float(np.mean(losses[-LOSS_WINDOW:]))}
