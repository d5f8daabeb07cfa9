"""DivDist: bias as the divergence of observed from reference associations.

Bommasani and Liang 2022, section 3: strengths of association (equation 1), normalised to a
distribution over the groups (equation 2), compared with a reference distribution (equation 3).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from socialbias.stats.similarity import (
    Array,
    as_groups,
    as_matrix,
    cosine_matrix,
    group_means,
)

ROUNDING = 1e-12  # relative


def cosine_association(targets: Array, groups: Sequence[Array]) -> Array:
    """Cosine of each target with the mean vector of each group.

    Bommasani and Liang 2022, section 4.2. The group's vectors are averaged without scaling them to
    unit length first, as in the authors' code.

    Args:
        targets: (n, d), one vector per target concept.
        groups: k matrices of (m_g, d).

    Returns:
        (n, k) strengths in [-1, 1]. A zero vector has strength 0 with every group.
    """
    return cosine_matrix(targets, group_means(groups))


def inner_product_association(targets: Array, groups: Sequence[Array]) -> Array:
    """Inner product of each target with the mean vector of each group.

    Args:
        targets: (n, d), one vector per target concept.
        groups: k matrices of (m_g, d).

    Returns:
        (n, k) strengths, in the square of the embedding's units.
    """
    return targets @ group_means(groups).T


def sum_normalize(strengths: Array) -> Array:
    """Divide each row by its sum (Bommasani and Liang 2022, section 4.4).

    Args:
        strengths: (n, k). Negative strengths are kept, as in the authors' code, so that a row of
            the result then sums to one without being a distribution: one negative strength gives
            shares outside [0, 1], and a negative sum turns the order of the groups around, with
            shares that may look like a distribution. `has_negative` finds both.

    Returns:
        (n, k). A row of zeros becomes the uniform distribution. A row that sums to zero (within
        rounding) without being zero cannot be normalised and becomes NaN.
    """
    totals = strengths.sum(axis=1, keepdims=True)
    rounding = ROUNDING * np.abs(strengths).sum(axis=1, keepdims=True)
    shares = np.full_like(strengths, np.nan)
    np.divide(strengths, totals, out=shares, where=np.abs(totals) > rounding)
    shares[(strengths == 0).all(axis=1)] = 1.0 / strengths.shape[1]
    return shares


def has_negative(strengths: Array) -> NDArray[np.bool_]:
    """Return whether a row of strengths (n, k) has a negative one, so that a sum makes no shares.

    (n,). A row whose sum is negative has one; a row of zeros has none, and is uniform by
    definition.
    """
    return (strengths < 0).any(axis=1)


def clipped_sum_normalize(strengths: Array) -> Array:
    """As `sum_normalize`, with negative strengths set to zero: always a distribution."""
    return sum_normalize(np.clip(strengths, 0, None))


def softmax_normalize(strengths: Array) -> Array:
    """Exponentials divided by their sum (Bommasani and Liang 2022, section 7).

    Args:
        strengths: (n, k), of any sign.

    Returns:
        (n, k) distributions, all positive.
    """
    exponentials = np.exp(strengths - strengths.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def l1_divergence(p: Array, reference: Array) -> Array:
    """Sum of absolute differences of each row of p (n, k) from the reference: (n,) in [0, 2]."""
    return np.abs(p - reference).sum(axis=1)


def l2_divergence(p: Array, reference: Array) -> Array:
    """Euclidean distance of each row of p (n, k) from the reference: (n,) in [0, sqrt 2]."""
    return np.linalg.norm(p - reference, axis=1)


def linf_divergence(p: Array, reference: Array) -> Array:
    """Largest absolute difference of each row of p (n, k) from the reference: (n,) in [0, 1]."""
    return np.abs(p - reference).max(axis=1)


def kl_divergence(p: Array, reference: Array) -> Array:
    """Kullback-Leibler divergence of each row of p (n, k) from the reference, in nats.

    Returns:
        (n,), infinite where p is positive and the reference is zero, NaN where p is not a
        distribution because a strength was negative.
    """
    from scipy.special import rel_entr  # here: few jobs need it, and it is slow to import

    total = rel_entr(np.where(p < 0, np.nan, p), reference).sum(axis=1)
    return np.where((p < 0).any(axis=1), np.nan, total)


def js_distance(p: Array, reference: Array) -> Array:
    """Square root of the Jensen-Shannon divergence (nats), as SciPy's and the authors' `JS`.

    Returns:
        (n,) in [0, sqrt(ln 2)], NaN where p is not a distribution because a strength was negative.
    """
    middle = (p + reference) / 2
    divergence = (kl_divergence(p, middle) + kl_divergence(reference + 0 * p, middle)) / 2
    return np.sqrt(np.clip(divergence, 0, None))


# The options by name, the paper's defaults first (sections 4.2, 4.4 and 7).
ASSOCIATIONS = {"cosine": cosine_association, "inner-product": inner_product_association}
NORMALIZERS = {"sum": sum_normalize, "clipped-sum": clipped_sum_normalize}
NORMALIZERS |= {"softmax": softmax_normalize}
DIVERGENCES = {"l1": l1_divergence, "l2": l2_divergence, "linf": linf_divergence}
DIVERGENCES |= {"kl": kl_divergence, "js": js_distance}
# The most that a divergence of two distributions can be, where it is bounded.
MAX_DIVERGENCE = {l1_divergence: 2.0, l2_divergence: 2**0.5, linf_divergence: 1.0}
MAX_DIVERGENCE |= {js_distance: np.log(2) ** 0.5}
OF_DISTRIBUTIONS = (kl_divergence, js_distance)  # not defined for anything else


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

    @classmethod
    def named(cls, association: str, normalize: str, divergence: str) -> DivDist:
        """Return the measure with these options, such as `named("cosine", "softmax", "js")`.

        Raises:
            KeyError: there is no option of that name.
        """
        return cls(ASSOCIATIONS[association], NORMALIZERS[normalize], DIVERGENCES[divergence])

    def distribution(self, targets: ArrayLike, groups: Sequence[ArrayLike]) -> Array:
        """Return the observed distribution of each target over the groups (equations 1 and 2).

        Args:
            targets: (n, d) with n >= 1.
            groups: k >= 2 matrices of (m_g, d), m_g >= 1; a single word is allowed.

        Returns:
            (n, k).

        Raises:
            ValueError: an empty list of words, fewer than two groups, or unequal dimensions.
        """
        return self.normalize(self.strengths(targets, groups))

    def strengths(self, targets: ArrayLike, groups: Sequence[ArrayLike]) -> Array:
        """Return the strength of association of each target with each group (equation 1), (n, k).

        Args and errors are as for `distribution`.
        """
        matrix = as_matrix(targets, "targets")
        return self.association(matrix, as_groups(groups, matrix.shape[1]))

    def negative(self, targets: ArrayLike, groups: Sequence[ArrayLike]) -> NDArray[np.bool_]:
        """Return which targets have a negative strength that the normalisation keeps, (n,).

        Their observed numbers sum to one and are no distribution. None under a normalisation other
        than `sum_normalize`.
        """
        strengths = self.strengths(targets, groups)
        return has_negative(strengths) & (self.normalize is sum_normalize)

    def __call__(
        self,
        targets: ArrayLike,
        groups: Sequence[ArrayLike],
        reference: ArrayLike | None = None,
    ) -> Array:
        """Return the magnitude of each target's bias (equation 3).

        Args:
            targets: (n, d) with n >= 1.
            groups: k >= 2 matrices of (m_g, d).
            reference: (k,) unbiased distribution, or (n, k), one for each target; uniform if None.

        Returns:
            (n,) divergences; with `sum` and `l1` in [0, 2] if no strength is negative. NaN where
            one is (`negative`) and the divergence is of distributions, as KL and JS are.

        Raises:
            ValueError: as `distribution`, or a reference that is not a distribution over k groups.

        Warns:
            UserWarning: a divergence is outside the range that it has between distributions.
        """
        strengths = self.strengths(targets, groups)
        p = self.normalize(strengths)
        bias = self.divergence(p, _reference(reference, p.shape))
        if self.divergence in OF_DISTRIBUTIONS and self.normalize is sum_normalize:
            bias = np.where(has_negative(strengths), np.nan, bias)
        most = MAX_DIVERGENCE.get(self.divergence, np.inf)
        if (bias > most * (1 + ROUNDING)).any():
            warnings.warn(
                f"DivDist: a bias is outside [0, {most:.4g}], since a strength of association is "
                "negative: leave the target out, or normalise by clipped-sum or softmax",
                stacklevel=2,
            )
        return bias

    def directed(
        self,
        targets: ArrayLike,
        groups: Sequence[ArrayLike],
        reference: ArrayLike | None = None,
    ) -> Array:
        """Return the first group's share of each target less the reference's, (n,)."""
        p = self.distribution(targets, groups)
        return p[:, 0] - _reference(reference, p.shape)[..., 0]


def divdist(
    targets: ArrayLike,
    groups: Sequence[ArrayLike],
    association: str = "cosine",
    normalize: str = "sum",
    divergence: str = "l1",
) -> Array:
    """`DivDist.named` against equal shares: the magnitude of each target's bias, (n,)."""
    return DivDist.named(association, normalize, divergence)(targets, groups)


