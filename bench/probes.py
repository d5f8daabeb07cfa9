"""Probes as one problem, beside one probe after the other and one example at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter

import numpy as np
import torch

from bench.comparison import Comparison, Here, Measurement
from bench.workplace import Workplace
from socialbias.models.probe import BERT, BY_TARGET, REAL, Settings, probe, split
from socialbias.models.threads import one_thread

TARGETS, EXAMPLES, WIDTH, GROUPS = 8, 1_000, 384, 2
REPLICATES = 10  # with real labels, and as many with labels drawn by target
PROBES = 2 * REPLICATES
A_POINT = 0.01  # how far apart the held-out accuracies may be


def comparisons(workplace: Workplace) -> Iterator[Comparison]:
    """Yield the paper's settings for BERT, beside loops with a step for each example or batch."""
    x, labels, targets = problem()
    size = f"{PROBES} probes, {TARGETS} x {EXAMPLES:,} examples x {WIDTH} features"
    for batch, bar in ((1, 100), (BERT.batch_size, None)):
        steps = "a step for each example" if batch == 1 else f"batches of {batch}"
        yield Comparison(
            name=f"probes-{batch}",
            what=f"{size}, {BERT.epochs} epochs in batches of {BERT.batch_size}",
            ours=Here(lambda: together(x, labels, targets)),
            peer=times(PROBES, lambda batch=batch: alone(x, labels, targets, batch)),
            peer_name=f"plain PyTorch, one probe after the other, {BERT.epochs} epochs, {steps}",
            least_ratio=bar,
            difference=lambda ours, theirs: abs(ours - theirs),
            tolerance=A_POINT,
            note=f"the peer trains one probe and its time counts {PROBES} times; what is compared "
            "is held-out accuracy; for single examples the learning rate is divided by the root "
            "of 10, without which the peer is less accurate",
        )


def problem() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Vectors that tell two groups and no group apart, but not surely, and the target besides."""
    rng = np.random.default_rng(0)
    n = TARGETS * EXAMPLES
    targets = np.tile(np.arange(TARGETS), EXAMPLES)
    labels = rng.choice([0, 1, -1], n, p=[0.3, 0.3, 0.4])
    centres = rng.normal(size=(GROUPS + 1, WIDTH)) / 12
    names = rng.normal(size=(TARGETS, WIDTH)) / 4
    x = rng.normal(size=(n, WIDTH)) + centres[labels] + names[targets]
    return x.astype(np.float32), labels, targets


def together(x: np.ndarray, labels: np.ndarray, targets: np.ndarray) -> float:
    """Return all probes at once; the mean held-out accuracy of those with real labels."""
    found = probe(
        {"vectors": x},
        labels,
        targets,
        n_targets=TARGETS,
        k=GROUPS,
        settings=BERT,
        seed=0,
        replicates=REPLICATES,
        label_sets=[REAL, BY_TARGET],
    )
    return float(np.mean([run.accuracy for run in found.runs if run.labels == REAL]))


def alone(x: np.ndarray, labels: np.ndarray, targets: np.ndarray, batch: int) -> float:
    """Return one probe with PyTorch's own layer, loss and optimiser; its held-out accuracy."""
    training = split(targets, Settings().train_share)
    vectors, truth = torch.from_numpy(x), torch.from_numpy(np.where(labels < 0, GROUPS, labels))
    with one_thread():
        torch.manual_seed(0)
        layer = torch.nn.Linear(WIDTH, GROUPS + 1)
        # Adam's rate goes with the root of the batch.
        rate = BERT.learning_rate * (batch / BERT.batch_size) ** 0.5
        optimizer = torch.optim.Adam(layer.parameters(), lr=rate)
        loss = torch.nn.CrossEntropyLoss()
        rows = torch.from_numpy(np.flatnonzero(training))
        for _ in range(BERT.epochs):
            for chosen in rows[torch.randperm(len(rows))].split(batch):
                optimizer.zero_grad()
                loss(layer(vectors[chosen]), truth[chosen]).backward()
                optimizer.step()
        held_out = torch.from_numpy(~training)
        right = layer(vectors[held_out]).argmax(dim=1) == truth[held_out]
        return right.double().mean().item()


def times(number: int, function: Callable[[], float]) -> Callable[[], Measurement]:
    """Return a side that does one of so many equally long parts of the work."""

    def side() -> Measurement:
        start = perf_counter()
        result = function()
        return Measurement(number * (perf_counter() - start), result)

    return side
