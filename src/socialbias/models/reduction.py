"""Contextual representations reduced to one vector per word.

Bommasani and Liang 2022, section 4.3, after Bommasani, Davis and Cardie 2020: a word's vector is
the mean over its contexts, and measures for static vectors are applied to it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from socialbias.corpora.npy import save_array
from socialbias.embeddings.vectors import WordVectors
from socialbias.errors import UserError
from socialbias.files.atomic_write import write_text
from socialbias.models.batching import Log, Progress
from socialbias.models.extract import Encoded, Extraction, Extractor, Report
from socialbias.models.loading import Model
from socialbias.models.pieces import TOKENS_PER_BATCH, Span
from socialbias.stats.seeding import generator

BATCH_SENTENCES = 1000  # sentences whose vectors are in memory at a time


@dataclass(frozen=True)
class Sentence:
    """A sentence with the requested words in it."""

    document: int  # the number of its document, the unit of resampling
    text: str  # as the model should read it
    # For each mention of a requested word, its index among the requested words.
    words: Sequence[int]
    # For each mention, its first character in the text, and one past its last.
    spans: Sequence[Span]
    number: int = 0  # the sentence's number, for the callback that receives the vectors


@dataclass(frozen=True)
class Reduced:
    """One vector per word, and its variation over resampled documents."""

    words: tuple[str, ...]  # n words
    vectors: NDArray[np.float32]  # (n, width) float32
    # (n,) int64, the number of sentences behind each vector; a word with none was embedded in
    # isolation.
    counts: NDArray[np.int64]
    # (draws, n, width) float32, the same vectors from resampled documents.
    resampled: NDArray[np.float32]
    report: Report  # what the model was run on

    @property
    def word_vectors(self) -> WordVectors:
        """The vectors in the form used by measures for static vectors."""
        return WordVectors(self.words, self.vectors)

    def save(self, folder: Path) -> None:
        """Write the files of `WordVectors`, `counts.npy`, `resampled.npy`, `report.json`."""
        self.word_vectors.save(folder)
        save_array(folder / "counts.npy", self.counts, np.int64)
        save_array(folder / "resampled.npy", self.resampled, np.float32)
        write_text(folder / "report.json", json.dumps(asdict(self.report), indent=2) + "\n")


def reduce_words(
    model: Model, sentences: Iterable[Sentence], words: Sequence[str], **options
) -> Reduced:
    """Return the vector of each word: the mean over its pieces, then mentions, then sentences."""
    return sum_words(model, sentences, words, **options).reduced(words)


def sum_words(
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
    isolated: bool = True,
) -> Sums:
    """Return what the vectors of words are made of, for a text or a shard of it.

    Sums over sentences. Each sentence counts once for a word, however often it contains the word. A
    word without a sentence is embedded in isolation, as in the released code. Sentences are read
    once, and memory does not depend on their number.

    Intervals are based on a Poisson bootstrap over documents (Chamandy et al. 2012): in each draw
    every document has an independent Poisson weight of mean 1. A word whose documents all have
    weight zero in a draw is embedded in isolation in that draw. Weights depend only on the seed and
    the document number. Memory is `draws` x n x width x 4 bytes.
    """
    if len(set(words)) < len(words):
        raise UserError("the requested words are not distinct")
    known = isinstance(sentences, Sized)  # otherwise they are found one by one
    whole = len(sentences) + len(words) * isolated if known else 0
    progress = Progress(model.name, log, whole)
    extractor = Extractor(model, layer, tokens_per_batch, progress)
    n, width = len(words), extractor.width
    sums = Sums(
        total=np.zeros((n, width)),
        counts=np.zeros(n, np.int64),
        resampled=np.zeros((draws, n, width), np.float32),
        weights=np.zeros((draws, n), np.float32),
        isolated=np.zeros((0, width), np.float32),
        report=Report(),
    )
    if isolated:
        alone = extractor(words, [[(0, len(word))] for word in words])
        sums = replace(sums, isolated=alone.vectors, report=alone.report)
    for block, encoded in _encoded(extractor, sentences):
        extraction = extractor.run(encoded)
        sums = sums.with_sentences(block, extraction, seed)
        if callback:
            callback(block, extraction.vectors)
    return sums


def _encoded(
    extractor: Extractor, sentences: Iterable[Sentence]
) -> Iterator[tuple[list[Sentence], Encoded]]:
    """Blocks of sentences and their pieces: a thread makes the next ones' while a block is run."""
    with ThreadPoolExecutor(1) as thread:
        begun: list[tuple[list[Sentence], Future[Encoded]]] = []
        source = iter(sentences)
        while block := list(islice(source, BATCH_SENTENCES)):
            texts, spans = [s.text for s in block], [s.spans for s in block]
            begun.append((block, thread.submit(extractor.encode, texts, spans)))
            if len(begun) > 1:
                first, encoded = begun.pop(0)
                yield first, encoded.result()
        for last, encoded in begun:
            yield last, encoded.result()


