"""Contextual representations reduced to one vector per word.

Bommasani and Liang 2022, section 4.3, after Bommasani, Davis and Cardie 2020: a word's vector is
the mean over its contexts, and measures for static vectors are applied to it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from socialbias.contextual.extract import (
    TOKENS_PER_BATCH,
    Extractor,
    Log,
    Progress,
    Report,
    Span,
)
from socialbias.contextual.models import Model
from socialbias.embeddings.vectors import WordVectors
from socialbias.errors import UserError
from socialbias.seeding import generator

BATCH_SENTENCES = 1000  # sentences whose vectors are in memory at a time


@dataclass(frozen=True)
class Sentence:
    """A sentence with the requested words in it.

    Attributes:
        document: The number of its document, the unit of resampling.
        text: As the model should read it.
        words: For each mention of a requested word, its index among the requested words.
        spans: For each mention, its first character in the text, and one past its last.
        number: The sentence's number, for the callback that receives the vectors.
    """

    document: int
    text: str
    words: Sequence[int]
    spans: Sequence[Span]
    number: int = 0


@dataclass(frozen=True)
class Reduced:
    """One vector per word, and its variation over resampled documents.

    Attributes:
        words: n words.
        vectors: (n, width) float32.
        counts: (n,) int64, the number of sentences behind each vector; a word with none was
            embedded in isolation.
        resampled: (draws, n, width) float32, the same vectors from resampled documents.
        report: What the model was run on.
    """

    words: tuple[str, ...]
    vectors: NDArray[np.float32]
    counts: NDArray[np.int64]
    resampled: NDArray[np.float32]
    report: Report

    @property
    def word_vectors(self) -> WordVectors:
        """The vectors in the form used by measures for static vectors."""
        return WordVectors(self.words, self.vectors)

    def save(self, folder: Path) -> None:
        """Write the files of `WordVectors`, `counts.npy`, `resampled.npy`, `report.json`."""
        part = folder / ".part"
        self.word_vectors.save(part)
        np.save(part / "counts.npy", self.counts)
        np.save(part / "resampled.npy", self.resampled)
        text = json.dumps(asdict(self.report), indent=2) + "\n"
        (part / "report.json").write_text(text, "utf-8", newline="\n")
        for path in part.iterdir():
            path.replace(folder / path.name)
        part.rmdir()


def reduce_words(
    model: Model,
    sentences: Iterable[Sentence],
    words: Sequence[str],
    *,
    layer: int,
    tokens_per_batch: int = TOKENS_PER_BATCH,
    draws: int = 0,
    seed: int = 0,
    log: Log | None = None,
    callback: Callable[[Sequence[Sentence], NDArray[np.float32]], None] | None = None,
) -> Reduced:
    """The vector of each word: the mean over its pieces, then mentions, then sentences.

    Each sentence counts once for a word, however often it contains the word. A word without a
    sentence is embedded in isolation, as in the released code. Sentences are read once, and memory
    does not depend on their number.

    Intervals are based on a Poisson bootstrap over documents (Chamandy et al. 2012): in each draw
    every document has an independent Poisson weight of mean 1. A word whose documents all have
    weight zero in a draw is embedded in isolation in that draw. Weights depend only on the seed and
    the document number. Memory is `draws` x n x width x 4 bytes.

    Args:
        model: The model.
        sentences: In any order; documents may be interleaved.
        words: n distinct words.
        layer: From 0 to `model.layers`; see `extract`.
        tokens_per_batch: Maximum pieces in a batch.
        draws: Resamples of the documents.
        seed: The configuration's seed.
        log: Called with a line of progress every 10 seconds.
        callback: Called with blocks of sentences, and the vectors of their mentions in order.

    Raises:
        UserError: as `extract`; or the words are not distinct.
    """
    if len(set(words)) < len(words):
        raise UserError("the requested words are not distinct")
    progress = Progress(model.name, log)
    extractor = Extractor(model, layer, tokens_per_batch, progress)
    isolated = extractor(words, [[(0, len(word))] for word in words])
    sums = _Sums(len(words), isolated.vectors.shape[1], draws, seed)
    report = isolated.report
    for block in _blocks(sentences):
        extraction = extractor([s.text for s in block], [s.spans for s in block])
        report += extraction.report
        sums.add(block, extraction.vectors)
        if callback:
            callback(block, extraction.vectors)
    return Reduced(
        words=tuple(words),
        vectors=_means(sums.total, sums.counts, isolated.vectors),
        counts=sums.counts,
        resampled=_means(sums.resampled, sums.weights, isolated.vectors),
        report=report,
    )


def _blocks(sentences: Iterable[Sentence]) -> Iterator[list[Sentence]]:
    """The sentences in lists of `BATCH_SENTENCES`."""
    source = iter(sentences)
    while block := list(islice(source, BATCH_SENTENCES)):
        yield block


def _means(sums: NDArray, counts: NDArray, isolated: NDArray[np.float32]) -> NDArray[np.float32]:
    """Sums divided by counts, (..., n, width); the isolated vectors where counts are zero."""
    known = (counts > 0)[..., None]
    means = np.divide(sums, counts[..., None], where=known, out=np.zeros_like(sums))
    return np.where(known, means, isolated).astype(np.float32)


class _Sums:
    """Sums over sentences and their number, for the corpus and for its resamples."""

    def __init__(self, n: int, width: int, draws: int, seed: int):
        self.total = np.zeros((n, width))
        self.counts = np.zeros(n, np.int64)
        self.resampled = np.zeros((draws, n, width), np.float32)
        self.weights = np.zeros((draws, n), np.float32)
        self._draws, self._seed = draws, seed

    def add(self, block: list[Sentence], vectors: NDArray[np.float32]) -> None:
        """Add sentences and the vectors of their mentions, in order."""
        words = np.concatenate([np.asarray(s.words, np.int64) for s in block])
        if not len(words):
            return
        number = np.repeat(np.arange(len(block)), [len(s.words) for s in block])
        sentence, word, means = _by_sentence(number, words, vectors)
        weights = self._document_weights([s.document for s in block])[sentence]  # (rows, draws)
        for w in np.unique(word):
            rows = np.flatnonzero(word == w)
            self.total[w] += means[rows].sum(0, dtype=np.float64)
            self.counts[w] += len(rows)
            self.resampled[:, w] += weights[rows].T @ means[rows]
            self.weights[:, w] += weights[rows].sum(0)

    def _document_weights(self, documents: list[int]) -> NDArray[np.float32]:
        """The weight of each of these documents in each draw, (len(documents), draws)."""
        distinct, place = np.unique(documents, return_inverse=True)
        weights = np.zeros((len(distinct), self._draws), np.float32)
        if self._draws:
            for i, document in enumerate(distinct.tolist()):
                rng = generator(self._seed, "reduction", document)
                weights[i] = rng.poisson(1, self._draws)
        return weights[place]


def _by_sentence(
    sentence: NDArray[np.int64], word: NDArray[np.int64], vectors: NDArray[np.float32]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
    """The mean vector of each word in each sentence: sentence, word and mean of each pair."""
    order = np.lexsort((word, sentence))
    sentence, word = sentence[order], word[order]
    new = (np.diff(sentence, prepend=-1) != 0) | (np.diff(word, prepend=-1) != 0)
    starts = np.flatnonzero(new)
    n = np.diff(starts, append=len(order))
    means = np.add.reduceat(vectors[order], starts) / n[:, None]
    return sentence[starts], word[starts], means.astype(np.float32)
