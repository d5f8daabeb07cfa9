"""Hard and soft debiasing of word vectors along a bias subspace, for any number of groups.

Bolukbasi, Chang, Zou, Saligrama and Kalai 2016 (two groups); Manzini, Lim, Black and Tsvetkov
2019 (any number). Both work on vectors of unit length; `unit_rows` makes them so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from socialbias.stats.similarity import Array, unit_rows


def bias_subspace(defining_sets: Sequence[Array], dimensions: int) -> Array:
    """Return the directions in which words of one defining set differ.

    Each set is centred on its own mean; the directions are the leading principal components of
    all centred words together (Manzini et al. 2019, section 3.1; for pairs Bolukbasi et al.
    2016, section 5.1). A set is a (k, d) matrix with one word a group, such as she and he; the
    directions are orthonormal rows (dimensions, d): k - 1 are all that k groups differ in.
    """
    centred = np.vstack([words - words.mean(axis=0) for words in defining_sets])
    _, spread, directions = np.linalg.svd(centred, full_matrices=False)
    found = int((spread > 1e-10 * spread[0]).sum()) if spread.size and spread[0] > 0 else 0
    if found < dimensions:
        raise ValueError(f"the defining sets differ in {found} directions, not {dimensions}")
    return directions[:dimensions]


def project(vectors: Array, subspace: Array) -> Array:
    """Return the part of each vector (n, d) in the subspace (k, d) with orthonormal rows."""
    return vectors @ subspace.T @ subspace


def neutralize(vectors: Array, subspace: Array) -> Array:
    """Take the subspace out of the vectors and scale them back to unit length, (n, d).

    A vector that lies in the subspace whole has nothing left and becomes zero.
    """
    return unit_rows(vectors - project(vectors, subspace))


def equalize(words: Array, subspace: Array) -> Array:
    """Make the words of one set differ in the subspace only, and by the same amount.

    Bolukbasi et al. 2016, section 6, step 1. The words keep the part outside the subspace that
    they have on average, and a part inside it of the length that makes them unit vectors (m, d),
    all at the same distance from any vector outside the subspace. A word that does not differ from
    the set's mean inside the subspace keeps the common part alone.
    """
    mean = words.mean(axis=0)
    inside = project(mean[None], subspace)[0]
    common = mean - inside
    length = np.sqrt(max(0.0, 1.0 - common @ common))
    return common + length * unit_rows(project(words, subspace) - inside)


def hard_debias(
    vectors: Array,
    subspace: Array,
    keep: Sequence[int] = (),
    equal_sets: Sequence[Sequence[int]] = (),
) -> Array:
    """Return vectors (n, d) after hard debiasing: neutralize most words, then equalize sets.

    Vectors are scaled to unit length first. The rows `keep` are not neutralized: they are about the
    groups by definition. The rows of each set, such as a pair, are equalized last.
    """
    unit = unit_rows(vectors)
    result = neutralize(unit, subspace)
    result[list(keep)] = unit[list(keep)]
    for rows in equal_sets:
        result[list(rows)] = equalize(unit[list(rows)], subspace)
    return result


def soft_transform(
    vectors: Array,
    neutral: Array,
    subspace: Array,
    weight: float = 0.2,
    means: bool = False,
) -> Array:
    """Return the linear map of soft debiasing.

    It minimises ||(TW)'(TW) - W'W||^2 + weight * ||(TN)'(TB)||^2 (Bolukbasi et al. 2016, section
    6, step 2b; Manzini et al. 2019, section 3.2): keep all inner products of the vocabulary W,
    and make the neutral words N orthogonal to the subspace B. Only X = T'T enters, in which the
    problem is convex and quadratic; the papers descend on T instead. `vectors` (m, d) and `neutral`
    (n, d) are unit vectors, and T is symmetric. `means` takes means over pairs of words instead of
    the papers' sums: the first sum has m^2 terms and the second n k, so that with the sums of a
    large vocabulary the map is nearly the identity.
    """
    scales = (len(vectors) ** 2, len(neutral) * len(subspace)) if means else (1, 1)
    spread, basis = np.linalg.eigh(vectors.T @ vectors)
    # In this basis and these units the first term is the sum of squares of the unknowns.
    root = np.sqrt(np.clip(spread, 1e-6 * spread[-1], None))
    units = np.outer(root, root) / np.sqrt(scales[0])
    away = basis.T @ (neutral.T @ neutral) @ basis * (weight / scales[1])
    bias = basis.T @ (subspace.T @ subspace) @ basis
    size = float((away * bias).sum()) or 1.0  # of the second term before anything is changed
    identity = np.eye(len(root))

    def objective(x: Array) -> tuple[float, Array]:
        change = (x - identity) * units
        crossed = away @ x @ bias
        value = (change**2).sum() + (crossed * x).sum()
        return float(value / size), (2 * change * units + crossed + crossed.T) / size

    def of_change(flat: Array) -> tuple[float, Array]:
        value, gradient = objective(identity + flat.reshape(units.shape) / units)
        return value, (gradient / units).ravel()

    def of_root(flat: Array) -> tuple[float, Array]:
        t = flat.reshape(units.shape)
        value, gradient = objective(t.T @ t)
        return value, (t @ (gradient + gradient.T)).ravel()

    x = identity + _minimum(of_change, np.zeros_like(units)) / units
    in_basis, least = _root_of((x + x.T) / 2)
    if least < 0:
        # The free minimum is no T'T: go on over T, from the nearest one.
        in_basis = _minimum(of_root, in_basis)
        in_basis, _ = _root_of(in_basis.T @ in_basis)
    return basis @ in_basis @ basis.T


def _minimum(objective: Callable, start: Array) -> Array:
    """Return where L-BFGS finds the least value of an objective that comes with its gradient."""
    from scipy.optimize import minimize  # here, since it takes longer to import than all else

    options = {"maxiter": 500, "ftol": 1e-12, "gtol": 1e-9}
    found = minimize(objective, start.ravel(), jac=True, method="L-BFGS-B", options=options)
    return found.x.reshape(start.shape)


def _root_of(x: Array) -> tuple[Array, float]:
    """Return the symmetric square root of a matrix (d, d), and its smallest eigenvalue.

    A negative eigenvalue counts as 0.
    """
    values, directions = np.linalg.eigh(x)
    return (directions * np.sqrt(np.clip(values, 0, None))) @ directions.T, float(values[0])


def soft_debias(vectors: Array, transform: Array) -> Array:
    """Vectors (n, d) of unit length after the map of `soft_transform`."""
    return unit_rows(unit_rows(vectors) @ transform)
