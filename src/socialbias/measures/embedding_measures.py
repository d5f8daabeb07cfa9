"""Earlier measures of bias in word embeddings, as tested by Bommasani and Liang 2022.

All have one signature: `targets` is an (n, d) matrix with one vector per target concept, `groups`
a sequence of (m_g, d) matrices, and the result the (n,) magnitudes of bias. An empty list of
words, a wrong number of groups or different dimensions raise ValueError; the cosine of a vector
shorter than 1e-8 with anything is 0. Vectors are not normalised first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from socialbias.measures.pca_bias import pair_components
from socialbias.stats.similarity import (
    Array,
    as_groups,
    as_matrix,
    cosine_matrix,
    group_means,
    unit_rows,
)


def rnd_cosine(targets: ArrayLike, groups: Sequence[ArrayLike]) -> Array:
    """|cos(t, mean of group 1) - cos(t, mean of group 2)|, in [0, 2].

    Garg, Schiebinger, Jurafsky and Zou 2018, "relative norm bias" with cosine similarity.
    """
    matrix, pair = _binary(targets, groups)
    cosines = cosine_matrix(matrix, group_means(pair))
    return np.abs(cosines[:, 0] - cosines[:, 1])


def rnd_euclidean(targets: ArrayLike, groups: Sequence[ArrayLike]) -> Array:
    """|‖t - mean of group 1‖ - ‖t - mean of group 2‖|, in units of the embedding's length.

    Garg, Schiebinger, Jurafsky and Zou 2018, "relative norm bias" with Euclidean distance.
    """
    matrix, pair = _binary(targets, groups)
    first, second = group_means(pair)
    distances = np.linalg.norm(matrix - first, axis=1) - np.linalg.norm(matrix - second, axis=1)
    return np.abs(distances)


def association(targets: ArrayLike, groups: Sequence[ArrayLike]) -> Array:
    """|mean cosine of t with the words of group 1 - that with the words of group 2|, in [0, 2].

    Caliskan, Bryson and Narayanan 2017: s(w, A, B) of the WEAT, in absolute value.
    """
    matrix, pair = _binary(targets, groups)
    means = [cosine_matrix(matrix, group).mean(axis=1) for group in pair]
    return np.abs(means[0] - means[1])


def mac(targets: ArrayLike, groups: Sequence[ArrayLike]) -> Array:
    """|mean cosine of t with all words of all groups|, in [0, 1].

    Manzini, Lim, Black and Tsvetkov 2019, for any number of groups. It adds the associations where
    the other measures subtract them (Bommasani and Liang 2022, section 8); the published "MAC" is
    one minus it.
    """
    matrix = as_matrix(targets, "targets")
    words = np.vstack(as_groups(groups, matrix.shape[1]))
    return np.abs(cosine_matrix(matrix, words).mean(axis=1))


def direct_bias(targets: ArrayLike, groups: Sequence[ArrayLike], centre: bool = True) -> Array:
    """|cos(t, direction)| with the first principal component of the pair differences, in [0, 1].

    Bolukbasi, Chang, Zou, Saligrama and Kalai 2016, "direct bias" with c = 1. The rows of the
    two groups are pairs, and `centre` is an option of `pair_direction`: Bolukbasi et al. do not
    centre, the code of Bommasani and Liang does. NaN where the pairs have no direction.
    """
    matrix, pair = _binary(targets, groups)
    return np.abs(cosine_matrix(matrix, pair_direction(*pair, centre)[None, :]))[:, 0]


def ripa(targets: ArrayLike, groups: Sequence[ArrayLike], centre: bool = True) -> Array:
    """|t . direction| with the first principal component of the pair differences.

    Ethayarajh, Duvenaud and Hirst 2019, relational inner product association (RIPA), in units of
    the embedding's length: of targets of unit length, the same as `direct_bias`. The rows of the
    two groups are pairs; `centre` and NaN are as there.
    """
    matrix, pair = _binary(targets, groups)
    return np.abs(matrix @ pair_direction(*pair, centre))


def same(targets: ArrayLike, groups: Sequence[ArrayLike]) -> Array:
    """|cos(t, mean of group 1's unit vectors - mean of group 2's)|, in [0, 1].

    Schröder, Schulz and Hammer 2024 (arXiv 2203.14603), SAME for two groups and one target: the
    published score is the mean over targets. 0 where the two means are equal.
    """
    matrix, pair = _binary(targets, groups)
    first, second = (unit_rows(group).mean(axis=0) for group in pair)
    return np.abs(cosine_matrix(matrix, (first - second)[None, :]))[:, 0]


def pair_direction(first: Array, second: Array, centre: bool = True) -> Array:
    """Return the first principal component of the differences of aligned pairs.

    Args:
        first: (m, d) vectors of one group.
        second: (m, d) vectors of the other, row by row the partners of the first.
        centre: True takes out the mean difference first, as scikit-learn's PCA does, which the
            code of Bommasani and Liang uses. False is the method of Bolukbasi et al. (section 5.1),
            a PCA of both words of each pair less the pair's mean.

    Returns:
        (d,) unit vector, its sign arbitrary; NaN where the differences do not vary.

    Raises:
        ValueError: the lists differ in length, or there are fewer than two pairs: a single pair has
            no direction once it is centred, and is its own if not.
    """
    if first.shape != second.shape or first.shape[0] < 2:
        raise ValueError(
            f"need two or more aligned pairs, got {first.shape[0]} and {second.shape[0]} words"
        )
    return pair_components(first, second, centre)[1][0]


def _binary(targets: ArrayLike, groups: Sequence[ArrayLike]) -> tuple[Array, list[Array]]:
    """Check the arguments of a measure defined for two groups."""
    matrix = as_matrix(targets, "targets")
    return matrix, as_groups(groups, matrix.shape[1], exactly=2)