def _means(sums: NDArray, counts: NDArray, isolated: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return sums divided by counts, (..., n, width).

    The isolated vectors where counts are zero.
    """
    known = (counts > 0)[..., None]
    means = np.divide(sums, counts[..., None], where=known, out=np.zeros_like(sums))
    return np.where(known, means, isolated).astype(np.float32)


@dataclass(frozen=True)
class Sums:
    """Sums over sentences and their number, for a text and for its resamples.

    Those of shards add up to those of the whole text.
    """

    total: NDArray[np.float64]  # (n, width) float64, the sum of each word's vectors
    counts: NDArray[np.int64]  # (n,) int64, the number of its sentences
    resampled: NDArray[np.float32]  # (draws, n, width) float32, the sum in each draw
    weights: NDArray[np.float32]  # (draws, n) float32, the weight of its sentences
    # (n, width) float32, the words embedded alone; (0, width) where another shard has them.
    isolated: NDArray[np.float32]
    report: Report  # what the model was run on

    def __add__(self, other: Sums) -> Sums:
        isolated = self.isolated if len(self.isolated) else other.isolated
        names = ("total", "counts", "resampled", "weights")
        added = {name: getattr(self, name) + getattr(other, name) for name in names}
        return Sums(**added, isolated=isolated, report=self.report + other.report)

    def with_sentences(self, block: list[Sentence], extraction: Extraction, seed: int) -> Sums:
        """Return these sums, changed in place, after some sentences' vectors of mentions."""
        after = replace(self, report=self.report + extraction.report)
        words = np.concatenate([np.asarray(s.words, np.int64) for s in block])
        if not len(words):
            return after
        number = np.repeat(np.arange(len(block)), [len(s.words) for s in block])
        # The mean vector of each word in each sentence.
        order = np.lexsort((words, number))
        number, words = number[order], words[order]
        new = (np.diff(number, prepend=-1) != 0) | (np.diff(words, prepend=-1) != 0)
        starts = np.flatnonzero(new)
        sizes = np.diff(starts, append=len(order))
        means = np.add.reduceat(extraction.vectors[order], starts) / sizes[:, None]
        sentence, word, means = number[starts], words[starts], means.astype(np.float32)
        draws = len(self.weights)
        documents, place = np.unique([s.document for s in block], return_inverse=True)
        weights = np.zeros((len(documents), draws), np.float32)
        if draws:
            for i, document in enumerate(documents.tolist()):
                weights[i] = generator(seed, "reduction", document).poisson(1, draws)
        weights = weights[place][sentence]  # (rows, draws)
        for w in np.unique(word):
            rows = np.flatnonzero(word == w)
            self.total[w] += means[rows].sum(0, dtype=np.float64)
            self.counts[w] += len(rows)
            self.resampled[:, w] += weights[rows].T @ means[rows]
            self.weights[:, w] += weights[rows].sum(0)
        return after

    def reduced(self, words: Sequence[str]) -> Reduced:
        """Return the mean vector of each of the n words."""
        return Reduced(
            words=tuple(words),
            vectors=_means(self.total, self.counts, self.isolated),
            counts=self.counts,
            resampled=_means(self.resampled, self.weights, self.isolated),
            report=self.report,
        )
