"""Contexts: windows of consecutive sentences that mention a target, and the group words in them.

Bommasani and Liang 2022, section 4.1: the contexts of the text measure. Sentences of 5 to 40 tokens
are kept, and a window is n consecutive kept sentences of a document, ignoring the others in between
as the authors' released code does. A document with fewer than n kept sentences has no window of n.
Words are matched as whole tokens, in lower case: a word that the tokenizer splits, or that contains
a space, is never matched.

`match` scans the token ids once and stores the sentences near a target; `contexts_of` makes windows
from them, for any n. A window is identified by the row of its first sentence.

    matches = match(corpus, {"nurse": ["nurse"]}, {"female": ["she"], "male": ["he"]})
    contexts = contexts_of(matches, 3)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from socialbias.corpora.prepared import Corpus
from socialbias.errors import UserError

SHORTEST, LONGEST = 5, 40  # tokens of a kept sentence
MAX_WINDOW = 5  # sentences
MAX_GROUPS = 64  # bits of a mask
Words = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Sentences:
    """Some sentences of a prepared corpus, in corpus order."""

    numbers: NDArray[np.int64]  # (m,) sentence numbers in the corpus
    starts: NDArray[np.int64]  # (m,) the first token of each
    ends: NDArray[np.int64]  # (m,) one past the last token
    documents: NDArray[np.int64]  # (m,) the document of each

    def take(self, rows: NDArray[np.int64]) -> Sentences:
        """Return the sentences in these rows."""
        return Sentences(*(column[rows] for column in vars(self).values()))


@dataclass(frozen=True)
class Matches:
    """The result of one pass over a corpus."""

    targets: dict[str, tuple[str, ...]]  # the words of each of t targets, by the target's name
    groups: dict[str, tuple[str, ...]]  # the words of each of k groups, by the group's name
    max_window: int  # sentences of the longest window that can be made
    sentences: Sentences  # the m kept sentences that may be in a window with a mention
    places: NDArray[np.int64]  # (m,) the index of each among its document's kept sentences
    first: int  # the first document that was searched
    # (d,) number of kept sentences of each document, starting with the first.
    kept: NDArray[np.int32]
    mentions: csr_array  # (m, t) sparse; nonzero if a sentence mentions a target
    # (m, w) sparse; nonzero if a sentence contains a group word. The w columns are the words of the
    # first group, then of the second: a word in two groups has two.
    words: csr_array
    masks: NDArray[np.uint64]  # (m,) bit g is set if a sentence contains a word of group g

    @property
    def word_groups(self) -> NDArray[np.int64]:
        """(w,) the group of each column of `words`."""
        return _word_groups(self.groups)


@dataclass(frozen=True)
class Contexts:
    """Windows of n kept sentences of one document; one row for each target that one mentions."""

    n: int  # sentences per window
    # (c,) rows of `Matches.sentences`: the first sentence of each window, which continues with the
    # next n - 1 rows.
    firsts: NDArray[np.int64]
    targets: NDArray[np.int64]  # (c,) the number of the target
    documents: NDArray[np.int64]  # (c,) the number of the document
    masks: NDArray[np.uint64]  # (c,) bit g is set if a word of group g occurs in the window

    def take(self, rows: NDArray) -> Contexts:
        """Return some of the contexts, by index or as a boolean mask."""
        columns = (self.firsts, self.targets, self.documents, self.masks)
        return Contexts(self.n, *(column[rows] for column in columns))


def kept_sentences(
    corpus: Corpus,
    shortest: int = SHORTEST,
    longest: int = LONGEST,
    documents: tuple[int, int] | None = None,
) -> Sentences:
    """Return the sentences of a corpus that are neither too short nor too long."""
    first, last = documents or (0, corpus.size)
    boundaries = corpus.documents[first : last + 1]
    start, end = np.searchsorted(corpus.sentences, boundaries[[0, -1]])
    bounds = corpus.sentences[start : end + 1]
    lengths = np.diff(bounds)
    kept = np.flatnonzero((shortest <= lengths) & (lengths <= longest))
    starts = bounds[kept]
    return Sentences(
        numbers=kept + start,
        starts=starts,
        ends=bounds[kept + 1],
        documents=np.searchsorted(boundaries, starts, side="right") - 1 + first,
    )


def match(
    corpus: Corpus,
    targets: Words,
    groups: Words,
    **options: int,
) -> Matches:
    """Find targets, and the group words near them, in one pass over the token ids.

    It stores 4 bytes per document and the sentences that may be in a window with a mention; other
    sentences cost nothing. If targets are many and only counts are needed, iterate over
    `match_blocks`, which does not keep the sentences.
    """
    blocks = list(match_blocks(corpus, targets, groups, **options))
    columns = zip(*(vars(block.sentences).values() for block in blocks), strict=True)
    return replace(
        blocks[0],
        sentences=Sentences(*map(np.concatenate, columns)),
        places=np.concatenate([block.places for block in blocks]),
        kept=np.concatenate([block.kept for block in blocks]),
        mentions=vstack([block.mentions for block in blocks], "csr"),
        words=vstack([block.words for block in blocks], "csr"),
        masks=np.concatenate([block.masks for block in blocks]),
    )


def match_blocks(
    corpus: Corpus,
    targets: Words,
    groups: Words,
    *,
    shortest: int = SHORTEST,
    longest: int = LONGEST,
    max_window: int = MAX_WINDOW,
) -> Iterator[Matches]:
    """As `match`, in blocks: the documents of about a million tokens at a time.

    No window crosses documents, so the contexts of the blocks are those of the corpus, and their
    counts add up. No block has to stay in memory.
    """
    targets, groups = _lower(targets), _lower(groups)
    _check(targets, groups, shortest, longest, max_window)
    single = [(word,) for group in groups.values() for word in group]
    spellings = _spellings(corpus, chain(*targets.values(), *single))
    mention_matcher = _Matcher(corpus, spellings, list(targets.values()))
    word_matcher = _Matcher(corpus, spellings, single)
    bits = np.uint64(1) << _word_groups(groups).astype(np.uint64)  # of each word, its group's
    for first, last in corpus.blocks():
        sentences = kept_sentences(corpus, shortest, longest, (first, last))
        kept = np.bincount(sentences.documents - first, minlength=last - first)
        places = np.arange(len(sentences.numbers))
        places -= (np.cumsum(kept) - kept)[sentences.documents - first]
        near = _neighbours(mention_matcher.rows(sentences), sentences.documents, max_window)
        sentences = sentences.take(near)
        words = word_matcher.presence(sentences)
        rows, columns = words.nonzero()
        masks = np.zeros(len(near), np.uint64)
        np.bitwise_or.at(masks, rows, bits[columns])
        yield Matches(
            targets=targets,
            groups=groups,
            max_window=max_window,
            sentences=sentences,
            places=places[near],
            first=first,
            kept=kept.astype(np.int32),
            mentions=mention_matcher.presence(sentences),
            words=words,
            masks=masks,
        )


def contexts_of(
    matches: Matches, n: int, *, keep_last: bool = True, limit: int | None = None
) -> Contexts:
    """Return the windows of n sentences that mention a target, at stride 1."""
    if not 1 <= n <= matches.max_window:
        raise UserError(
            f"contexts: windows of {n} sentences, but the matches allow 1 to {matches.max_window}: "
            "match with a larger max_window"
        )
    rows, targets = matches.mentions.nonzero()
    documents = matches.sentences.documents[rows, None] - matches.first
    # A sentence is in n windows, as their first, second, ... sentence.
    places = matches.places[rows, None] - np.arange(n)
    windows = np.maximum(matches.kept.astype(np.int64) - n + keep_last, 0)
    inside = (places >= 0) & (places < windows[documents])
    if limit is not None:
        before = np.cumsum(windows) - windows
        inside &= before[documents] + places < limit
    firsts = (rows[:, None] - np.arange(n))[inside]
    owners = np.broadcast_to(targets[:, None], inside.shape)[inside]
    keys = np.unique(firsts * len(matches.targets) + owners)
    firsts, targets = np.divmod(keys, len(matches.targets))
    return Contexts(
        n=n,
        firsts=firsts,
        targets=targets,
        documents=matches.sentences.documents[firsts],
        masks=np.bitwise_or.reduce(matches.masks[firsts[:, None] + np.arange(n)], axis=1),
    )


def count_windows(matches: Matches, n: int, *, keep_last: bool = True) -> int:
    """Return the number of windows of n sentences, whether or not they mention a target."""
    return int(np.maximum(matches.kept.astype(np.int64) - n + keep_last, 0).sum())


def word_presence(matches: Matches, contexts: Contexts) -> csr_array:
    """Return which group words occur in each context."""
    presence = csr_array((len(contexts.firsts), matches.words.shape[1]), dtype=bool)
    for i in range(contexts.n):
        presence = presence + matches.words[contexts.firsts + i]
    return presence


def _spellings(corpus: Corpus, words: Iterable[str]) -> dict[str, list[int]]:
    """Return the ids of all spellings of each lower-case word."""
    ids: dict[str, list[int]] = {word: [] for word in words}
    for i, word in enumerate(map(str.lower, corpus.words)):
        if word in ids:
            ids[word].append(i)
    return ids


def _lower(lists: Words) -> dict[str, tuple[str, ...]]:
    """Return the lists in lower case, without duplicates."""
    return {
        name: tuple(dict.fromkeys(word.lower() for word in words)) for name, words in lists.items()
    }


def _check(targets: dict, groups: dict, shortest: int, longest: int, max_window: int) -> None:
    if not targets or not 1 <= len(groups) <= MAX_GROUPS:
        raise UserError(
            f"contexts: {len(targets)} targets and {len(groups)} groups, but at least one target "
            f"and 1 to {MAX_GROUPS} groups are needed"
        )
    if not 1 <= shortest <= longest or max_window < 1:
        raise UserError(
            f"contexts: windows of up to {max_window} sentences of {shortest} to {longest} tokens: "
            "numbers must be at least 1, and the shortest at most the longest"
        )


class _Matcher:
    """Finds the words of several lists in sentences; each list is a column of the result."""

    def __init__(
        self, corpus: Corpus, spellings: dict[str, list[int]], lists: Sequence[Sequence[str]]
    ):
        self._tokens = corpus.tokens
        pairs = [
            (i, column)
            for column, words in enumerate(lists)
            for word in words
            for i in spellings[word]
        ]
        ids, owners = np.array(pairs, np.int64).reshape(-1, 2).T
        known, numbers = np.unique(ids, return_inverse=True)
        self._is_known = np.zeros(len(corpus.words), bool)
        self._is_known[known] = True
        self._known = known
        shape = (len(known), len(lists))
        self._columns = csr_array((np.ones(len(ids), bool), (numbers, owners)), shape=shape)

    def rows(self, sentences: Sentences) -> NDArray[np.int64]:
        """Return the rows of a block's sentences that contain a word."""
        if not len(sentences.numbers):
            return np.empty(0, np.int64)
        start = sentences.starts[0]
        places = np.flatnonzero(self._is_known[self._tokens[start : sentences.ends[-1]]]) + start
        rows = np.searchsorted(sentences.starts, places, side="right") - 1
        return np.unique(rows[places < sentences.ends[rows]])  # other sentences are not kept

    def presence(self, sentences: Sentences) -> csr_array:
        """(m, lists) sparse bool: which lists have a word in each sentence."""
        lengths = sentences.ends - sentences.starts
        rows = np.repeat(np.arange(len(lengths)), lengths)
        offsets = np.arange(len(rows)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        ids = self._tokens[sentences.starts[rows] + offsets]
        places = np.flatnonzero(self._is_known[ids])
        numbers = np.searchsorted(self._known, ids[places])
        shape = (len(lengths), len(self._known))
        words = csr_array((np.ones(len(places), bool), (rows[places], numbers)), shape=shape)
        return words @ self._columns


def _neighbours(
    rows: NDArray[np.int64], documents: NDArray[np.int64], max_window: int
) -> NDArray[np.int64]:
    """Rows within `max_window - 1` of some rows, in the same document."""
    near = rows[:, None] + np.arange(1 - max_window, max_window)
    owners = np.broadcast_to(documents[rows][:, None], near.shape)
    inside = (near >= 0) & (near < len(documents))
    near, owners = near[inside], owners[inside]
    return np.unique(near[documents[near] == owners])


def _word_groups(groups: dict[str, tuple[str, ...]]) -> NDArray[np.int64]:
    """Return the group of each word, in the order of `Matches.words`."""
    return np.repeat(np.arange(len(groups)), [len(words) for words in groups.values()])
