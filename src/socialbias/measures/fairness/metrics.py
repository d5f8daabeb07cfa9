"""The three generalized fairness metrics.

Czarnowska, Vyas and Shah 2021, equations 1 to 6. A metric compares the scores of groups in pairs
(PCM), each with its background (BCM; as a vector VBCM), or all at once (MCM). A group metric
compares scores of all a group's examples, a counterfactual one those of the variations of each
source example, and averages over sources.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from socialbias.errors import UserError
from socialbias.measures.fairness.data import Predictions
from socialbias.measures.fairness.registry import (
    COMPARISONS,
    METRICS,
    PHIS,
    Metric,
    Normaliser,
    Phi,
    Version,
)
from socialbias.measures.fairness.sample import Sample
from socialbias.measures.fairness.scores import Values
from socialbias.measures.fairness.variations import Tuples

Array = NDArray[np.float64]


class Result(NamedTuple):
    """A metric of one class.

    Attributes:
        value: (B,) in each draw; NaN where it is not defined, or says nothing.
        by_group: (T, B) of each group: its comparison with the background, or the mean of its
            comparisons in pairs. None where a metric compares all groups at once.
    """

    value: Array
    by_group: Array | None


def as_they_are(gaps: Array) -> Array:
    """No mean over source examples: group metrics."""
    return gaps


# --- the three generalized metrics ------------------------------------------------------------


def pairwise(
    scores: Any, groups: int, d: Callable, normaliser: Normaliser, average: Callable = as_they_are
) -> Result:
    """Pairwise comparison metric (equations 1 and 2).

    Args:
        scores: Scores by group: T of them along the first axis, an array or sets of values.
        groups: T.
        d: Comparison function of the scores of a first group and of others, (1, ...) and (t, ...).
        normaliser: What the sum over pairs is divided by.
        average: The mean of comparisons over source examples.
    """
    by_group = None
    for i in range(groups - 1):
        gaps = average(d(scores[i : i + 1], scores[i + 1 :]))
        if by_group is None:
            by_group = np.zeros((groups, *gaps.shape[1:]))
        by_group[i] += gaps.sum(axis=0)
        by_group[i + 1 :] += gaps
    total = by_group.sum(axis=0) / 2  # each pair is in two groups
    return Result(total / size(normaliser, groups), by_group / (groups - 1))


def background(
    scores: Any, backgrounds: Any, groups: int, d: Callable, normaliser: Normaliser
) -> Result:
    """Background comparison metric (equation 3), and as a vector.

    Args:
        scores: Scores by group.
        backgrounds: Scores of the groups' backgrounds, T or 1 along the first axis.
        groups: T.
        d: Comparison function of the background's score and the group's, in this order.
        normaliser: What the sum over groups is divided by.
    """
    gaps = np.asarray(d(backgrounds, scores))
    return Result(gaps.sum(axis=0) / size(normaliser, groups), gaps)


def multigroup(scores: Array, d: Callable, average: Callable = as_they_are) -> Result:
    """Multi-group comparison metric (equations 5 and 6).

    Args:
        scores: (T, ...) scores by group.
        d: Comparison function of them all.
        average: The mean of comparisons over source examples.
    """
    return Result(average(d(scores)), None)


def size(normaliser: Normaliser, groups: int) -> int:
    """Return what a sum is divided by: 1, the number of groups, or the number of pairs of them."""
    return {"none": 1, "groups": groups, "pairs": groups * (groups - 1) // 2}[normaliser]


# --- values -----------------------------------------------------------------------------------


def evaluate(metric: Metric, sample: Sample, c: int, version: Version = "published") -> Result:
    """Return a metric of one class in each draw.

    Args:
        metric: An entry of the registry, or anything like it.
        sample: Predictions under draws.
        c: The number of the class; any, for a metric that is not class-wise.
        version: The normaliser's.

    Raises:
        UserError: the data lack what the metric is of, or have too many groups for it.
    """
    if not metric.many and len(sample.data.groups) != 2:
        raise UserError(f"fairness: {metric.name} is for two groups, but there are"
                        f" {len(sample.data.groups)}")  # fmt: skip
    compute = _counterfactual if metric.counterfactual else _of_groups
    return compute(metric, sample, c, getattr(metric, version))


def _of_groups(metric: Metric, sample: Sample, c: int, normaliser: Normaliser) -> Result:
    """Return a group metric (equations 1, 3, 5)."""
    phi, d, groups = PHIS[metric.phi], COMPARISONS[metric.d], len(sample.data.groups)
    if phi.rate:
        sums, score = sample.sums[:, :, c], phi.rate
    else:
        sums, steps = sample.values(*_classes(phi, c))
        score = partial(Values, steps=steps)
    scores = score(sums)
    if metric.kind == "PCM":
        return pairwise(scores, groups, d, normaliser)
    if metric.kind == "MCM":
        return multigroup(scores, d)
    whole = sums.sum(axis=0, keepdims=True)
    around = score(whole if metric.background == "all" else whole - sums)
    return background(scores, around, groups, d, normaliser)


def _classes(phi: Phi, c: int) -> tuple[int, int | None]:
    """Whose probability, and of which gold class."""
    gold = {"any": None, "class": c}.get(phi.gold, phi.gold)
    return (1 if phi.of == "positive" else c), gold


def _counterfactual(metric: Metric, sample: Sample, c: int, normaliser: Normaliser) -> Result:
    """Return a counterfactual metric (equations 2, 6): compared within sources, then averaged."""
    phi, d, groups = PHIS[metric.phi], COMPARISONS[metric.d], len(sample.data.groups)
    _, gold = _classes(phi, c)
    if metric.phi == "mean p" or metric.d == "W1":
        sets, average = sample.sets_by_source(c, gold)
        scores = sets.means() if metric.phi == "mean p" else sets
    else:
        scores, average = sample.variations(None if phi.of == "gold" else c, gold)
    if metric.kind == "MCM":
        return multigroup(scores, d, average)
    return pairwise(scores, groups, d, normaliser, average)


def applicable(data: Predictions, tuples: Tuples | None) -> list[str]:
    """Return the metrics that the data allow, in the order of the registry.

    LAS Difference is left out: it is the accuracy of arcs, for a parser's predictions.
    """
    binary, two = len(data.classes) == 2, len(data.groups) == 2
    return [
        m.name
        for m in METRICS.values()
        if (m.many or two)
        and (binary or PHIS[m.phi].of != "positive")
        and not (m.of_probabilities and data.probabilities is None)
        and not (m.phi in ("fpr", "tnr") and data.y_true is None)
        and (tuples is not None or not m.counterfactual)
        and m.phi != "las"
    ]