def directed(
    targets: ArrayLike,
    groups: Sequence[ArrayLike],
    association: str = "cosine",
    normalize: str = "sum",
) -> Array:
    """Return the first group's share of each target less 1/k, (n,)."""
    return DivDist.named(association, normalize, "l1").directed(targets, groups)


def negative_note(flagged: ArrayLike, biases: ArrayLike, unit: str) -> str:
    """Return how many biases are of negative associations, and how much of the mean they carry.

    Args:
        flagged: (n,) which are.
        biases: (n,) of any sign: it is their magnitudes that are counted.
        unit: What they are of, such as `professions`.

    Returns:
        A remark for a number that rests on them all; "" where none is flagged.
    """
    flagged, sizes = np.asarray(flagged, bool), np.abs(np.asarray(biases, float))
    if not flagged.any():
        return ""
    carried = sizes[flagged].sum() / sizes.sum() if sizes.sum() > 0 else 0.0
    found = f"a negative association in {flagged.sum()} of {len(flagged)} {unit}"
    return f"{found}, which carry {carried:.0%} of the mean magnitude"


def _reference(reference: ArrayLike | None, shape: tuple[int, int]) -> Array:
    """Return the reference, (k,) or (n, k); ValueError unless it is shares of k groups."""
    n, k = shape
    if reference is None:
        return np.full(k, 1.0 / k)
    p = np.asarray(reference, dtype=np.float64)
    wrong = (p < 0).any() or not np.isclose(p.sum(axis=-1), 1.0).all()
    if p.shape not in ((k,), (n, k)) or wrong:
        raise ValueError(f"the reference must be {k} shares that sum to one, got {p.tolist()}")
    return p
