"""Linear probes: how much a target's contextual vector reveals about the group.

Bommasani and Liang 2022, section 4.3 (Probing): a linear classifier is trained to predict the group
mentioned in a target's context from the target's contextual vector, and the strength of association
of a target with a group is the number of its held-out contexts that the classifier assigns to the
group. One probe serves all targets, as in the authors' code.

A probe's accuracy means little by itself. It is compared with control probes of the same form: with
labels drawn once for each target (the control task of Hewitt and Liang 2019) or shuffled, and with
features that encode only the target's name or come from a model with random weights. All of them
are trained together as one problem with an additional dimension.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch.nn import functional

from socialbias.errors import UserError
from socialbias.models.threads import one_thread
from socialbias.stats.seeding import generator

REAL, BY_TARGET, SHUFFLED = "real", "by-target", "shuffled"
LABELS = (REAL, BY_TARGET, SHUFFLED)
Task = tuple[str, str, int]  # of a probe: features, labels and replicate


@dataclass(frozen=True)
class Settings:
    """How probes are trained, with Adam; the defaults are the paper's for BERT."""

    epochs: int = 10  # training epochs
    batch_size: int = 10  # examples per step
    learning_rate: float = 1e-3  # of Adam
    # Added to the gradient as this times the weights (not the intercepts). The objective is then
    # the mean cross-entropy plus half of this times the squared weights, as in scikit-learn's
    # `LogisticRegression` with C = 1 / (weight_decay * examples).
    weight_decay: float = 0.0
    # Approximate share of each target's examples used for training: those of its first documents.
    train_share: float = 0.7


BERT = Settings()


@dataclass(frozen=True)
class Examples:
    """Occurrences of targets for training and evaluating probes, in corpus order."""

    labels: NDArray[np.int64]  # (n,) the number of each example's group, k for none
    targets: NDArray[np.int64]  # (n,) the number of each example's target
    training: NDArray[np.bool_]  # (n,) bool, whether it is used for training
    n_targets: int  # t, the number of targets; some may have no example
    k: int  # number of groups


@dataclass(frozen=True)
class Run:
    """The predictions of one trained probe for the held-out examples."""

    features: str  # the name of its features
    labels: str  # the labels it was trained on: `real`, `by-target` or `shuffled`
    replicate: int  # its number among probes that differ only in their random numbers
    # (h,) the label of each held-out example, k for no group: the control task's own for
    # `by-target`, otherwise the real one.
    expected: NDArray[np.int64]
    predictions: NDArray[np.int64]  # (h,) the most likely label of each, k for no group
    probabilities: NDArray[np.float32]  # (h, k + 1) of each label

    @property
    def accuracy(self) -> float:
        """Share of correct predictions."""
        return float((self.predictions == self.expected).mean())


@dataclass(frozen=True)
class Probes:
    """Probes on the same examples."""

    examples: Examples  # the examples for training and evaluation
    held_out: NDArray[np.int64]  # (h,) the numbers of the held-out examples
    runs: tuple[Run, ...]  # the probes

    @property
    def train_counts(self) -> NDArray[np.int64]:
        """(t, k + 1) training examples by target and label; the last label is no group."""
        part, examples = self.examples.training, self.examples
        cells = examples.targets[part] * (examples.k + 1) + examples.labels[part]
        counts = np.bincount(cells, minlength=examples.n_targets * (examples.k + 1))
        return counts.reshape(examples.n_targets, examples.k + 1)


def one_hot(targets: ArrayLike, n_targets: int) -> NDArray[np.float32]:
    """Features that identify the target and nothing else: (n, n_targets)."""
    return np.eye(n_targets, dtype=np.float32)[np.asarray(targets)]


def split(
    targets: ArrayLike, share: float, documents: ArrayLike | None = None
) -> NDArray[np.bool_]:
    """Return the training part: the examples of each target's first documents, up to about a share.

    A target's examples in one document stay together, because sentences about the same person are
    not independent. The cut is at the end of a document, as near as possible to the share (rounded
    down), and before the last document, so that each target has held-out examples. A document that
    is held out for one target may be used for training on another.
    """
    targets = np.asarray(targets)
    documents = np.arange(len(targets)) if documents is None else np.asarray(documents)
    training = np.zeros(len(targets), bool)
    for target in np.unique(targets):
        places = np.flatnonzero(targets == target)
        _, firsts, owner = np.unique(documents[places], return_index=True, return_inverse=True)
        order = np.argsort(firsts)  # documents in corpus order
        sizes = np.bincount(owner)[order]
        before = np.cumsum(sizes) - sizes
        size = int(share * len(places) + 1e-9)  # 0.7 * 10 may be 6.99..
        trained = order[: np.abs(before - size).argmin()]
        training[places] = np.isin(owner, trained)
    return training


