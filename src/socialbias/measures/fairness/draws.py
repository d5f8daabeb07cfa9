"""Bootstrap intervals of fairness metrics, and what they are where groups do not matter.

Distances, ranges and absolute gaps are above 0 without any bias, and grow with the number of
groups. Each metric therefore has a null: its values with terms dealt to groups at random.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import factorial, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from socialbias.errors import UserError
from socialbias.measures.fairness.data import Predictions
from socialbias.measures.fairness.metrics import Result, evaluate
from socialbias.measures.fairness.registry import Metric, Version
from socialbias.measures.fairness.sample import Draws, Sample
from socialbias.measures.fairness.variations import Tuples
from socialbias.stats.seeding import generator

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
BATCH_CELLS = 1 << 21  # groups x draws x examples of what is computed at once


class Key(NamedTuple):
    """What a value is of: a metric, the number of a class, a normaliser's version."""

    metric: str
    class_: int
    version: Version


def bootstrap(data: Predictions, draws: int, seed: int) -> Draws:
    """Bootstrap samples of source examples, and of the terms of each group and word class.

    The same sources and terms give the same samples, so that two models pair.
    """
    rng = generator(seed, "fairness bootstrap", *data.sources, *data.terms)
    s, v = len(data.sources), len(data.term_group)
    chosen = rng.integers(s, size=(draws, s)) + s * np.arange(draws)[:, None]
    weights = np.bincount(chosen.ravel(), minlength=draws * s).reshape(draws, s) * 1.0
    terms = np.tile(np.arange(v), (draws, 1))
    if data.terms:
        kinds = np.column_stack([data.term_group, data.stratum])
        for own in _alike(np.unique(kinds, axis=0, return_inverse=True)[1].ravel()):
            terms[:, own] = own[rng.integers(len(own), size=(draws, len(own)))]
    return Draws(weights, terms)


def deals(data: Predictions, draws: int, seed: int) -> Draws:
    """Terms dealt to groups at random within word class, as many to each group as before.

    Terms are of one word class if they fit the same sources.

    Raises:
        UserError: the terms are unknown, or none could go to another group.
    """
    if not data.terms:
        raise UserError("fairness: without terms, none can be assigned to groups")
    rng = generator(seed, "fairness deals", *data.sources, *data.terms)
    terms = np.tile(np.arange(len(data.terms)), (draws, 1))
    movable = False
    for own in _alike(data.stratum):
        movable = movable or len(np.unique(data.term_group[own])) > 1
        terms[:, own] = rng.permuted(terms[:, own], axis=1)
    if not movable:
        raise UserError("fairness: no term occurs with the sources of another group's term")
    return Draws(np.ones((draws, len(data.sources))), terms)


def _alike(kinds: Ints) -> list[Ints]:
    """Places of equal numbers."""
    order = np.argsort(kinds, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(kinds[order])) + 1)


def smallest_p(data: Predictions) -> float:
    """Return the smallest p-value that dealing terms to groups can give.

    One in the number of different deals, and of deals that only exchange groups of equal size:
    metrics of all groups have the same value in these. Two groups of three terms have 10.
    """
    sizes = [  # of each word class the terms of each group
        np.bincount(data.term_group[own], minlength=len(data.groups)).tolist()
        for own in _alike(data.stratum)
    ]
    ways = prod(factorial(sum(each)) // prod(map(factorial, each)) for each in sizes)
    alike = Counter(zip(*sizes, strict=True))  # groups of equal size
    return prod(map(factorial, alike.values())) / ways


def results(
    data: Predictions,
    metrics: Iterable[Metric],
    draws: Draws,
    tuples: Tuples | None,
    classes: Iterable[int] | None = None,
) -> dict[Key, Result]:
    """Return all versions of metrics, for each class where they are class-wise, in each draw.

    Args:
        data: Predictions.
        metrics: Entries of the registry, or others like them.
        draws: B draws.
        tuples: Variations of the data's sources; None for group metrics alone.
        classes: Numbers of the classes that are asked for; None for all.
    """
    metrics = list(metrics)
    numbers = range(len(data.classes)) if classes is None else list(classes)
    size = len(data) * len(data.groups)
    if tuples is not None:
        size = max(size, tuples.terms.size)
    step, many = max(1, BATCH_CELLS // size), len(draws.sources)
    parts: dict[Key, list[Result]] = {}
    for i in range(0, many, step):
        sample = Sample(data, draws.block(i, i + step), tuples)
        for metric in metrics:
            for c in numbers if metric.class_wise else [0]:
                for version in metric.versions:
                    part = evaluate(metric, sample, c, version)
                    parts.setdefault(Key(metric.name, c, version), []).append(part)
    joined = {}
    for key, of_blocks in parts.items():
        by_group = None
        if of_blocks[0].by_group is not None:
            by_group = np.concatenate([part.by_group for part in of_blocks], axis=1)
        joined[key] = Result(np.concatenate([part.value for part in of_blocks]), by_group)
    return joined
