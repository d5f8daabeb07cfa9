"""Training a model with a head, in a loop that can be killed and resumed.

A loop of our own, rather than transformers' `Trainer`, so that what is random in a step depends on
nothing before it, and a step is run in as many parts as memory requires. A run that was killed then
continues to the same weights: byte by byte on a CPU, up to the rounding of its kernels on a GPU.

The gradient of a step is the sum over its parts: how a step is cut changes it by rounding. But
dropout draws a mask for each part, so that another cut draws others, as another seed would.
"""

from __future__ import annotations

import hashlib
import json
import pickle
import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Literal, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from socialbias.errors import UserError
from socialbias.files.atomic_write import aside, folder_aside
from socialbias.models.batching import Ids
from socialbias.models.features import batches
from socialbias.models.loading import (
    TF32,
    Model,
    enough_memory,
    load_model,
    save_model,
    within_memory,
)
from socialbias.models.threads import threads
from socialbias.stats.seeding import generator
from socialbias.system.progress import Log, Pace

# Weights of a model that may not fit on a card of 24 GB when it is trained: of StereoSet's models
# only GPT-2 large (774 million; BERT and XLNet large have 334 and 361 million).
LARGE = 500_000_000
MAX_GRADIENT = 1.0  # length
LOSS_WINDOW = 100  # steps over which the reported loss is averaged
DIGITS = 8  # of the key that distinguishes checkpoints of different runs
REPORT, HEAD, WEIGHTS = "report.json", "head.json", "head.safetensors"
CHECKPOINT, BEST = "checkpoint.pt", "best.safetensors"
TOO_LARGE = "set checkpointing in contextual.training, or use a smaller model or another device"
# Exceptions that torch raises for a file that is not a checkpoint.
UNREADABLE = (OSError, RuntimeError, ValueError, LookupError, EOFError, pickle.UnpicklingError)


@dataclass(frozen=True)
class Options:
    """How to fine-tune, with Adam."""

    epochs: int  # at most
    batch: int  # examples per step
    learning_rate: float  # the highest
    warmup: int = 0  # steps in which the rates rise linearly
    decay: bool = False  # whether they then fall linearly to zero
    # Of matrices, as a share of the weights for each unit of learning rate.
    weight_decay: float = 0.0
    length: int = 256  # maximum pieces of a text or pair
    # Widths of the head's linear layers before the last. There is no nonlinearity between them, as
    # in the released code.
    hidden: tuple[int, ...] = ()
    dropout: float = 0.0  # share of what a head for words sees that is dropped in training
    # Stop after as many epochs without a better score on the development part, and keep the best
    # epoch's weights; None to train for all epochs and keep the last.
    patience: int | None = None
    # Maximum pieces run at once, including padding: a step is cut into parts of texts of similar
    # length, and its gradient summed. It is lowered whenever memory runs out.
    tokens: int = 2048
    # `float32`; `tf32`, as in `load_model`; or `bfloat16`, mixed precision: products of matrices
    # see numbers rounded to bfloat16, while weights and their updates are float32.
    dtype: Literal["float32", "tf32", "bfloat16"] = "float32"
    # Whether layers keep only their inputs for the gradients and are run again for them: less
    # memory, more time, the same result. `auto` does so in models that are `LARGE`.
    checkpointing: Literal["auto"] | bool = "auto"
    checkpoint: int = 500  # steps between checkpoints; there is one at the end of each epoch too
    threads: int = 1  # of torch on a CPU, on any number of cores; another number rounds differently


class Trainable(Protocol):
    """A model with a head, whose weights are trained and saved."""

    model: Model
    head: nn.Module

    @property
    def form(self) -> dict:
        """What is saved beside the weights of the head, as JSON takes it."""


def trained(
    folder: Path,
    out: Path,
    key: str,
    begin: Callable[[Model, Path], Training],
    development: object,
    report_of: Callable[[Trainable], dict],
    options: Options,
    device: str,
) -> dict:
    """Train a model to the end, from where it was killed, and save it; or find that it is done.

    Its checkpoints are in a folder beside its output, which is removed when it is done.
    """
    path = out / REPORT
    complete = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    if complete.get("key") == key:
        return complete
    work = out.with_name(f"{out.name}.{key[:DIGITS]}.part")
    work.mkdir(parents=True, exist_ok=True)
    weights = TF32 if options.dtype == TF32 else "float32"
    with threads(options.threads):
        model = load_model(folder, "encoder", device=device, dtype=weights)
        cuda = [model.device] if model.device.type == "cuda" else []
        with torch.random.fork_rng(devices=cuda):
            training = begin(model, work)
            training.run(development)
            classifier = training.classifier
            report = {"key": key} | training.summary() | report_of(classifier)
    report = json.loads(json.dumps(report))  # as it is read from the file
    with folder_aside(out) as part:
        save_model(classifier.model, part)
        weights = {k: v.contiguous() for k, v in classifier.head.state_dict().items()}
        save_file(weights, part / WEIGHTS)
        (part / HEAD).write_text(json.dumps(classifier.form, indent=2) + "\n", "utf-8")
        (part / REPORT).write_text(json.dumps(report, indent=2) + "\n", "utf-8")
    shutil.rmtree(work)
    return report


