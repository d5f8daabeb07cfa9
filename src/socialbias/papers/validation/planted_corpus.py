"""Writing a planted corpus: documents of sentences, as integers, as text, as a prepared corpus.

A document is about one target and has one topic. It draws its own shares over the groups, so that
what its sentences say is correlated, while documents are independent of one another. A sentence is
a row of topic and function words with one phrase somewhere in it: the target, words of groups and
attributes, in any order. They stand together so that a small language model can learn what goes
with what within a minute. Length, place, order and the rest of the words know nothing of the
groups.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from socialbias.corpora.documents import Document
from socialbias.corpora.prepared import Corpus
from socialbias.papers.validation.planted_design import SECOND, STOP, Array, Design

SENTENCES = (4, 12)  # of a document, at least and at most
LENGTHS = (5, 9)  # tokens of a sentence with its stop, at least and at most
SPECIAL = 4  # most words of a sentence that are not filler
FUNCTION = 0.5  # share of filler that is function words

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Planted:
    """A planted corpus as integers."""

    words: tuple[str, ...]  # the word of each id; some may not occur
    tokens: Ints  # (n,) ids
    sentences: Ints  # (s + 1,) offsets into tokens
    documents: Ints  # (d + 1,) offsets into sentences
    targets: Ints  # (d,) the row of each document's target in the design's truth table

    def texts(self) -> Iterator[Document]:
        """Yield the documents as text: tokens and sentences are separated by one space."""
        words = np.array(self.words, object)[self.tokens]
        offsets = self.sentences[self.documents]
        for number, (start, end) in enumerate(pairwise(offsets)):
            yield Document(str(number + 1), " ".join(words[start:end]))

    def prepared(self) -> Corpus:
        """Return the corpus as `prepare` makes it of the text with the whitespace tokenizer."""
        counts = np.bincount(self.tokens, minlength=len(self.words))
        alphabetical = np.argsort(np.argsort(self.words))
        order = np.lexsort((alphabetical, -counts))[: np.count_nonzero(counts)]
        ids = np.zeros(len(self.words), np.uint32)
        ids[order] = np.arange(len(order))
        return Corpus(
            tuple(self.words[i] for i in order),
            counts[order],
            ids[self.tokens],
            self.sentences[self.documents],
            self.sentences,
            report={},
        )


def write(design: Design, tokens: int, rng: np.random.Generator) -> Planted:
    """Return a corpus of about so many tokens."""
    writer = _Writer(design, rng)
    documents = max(1, round(tokens / (sum(SENTENCES) / 2 * sum(LENGTHS) / 2)))
    targets = writer.choose_targets(documents)
    sizes = rng.integers(SENTENCES[0], SENTENCES[1] + 1, documents)
    special = writer.special_words(targets, np.repeat(np.arange(documents), sizes))
    topics = np.repeat(rng.integers(design.topics, size=documents), sizes)
    flat, lengths = writer.sentences(special, topics)
    return Planted(
        tuple(writer.words),
        flat,
        np.concatenate([[0], np.cumsum(lengths)]),
        np.concatenate([[0], np.cumsum(sizes)]),
        targets,
    )


class _Writer:
    """Draws all sentences at once; words are integers, -1 is none."""

    def __init__(self, design: Design, rng: np.random.Generator):
        self.design, self._rng = design, rng
        self.words = [word for group in design.words.values() for word in group] + [STOP]
        sizes = [len(group) for group in design.words.values()]
        first = dict(zip(design.words, np.cumsum([0, *sizes[:-1]]), strict=True))
        # The first word of the first list, and the words of each list.
        self._groups = first["group 0"], design.group_words
        self._attributes = first["attribute 0"], design.attributes
        self._topics, self._function = first["topic 0"], first["function"]
        self._table = design.targets

    def choose_targets(self, documents: int) -> Ints:
        """Return the target of each document: kinds by their number of targets, then by weight."""
        weights = self._table["weight"] / self._table.groupby("kind")["weight"].transform("mean")
        return self._rng.choice(len(weights), documents, p=weights / weights.sum())

    def special_words(self, targets: Ints, document: Ints) -> Ints:
        """Return the target, and the words of groups and attributes, of each sentence, (s, 4)."""
        design, n = self.design, len(document)
        planted = self._table[[f"planted {g}" for g in range(design.k)]].to_numpy()
        shares = self._rng.standard_gamma(design.concentration * planted[targets])
        shares /= shares.sum(axis=1, keepdims=True)
        target, apart = targets[document], (self._table["kind"] == SECOND).to_numpy()
        mentioned = self._rng.random(n) < design.mentions
        role = self._rng.random(n)
        with_one = mentioned & (role < design.one_group)
        with_two = mentioned & ~with_one & (role < design.one_group + design.two_groups)
        linked = ~mentioned & (role < design.links)
        apart = apart[target]  # from here on: of the sentence's target
        base = np.array(design.base)
        group = self._pick(shares[document])
        second = self._pick(base * (np.arange(design.k) != group[:, None]))
        bound = self._pick(np.broadcast_to(base, (n, design.k)))
        near = self._pick(design.leaning(np.full(n, design.bond), bound))
        twice = self._rng.random(n) < design.pairs
        special = np.full((n, SPECIAL), -1)
        special[:, 0] = np.where(mentioned, target, -1)
        # Direct and null targets: words of one group, or of two.
        groups, attributes = self._groups, self._attributes
        for place, where, lists, chosen in (
            (1, with_one & ~apart, groups, group),
            (2, with_one & ~apart & twice, groups, group),
            (1, with_two & ~apart, groups, group),
            (2, with_two & ~apart, groups, second),
            # Second-order targets: attributes of one class.
            (1, with_one & apart, attributes, group),
            (2, with_one & apart & twice, attributes, group),
            # Sentences without a target: an attribute, and the group that it is bound to.
            (3, linked, attributes, bound),
            (1, linked & ~apart, groups, near),
            (2, linked & ~apart & twice, groups, near),
        ):
            special[where, place] = self._words_of(lists, chosen)[where]
        return special

    def _pick(self, shares: Array) -> Ints:
        """Return one column for each row of (s, k) shares, which need not sum to one."""
        heights = shares.cumsum(axis=1)
        drawn = self._rng.random(len(shares)) * heights[:, -1]
        return (heights[:, :-1] <= drawn[:, None]).sum(axis=1)

    def _words_of(self, lists: tuple[int, int], chosen: Ints) -> Ints:
        """Return a random word of each chosen list."""
        first, size = lists
        return first + chosen * size + self._ranks(size, len(chosen))

    def _ranks(self, size: int, n: int) -> Ints:
        """Places in a list of so many words: the i-th in proportion to sqrt(i) - sqrt(i - 1)."""
        return (size * self._rng.random(n) ** 2).astype(np.int64)

    def sentences(self, special: Ints, topics: Ints) -> tuple[Ints, Ints]:
        """Whole sentences: filler with special words in random places.

        Args:
            special: (s, 4).
            topics: (s,) the topic of each sentence.
        """
        n, widest = len(special), LENGTHS[1] - 1
        lengths = self._rng.integers(LENGTHS[0], LENGTHS[1] + 1, n)
        listed = self.design.topic_words
        topical = self._ranks(listed, n * widest).reshape(n, -1)
        topical += self._topics + (topics * listed)[:, None]
        function = self._function + self._ranks(self.design.function_words, n * widest)
        plain = self._rng.random((n, widest)) < FUNCTION
        rows = np.where(plain, function.reshape(n, -1), topical)
        # The special words of a sentence one behind the other, in any order, anywhere in it.
        numbers, size = np.arange(SPECIAL), (special >= 0).sum(axis=1)
        order = np.argsort(np.where(special >= 0, self._rng.random(special.shape), 2), axis=1)
        starts = (self._rng.random(n) * (lengths - size)).astype(np.int64)
        row, number = np.nonzero(numbers < size[:, None])
        rows[row, starts[row] + number] = special[row, order[row, number]]
        whole = np.column_stack([rows, np.zeros(n, np.int64)])
        whole[np.arange(n), lengths - 1] = len(self.words) - 1
        return whole[np.arange(widest + 1) < lengths[:, None]], lengths
