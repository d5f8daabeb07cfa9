"""The accuracy of a classifier on examples that it was not trained on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from socialbias.errors import UserError
from socialbias.stats.clustered import clustered_shares


@dataclass(frozen=True)
class Accuracy:
    """The share of correct predictions for examples that were not trained on."""

    share: float  # of the examples
    low: float  # lower end of the interval
    high: float  # upper end
    n: int  # Examples
    majority: float  # share of the most frequent class, which needs no classifier


def accuracy(
    probabilities: ArrayLike,
    labels: ArrayLike,
    level: float,
    clusters: ArrayLike | None = None,
) -> Accuracy:
    """Return how many predictions are correct, with an interval.

    Args:
        probabilities: (n, k) of each class, or their logarithms; the largest is the prediction, the
            first of equal ones.
        labels: (n,) the true classes.
        level: Nominal coverage of the interval (Wilson 1927, for independent clusters).
        clusters: (n,) numbers of what the examples are from, such as documents, if those from one
            are not independent; by default each is by itself.
    """
    labels = np.asarray(labels, np.int64)
    if not len(labels):
        raise UserError("no example is held out: a classifier's accuracy needs held-out ones")
    correct = (np.asarray(probabilities).argmax(axis=1) == labels).astype(np.int64)
    clusters = np.arange(len(labels)) if clusters is None else np.asarray(clusters, np.int64)
    result = clustered_shares(correct, np.zeros(len(labels), np.int64), clusters, 1, 2, level)
    share, low, high = (float(a[0, 1]) for a in (result.share, result.low, result.high))
    return Accuracy(share, low, high, len(labels), float(np.bincount(labels).max() / len(labels)))
