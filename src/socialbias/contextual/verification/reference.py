"""What is computed, by its definition: in float64, on the CPU, one text at a time, in plain loops.

Nothing is padded, batched or shared, and none of the code that is verified is called, except to
load a model and to draw from the configuration's seed.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from socialbias.contextual.extract import Span
from socialbias.contextual.models import Kind, load_model
from socialbias.contextual.onednn import without_onednn
from socialbias.contextual.probe import Settings
from socialbias.contextual.training import Options
from socialbias.stats.seeding import generator

Array = NDArray[np.float64]


class Reference:
    """A model in float64 on the CPU.

    Attributes:
        network: With the head of its kind.
        tokenizer: Its tokenizer.
    """

    def __init__(self, folder: Path, kind: Kind, seed: int | None = None):
        model = load_model(folder, kind, device="cpu", seed=seed)
        self.network = without_onednn(copy.deepcopy(model.network)).double()
        self.tokenizer = model.tokenizer

    def layers(self, text: str, pair: str | None = None) -> list[Array]:
        """(n, d) the vectors of a text's pieces in each layer."""
        with torch.no_grad():
            output = self.network.base_model(**self.inputs(text, pair), output_hidden_states=True)
        return [layer[0].numpy() for layer in output.hidden_states]

    def word_vectors(self, text: str, spans: Sequence[Span], layer: int) -> Array:
        """(m, d) for each word the mean over its pieces."""
        hidden = self.layers(text)[layer]
        offsets = self.tokenizer(text, return_offsets_mapping=True)["offset_mapping"]
        pieces = [
            [i for i, (a, b) in enumerate(offsets) if a < b and start <= a and b <= end]
            for start, end in spans
        ]
        return np.array([hidden[owned].mean(axis=0) for owned in pieces])

    def feature(self, text: str, pair: str | None, pooling: str) -> Array:
        """(d,) the mean over a text's pieces in the last layer, or the first piece."""
        last = self.layers(text, pair)[-1]
        return last.mean(axis=0) if pooling == "mean" else last[0]

    def tokens(self, text: str) -> list[int]:
        """The text's tokens without special ones."""
        return self.tokenizer(text, add_special_tokens=False)["input_ids"]

    def following(self, ids: Sequence[int]) -> Array:
        """(n - 1,) log-probability of each token but the first, given those before it."""
        with torch.no_grad():
            logits = self.network(torch.tensor([ids])).logits[0, :-1]
        return logits.log_softmax(-1).numpy()[np.arange(len(ids) - 1), ids[1:]]

    def sentence(self, text: str) -> Array:
        """Log-probability of each token of a text, given what begins a text."""
        return self.following([self.tokenizer.bos_token_id, *self.tokens(text)])

    def released(self, text: str) -> Array:
        """As `sentence`, but only the first token is given what begins a text."""
        ids = self.tokens(text)
        first = self.following([self.tokenizer.bos_token_id, ids[0]])
        return np.concatenate([first, self.following(ids)]) if len(ids) > 1 else first

    def ratio(self, context: str, text: str) -> float:
        """Log-probability of a text after a context less that of the text alone."""
        before = [self.tokenizer.bos_token_id, *self.tokens(context)]
        together = self.following([*before, *self.tokens(text)])
        return float(together[len(before) - 1 :].sum() - self.sentence(text).sum())

    def masked(self, inputs: dict[str, Tensor], hidden: Sequence[int], place: int) -> float:
        """Log-probability of the token at a place while some places are masked."""
        ids = inputs["input_ids"].clone()
        ids[0, list(hidden)] = self.tokenizer.mask_token_id
        with torch.no_grad():
            logits = self.network(**inputs | {"input_ids": ids}).logits[0, place]
        return float(logits.log_softmax(-1)[inputs["input_ids"][0, place]])

    def pseudo_likelihood(self, text: str, places: Sequence[int], pair: str | None = None) -> float:
        """The sum over some places, each masked in turn; place 0 is the first special token."""
        inputs = self.inputs(text, pair)
        return sum(self.masked(inputs, [place], place) for place in places)

    def from_left(self, text: str, places: Sequence[int]) -> float:
        """The mean over some places, from left to right, those not yet read being masked."""
        inputs = self.inputs(text, None)
        each = [self.masked(inputs, places[i:], place) for i, place in enumerate(places)]
        return float(np.mean(each))

    def follows(self, text: str, pair: str) -> float:
        """The log-odds that the second text follows the first."""
        with torch.no_grad():
            logits = self.network(**self.inputs(text, pair)).logits[0]
        return float(logits[0] - logits[1])

    def sample(self, number: int, seed: int, tokens: int) -> tuple[list[int], list[float]]:
        """The tokens of a sample, the last one that which ended it, if one did.

        Returns:
            The tokens, and how far each draw was from giving another token, as a probability.
        """
        ids, margins = [self.tokenizer.bos_token_id], []
        for chance in generator(seed, "sample", number).random(tokens):
            with torch.no_grad():
                logits = self.network(torch.tensor([ids])).logits[0, -1]
            bounds = np.cumsum(logits.softmax(-1).numpy())
            ids.append(int(np.searchsorted(bounds, chance * bounds[-1], "right")))
            margins.append(float(np.abs(bounds[:-1] - chance * bounds[-1]).min()))
            if ids[-1] == self.tokenizer.eos_token_id:
                break
        return ids[1:], margins

    def inputs(self, text: str, pair: str | None) -> dict[str, Tensor]:
        """A text, or a pair, as the network reads it."""
        inputs = self.tokenizer(text, pair, return_tensors="pt", return_token_type_ids=True)
        if not inputs["token_type_ids"].any():
            inputs.pop("token_type_ids")  # GPT-2 has no segments
        return dict(inputs)


