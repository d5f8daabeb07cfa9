"""Cosines and projections of matrices, the basis of all measures on embeddings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
SMALLEST_NORM = 1e-8  # a shorter vector has no direction: its cosine with anything is 0


def as_matrix(vectors: ArrayLike, what: str) -> Array:
    """Return the vectors as an (n, d) matrix of float64.

    Raises:
        ValueError: it is empty, the array is not 2-D, or a number is NaN or infinite.
    """
    matrix = np.asarray(vectors, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] == 0:
        raise ValueError(f"{what}: expected at least one row of vectors, got {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise ValueError(f"{what}: a vector has a number that is NaN or infinite")
    return matrix


def as_groups(groups: Sequence[ArrayLike], d: int, exactly: int | None = None) -> list[Array]:
    """Return the groups as matrices with d columns; ValueError if they are not valid."""
    if len(groups) < 2 or (exactly is not None and len(groups) != exactly):
        expected = "two or more" if exactly is None else str(exactly)
        raise ValueError(f"this measure is defined for {expected} groups, got {len(groups)}")
    matrices = [as_matrix(group, f"group {i}") for i, group in enumerate(groups)]
    for i, matrix in enumerate(matrices):
        if matrix.shape[1] != d:
            raise ValueError(f"group {i} has {matrix.shape[1]} dimensions, the targets have {d}")
    return matrices


def unit_rows(matrix: Array) -> Array:
    """Rows scaled to length 1; a row shorter than `SMALLEST_NORM` becomes zero."""
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    return np.divide(matrix, norms, out=np.zeros_like(matrix), where=norms >= SMALLEST_NORM)


def cosine_matrix(a: Array, b: Array) -> Array:
    """Cosines of the rows of a (n, d) with the rows of b (m, d): an (n, m) matrix in [-1, 1]."""
    lengths, others = np.linalg.norm(a, axis=1), np.linalg.norm(b, axis=1)
    # A vector without a direction gets an infinite length: its cosines become zero.
    lengths[lengths < SMALLEST_NORM] = np.inf
    others[others < SMALLEST_NORM] = np.inf
    return np.clip((a @ b.T) / np.outer(lengths, others), -1.0, 1.0)


def group_means(groups: Sequence[Array]) -> Array:
    """Return the mean vector of each group, unscaled: a (k, d) matrix."""
    return np.stack([group.mean(axis=0) for group in groups])
