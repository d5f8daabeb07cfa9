"""Fine-tuning a whole model with a classification head.

The recipes are those of Nadeem et al. 2021: appendix A.5 for whether a sentence follows another,
A.2 for the sentiment of a text. The loop is in `training`: a run that was killed can be resumed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn
from torch.nn import functional

from socialbias.errors import UserError
from socialbias.models.batching import Ids, Log
from socialbias.models.features import Pooling, batches, encoded, pooled
from socialbias.models.heads import Accuracy, accuracy
from socialbias.models.loading import Model, is_bidirectional
from socialbias.models.threads import threads
from socialbias.models.training import (
    Options,
    Training,
    load_trained,
    run_key,
    trained,
)
from socialbias.stats.seeding import generator

LEVEL = 0.95  # of the intervals of accuracies in the report


@dataclass(frozen=True)
class Examples:
    """Texts or pairs of texts, with their classes."""

    texts: Sequence[str]  # n texts
    labels: ArrayLike  # (n,) classes from 0
    pairs: Sequence[str] | None = None  # n second texts, or None
    # (n,) what each is from, for an accuracy's interval; None if each is by itself.
    clusters: ArrayLike | None = None


# Appendix A.2; the head is BERT's usual one.
SENTIMENT = Options(epochs=7, batch=32, learning_rate=1e-4)
# Appendix A.5; the weight decay is BertAdam's, and the head's widths those of the released code,
# whose rates (5e-6, and 1e-3 for the head) and epoch (1) differ from print.
NEXT_SENTENCE = Options(
    epochs=10,
    batch=80,
    learning_rate=1e-5,
    warmup=500,
    decay=True,
    weight_decay=0.01,
    hidden=(300, 300),
)


@dataclass(frozen=True)
class Classifier:
    """A model with a classification head."""

    model: Model  # without a head of its own
    head: nn.Sequential  # linear layers
    pooling: Pooling  # what the head sees
    length: int  # maximum pieces of a text or pair
    tokens: int  # maximum pieces run at once

    @property
    def form(self) -> dict:
        """What the head's weights do not say, for `load_classifier`."""
        widths = [layer.in_features for layer in self.head]
        form = {"width": widths[0], "hidden": widths[1:], "classes": self.head[-1].out_features}
        return form | {name: getattr(self, name) for name in ("pooling", "length", "tokens")}

    def logits(self, rows: Sequence[Ids]) -> Tensor:
        """(n, k) for encoded texts, run as one batch."""
        return self.head(pooled(self.model, rows, self.pooling)).float()

    @torch.no_grad()
    def log_probabilities(
        self, texts: Sequence[str], pairs: Sequence[str] | None = None, number: int = 1
    ) -> NDArray[np.float64]:
        """(n, k) log-probability of each class."""
        rows = encoded(self.model, texts, pairs, self.length)
        logs = np.empty((len(rows), self.head[-1].out_features))
        self.model.network.eval()
        with threads(number):
            for batch in batches(rows, self.tokens):
                logits = self.logits([rows[i] for i in batch]).double()
                logs[batch] = torch.log_softmax(logits, dim=1).cpu().numpy()
        return logs


def load_classifier(folder: Path, device: str = "auto") -> Classifier:
    """Load what `fine_tune` wrote."""
    model, form, weights = load_trained(folder, "classes", device)
    head = _linear([form["width"], *form["hidden"], form["classes"]])
    head.load_state_dict(weights)
    head = head.to(model.device)
    return Classifier(model, head, form["pooling"], form["length"], form["tokens"])


def fine_tune(
    folder: Path,
    train: Examples,
    held_out: Examples,
    out: Path,
    options: Options,
    seed: int,
    *,
    classes: int = 2,
    development: Examples | None = None,
    device: str = "auto",
    log: Log | None = None,
) -> dict:
    """Fine-tune a model with a new head, evaluate and save it.

    Checkpoints are in a folder beside `out`, named after everything that the result depends on, and
    are removed at the end: when a run that was killed is repeated with the same arguments, it
    continues from the last one; a run that was complete returns its report.
    """
    for name, part in (("train", train), ("held-out", held_out), ("development", development)):
        if part is not None and not len(part.texts):
            raise UserError(f"fine-tuning: the {name} part has no example")
    key = _key(folder, (train, held_out, development), options, seed, classes)
    begin = partial(_ClassifierTraining, train, options, seed, classes, log)

    def report(classifier: Classifier) -> dict:
        scored = asdict(_accuracy(classifier, held_out))
        return {"accuracy": scored.pop("share"), "classes": classes} | scored

    return trained(folder, out, key, begin, development, report, options, device)


class _ClassifierTraining(Training):
    """The training of a classifier of texts or pairs of texts."""

    def __init__(
        self,
        train: Examples,
        options: Options,
        seed: int,
        classes: int,
        log: Log | None,
        model: Model,
        work: Path,
    ):
        rows = encoded(model, train.texts, train.pairs, options.length)
        pooling = "first" if is_bidirectional(model.network.config) else "mean"
        with torch.no_grad():
            width = pooled(model, rows[:1], pooling).shape[1]
        torch.manual_seed(int(generator(seed, "head", "random weights").integers(2**31)))
        head = _linear([width, *options.hidden, classes]).to(model.device)
        self._labels = torch.from_numpy(np.array(train.labels, np.int64)).to(model.device)
        classifier = Classifier(model, head, pooling, options.length, options.tokens)
        super().__init__(classifier, rows, options, seed, work, log)

    def _loss(self, numbers: NDArray[np.int64]) -> Tensor:
        logits = self.classifier.logits([self._rows[i] for i in numbers])
        labels = self._labels[torch.from_numpy(numbers).to(logits.device)]
        return functional.cross_entropy(logits, labels, reduction="sum")

    def _score(self, development: Examples) -> float:
        return _accuracy(self.classifier, development, self._options.threads).share


def _key(
    folder: Path,
    parts: Sequence[Examples | None],
    options: Options,
    seed: int,
    classes: int,
) -> str:
    """Return a name for everything that the result depends on."""
    contents: list[object] = [[asdict(options), seed, classes]]
    for part in parts:
        if part is None:
            continue
        pairs = None if part.pairs is None else list(part.pairs)
        contents.append([list(part.texts), pairs, np.asarray(part.labels, np.int64).tolist()])
    return run_key(folder, contents)


def _linear(widths: Sequence[int]) -> nn.Sequential:
    return nn.Sequential(*(nn.Linear(a, b) for a, b in pairwise(widths)))


def _accuracy(classifier: Classifier, examples: Examples, number: int = 1) -> Accuracy:
    logs = classifier.log_probabilities(examples.texts, examples.pairs, number)
    return accuracy(logs, examples.labels, LEVEL, examples.clusters)
