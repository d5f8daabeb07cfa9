"""Probes: against plain PyTorch and scikit-learn, what they sum up, controls and baselines."""

import numpy as np
import pytest
import torch

from socialbias.errors import UserError
from socialbias.models.probe import (
    BY_TARGET,
    LABELS,
    REAL,
    SHUFFLED,
    Settings,
    fit,
    probe,
    split,
)
from socialbias.models.threads import one_thread
from socialbias.stats.seeding import generator

QUICK = Settings(learning_rate=0.05)  # few examples are few steps


def noisy(n: int, d: int, classes: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Vectors that tell their class, but not surely."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, n)
    return (rng.normal(size=(n, d)) + labels[:, None] * rng.normal(size=d)).astype("f4"), labels


def one_at_a_time(x, labels, classes, settings, stream) -> tuple[np.ndarray, np.ndarray]:
    """The same probe by PyTorch's layer, loss and automatic gradient."""
    layer = torch.nn.Linear(x.shape[1], classes)
    drawn = stream.uniform(-1, 1, (classes, x.shape[1] + 1)) / np.sqrt(x.shape[1])
    with torch.no_grad():
        layer.weight.copy_(torch.from_numpy(drawn[:, :-1]))
        layer.bias.copy_(torch.from_numpy(drawn[:, -1]))
    groups = [{"params": [layer.weight], "weight_decay": settings.weight_decay}]
    optimizer = torch.optim.Adam([*groups, {"params": [layer.bias]}], lr=settings.learning_rate)
    for _ in range(settings.epochs):
        order = stream.permutation(len(x))
        for first in range(0, len(x), settings.batch_size):
            rows = order[first : first + settings.batch_size]
            scores = layer(torch.from_numpy(x[rows]))
            loss = torch.nn.functional.cross_entropy(scores, torch.from_numpy(labels[rows]))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return layer.weight.detach().numpy(), layer.bias.detach().numpy()


@pytest.mark.parametrize("decay", [0.0, 0.01])
def test_as_plain_pytorch(decay):
    """Two sets of features, three probes, and a last batch that is smaller."""
    settings = Settings(epochs=3, batch_size=10, learning_rate=1e-2, weight_decay=decay)
    features, labels = zip(*(noisy(47, 6, 3, seed) for seed in (1, 2)), strict=True)
    which, learnt = [0, 1, 0], np.stack([labels[0], labels[1], labels[0][::-1]])
    streams = [generator(1, "test", i) for i in range(3)]
    weights, intercepts = fit(features, learnt, which, 3, settings, streams)
    for i in range(3):
        stream = generator(1, "test", i)
        with one_thread():
            expected = one_at_a_time(features[which[i]], learnt[i].copy(), 3, settings, stream)
        np.testing.assert_allclose(weights[i], expected[0], atol=2e-6)
        np.testing.assert_allclose(intercepts[i], expected[1], atol=2e-6)


def problem(n: int = 240, d: int = 5, seed: int = 4) -> dict:
    """Two groups and no group; three targets in turn."""
    x, labels = noisy(n, d, 3, seed)
    return {
        "features": {"model": x, "reverse": x[:, ::-1]},
        "labels": np.where(labels == 2, -1, labels),
        "targets": np.arange(n) % 3,
        "n_targets": 4,
        "k": 2,
        "seed": 7,
    }


def test_a_probe_depends_on_no_other():
    everything = problem() | {"label_sets": LABELS, "replicates": 3}
    alone = problem() | {"label_sets": [SHUFFLED], "replicates": 2}
    alone["features"] = {"reverse": everything["features"]["reverse"]}
    ours = probe(**alone).runs[1]
    theirs = next(
        run
        for run in probe(**everything).runs
        if (run.features, run.labels, run.replicate) == ("reverse", SHUFFLED, 1)
    )
    np.testing.assert_array_equal(ours.predictions, theirs.predictions)
    np.testing.assert_allclose(ours.probabilities, theirs.probabilities, atol=1e-6)


def test_the_first_examples_of_each_target_train():
    targets = [1, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0]  # target 0 nine times, 1 twice, 2 once
    training = split(targets, 0.7)
    assert np.flatnonzero(training).tolist() == [0, 1, 2, 5, 6, 7, 8]  # 6 of 9, 1 of 2, 0 of 1
    assert split([0] * 10, 0.7).sum() == 7
    assert split([0] * 110, 0.7).sum() == 77


def test_a_document_is_on_one_side_of_a_target_s_split():
    targets = [0] * 10 + [1] * 4 + [2] * 10
    documents = [5, 5, 5, 3, 3, 3, 3, 3, 8, 8, 5, 5, 5, 5, *range(9), 8]
    training = split(targets, 0.7, documents)
    # Of target 0 seven are wanted, and documents end behind 3 and 8. Target 1 is asked about in
    # all of its one document, though target 0 is trained on in it.
    assert np.flatnonzero(training[:10]).tolist() == list(range(8))
    assert not training[10:14].any()
    assert np.flatnonzero(training[14:]).tolist() == list(range(7))
    # Documents need not stand together.
    assert split([0] * 4, 0.5, [1, 2, 1, 2]).tolist() == [True, False, True, False]
    given, documents = problem(), np.repeat(np.arange(12), 20)
    found = probe(**given, documents=documents)
    expected = split(given["targets"], 0.7, documents).tolist()
    assert found.examples.training.tolist() == expected
    assert expected != split(given["targets"], 0.7).tolist()


def test_what_is_said_is_of_the_held_out_part():
    """20 examples of target 0 and 10 of target 1; a feature of so much weight that it is sure."""
    labels = np.array([0] * 14 + [0, 1, 1, -1, 0, 0] + [1] * 7 + [-1, 1, 1])
    targets = np.array([0] * 20 + [1] * 10)
    told = labels.copy()
    told[[14, 27]] = 1  # what the features say of these two is wrong
    x = np.eye(3)[told] * 50
    found = probe({"x": x}, labels, targets, n_targets=3, k=2, settings=QUICK, seed=1)
    assert found.train_counts.tolist() == [[14, 0, 0], [0, 7, 0], [0, 0, 0]]
    assert found.held_out.tolist() == [14, 15, 16, 17, 18, 19, 27, 28, 29]
    run = found.runs[0]
    assert run.expected.tolist() == [0, 1, 1, 2, 0, 0, 2, 1, 1]
    # Class 2 does not occur in training, so that the prediction of its example is open.
    known = np.array([0, 1, 2, 4, 5, 6, 7, 8])
    assert run.predictions[known].tolist() == [1, 1, 1, 0, 0, 1, 1, 1]
    assert run.accuracy == pytest.approx((6 + (run.predictions[3] == 2)) / 9)
    np.testing.assert_allclose(run.probabilities.sum(axis=1), 1, atol=1e-6)


def test_controls():
    """Both learn nothing of the vectors; one can know the target, and is told apart by that."""
    rng = np.random.default_rng(6)
    n, t = 3000, 3
    labels, targets = rng.integers(-1, 2, n), rng.integers(0, t, n)
    x = np.hstack([np.eye(3)[labels], np.eye(t)[targets]])
    found = probe(
        {"x": x}, labels, targets, n_targets=t, k=2, seed=2, label_sets=LABELS, replicates=2
    )
    runs = {(run.labels, run.replicate): run for run in found.runs}
    for i in range(2):
        assert runs[REAL, i].accuracy == 1
        assert runs[BY_TARGET, i].accuracy == 1  # the target is in the vectors
        assert abs(runs[SHUFFLED, i].accuracy - 1 / 3) < 0.15
        # One label for each target.
        given = np.column_stack([targets[found.held_out], runs[BY_TARGET, i].expected])
        assert len(np.unique(given, axis=0)) == t
    without_name = probe(
        {"x": x[:, :3]}, labels, targets, n_targets=t, k=2, seed=1, label_sets=LABELS, replicates=4
    )
    runs = {(run.labels, run.replicate): run for run in without_name.runs}
    # Where the draw gives all targets one label, any probe knows it.
    mixed = [i for i in range(4) if len(np.unique(runs[BY_TARGET, i].expected)) > 1]
    assert mixed
    for i in mixed:
        assert runs[REAL, i].accuracy - runs[BY_TARGET, i].accuracy > 0.2


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({"features": {"x": np.full((240, 5), np.nan)}}, UserError, "'x' contain NaN"),
        (
            {"labels": [0, 1], "targets": [0, 1], "features": {"x": np.zeros((2, 2))}},
            UserError,
            "2 examples cannot be split",
        ),
        ({"labels": [], "targets": [], "features": {"x": []}}, UserError, "0 examples cannot"),
    ],
)
def test_what_cannot_be_used(change, kind, message):
    with pytest.raises(kind, match=message):
        probe(**problem() | change)
