"""The PCA method: how much of the difference between paired words one direction explains.

Bolukbasi, Chang, Zou, Saligrama and Kalai 2016, as Antoniak and Mimno 2021 (section 5, "PCA") use
it. Row i of one matrix is the partner of row i of the other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from socialbias.measures.similarity import Array, as_matrix, unit_rows

SMALLEST_SHARE = 1e-12  # of all squared lengths: smaller differences are rounding errors
OPTIONS = ("both-signs", "one-sided")


@dataclass(frozen=True)
class PcaBias:
    """The principal components of paired differences.

    Attributes:
        explained: (m,) share of the variance explained by each component, largest first, for m
            pairs; 0 for components beyond the number of dimensions. NaN if the differences do not
            vary.
        direction: (d,) component 0, unit length, oriented towards the first set; NaN likewise.
    """

    explained: Array
    direction: Array


def pca_bias(first: ArrayLike, second: ArrayLike, option: str = "both-signs") -> PcaBias:
    """The PCA method on paired words.

    Args:
        first: (m, d) vectors of one set; scaled to unit length first.
        second: (m, d) vectors of the other, row by row the partners of the first.
        option: `both-signs` is the authors' released method: the rows a - b and b - a of each
            pair, the whole matrix standardised by a single mean and standard deviation, then a PCA
            with as many components as pairs. The mean is zero and the deviation a constant, so
            this equals Bolukbasi's PCA of the half-vectors from each pair's mean.
            `one-sided` is the common alternative: a - b only, centred, as in scikit-learn's PCA;
            this removes what all pairs share, and m pairs have m - 1 components.

    Returns:
        Shares and direction. The sign of a component is arbitrary: it is chosen so that the mean
        cosine of the first set with it is at least that of the second.

    Raises:
        ValueError: the lists differ in length, there are fewer than two pairs, or the option is
            unknown.
    """
    first, second = _pairs(first, second)
    if option not in OPTIONS:
        raise ValueError(f"the PCA method is one of {', '.join(OPTIONS)}, not {option!r}")
    rows = first - second
    if option == "one-sided":
        rows = rows - rows.mean(axis=0)
    if (rows**2).sum() <= SMALLEST_SHARE * ((first**2).sum() + (second**2).sum()):
        return PcaBias(np.full(len(first), np.nan), np.full(first.shape[1], np.nan))
    if option == "both-signs":
        rows = standardised(np.vstack([rows, -rows]))
    _, spread, components = np.linalg.svd(rows, full_matrices=False)
    explained = np.zeros(len(first))
    kept = min(len(first), len(spread))
    explained[:kept] = spread[:kept] ** 2 / (spread**2).sum()
    return PcaBias(explained, oriented(components[0], first, second))


def standardised(rows: Array) -> Array:
    """A matrix standardised by its overall mean and standard deviation, which must not be zero."""
    return (rows - rows.mean()) / rows.std()


def oriented(direction: Array, first: Array, second: Array) -> Array:
    """The direction or its opposite, so that the first set is on its side."""
    lean = (unit_rows(first).mean(axis=0) - unit_rows(second).mean(axis=0)) @ direction
    return -direction if lean < 0 else direction


def explained_variances(first: ArrayLike, second: ArrayLike, orders: ArrayLike) -> Array:
    """Explained variance of the released method under many pairings of the same words.

    Args:
        first: (m, d) vectors of one set.
        second: (n, d) vectors of the other, n >= m.
        orders: (k, m) rows of `second`, one pairing per row.

    Returns:
        (k, m), as `PcaBias.explained` with the option `both-signs`, computed from the eigenvalues
        of the differences' inner products instead of a decomposition of each matrix.

    Raises:
        ValueError: there are fewer than two pairs, or the dimensions differ.
    """
    a, b = (unit_rows(as_matrix(side, "a set of pairs")) for side in (first, second))
    orders = np.asarray(orders, dtype=int)
    _check(a, b[orders[0]])
    ab, bb = a @ b.T, b @ b.T
    rows, columns = orders[:, :, None], orders[:, None, :]
    cross = ab[np.arange(len(a))[None, :, None], columns]
    products = a @ a.T - cross - np.swapaxes(cross, 1, 2) + bb[rows, columns]
    spread = np.clip(np.linalg.eigvalsh(products)[:, ::-1], 0.0, None)
    total = spread.sum(axis=1, keepdims=True)
    varies = total > SMALLEST_SHARE * ((a**2).sum() + (b**2).sum())
    return np.divide(spread, total, out=np.full_like(spread, np.nan), where=varies)


def shuffles(pairs: int, of: int, draws: int, rng: np.random.Generator) -> Array:
    """Random pairings: the second list permuted.

    Args:
        pairs: Words of the first list, m.
        of: Words of the second list, n >= m: a pairing leaves out n - m of them.
        draws: Number of pairings; one may equal the original by chance.
        rng: Source of randomness.

    Returns:
        (draws, m) rows of the second list, for `explained_variances`.
    """
    orders = rng.permuted(np.tile(np.arange(of), (draws, 1)), axis=1)
    return orders[:, :pairs]


def _pairs(first: ArrayLike, second: ArrayLike) -> tuple[Array, Array]:
    """Both sides scaled to unit length; ValueError if they are not pairs."""
    a, b = (unit_rows(as_matrix(side, "a set of pairs")) for side in (first, second))
    _check(a, b)
    return a, b


def _check(a: Array, b: Array) -> None:
    if a.shape != b.shape or len(a) < 2:
        raise ValueError(f"need two or more aligned pairs, got {a.shape} and {b.shape}")
