"""A corpus as integers, for counting, resampling, contexts and training.

A folder with `tokens.npy` (uint32, n tokens), `documents.npy` (int64, d + 1 offsets into tokens),
`sentences.npy` (int64, s + 1 offsets), `vocabulary.txt` (v words, one per line), `counts.npy`
(int64, v) and `report.json`. The id of a word is its line number, from 0; words are sorted by
decreasing frequency, ties alphabetically. So the words with a minimum count are the ids below a
bound: applying a minimum count is a view, and nothing is lost.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

BLOCK_TOKENS = 1 << 20  # tokens counted at a time


@dataclass(frozen=True)
class Corpus:
    """A prepared corpus; the arrays are memory-mapped."""

    words: tuple[str, ...]  # v distinct words, by frequency
    counts: NDArray[np.int64]  # (v,) int64, the count of each word
    tokens: NDArray[np.uint32]  # (n,) uint32, the corpus as ids
    # (d + 1,) int64; document i is `tokens[documents[i] : documents[i + 1]]`.
    documents: NDArray[np.int64]
    # (s + 1,) int64; sentence i is `tokens[sentences[i] : sentences[i + 1]]`.
    sentences: NDArray[np.int64]
    report: dict  # what was read, and how

    @classmethod
    def load(cls, folder: Path) -> Corpus:
        """Read a folder."""
        words = (folder / "vocabulary.txt").read_bytes().decode().split("\n")[:-1]
        # As plain arrays, since slicing `np.memmap` takes ten times as long.
        names = ("counts", "tokens", "documents", "sentences")
        arrays = {name: np.load(folder / f"{name}.npy", "r").view(np.ndarray) for name in names}
        report = json.loads((folder / "report.json").read_text("utf-8"))
        return cls(tuple(words), **arrays, report=report)

    @property
    def size(self) -> int:
        """The number of documents."""
        return len(self.documents) - 1

    def document(self, number: int) -> NDArray[np.uint32]:
        """Return the tokens of a document, as a view."""
        return self.tokens[self.documents[number] : self.documents[number + 1]]

    def texts(self, number: int) -> list[str]:
        """Return the tokens of a document, as words."""
        return [self.words[i] for i in self.document(number)]

    def bound(self, min_count: int) -> int:
        """Return how many words have at least this count: their ids are below it."""
        return int(np.searchsorted(-self.counts, -min_count, side="right"))

    def counts_in(self, inclusion: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return the count of each word if each document is repeated a given number of times."""
        total = np.zeros(len(self.words))
        lengths = np.diff(self.documents)
        for first, last in self.blocks():
            start, end = self.documents[first], self.documents[last]
            times = np.repeat(inclusion[first:last].astype(float), lengths[first:last])
            total += np.bincount(self.tokens[start:end], times, len(total))
        return total.astype(np.int64)  # whole numbers far below 2^53: exact

    def blocks(self) -> Iterator[tuple[int, int]]:
        """First document, and one past the last, of blocks of about `BLOCK_TOKENS` tokens."""
        first = 0
        while first < self.size:
            bound = self.documents[first] + BLOCK_TOKENS
            last = int(np.searchsorted(self.documents, bound, side="right")) - 1
            last = max(last, first + 1)
            yield first, last
            first = last