def probe(
    features: Mapping[str, ArrayLike],
    labels: ArrayLike,
    targets: ArrayLike,
    *,
    n_targets: int,
    k: int,
    documents: ArrayLike | None = None,
    settings: Settings = BERT,
    seed: int,
    replicates: int = 1,
    label_sets: Sequence[str] = (REAL,),
) -> Probes:
    """Train a linear probe for each set of features, set of labels and replicate.

    Replicates differ in initial weights and in the order of examples, those of a control also in
    its labels. A probe depends only on its names and the seed: probes trained together with it
    change it by rounding at most.
    """
    examples = _examples(labels, targets, n_targets, k, documents, settings.train_share)
    matrices = {}
    for name, x in features.items():
        matrices[name] = matrix = np.ascontiguousarray(x, np.float32)
        if not np.isfinite(matrix).all():
            raise UserError(f"probe: features {name!r} contain NaN or infinity: extract them again")
    tasks: list[Task] = [*product(matrices, label_sets, range(replicates))]
    runs: dict[Task, Run] = {}
    for width in dict.fromkeys(x.shape[1] for x in matrices.values()):
        together = [task for task in tasks if matrices[task[0]].shape[1] == width]
        runs |= _train_together(together, matrices, examples, settings, seed)
    held_out = np.flatnonzero(~examples.training)
    return Probes(examples, held_out, tuple(runs[task] for task in tasks))


def fit(
    features: Sequence[ArrayLike],
    labels: ArrayLike,
    which: Sequence[int],
    classes: int,
    settings: Settings,
    streams: Sequence[np.random.Generator],
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Train p linear classifiers at once, with mini-batches and Adam.

    The gradient of cross-entropy with respect to the logits is predicted minus true probabilities,
    so no computation graph is needed; the products are of p matrices at a time.

    Returns:
        Weights (p, c, d) and intercepts (p, c).
    """
    m, d = np.shape(features[0])
    with one_thread(), torch.no_grad():
        # All sets stacked, so that a row has a single number.
        rows = torch.from_numpy(np.concatenate(features, dtype=np.float32))
        labels = torch.from_numpy(np.asarray(labels, np.int64))
        offsets = torch.tensor([[m * i] for i in which])
        # Initialised as PyTorch's linear layers.
        drawn = np.stack([stream.uniform(-1, 1, (classes, d + 1)) for stream in streams])
        drawn = torch.from_numpy((drawn / np.sqrt(d)).astype(np.float32))
        weights, intercepts = drawn[..., :d].contiguous(), drawn[..., d].contiguous()
        optimizer = torch.optim.Adam(
            [
                {"params": [weights], "weight_decay": settings.weight_decay},
                {"params": [intercepts]},
            ],
            lr=settings.learning_rate,
            fused=True,
        )
        for _ in range(settings.epochs):
            order = torch.from_numpy(np.stack([stream.permutation(m) for stream in streams]))
            for batch in order.split(settings.batch_size, dim=1):
                x = rows.index_select(0, (batch + offsets).ravel()).view(*batch.shape, d)
                # Of each probe's mean cross-entropy, by its logits: (p, b, c).
                error = torch.baddbmm(intercepts[:, None], x, weights.mT).softmax(dim=2)
                true = labels.gather(1, batch)[..., None]
                error.scatter_add_(2, true, error.new_full(true.shape, -1.0))
                error.div_(x.shape[1])
                weights.grad = torch.bmm(error.mT, x)
                intercepts.grad = error.sum(dim=1)
                optimizer.step()
    return weights.numpy(), intercepts.numpy()


def _examples(
    labels: ArrayLike,
    targets: ArrayLike,
    n_targets: int,
    k: int,
    documents: ArrayLike | None,
    share: float,
) -> Examples:
    labels, targets = np.asarray(labels, np.int64), np.asarray(targets, np.int64)
    training = split(targets, share, documents)
    if not training.any() or training.all():
        raise UserError(
            f"probe: {len(labels)} examples cannot be split {share:.0%} to {1 - share:.0%} "
            "by target: use more text, or more frequent targets"
        )
    return Examples(np.where(labels < 0, k, labels), targets, training, n_targets, k)


def _train_together(
    tasks: Sequence[Task],
    matrices: Mapping[str, NDArray[np.float32]],
    examples: Examples,
    settings: Settings,
    seed: int,
) -> dict[Task, Run]:
    """Train probes whose features have the same width, and run them on the held-out part."""
    training = examples.training
    names = list(dict.fromkeys(name for name, *_ in tasks))
    labels = [_labels(kind, replicate, examples, seed) for _, kind, replicate in tasks]
    weights, intercepts = fit(
        [matrices[name][training] for name in names],
        np.stack([each[training] for each in labels]),
        [names.index(features) for features, *_ in tasks],
        examples.k + 1,
        settings,
        [generator(seed, "probe", *task) for task in tasks],
    )
    runs = {}
    for task, own, *parameters in zip(tasks, labels, weights, intercepts, strict=True):
        with one_thread():
            logits = functional.linear(*map(torch.from_numpy, (matrices[task[0]], *parameters)))
            logs = torch.log_softmax(logits.double(), dim=1).numpy()[~training]
        chances = np.exp(logs).astype(np.float32)
        runs[task] = Run(*task, own[~training], logs.argmax(axis=1), chances)
    return runs


def _labels(kind: str, replicate: int, examples: Examples, seed: int) -> NDArray[np.int64]:
    """(n,) a probe's labels for training, and for comparison in the held-out part."""
    labels = examples.labels.copy()
    if kind == REAL:
        return labels
    rng = generator(seed, "probe labels", kind, replicate)
    training = labels[examples.training]
    if kind == BY_TARGET:
        return rng.choice(training, examples.n_targets)[examples.targets]
    labels[examples.training] = rng.permutation(training)
    return labels
