"""Logistic regression against its objective, and the accuracy of predictions."""

import numpy as np
import pytest
from scipy.optimize import minimize

from socialbias.errors import UserError
from socialbias.models.heads import accuracy, fit_logistic, log_probabilities


def problem(classes: int, n: int = 60, d: int = 3):
    rng = np.random.default_rng(classes)
    x = rng.normal(size=(n, d)) * [1, 10, 0.1] + [0, 5, -3]
    labels = (x[:, 0] + rng.normal(size=n) > 0).astype(int) + (x[:, 1] > 8) * (classes == 3)
    return x, np.minimum(labels, classes - 1)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_head_is_the_optimum_of_its_objective(classes):
    x, labels = problem(classes)
    head = fit_logistic(x, labels, classes)
    z = (x - x.mean(0)) / x.std(0)

    def loss(flat):
        """Example by example, without a gradient."""
        weights, intercepts = np.split(flat, [classes * 3])
        weights, total = weights.reshape(classes, 3), 0.0
        for row, label in zip(z, labels, strict=True):
            scores = np.exp(weights @ row + intercepts)
            total -= np.log(scores[label] / scores.sum())
        return total / len(z) + 0.5 * (weights**2).sum()

    best = minimize(loss, np.zeros(classes * 4), method="BFGS", options={"gtol": 1e-6})
    weights, intercepts = np.split(best.x, [classes * 3])
    scores = z @ weights.reshape(classes, 3).T + intercepts
    expected = scores - np.log(np.exp(scores).sum(1, keepdims=True))
    np.testing.assert_allclose(log_probabilities(head, x), expected, atol=1e-4)


def test_accuracy_by_hand():
    probabilities = [[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.5, 0.5]]
    found = accuracy(probabilities, [0, 1, 1, 0], 0.95)  # the last is a tie: the first class
    assert (found.share, found.n, found.majority) == (0.75, 4, 0.5)
    assert 0 < found.low < 0.75 < found.high < 1


def test_examples_of_a_document_are_not_independent():
    rng = np.random.default_rng(1)
    right = np.repeat(rng.random(40) < 0.7, 5)
    probabilities = np.where(right[:, None], [0.1, 0.9], [0.9, 0.1])
    labels = np.ones(200, int)
    alone = accuracy(probabilities, labels, 0.95)
    together = accuracy(probabilities, labels, 0.95, np.repeat(np.arange(40), 5))
    assert together.share == alone.share == right.mean()
    assert together.high - together.low > 1.5 * (alone.high - alone.low)


def test_what_cannot_be_learnt():
    with pytest.raises(UserError, match="2 examples of only 1 classes: a classifier of 2"):
        fit_logistic([[1.0], [2.0]], [1, 1], 2)
    with pytest.raises(UserError, match="NaN"):
        fit_logistic([[1.0], [np.nan]], [0, 1], 2)
    with pytest.raises(UserError, match="no example"):
        accuracy(np.empty((0, 2)), [], 0.95)