class Training(ABC):
    """The loop over steps, whose state can be written and read.

    What is trained, and on what, is for those that inherit from it to say.

    Attributes:
        classifier: What is trained.
    """

    def __init__(
        self,
        classifier: Trainable,
        rows: Sequence[Ids],
        options: Options,
        seed: int,
        work: Path,
        log: Log | None,
    ):
        self._options, self._seed, self._work = options, seed, work
        self._log = log or (lambda line: None)
        self._rows, self.classifier = rows, classifier
        self._tokens = options.tokens  # run at once, as memory allows
        self._both = nn.ModuleDict({"network": classifier.model.network, "head": classifier.head})
        self._optimizer = _optimizer(classifier, options)
        model, checkpointing = classifier.model, options.checkpointing
        if checkpointing == "auto":
            checkpointing = sum(p.numel() for p in model.network.parameters()) > LARGE
        if checkpointing:
            # The first list with as many modules as the model has layers.
            lists = (x for x in model.body.modules() if isinstance(x, nn.ModuleList))
            for block in next((x for x in lists if len(x) == model.layers), ()):
                block.forward = partial(_checkpointed, block.forward)
        self._step = self._first = 0  # steps done, and those done before a checkpoint
        self._losses, self._development = [], []
        self._epoch, self._order = -1, np.arange(0)  # the order of examples in an epoch
        self._epoch_steps = -(-len(self._rows) // options.batch)
        self._steps = options.epochs * self._epoch_steps
        self._pace = Pace(log)

    @abstractmethod
    def _loss(self, numbers: NDArray[np.int64]) -> Tensor:
        """Return the summed loss of some examples, run as one batch."""

    @abstractmethod
    def _score(self, development: object) -> float:
        """Return how good what is trained is; more is better."""

    def run(self, development: object) -> None:
        """Train to the end, from the last checkpoint if there is one."""
        if (self._work / CHECKPOINT).is_file():
            self._read(self._work / CHECKPOINT)
        self._run(development)
        if self._options.patience is not None:
            self._both.load_state_dict(load_file(self._work / BEST))
        self.classifier.model.network.eval()

    def _run(self, development: object) -> None:
        """Do the steps that are left."""
        while self._step < self._steps and not self._stops():
            epoch, place = divmod(self._step, self._epoch_steps)
            if epoch != self._epoch:
                rng = generator(self._seed, "fine-tuning", "order", epoch)
                self._epoch, self._order = epoch, rng.permutation(len(self._rows))
            size = self._options.batch
            self._train(self._order[place * size : (place + 1) * size])
            if self._step % self._epoch_steps == 0:
                self._evaluate(development)
                self._write()
            elif self._step % self._options.checkpoint == 0:
                self._write()

    def summary(self) -> dict:
        """Return the training's part of the report."""
        return {
            "options": asdict(self._options),
            "seed": self._seed,
            "examples": len(self._rows),
            "epochs": self._step // self._epoch_steps,
            "steps": self._step,
            "tokens": self._tokens,
            "loss": float(np.mean(self._losses)),
            "development": self._development,
        }

    def _train(self, examples: NDArray[np.int64]) -> None:
        """Take one step."""
        rate = _schedule(self._step, self._steps, self._options)
        for group in self._optimizer.param_groups:
            group["lr"] = rate * group["highest"]
        self._both.train()
        while (loss := self._gradients(examples)) is None:
            pass  # with fewer pieces at once
        parameters = [p for group in self._optimizer.param_groups for p in group["params"]]
        torch.nn.utils.clip_grad_norm_(parameters, MAX_GRADIENT)
        name, device = self.classifier.model.name, self.classifier.model.device
        with enough_memory(
            f"{name}: weights, gradients and Adam's moments do not fit into the memory of "
            f"{device}: use a smaller model or another device"
        ):
            self._optimizer.step()
        self._losses = [*self._losses[1 - LOSS_WINDOW :], loss]
        self._step += 1
        if self._pace.due() or self._step == self._steps:
            left = self._pace.left(self._step - self._first, self._steps - self._first)
            self._log(f"{name}, step {self._step:,} of {self._steps:,}: loss {loss:.3f}, {left}")

    def _gradients(self, examples: NDArray[np.int64]) -> float | None:
        """Return the loss of a step, with its gradients; None if memory ran out.

        Fewer pieces may fit. A part that ran out of memory may have added some of its gradients.
        The step then begins anew, with parts of half that one's size for the rest of the training.
        """
        self._optimizer.zero_grad()
        # Dropout depends on the step alone, so that no state of it has to be kept.
        torch.manual_seed(int(generator(self._seed, "dropout", self._step).integers(2**31)))
        rows, model, total = [self._rows[i] for i in examples], self.classifier.model, 0.0
        for part in batches(rows, self._tokens):
            run = partial(self._gradient, examples, part)
            longest = len(rows[part[0]][0])
            loss = within_memory(model, run, len(part), longest, TOO_LARGE)
            if loss is None:
                self._tokens = longest * (len(part) // 2)
                self._log(f"{model.name}: out of memory, now {self._tokens:,} pieces at once")
                return None
            total += loss
        return total

    def _gradient(self, examples: NDArray[np.int64], part: list[int]) -> float:
        """Add a part's share of a step's gradient; its share of the loss."""
        kind, lower = self.classifier.model.device.type, self._options.dtype == "bfloat16"
        with torch.autocast(kind, torch.bfloat16, enabled=lower):
            loss = self._loss(examples[part]) / len(examples)
        loss.backward()
        return float(loss.detach())

    def _evaluate(self, development: object) -> None:
        """Score after an epoch; keep its weights if they are the best."""
        if development is None:
            return
        score = self._score(development)
        if self._options.patience is not None and score > max(self._development, default=-1.0):
            weights = {k: v.cpu().clone() for k, v in self._both.state_dict().items()}
            with aside(self._work / BEST) as path:
                save_file(weights, path)
        self._development = [*self._development, score]

    def _stops(self) -> bool:
        """Return whether the best epoch is long enough ago; the first of equal ones counts."""
        patience, shares = self._options.patience, self._development
        if patience is None or not shares:
            return False
        return len(shares) - 1 - shares.index(max(shares)) >= patience

    def _write(self) -> None:
        """Write a checkpoint, which replaces the last one."""
        state = {
            "weights": self._both.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "step": self._step,
            "tokens": self._tokens,
            "losses": self._losses,
            "development": self._development,
        }
        with aside(self._work / CHECKPOINT) as path:
            torch.save(state, path)

    def _read(self, path: Path) -> None:
        """Continue from a checkpoint."""
        try:
            # As it is needed: of a large model it may have more than the machine's memory.
            state = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
            self._both.load_state_dict(state["weights"])
            self._optimizer.load_state_dict(state["optimizer"])
        except UNREADABLE as error:
            raise UserError(
                f"{path}: not a checkpoint ({str(error)[:80]}): remove its folder to begin again"
            ) from None
        self._step = self._first = state["step"]
        self._tokens = state["tokens"]
        self._losses, self._development = state["losses"], state["development"]
        self._log(f"{self.classifier.model.name}: continues after step {self._step:,}")


def _checkpointed(forward: Callable, *positional, **named):
    """Run a block that keeps its inputs alone; it runs again for its gradients."""
    if not torch.is_grad_enabled():
        return forward(*positional, **named)
    return checkpoint(forward, *positional, use_reentrant=False, **named)


def run_key(folder: Path, contents: Iterable[object]) -> str:
    """Return a name for a model's files and what else a result depends on, as JSON takes it."""
    digest = hashlib.sha256()
    for content in contents:
        digest.update(json.dumps(content).encode())
    for path in sorted(folder.iterdir()):
        if path.is_file():
            with path.open("rb") as file:
                digest.update(path.name.encode() + hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def _optimizer(classifier: Trainable, options: Options) -> torch.optim.AdamW:
    """Adam, with weight decay for matrices but not for biases and scales."""
    groups, rate = [], options.learning_rate
    for module in (classifier.model.network, classifier.head):
        parameters = list(module.parameters())
        for decay, chosen in (
            (options.weight_decay, [p for p in parameters if p.dim() > 1]),
            (0.0, [p for p in parameters if p.dim() <= 1]),
        ):
            groups.append({"params": chosen, "weight_decay": decay, "lr": rate, "highest": rate})
    # One tensor after the other: together they need another copy of the weights on a card.
    return torch.optim.AdamW(groups, foreach=False)


def _schedule(step: int, steps: int, options: Options) -> float:
    """Return the learning rate of a step, from 0, as a share of its maximum."""
    rising = (step + 1) / options.warmup if options.warmup else 1.0
    falling = (steps - step) / max(1, steps - options.warmup) if options.decay else 1.0
    return min(1.0, rising, falling)


def load_trained(folder: Path, needed: str, device: str) -> tuple[Model, dict, dict[str, Tensor]]:
    """Return the model of a training, its head's form, and the head's weights."""
    path = folder / HEAD
    form = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    if needed not in form or not (folder / WEIGHTS).is_file():
        raise UserError(f"{folder}: no {HEAD} with {needed} and {WEIGHTS}: train a head first")
    return load_model(folder, "encoder", device=device), form, load_file(folder / WEIGHTS)
