"""Whether words of groups define a direction that words which had no part in it follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from socialbias.measures.placebo import axis
from socialbias.stats.controls import p_values
from socialbias.stats.similarity import Array

RANDOM_SETS = 499  # as large as the groups
RARE = 0.05


@dataclass(frozen=True)
class Direction:
    """How words of groups lie on the axis of all the other words of the groups.

    Attributes:
        on_own_side: How many words lie on their own group's side.
        n: How many words there are.
        usual: How many do so in random sets of these sizes: 95 % have at most that many.
        p_value: Share of random sets whose mean cosine is as high, the groups included.
    """

    on_own_side: int
    n: int
    usual: int
    p_value: float

    @property
    def is_found(self) -> bool:
        """Whether the words differ from random ones."""
        return self.p_value <= RARE

    @property
    def sentence(self) -> str:
        """What was found, in words."""
        return (
            f"left out in turn, {self.on_own_side} of {self.n} words lie on their own side of the "
            f"axis of the others (random words: up to {self.usual}; p {self.p_value:.3f})"
        )


def direction(groups: Sequence[Array], random: Array, rng: np.random.Generator) -> Direction | None:
    """Test whether each word of the groups is foretold by the others; None with one-word groups.

    Args:
        groups: Two or more matrices (m_g, d).
        random: (m, d) vectors of random words, at least as many as the groups have.
        rng: Source of randomness.
    """
    sizes = [len(group) for group in groups]
    if min(sizes) < 2 or len(random) < sum(sizes):
        return None
    centre = random.mean(axis=0)
    own = left_out_cosines([group - centre for group in groups])
    drawn = []
    for _ in range(RANDOM_SETS):
        rows = random[rng.choice(len(random), sum(sizes), replace=False)] - centre
        drawn.append(left_out_cosines(np.split(rows, np.cumsum(sizes)[:-1])))
    cosines = np.array(drawn)
    p = p_values([own.mean()], cosines.mean(axis=1), signed=False).item()
    usual = int(np.quantile((cosines > 0).sum(axis=1), 1 - RARE))
    return Direction(int((own > 0).sum()), len(own), usual, p)


def left_out_cosines(groups: Sequence[Array]) -> Array:
    """Return the cosine of each word (m,) with the axis from the other groups to its own.

    The word itself has no part in the axis. Groups are centred matrices (m_g, d), m_g >= 2.
    """
    cosines = []
    for i, group in enumerate(groups):
        others = [*groups[:i], *groups[i + 1 :]]
        means = (group.sum(axis=0) - group) / (len(group) - 1)  # without each word in turn
        axes = means - (means.mean(axis=0) - axis([means, *others]))
        lengths = np.linalg.norm(axes, axis=1) * np.linalg.norm(group, axis=1)
        products = (axes * group).sum(axis=1)
        cosines.append(np.divide(products, lengths, out=np.zeros(len(group)), where=lengths > 0))
    return np.concatenate(cosines)
