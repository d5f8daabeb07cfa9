"""DivDist: bias as the divergence of observed from reference associations.

Bommasani and Liang 2022, section 3: strengths of association (equation 1), normalised to a
distribution over the groups (equation 2), compared with a reference distribution (equation 3).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from socialbias.measures.similarity import (
    Array,
    as_groups,
    as_matrix,
    cosine_matrix,
    group_means,
)


def cosine_association(targets: Array, groups: Sequence[Array]) -> Array:
    """Cosine of each target with the mean vector of each group.

    Bommasani and Liang 2022, section 4.2. The group's vectors are averaged as they are, not
    scaled to unit length first, as the authors' code does.

    Args:
        targets: (n, d), one vector a target concept.
        groups: k matrices of (m_g, d).

    Returns:
        (n, k) strengths in [-1, 1]. A zero vector has strength 0 with every group.
    """
    return cosine_matrix(targets, group_means(groups))


def sum_normalize(strengths: Array) -> Array:
    """Divide each row by its sum (Bommasani and Liang 2022, section 4.4).

    Args:
        strengths: (n, k). Negative strengths are kept as they are, as in the authors' code, so
            that a row of the result then sums to one without being a distribution.

    Returns:
        (n, k). A row of zeros becomes the uniform distribution. A row that sums to zero without
        being zero has no such distribution and becomes NaN.
    """
    totals = strengths.sum(axis=1, keepdims=True)
    shares = np.full_like(strengths, np.nan)
    np.divide(strengths, totals, out=shares, where=totals != 0)
    shares[(strengths == 0).all(axis=1)] = 1.0 / strengths.shape[1]
    return shares


def l1_divergence(p: Array, reference: Array) -> Array:
    """Sum of absolute differences of each row of p (n, k) from the reference: (n,) in [0, 2]."""
    return np.abs(p - reference).sum(axis=1)


@dataclass(frozen=True)
class DivDist:
    """A bias measure made from three functions (Bommasani and Liang 2022, equations 1 to 3).

    Attributes:
        association: (targets (n, d), groups) -> strengths (n, k).
        normalize: strengths (n, k) -> distributions over the groups (n, k).
        divergence: (distributions (n, k), reference (k,)) -> bias (n,).
    """

    association: Callable[[Array, Sequence[Array]], Array] = cosine_association
    normalize: Callable[[Array], Array] = sum_normalize
    divergence: Callable[[Array, Array], Array] = l1_divergence

    def distribution(self, targets: ArrayLike, groups: Sequence[ArrayLike]) -> Array:
        """The observed distribution of each target over the groups (equations 1 and 2).

        Args:
            targets: (n, d) with n >= 1.
            groups: k >= 2 matrices of (m_g, d), m_g >= 1; a list of one word is allowed.

        Returns:
            (n, k).

        Raises:
            ValueError: an empty list of words, fewer than two groups, or unequal dimensions.
        """
        matrix = as_matrix(targets, "targets")
        return self.normalize(self.association(matrix, as_groups(groups, matrix.shape[1])))

    def __call__(
        self,
        targets: ArrayLike,
        groups: Sequence[ArrayLike],
        reference: ArrayLike | None = None,
    ) -> Array:
        """The magnitude of each target's bias (equation 3).

        Args:
            targets: (n, d) with n >= 1.
            groups: k >= 2 matrices of (m_g, d).
            reference: (k,) distribution that counts as unbiased; uniform when None.

        Returns:
            (n,) divergences; with sums and l1 in [0, 2] where no strength is negative.

        Raises:
            ValueError: as `distribution`, or a reference that is not a distribution over k groups.
        """
        p = self.distribution(targets, groups)
        return self.divergence(p, _reference(reference, p.shape[1]))

    def directed(
        self,
        targets: ArrayLike,
        groups: Sequence[ArrayLike],
        reference: ArrayLike | None = None,
    ) -> Array:
        """How far each target leans to the first group: its share minus the reference's, (n,)."""
        p = self.distribution(targets, groups)
        return p[:, 0] - _reference(reference, p.shape[1])[0]


def _reference(reference: ArrayLike | None, k: int) -> Array:
    """The reference as (k,); ValueError when it is not a distribution over k groups."""
    if reference is None:
        return np.full(k, 1.0 / k)
    p = np.asarray(reference, dtype=np.float64)
    if p.shape != (k,) or (p < 0).any() or not np.isclose(p.sum(), 1.0):
        raise ValueError(f"the reference must be {k} shares that sum to one, got {p.tolist()}")
    return p
