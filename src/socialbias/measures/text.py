"""Bias in text: how often a target and a group come together in a context.

Bommasani and Liang 2022, section 4.1: SoA_text counts the contexts in which a target is associated
with a group. Automated, that is so where a word of the group occurs and none of another group.
Neighbouring windows share sentences and a document has one author, so intervals come from
resampling documents, not windows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from socialbias.corpora.contexts import Contexts, Matches, sentence_rows, word_ids
from socialbias.corpora.prepared import Corpus
from socialbias.corpora.raw import RawSentence, raw_sentences, spans_of
from socialbias.errors import UserError
from socialbias.measures.divdist import l1_divergence, sum_normalize
from socialbias.measures.similarity import Array

Counts = NDArray[np.int64]
AT_ONCE = 1 << 22  # cells of a table that is made on the way


# --- labels -----------------------------------------------------------------------------------


def exclusive(masks: NDArray[np.uint64], k: int) -> NDArray[np.int64]:
    """The group with which each context is associated: the only one that has a word in it.

    Bommasani and Liang 2022, section 4.1 and footnote 3.

    Args:
        masks: Of any shape; bit g is set where a word of group g occurs.
        k: Groups, at most 64.

    Returns:
        In the shape of the masks, the number of the group; -1 where no group or several have a
        word.

    Raises:
        ValueError: a mask has a bit that no group has.
    """
    masks = np.asarray(masks, np.uint64)
    if masks.size and int(masks.max()) >= 1 << k:
        raise ValueError(f"a mask has a bit beyond the {k} groups")
    groups = np.frexp(masks.astype(np.float64))[1] - 1  # a power of two is exact
    return np.where(np.bitwise_count(masks) == 1, groups, -1).astype(np.int64)


def vote(
    masks: NDArray[np.uint64],
    n: int,
    groups: Sequence[str],
    mentions: NDArray[np.bool_] | None = None,
) -> NDArray[np.int64]:
    """Labels of long contexts by a vote of the windows in them (Table 4).

    Each window of n sentences is labelled by the exclusive rule, and the context takes the group
    with the most windows.

    Args:
        masks: (c, s) the mask of each sentence of contexts of s sentences; Table 4 has s = 5.
        n: Sentences of a window, at most s; with s there is one, and nothing to vote on.
        groups: The k groups' names. Of groups with as many windows the first in alphabetical
            order wins, as in the authors' released code.
        mentions: (c, s) whether each sentence mentions the target. When given, only windows with a
            mention vote; else all do, as in the released code.

    Returns:
        (c,) numbers of groups; -1 where no window has a label.

    Raises:
        ValueError: n is not between 1 and s.
    """
    if not 1 <= n <= masks.shape[1]:
        raise ValueError(f"windows of {n} sentences in contexts of {masks.shape[1]}")
    windows = np.lib.stride_tricks.sliding_window_view(masks, n, axis=1)
    labels = exclusive(np.bitwise_or.reduce(windows, axis=2), len(groups))
    if mentions is not None:
        inside = np.lib.stride_tricks.sliding_window_view(mentions, n, axis=1).any(axis=2)
        labels = np.where(inside, labels, -1)
    order = np.array(sorted(range(len(groups)), key=lambda g: groups[g]))
    votes = np.stack([(labels == g).sum(axis=1) for g in order], axis=1)
    return np.where(votes.any(axis=1), order[votes.argmax(axis=1)], -1)


# --- counts -----------------------------------------------------------------------------------


def label_counts(
    labels: NDArray[np.int64], targets: NDArray[np.int64], n_targets: int, k: int
) -> Counts:
    """How many contexts of each target have each label.

    Args:
        labels: (c,) numbers of groups, -1 for none.
        targets: (c,) numbers of targets.
        n_targets: Targets.
        k: Groups.

    Returns:
        (n_targets, k + 1) counts; the last column counts the contexts without a group.
    """
    cells = targets * (k + 1) + labels % (k + 1)  # -1 becomes k
    return np.bincount(cells, minlength=n_targets * (k + 1)).reshape(n_targets, k + 1)


def association_counts(contexts: Contexts, n_targets: int, k: int) -> Counts:
    """Strengths of association (SoA_text, section 4.1) by the exclusive rule.

    Args:
        contexts: Contexts of the targets.
        n_targets: Targets.
        k: Groups.

    Returns:
        (n_targets, k + 1) counts; the last column counts the contexts without a group.
    """
    return label_counts(exclusive(contexts.masks, k), contexts.targets, n_targets, k)


@dataclass(frozen=True)
class DocumentCounts:
    """Counts of labels by document, of the documents that have a context.

    Attributes:
        documents: (d,) numbers of the documents.
        counts: (d, t * (k + 1)) sparse; the columns are those of (t, k + 1) counts, row by row.
        n_targets: t targets.
        k: k groups.
    """

    documents: NDArray[np.int64]
    counts: csr_array
    n_targets: int
    k: int


def document_counts(
    contexts: Contexts, n_targets: int, k: int, labels: NDArray[np.int64] | None = None
) -> DocumentCounts:
    """Counts by document, to resample documents.

    Args:
        contexts: Contexts of the targets.
        n_targets: Targets.
        k: Groups.
        labels: (c,) the contexts' labels, -1 for none; by the exclusive rule when None.

    Returns:
        The counts; their sum is that of `association_counts`.
    """
    if labels is None:
        labels = exclusive(contexts.masks, k)
    documents, rows = np.unique(contexts.documents, return_inverse=True)
    columns = contexts.targets * (k + 1) + labels % (k + 1)
    shape = (len(documents), n_targets * (k + 1))
    counts = csr_array((np.ones(len(rows), np.int64), (rows, columns)), shape=shape)
    return DocumentCounts(documents, counts, n_targets, k)


def resampled_counts(
    counts: DocumentCounts, n_documents: int, draws: int, rng: np.random.Generator
) -> Counts:
    """Counts in bootstrap samples of all documents of the corpus.

    A sample takes as many documents as the corpus has, with replacement. Those without a context
    add nothing, so it is only drawn how many of the others a sample has (a binomial number), and
    then which: the counts are distributed as if all had been drawn.

    Args:
        counts: Counts by document.
        n_documents: Documents of the corpus, also those that have no context.
        draws: Samples.
        rng: Source of randomness.

    Returns:
        (draws, n_targets, k + 1) counts, whole numbers or weights as they were given.
    """
    d, cells = counts.counts.shape
    by_cell = counts.counts.T.tocsr()
    found = np.zeros((draws, cells), counts.counts.dtype)
    sizes = rng.binomial(n_documents, d / max(n_documents, 1), draws)
    for draw in range(draws if d else 0):
        documents = rng.integers(d, size=sizes[draw], dtype=np.uint32)
        found[draw] = by_cell @ np.bincount(documents, minlength=d)
    return found.reshape(draws, counts.n_targets, counts.k + 1)


# --- word lists -------------------------------------------------------------------------------


def random_words(
    word_groups: NDArray[np.int64], size: int, draws: int, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Random sub-lists of the group words (Table 8).

    Args:
        word_groups: (w,) the group of each word, as `Matches.word_groups`.
        size: Words of each group that a draw keeps.
        draws: Draws.
        rng: Source of randomness.

    Returns:
        (draws, w) truth values.

    Raises:
        UserError: a group has fewer words.
    """
    least = np.bincount(word_groups).min()
    if not 1 <= size <= least:
        raise UserError(f"sub-lists of {size} words: the shortest list has {least}")
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
    """Counts by the exclusive rule, had the groups had only some of their words (Table 8).

    Args:
        presence: (c, w) sparse; which group words each context holds: `contexts.word_presence`.
        targets: (c,) the contexts' targets.
        n_targets: Targets.
        word_groups: (w,) the group of each word, as `Matches.word_groups`.
        chosen: (draws, w) which words each draw keeps.

    Returns:
        (draws, n_targets, k + 1) counts; with all words those of `association_counts`.
    """
    k = int(word_groups.max()) + 1
    rows = np.flatnonzero(np.diff(presence.indptr))  # the others never have a group
    held = presence[rows].astype(np.int32)
    by_group = [held[:, word_groups == g] for g in range(k)]
    owners = targets[rows], np.arange(len(rows))
    of_target = csr_array((np.ones(len(rows), np.int32), owners), shape=(n_targets, len(rows)))
    found = np.zeros((len(chosen), n_targets, k + 1), np.int64)
    step = max(1, AT_ONCE // max(1, k * len(rows)))
    for first in range(0, len(chosen), step):
        block = chosen[first : first + step].T.astype(np.int32)
        occurs = np.stack([by_group[g] @ block[word_groups == g] > 0 for g in range(k)])
        alone = occurs & (occurs.sum(axis=0) == 1)
        for g in range(k):
            found[first : first + step, :, g] = (of_target @ alone[g].astype(np.int32)).T
    totals = np.bincount(targets, minlength=n_targets)
    found[:, :, k] = totals - found[:, :, :k].sum(axis=2)
    return found


# --- bias -------------------------------------------------------------------------------------


def shares(counts: ArrayLike) -> Array:
    """The distribution of each target over the groups (section 4.4), without N/A.

    Args:
        counts: (..., k + 1) counts, the last column N/A.

    Returns:
        (..., k) shares; NaN where no context has a group. The paper's normalisation makes a
        uniform distribution of nothing, which would be a bias of zero that nobody has seen.
    """
    counts = np.asarray(counts, np.float64)[..., :-1]
    found = sum_normalize(counts.reshape(-1, counts.shape[-1])).reshape(counts.shape)
    return np.where(counts.any(axis=-1, keepdims=True), found, np.nan)


def directed_bias(counts: ArrayLike) -> Array:
    """The first group's share less 1/k: (...) from (..., k + 1) counts, NaN where there is none."""
    found = shares(counts)
    return found[..., 0] - 1 / found.shape[-1]


def bias_magnitude(
    counts: ArrayLike,
    reference: ArrayLike | None = None,
    divergence: Callable[[Array, Array], Array] = l1_divergence,
) -> Array:
    """Divergence of each target's distribution from a reference (section 3, equation 3).

    Args:
        counts: (..., k + 1) counts, the last column N/A.
        reference: (k,) shares, or (n_targets, k); uniform when None.
        divergence: (n, k), reference -> (n,), of `measures.divdist`.

    Returns:
        (...) magnitudes; NaN where no context has a group.
    """
    found = shares(counts)
    k = found.shape[-1]
    reference = np.full(k, 1 / k) if reference is None else np.asarray(reference, np.float64)
    expected = np.broadcast_to(reference, found.shape).reshape(-1, k)
    return divergence(found.reshape(-1, k), expected).reshape(found.shape[:-1])


# --- reading ----------------------------------------------------------------------------------

GAP = " […] "  # between sentences that are not neighbours in the text


def show(
    index_path: Path,
    corpus: Corpus,
    matches: Matches,
    contexts: Contexts,
    target: str,
    group: str | None,
    *,
    at_most: int = 20,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """The sentences behind a number: contexts of a target that count for a group.

    They are drawn at random, first one from each document, then a second one.

    Args:
        index_path: The index of the shards from which the corpus was prepared.
        corpus: The prepared corpus.
        matches: What was found in it.
        contexts: Windows of it.
        target: The target's name.
        group: The group's name; None for the contexts that have no group.
        at_most: How many to show.
        rng: Source of randomness.

    Returns:
        In the order of the corpus: `document` (its id), `sentence` (the number of the first),
        `text` (sentences that are not neighbours have a mark between them), `target_words`,
        `group_words` (of all groups, as they are written), and `target_spans`, `group_spans`:
        where they stand in the text, as lists of (begin, end).

    Raises:
        UserError: there is no such target or group, or the text is not the corpus'.
    """
    targets, groups = list(matches.targets), list(matches.groups)
    for name, known in ((target, targets), (group, [*groups, None])):
        if name not in known:
            raise UserError(f"{name!r}: not among {', '.join(map(str, known))}")
    label = -1 if group is None else groups.index(group)
    wanted = (contexts.targets == targets.index(target)) & (
        exclusive(contexts.masks, len(groups)) == label
    )
    chosen = contexts.take(_spread(np.flatnonzero(wanted), contexts.documents, at_most, rng))
    numbers = matches.sentences.numbers[sentence_rows(chosen)]
    raw = {s.number: s for s in raw_sentences(index_path, corpus, numbers.ravel())}
    ids = {
        "target": word_ids(corpus, matches.targets[target]),
        "group": word_ids(corpus, [word for words in matches.groups.values() for word in words]),
    }
    rows = [_shown(corpus, [raw[i] for i in window], ids) for window in numbers.tolist()]
    columns = ["document", "sentence", "text"]
    columns += ["target_words", "group_words", "target_spans", "group_spans"]
    return pd.DataFrame(rows, columns=columns)


def _spread(
    rows: NDArray[np.int64], documents: NDArray[np.int64], n: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """At most n random rows from as many documents as can be, in their order."""
    rows = rng.permutation(rows)
    turns = pd.Series(documents[rows]).groupby(documents[rows]).cumcount().to_numpy()
    return np.sort(rows[np.argsort(turns, kind="stable")[:n]])


def _shown(corpus: Corpus, sentences: list[RawSentence], ids: dict[str, NDArray]) -> dict:
    """One context as a row."""
    text = ""
    spans: dict[str, list[tuple[int, int]]] = {role: [] for role in ids}
    for before, sentence in zip([None, *sentences], sentences, strict=False):
        if before is not None:
            text += " " if before.number + 1 == sentence.number else GAP
        for role in ids:
            found = spans_of(sentence, corpus, ids[role])
            spans[role] += [(begin + len(text), end + len(text)) for begin, end in found]
        text += sentence.text
    row = {"document": sentences[0].name, "sentence": sentences[0].number, "text": text}
    for role in ids:
        row[f"{role}_words"] = ", ".join(text[begin:end] for begin, end in spans[role])
        row[f"{role}_spans"] = spans[role]
    return row
