"""How a check compares numbers and decisions with their reference, and what it reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

ANCHORS = 8  # vectors among which the nearest is chosen
CLEAR = 0.5  # share of decisions that must be clear, or a check would say nothing


@dataclass
class Comparison:
    """What one check has compared so far.

    Attributes:
        problems: One line for each thing that is wrong.
        difference: The largest difference of numbers, as a share of its tolerance.
        numbers: How many numbers were compared.
        decisions: How many decisions were compared.
        near_ties: How many of these the tolerance leaves open, so that they may differ.
        notes: What else is worth knowing.
    """

    problems: list[str] = field(default_factory=list)
    difference: float = 0.0
    numbers: int = 0
    decisions: int = 0
    near_ties: int = 0
    notes: list[str] = field(default_factory=list)

    def close(
        self,
        what: str,
        actual: ArrayLike,
        expected: ArrayLike,
        tolerance: float,
        scale: float | None = None,
    ) -> None:
        """Compare numbers.

        Args:
            what: Their name, for a problem.
            actual: Of the device.
            expected: Of the reference.
            tolerance: Largest difference, as a share of the scale.
            scale: By default the root mean square of what is expected.
        """
        actual, expected = np.asarray(actual, float), np.asarray(expected, float)
        if actual.shape != expected.shape:
            self.problems.append(f"{what}: shape {actual.shape} instead of {expected.shape}")
            return
        scale = float(np.sqrt((expected**2).mean())) if scale is None else scale
        # A NaN differs from everything.
        difference = float(np.nan_to_num(np.abs(actual - expected), nan=np.inf).max()) / scale
        self.numbers += actual.size
        self.difference = max(self.difference, difference / tolerance)
        if difference > tolerance:
            self.problems.append(f"{what}: differ by up to {difference:.1e}, over {tolerance:.0e}")

    def same(
        self, what: str, actual: ArrayLike, expected: ArrayLike, margins: ArrayLike, bound: float
    ) -> None:
        """Compare decisions.

        Args:
            what: Their name, for a problem.
            actual: (n,) of the device.
            expected: (n,) of the reference.
            margins: (n,) how far each was from the next best in the reference.
            bound: The margin up to which a decision may differ.
        """
        actual, expected = np.asarray(actual), np.asarray(expected)
        clear = np.asarray(margins) > bound
        if actual.shape != expected.shape:
            self.problems.append(f"{what}: shape {actual.shape} instead of {expected.shape}")
            return
        self.decisions += actual.size
        self.near_ties += int((~clear).sum())
        different = int(((actual != expected) & clear).sum())
        if different:
            self.problems.append(f"{what}: {different} of {clear.sum()} clear decisions differ")
        if clear.mean() < CLEAR:
            self.problems.append(f"{what}: only {clear.sum()} of {clear.size} decisions are clear")

    def holds(self, what: str, condition: bool) -> None:
        """Note a problem unless a condition holds."""
        if not condition:
            self.problems.append(what)


def nearest(vectors: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The nearest of the first vectors to each of the others, by cosine about their common mean.

    Args:
        vectors: (n, d), of which the first 8 are those to choose from.

    Returns:
        (n - 8,) the numbers of the nearest, and by how much the next one's cosine is smaller.
    """
    x = np.asarray(vectors, float)
    x = x - x.mean(axis=0)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    cosines = x[ANCHORS:] @ x[:ANCHORS].T
    second, first = np.sort(cosines, axis=1)[:, -2:].T
    return cosines.argmax(axis=1), first - second


class Output(NamedTuple):
    """What a path gives.

    Attributes:
        form: Compares it: `numbers`, `vectors`, `classes`, `scores` or `samples`.
        what: Its name, for a problem.
        tolerance: Of the form.
        values: As the form takes them.
    """

    form: Callable[[Comparison, str, Any, Any, float], None]
    what: str
    tolerance: float
    values: Any


numbers = Comparison.close  # by their root mean square


def vectors(
    comparison: Comparison, what: str, actual: ArrayLike, expected: ArrayLike, tolerance: float
) -> None:
    """Compare vectors (n, d), and for each of some which one is nearest to it."""
    comparison.close(f"vectors of {what}", actual, expected, tolerance)
    best, margins = nearest(expected)
    # Errors of a vector's numbers partly cancel in a cosine; CPUs round bfloat16 differently.
    comparison.same(f"nearest of {what}", nearest(actual)[0], best, margins, tolerance / 5)


def classes(
    comparison: Comparison, what: str, actual: ArrayLike, expected: ArrayLike, tolerance: float
) -> None:
    """Compare probabilities (n, k) or their logarithms, and the largest of each row."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    comparison.close(what, actual, expected, tolerance)
    margins = np.diff(np.sort(expected, axis=1)[:, -2:])[:, 0]
    best = actual.argmax(axis=1), expected.argmax(axis=1)
    comparison.same(f"largest of {what}", *best, margins, tolerance / 4)


def scores(
    comparison: Comparison, what: str, actual: ArrayLike, expected: ArrayLike, tolerance: float
) -> None:
    """Compare scores (n, k) in nats, and which of two is higher: near ties are decided too."""
    comparison.close(what, actual, expected, tolerance, scale=1.0)
    first, second = np.triu_indices(np.shape(expected)[1], 1)
    above, truth = (
        np.sign(x[:, first] - x[:, second]) for x in map(np.asarray, (actual, expected))
    )
    comparison.same(f"preferences by {what}", above, truth, np.ones(truth.shape), 0)


def samples(
    comparison: Comparison,
    what: str,
    actual: Sequence[tuple],
    expected: Sequence[tuple],
    tolerance: float,
) -> None:
    """Compare the tokens of samples, each up to the first that differs: then the texts differ.

    Args:
        comparison: To add to.
        what: Their name, for a problem.
        actual: Tokens of each sample, and their margins as in `Comparison.same`.
        expected: Likewise.
        tolerance: The margin up to which a token may differ.
    """
    drawn, truth, margins = [], [], []
    for (tokens, _), (own, distances) in zip(actual, expected, strict=True):
        agree = [a == b for a, b in zip(tokens, own, strict=False)]
        n = agree.index(False) + 1 if False in agree else len(agree)
        comparison.holds(f"{what}: a sample has a wrong length", n < len(own) or tokens == own)
        drawn += tokens[:n]
        truth += own[:n]
        margins += list(distances[:n])
    comparison.same(what, drawn, truth, margins, tolerance)
