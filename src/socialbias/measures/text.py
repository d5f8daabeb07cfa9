"""Bias in text: how often targets and groups occur together in a context.

Bommasani and Liang 2022, section 4.1: SoA_text counts the contexts in which a target is associated
with a group. The automated rule is that a word of this group occurs and no word of another group.
Neighbouring windows share sentences and a document has one author, so intervals are based on
resampling documents, not windows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from socialbias.corpora.contexts import Contexts
from socialbias.errors import UserError
from socialbias.measures.divdist import sum_normalize
from socialbias.stats.similarity import Array

Counts = NDArray[np.int64]
BATCH_CELLS = 1 << 22  # cells of an intermediate table


# --- labels -----------------------------------------------------------------------------------


def exclusive(masks: NDArray[np.uint64], k: int) -> NDArray[np.int64]:
    """Return the group associated with each context: the only one with a word in it.

    Bommasani and Liang 2022, section 4.1 and footnote 3.

    Args:
        masks: Of any shape; bit g is set if a word of group g occurs.
        k: Number of groups, at most 64.

    Returns:
        The number of the group, in the shape of the masks; -1 if no group or several groups have a
        word.

    Raises:
        ValueError: a mask has a bit beyond the number of groups.
    """
    masks = np.asarray(masks, np.uint64)
    if masks.size and int(masks.max()) >= 1 << k:
        raise ValueError(f"a mask has a bit beyond the {k} groups")
    groups = np.frexp(masks.astype(np.float64))[1] - 1  # a power of two is exact
    return np.where(np.bitwise_count(masks) == 1, groups, -1).astype(np.int64)


def vote(masks: NDArray[np.uint64], n: int, groups: Sequence[str]) -> NDArray[np.int64]:
    """Label long contexts by a majority vote of their windows (Table 4).

    Each window of n sentences is labelled by the exclusive rule, and the context gets the group
    with the most windows.

    Args:
        masks: (c, s) the mask of each sentence, for contexts of s sentences; Table 4 has s = 5.
        n: Sentences per window, at most s; n = s gives a single window.
        groups: Names of the k groups. Ties go to the first group in alphabetical order, as in the
            authors' released code, where all windows vote, with or without the target.

    Returns:
        (c,) numbers of groups; -1 if no window has a label.

    Raises:
        ValueError: n is not between 1 and s.
    """
    if not 1 <= n <= masks.shape[1]:
        raise ValueError(f"windows of {n} sentences in contexts of {masks.shape[1]}")
    windows = np.lib.stride_tricks.sliding_window_view(masks, n, axis=1)
    labels = exclusive(np.bitwise_or.reduce(windows, axis=2), len(groups))
    order = np.array(sorted(range(len(groups)), key=lambda g: groups[g]))
    votes = np.stack([(labels == g).sum(axis=1) for g in order], axis=1)
    return np.where(votes.any(axis=1), order[votes.argmax(axis=1)], -1)


# --- counts -----------------------------------------------------------------------------------


def association_counts(contexts: Contexts, n_targets: int, k: int) -> Counts:
    """Strengths of association (SoA_text, section 4.1) by the exclusive rule.

    Args:
        contexts: Contexts of the targets.
        n_targets: Number of targets.
        k: Number of groups.

    Returns:
        (n_targets, k + 1) counts; the last column counts contexts without a group.
    """
    labels = exclusive(contexts.masks, k)
    cells = contexts.targets * (k + 1) + labels % (k + 1)  # -1 becomes k
    return np.bincount(cells, minlength=n_targets * (k + 1)).reshape(n_targets, k + 1)


# --- word lists -------------------------------------------------------------------------------


def random_words(
    word_groups: NDArray[np.int64], size: int, draws: int, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Random subsets of the group words (Table 8).

    Args:
        word_groups: (w,) the group of each word, as `Matches.word_groups`.
        size: Words kept of each group.
        draws: Number of subsets.
        rng: Source of randomness.

    Returns:
        (draws, w) bool.

    Raises:
        UserError: a group has fewer words.
    """
    shortest = np.bincount(word_groups).min()
    if not 1 <= size <= shortest:
        raise UserError(f"sub-lists of {size} words: the shortest list has {shortest}")
    chosen = np.zeros((draws, len(word_groups)), bool)
    for group in np.unique(word_groups):
        columns = np.flatnonzero(word_groups == group)
        order = rng.permuted(np.tile(columns, (draws, 1)), axis=1)[:, :size]
        np.put_along_axis(chosen, order, True, axis=1)
    return chosen


def counts_with_words(
    presence: csr_array,
    targets: NDArray[np.int64],
    n_targets: int,
    word_groups: NDArray[np.int64],
    chosen: NDArray[np.bool_],
) -> Counts:
    """Return counts by the exclusive rule for subsets of the group words (Table 8).

    Args:
        presence: (c, w) sparse; which group words occur in each context: `contexts.word_presence`.
        targets: (c,) the contexts' targets.
        n_targets: Number of targets.
        word_groups: (w,) the group of each word, as `Matches.word_groups`.
        chosen: (draws, w) which words each draw keeps.

    Returns:
        (draws, n_targets, k + 1) counts; with all words, those of `association_counts`.
    """
    k = int(word_groups.max()) + 1
    rows = np.flatnonzero(np.diff(presence.indptr))  # the other contexts never have a group
    present = presence[rows].astype(np.int32)
    by_group = [present[:, word_groups == g] for g in range(k)]
    owners = targets[rows], np.arange(len(rows))
    of_target = csr_array((np.ones(len(rows), np.int32), owners), shape=(n_targets, len(rows)))
    counts = np.zeros((len(chosen), n_targets, k + 1), np.int64)
    step = max(1, BATCH_CELLS // max(1, k * len(rows)))
    for first in range(0, len(chosen), step):
        block = chosen[first : first + step].T.astype(np.int32)
        occurs = np.stack([by_group[g] @ block[word_groups == g] > 0 for g in range(k)])
        alone = occurs & (occurs.sum(axis=0) == 1)
        for g in range(k):
            counts[first : first + step, :, g] = (of_target @ alone[g].astype(np.int32)).T
    totals = np.bincount(targets, minlength=n_targets)
    counts[:, :, k] = totals - counts[:, :, :k].sum(axis=2)
    return counts


# --- bias -------------------------------------------------------------------------------------


def shares(counts: ArrayLike) -> Array:
    """Return the distribution of each target over the groups (section 4.4), without N/A.

    Args:
        counts: (..., k + 1) counts, the last column N/A.

    Returns:
        (..., k) shares; NaN if no context has a group, where the paper's normalisation would give
        a uniform distribution, that is, a bias of zero without any evidence.
    """
    counts = np.asarray(counts, np.float64)[..., :-1]
    rows = sum_normalize(counts.reshape(-1, counts.shape[-1])).reshape(counts.shape)
    return np.where(counts.any(axis=-1, keepdims=True), rows, np.nan)


def directed_bias(counts: ArrayLike) -> Array:
    """Return the first group's share less 1/k, (...), from (..., k + 1) counts; NaN without any."""
    distribution = shares(counts)
    return distribution[..., 0] - 1 / distribution.shape[-1]
