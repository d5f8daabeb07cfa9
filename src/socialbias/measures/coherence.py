"""How well a direction in a vector space separates two sets of words.

Antoniak and Mimno 2021, section 6. A vocabulary is a (V, d) matrix; a set of words is the list of
its rows in the matrix. A word that occurs twice in a set counts twice, as in the published lists.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from socialbias.stats.similarity import Array, as_groups, as_matrix, cosine_matrix, unit_rows

MAX_COUNTED = 60  # up to this many words, counting is faster than sorting the vocabulary
BATCH = 64  # directions whose cosines with the whole vocabulary are in memory together


def scaled_ranks(scores: NDArray, rows: ArrayLike) -> Array:
    """Return the ranks of some entries among all, scaled to [0, 1].

    Args:
        scores: (V,) with V >= 2, such as cosines of the vocabulary with a direction.
        rows: (m,) entries to rank; duplicates are allowed.

    Returns:
        (m,): 0 for the lowest score, 1 for the highest. Ties get the mean of their ranks. The
        authors' notebook divides by V instead of V - 1, so that the highest is below 1.

    Raises:
        ValueError: there are fewer than two scores.
    """
    if len(scores) < 2:
        raise ValueError("ranks need two or more words in the vocabulary")
    selected = scores[np.asarray(rows, dtype=int)]
    if len(selected) <= MAX_COUNTED:
        below = np.array([np.count_nonzero(scores < score) for score in selected])
        through = np.array([np.count_nonzero(scores <= score) for score in selected])
    else:
        ordered = np.sort(scores)
        below = np.searchsorted(ordered, selected, side="left")
        through = np.searchsorted(ordered, selected, side="right")
    return (below + through - 1) / 2 / (len(scores) - 1)


def coherence(scores: NDArray, first: ArrayLike, second: ArrayLike) -> float:
    """|mean scaled rank of one set - mean scaled rank of the other|, in [0, 1].

    Antoniak and Mimno 2021, section 6, "Coherence". Words in neither set are ranked too.

    Args:
        scores: (V,) cosines of the vocabulary with the direction.
        first: Rows of one set.
        second: Rows of the other.

    Returns:
        The coherence; NaN where a set is empty or a score is NaN.
    """
    if not len(first) or not len(second) or np.isnan(scores).any():
        return float("nan")
    ranks = scaled_ranks(scores, np.concatenate([first, second]))
    return float(abs(ranks[: len(first)].mean() - ranks[len(first) :].mean()))


def coherences(
    vocabulary: NDArray, directions: ArrayLike, pairs: Sequence[tuple[ArrayLike, ArrayLike]]
) -> Array:
    """Return the coherence of many pairs of sets, each along its own direction.

    Args:
        vocabulary: (V, d) vectors of unit length; cosines are taken in its precision.
        directions: (k, d), of any length. One shorter than 1e-8 has no cosines: NaN.
        pairs: k pairs of rows.

    Returns:
        (k,).

    Raises:
        ValueError: the numbers of directions and pairs differ.
    """
    directions = np.asarray(directions, dtype=np.float64)
    if len(directions) != len(pairs):
        raise ValueError(f"{len(directions)} directions for {len(pairs)} pairs of sets")
    unit = unit_rows(directions)
    unit[~unit.any(axis=1)] = np.nan
    result = np.full(len(pairs), np.nan)
    for start in range(0, len(pairs), BATCH):
        part = unit[start : start + BATCH].astype(vocabulary.dtype)
        for i, scores in enumerate(part @ vocabulary.T, start):
            result[i] = coherence(scores, *pairs[i])
    return result


def weat_direction(first: ArrayLike, second: ArrayLike, normalize: bool = False) -> Array:
    """Return the difference of two set means, (d,).

    Antoniak and Mimno 2021, section 5, "WEAT": "the difference between the mean vector of the two
    target sets".

    Args:
        first: (m, d) vectors of one set.
        second: (n, d) vectors of the other.
        normalize: Scale each vector to unit length before averaging, so that long vectors weigh
            no more than short ones. The paper names no scaling, and the authors' notebook averages
            vectors as they are.

    Raises:
        ValueError: a set is empty, or the dimensions differ.
    """
    means = _means(first, second, normalize)
    return means[0] - means[1]


def set_similarity(first: ArrayLike, second: ArrayLike, normalize: bool = False) -> float:
    """Return the similarity of two sets, the cosine of their means, in [-1, 1].

    Antoniak and Mimno 2021, section 8, "Set similarity".

    Args:
        first: (m, d) vectors of one set.
        second: (n, d) vectors of the other.
        normalize: As for `weat_direction`.

    Raises:
        ValueError: a set is empty, or the dimensions differ.
    """
    means = _means(first, second, normalize)
    return float(cosine_matrix(means[:1], means[1:])[0, 0])


def _means(first: ArrayLike, second: ArrayLike, normalize: bool) -> Array:
    """Return the two set means, (2, d)."""
    groups = as_groups([first, second], as_matrix(first, "first set").shape[1])
    return np.stack([(unit_rows(g) if normalize else g).mean(axis=0) for g in groups])