def probe(
    features: Array, labels: NDArray[np.int64], k: int, settings: Settings, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Weights (k, d) and intercepts (k,) of a linear classifier trained by Adam."""
    n, d = features.shape
    parameters = rng.uniform(-1, 1, (k, d + 1)) / np.sqrt(d)
    x, truth = np.hstack([features, np.ones((n, 1))]), np.eye(k)[labels]
    mean, square, step = np.zeros_like(parameters), np.zeros_like(parameters), 0
    for _ in range(settings.epochs):
        order = rng.permutation(n)
        for first in range(0, n, settings.batch_size):
            batch, step = order[first : first + settings.batch_size], step + 1
            gradient = (softmax(x[batch] @ parameters.T) - truth[batch]).T @ x[batch] / len(batch)
            mean = 0.9 * mean + 0.1 * gradient
            square = 0.999 * square + 0.001 * gradient**2
            root = np.sqrt(square / (1 - 0.999**step)) + 1e-8
            parameters -= settings.learning_rate * mean / (1 - 0.9**step) / root
    return parameters[:, :-1], parameters[:, -1]


def softmax(logits: Array) -> Array:
    """Of each row."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def new_head(make: Callable[[], nn.Module], seed: int) -> nn.Module:
    """A head with the initial weights that fine-tuning draws, in float64."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(generator(seed, "head", "random weights").integers(2**31)))
        return make().double()


def linear(widths: Sequence[int]) -> nn.Sequential:
    """Linear layers."""
    return nn.Sequential(*(nn.Linear(a, b) for a, b in pairwise(widths)))


def train(
    network: nn.Module,
    head: nn.Module,
    loss_of: Callable[[int], Tensor],
    n: int,
    options: Options,
    seed: int,
) -> Array:
    """Train a network and its head, which change in place, one example at a time.

    Args:
        network: In float64, without dropout.
        head: Likewise.
        loss_of: The loss of the example of a number.
        n: Examples.
        options: How to train.
        seed: The configuration's seed.

    Returns:
        The loss of each step.
    """
    parameters = [*network.parameters(), *head.parameters()]
    matrices, others = ([p for p in parameters if (p.dim() > 1) == big] for big in (True, False))
    groups = [{"params": matrices, "weight_decay": options.weight_decay}]
    optimizer = torch.optim.AdamW([*groups, {"params": others, "weight_decay": 0.0}])
    losses: list[float] = []
    steps = options.epochs * -(-n // options.batch)
    for epoch in range(options.epochs):
        order = generator(seed, "fine-tuning", "order", epoch).permutation(n)
        for first in range(0, n, options.batch):
            rising = (len(losses) + 1) / options.warmup if options.warmup else 1.0
            falling = (steps - len(losses)) / (steps - options.warmup) if options.decay else 1.0
            for group in optimizer.param_groups:
                group["lr"] = options.learning_rate * min(1.0, rising, falling)
            optimizer.zero_grad()
            batch = order[first : first + options.batch]
            each = [loss_of(int(i)) / len(batch) for i in batch]
            for loss in each:
                loss.backward()
            nn.utils.clip_grad_norm_(parameters, options.clip)
            optimizer.step()
            losses.append(sum(loss.item() for loss in each))
    return np.array(losses)


def paths(scores: Tensor, between: Tensor) -> tuple[Tensor, Tensor]:
    """All sequences of tags of one sentence, and the score of each.

    Args:
        scores: (w, k) of each tag for each word.
        between: (k, k) of a tag, in columns, after another, in rows.

    Returns:
        (k ** w, w) the sequences, and (k ** w,).
    """
    words, tags = scores.shape
    every = torch.tensor(list(product(range(tags), repeat=words)))
    of_words = scores[torch.arange(words), every].sum(dim=1)
    return every, of_words + between[every[:, :-1], every[:, 1:]].sum(dim=1)
