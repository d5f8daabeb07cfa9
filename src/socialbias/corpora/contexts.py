"""Contexts: windows of consecutive sentences that mention a target, and the group words in them.

Bommasani and Liang 2022, section 4.1: the contexts of the text measure. Sentences of 5 to 40 tokens
are kept, and a window is n of the kept sentences of one document that follow each other once the
others are gone, as in the authors' released code. A document that keeps fewer than n sentences has
no window of n. Words are matched as whole tokens, in lower case: a word that the tokenizer cuts,
or that has a blank, is never found.

`match` goes through the ids once and remembers the sentences within reach of a target;
`contexts_of` makes windows of them, for each n anew. A window is the row of its first sentence.

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

SHORTEST, LONGEST = 5, 40  # tokens of a sentence that is kept
REACH = 5  # sentences of the longest window
MOST_GROUPS = 64  # bits of a mask
Words = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Sentences:
    """Some sentences of a prepared corpus, in its order.

    Attributes:
        numbers: (m,) which sentences of the corpus they are.
        starts: (m,) the first token of each.
        ends: (m,) one past the last token.
        documents: (m,) the document of each.
    """

    numbers: NDArray[np.int64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    documents: NDArray[np.int64]

    def take(self, rows: NDArray[np.int64]) -> Sentences:
        """Some of them."""
        return Sentences(*(column[rows] for column in vars(self).values()))


@dataclass(frozen=True)
class Matches:
    """What was found in one pass over a corpus.

    Attributes:
        targets: The words of each of t targets, by the target's name.
        groups: The words of each of k groups, by the group's name.
        reach: Sentences of the longest window that can be made.
        sentences: The m kept sentences that a window with a mention can hold.
        places: (m,) which of its document's kept sentences each is, from 0.
        first: The first document that was looked at.
        kept: (d,) how many sentences each document keeps, from the first on.
        mentions: (m, t) sparse; not zero where a sentence mentions a target.
        words: (m, w) sparse; not zero where a sentence holds a group word. The w columns are the
            words of the first group, then of the second: a word of two groups has two.
        masks: (m,) bit g is set where a sentence holds a word of group g.
    """

    targets: dict[str, tuple[str, ...]]
    groups: dict[str, tuple[str, ...]]
    reach: int
    sentences: Sentences
    places: NDArray[np.int64]
    first: int
    kept: NDArray[np.int32]
    mentions: csr_array
    words: csr_array
    masks: NDArray[np.uint64]

    @property
    def word_groups(self) -> NDArray[np.int64]:
        """(w,) the group of each column of `words`."""
        return _owners(self.groups)


@dataclass(frozen=True)
class Contexts:
    """Windows of n kept sentences of one document; one row for each target that one mentions.

    Attributes:
        n: Sentences of a window.
        firsts: (c,) rows of `Matches.sentences`, each the first sentence of a window, which goes
            on with the next n - 1 rows.
        targets: (c,) the number of the target.
        documents: (c,) the number of the document.
        masks: (c,) bit g is set where a word of group g occurs in the window.
    """

    n: int
    firsts: NDArray[np.int64]
    targets: NDArray[np.int64]
    documents: NDArray[np.int64]
    masks: NDArray[np.uint64]

    def take(self, rows: NDArray) -> Contexts:
        """Some of them, by number or as truth values."""
        columns = (self.firsts, self.targets, self.documents, self.masks)
        return Contexts(self.n, *(column[rows] for column in columns))


def kept_sentences(
    corpus: Corpus,
    shortest: int = SHORTEST,
    longest: int = LONGEST,
    documents: tuple[int, int] | None = None,
) -> Sentences:
    """The sentences of a corpus that are neither too short nor too long.

    Args:
        corpus: A prepared corpus.
        shortest: Tokens of the shortest sentence that is kept.
        longest: Tokens of the longest one.
        documents: The first document and the one behind the last; all when None.

    Returns:
        Sentences; 32 bytes each.
    """
    first, last = documents or (0, corpus.size)
    borders = corpus.documents[first : last + 1]
    start, end = np.searchsorted(corpus.sentences, borders[[0, -1]])
    bounds = corpus.sentences[start : end + 1]
    lengths = np.diff(bounds)
    kept = np.flatnonzero((shortest <= lengths) & (lengths <= longest))
    starts = bounds[kept]
    return Sentences(
        numbers=kept + start,
        starts=starts,
        ends=bounds[kept + 1],
        documents=np.searchsorted(borders, starts, side="right") - 1 + first,
    )


def match(
    corpus: Corpus,
    targets: Words,
    groups: Words,
    *,
    shortest: int = SHORTEST,
    longest: int = LONGEST,
    reach: int = REACH,
) -> Matches:
    """Find targets, and the group words near them, in one pass over the ids.

    What is remembered is 4 bytes a document and the sentences within reach of a mention; a
    sentence that no target is near costs nothing. Where targets are many and only counts are
    wanted, go through `match_blocks`, which does not keep them.

    Args:
        corpus: A prepared corpus.
        targets: By the target's name, the words that mention it; a word may stand in several.
        groups: By the group's name, its words; a word may stand in several.
        shortest: Tokens of the shortest sentence that is kept.
        longest: Tokens of the longest one.
        reach: Sentences of the longest window that `contexts_of` will be asked for.

    Returns:
        Matches. A word that the corpus does not have is not found; of a word that stands twice in
        one list, one stays.

    Raises:
        UserError: there is no target or no group, there are more than 64 groups, or a bound is
            not one.
    """
    options = {"shortest": shortest, "longest": longest, "reach": reach}
    blocks = list(match_blocks(corpus, targets, groups, **options))
    return replace(
        blocks[0],
        sentences=_joined([block.sentences for block in blocks]),
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
    reach: int = REACH,
) -> Iterator[Matches]:
    """As `match`, piece by piece: the documents of about a million tokens at a time.

    No window crosses a document, so the contexts of the blocks are those of the corpus, and their
    counts add up. Nothing of a block has to stay in memory.

    Args:
        corpus: See `match`.
        targets: See `match`.
        groups: See `match`.
        shortest: See `match`.
        longest: See `match`.
        reach: See `match`.

    Yields:
        Matches in some documents, from `Matches.first` on; a limit of windows is one for each.

    Raises:
        UserError: as `match`.
    """
    targets, groups = _lower(targets), _lower(groups)
    _check(targets, groups, shortest, longest, reach)
    single = [(word,) for group in groups.values() for word in group]
    spellings = _spellings(corpus, chain(*targets.values(), *single))
    mentions = _Finder(corpus, spellings, list(targets.values()))
    words = _Finder(corpus, spellings, single)
    for first, last in corpus.blocks():
        sentences = kept_sentences(corpus, shortest, longest, (first, last))
        kept = np.bincount(sentences.documents - first, minlength=last - first)
        places = np.arange(len(sentences.numbers))
        places -= (np.cumsum(kept) - kept)[sentences.documents - first]
        near = _within_reach(mentions.rows(sentences), sentences.documents, reach)
        sentences = sentences.take(near)
        found = words.among(sentences)
        yield Matches(
            targets=targets,
            groups=groups,
            reach=reach,
            sentences=sentences,
            places=places[near],
            first=first,
            kept=kept.astype(np.int32),
            mentions=mentions.among(sentences),
            words=found,
            masks=_masks(found, _owners(groups)),
        )


def contexts_of(
    matches: Matches, n: int, *, keep_last: bool = True, limit: int | None = None
) -> Contexts:
    """The windows of n sentences that mention a target, at stride 1.

    Args:
        matches: What `match` found.
        n: Sentences of a window, at most `matches.reach`.
        keep_last: Whether the last window of a document counts. The authors' released code loses
            it, and so all of a document of n kept sentences.
        limit: Only the first so many windows of the corpus, whether they mention a target or not;
            the released code stops after 2,000,000.

    Returns:
        Contexts in the order of the corpus; a window that mentions two targets is two of them.

    Raises:
        UserError: n is not between 1 and `matches.reach`.
    """
    if not 1 <= n <= matches.reach:
        raise UserError(
            f"contexts: {n} sentences, but 1 to {matches.reach} can be had: match with more reach"
        )
    rows, targets = matches.mentions.nonzero()
    documents = matches.sentences.documents[rows, None] - matches.first
    # A sentence is in n windows: it is their first, their second, ... sentence.
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
    """How many windows of n sentences there are, whether they mention a target or not."""
    return int(np.maximum(matches.kept.astype(np.int64) - n + keep_last, 0).sum())


def sentence_rows(contexts: Contexts) -> NDArray[np.int64]:
    """The rows of `Matches.sentences` that each context consists of, (c, n)."""
    return contexts.firsts[:, None] + np.arange(contexts.n)


def word_presence(matches: Matches, contexts: Contexts) -> csr_array:
    """Which group words occur in each context.

    Args:
        matches: What `match` found.
        contexts: Windows of it.

    Returns:
        (c, w) sparse truth values, the columns as in `Matches.words`.
    """
    found = csr_array((len(contexts.firsts), matches.words.shape[1]), dtype=bool)
    for i in range(contexts.n):
        found = found + matches.words[contexts.firsts + i]
    return found


def word_ids(corpus: Corpus, words: Iterable[str]) -> NDArray[np.int64]:
    """The ids of all spellings, in lower and upper case, that a corpus has of these words."""
    found = _spellings(corpus, map(str.lower, words))
    return np.array(sorted(chain(*found.values())), np.int64)


def _spellings(corpus: Corpus, words: Iterable[str]) -> dict[str, list[int]]:
    """The ids of each word, given in lower case, in all its spellings."""
    found: dict[str, list[int]] = {word: [] for word in words}
    for i, word in enumerate(map(str.lower, corpus.words)):
        if word in found:
            found[word].append(i)
    return found


def _lower(lists: Words) -> dict[str, tuple[str, ...]]:
    """The lists in lower case, each word once."""
    return {
        name: tuple(dict.fromkeys(word.lower() for word in words)) for name, words in lists.items()
    }


def _check(targets: dict, groups: dict, shortest: int, longest: int, reach: int) -> None:
    if not targets or not 1 <= len(groups) <= MOST_GROUPS:
        raise UserError(
            f"contexts: {len(targets)} targets and {len(groups)} groups, but at least one target "
            f"and 1 to {MOST_GROUPS} groups are needed"
        )
    if not 1 <= shortest <= longest or reach < 1:
        raise UserError(
            f"contexts: windows of up to {reach} sentences of {shortest} to {longest} tokens: "
            "give numbers from 1 on, the shortest before the longest"
        )


class _Finder:
    """Finds the words of some lists in sentences; a list is a column of what it finds."""

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
        self._wanted = np.zeros(len(corpus.words), bool)
        self._wanted[known] = True
        self._known = known
        shape = (len(known), len(lists))
        self._columns = csr_array((np.ones(len(ids), bool), (numbers, owners)), shape=shape)

    def rows(self, sentences: Sentences) -> NDArray[np.int64]:
        """The rows of the sentences of a block that hold a word."""
        if not len(sentences.numbers):
            return np.empty(0, np.int64)
        start = sentences.starts[0]
        places = np.flatnonzero(self._wanted[self._tokens[start : sentences.ends[-1]]]) + start
        rows = np.searchsorted(sentences.starts, places, side="right") - 1
        return np.unique(rows[places < sentences.ends[rows]])  # others are not kept

    def among(self, sentences: Sentences) -> csr_array:
        """(m, lists) sparse truth values: which lists have a word in each sentence."""
        lengths = sentences.ends - sentences.starts
        rows = np.repeat(np.arange(len(lengths)), lengths)
        offsets = np.arange(len(rows)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        ids = self._tokens[sentences.starts[rows] + offsets]
        here = np.flatnonzero(self._wanted[ids])
        numbers = np.searchsorted(self._known, ids[here])
        shape = (len(lengths), len(self._known))
        found = csr_array((np.ones(len(here), bool), (rows[here], numbers)), shape=shape)
        return found @ self._columns


def _within_reach(
    rows: NDArray[np.int64], documents: NDArray[np.int64], reach: int
) -> NDArray[np.int64]:
    """The rows from `reach - 1` before to as many behind each of some rows, in its document."""
    near = rows[:, None] + np.arange(1 - reach, reach)
    owners = np.broadcast_to(documents[rows][:, None], near.shape)
    inside = (near >= 0) & (near < len(documents))
    near, owners = near[inside], owners[inside]
    return np.unique(near[documents[near] == owners])


def _joined(parts: Sequence[Sentences]) -> Sentences:
    columns = zip(*(vars(part).values() for part in parts), strict=True)
    return Sentences(*map(np.concatenate, columns))


def _owners(groups: dict[str, tuple[str, ...]]) -> NDArray[np.int64]:
    """The group of each word, in the order of `Matches.words`."""
    return np.repeat(np.arange(len(groups)), [len(words) for words in groups.values()])


def _masks(words: csr_array, groups: NDArray[np.int64]) -> NDArray[np.uint64]:
    """(m,) masks of the groups that have a word in each row."""
    masks = np.zeros(words.shape[0], np.uint64)
    rows, columns = words.nonzero()
    np.bitwise_or.at(masks, rows, np.uint64(1) << groups[columns].astype(np.uint64))
    return masks
