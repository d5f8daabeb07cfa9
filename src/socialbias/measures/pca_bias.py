"""Principal components of the differences of paired words, and how much one of them explains.

Bolukbasi, Chang, Zou, Saligrama and Kalai 2016, as Antoniak and Mimno 2021 (section 5, "PCA") use
it. Row i of one matrix is the partner of row i of the other.

Whether the differences are centred decides what the first component is. Bolukbasi et al. take
both words of each pair less the pair's mean: the half-differences with both signs, whose mean is
zero, so nothing is taken out, and the component is near what all pairs share. A PCA of the
differences of one sign, as scikit-learn computes it, centres them: it takes out their mean, which
is what all pairs share, and the component is a way in which the pairs vary.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from socialbias.stats.similarity import Array, as_matrix, unit_rows

SMALLEST_SHARE = 1e-12  # of all squared lengths: smaller differences are rounding errors


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


def pca_bias(first: ArrayLike, second: ArrayLike, centre: bool = False) -> PcaBias:
    """Return the PCA method on paired words.

    Args:
        first: (m, d) vectors of one set; scaled to unit length first.
        second: (m, d) vectors of the other, row by row the partners of the first.
        centre: False is the authors' released method: the rows a - b and b - a of each pair, the
            whole matrix standardised by a single mean and standard deviation, then a PCA with as
            many components as pairs. The mean is zero and the deviation a constant, so this equals
            Bolukbasi's PCA of the half-vectors from each pair's mean. True is the common
            alternative: a - b only, centred, as in scikit-learn's PCA; m pairs have m - 1
            components.

    Returns:
        Shares and direction. The sign of a component is arbitrary: it is chosen so that the mean
        cosine of the first set with it is at least that of the second.

    Raises:
        ValueError: the lists differ in length, or there are fewer than two pairs.
    """
    first, second = (unit_rows(as_matrix(side, "a set of pairs")) for side in (first, second))
    _check(first, second)
    spread, components = pair_components(first, second, centre)
    explained = np.full(len(first), np.nan if np.isnan(spread[0]) else 0.0)
    kept = min(len(first), len(spread))
    explained[:kept] = spread[:kept] ** 2 / (spread**2).sum()
    side = (first.mean(axis=0) - second.mean(axis=0)) @ components[0]
    return PcaBias(explained, -components[0] if side < 0 else components[0])


def pair_components(first: Array, second: Array, centre: bool) -> tuple[Array, Array]:
    """Return the principal components of the differences of aligned pairs.

    Args:
        first: (m, d) vectors of one set, of any length.
        second: (m, d) vectors of the other, row by row the partners of the first.
        centre: Whether the mean difference is taken out.

    Returns:
        The singular values of the differences, (r,) with r the lesser of m and d, largest first;
        and the components, (r, d) unit vectors, of arbitrary signs. All NaN if the differences do
        not vary: a direction of nothing but rounding errors would look like any other.
    """
    rows = first - second
    if centre:
        rows = rows - rows.mean(axis=0)
    if (rows**2).sum() <= SMALLEST_SHARE * ((first**2).sum() + (second**2).sum()):
        least = min(rows.shape)
        return np.full(least, np.nan), np.full((least, rows.shape[1]), np.nan)
    return np.linalg.svd(rows, full_matrices=False)[1:]


def explained_variances(first: ArrayLike, second: ArrayLike, orders: ArrayLike) -> Array:
    """Explained variance of the released method under many pairings of the same words.

    Args:
        first: (m, d) vectors of one set.
        second: (n, d) vectors of the other, n >= m.
        orders: (k, m) rows of `second`, one pairing per row.

    Returns:
        (k, m), as `PcaBias.explained` without centring, computed from the eigenvalues
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


def _check(a: Array, b: Array) -> None:
    if a.shape != b.shape or len(a) < 2:
        raise ValueError(f"need two or more aligned pairs, got {a.shape} and {b.shape}")
