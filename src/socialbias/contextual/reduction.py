"""Contextualised representations reduced to one vector a word.

Bommasani and Liang 2022, section 4.3, after Bommasani, Davis and Cardie 2020: a word's vector is
the mean over its contexts, and the measures on static vectors run on it.
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

AT_ONCE = 1000  # sentences whose vectors are in memory at a time


@dataclass(frozen=True)
class Sentence:
    """A sentence with the words in it that are wanted.

    Attributes:
        document: The number of its document: documents are what is resampled.
        text: As the model should read it.
        words: For each mention of a wanted word its index among the wanted words.
        spans: For each mention its first character in the text, and the one behind its last.
        number: Which sentence it is, for whom the vectors are shown to.
    """

    document: int
    text: str
    words: Sequence[int]
    spans: Sequence[Span]
    number: int = 0


@dataclass(frozen=True)
class Reduced:
    """One vector a word, and how it varies with the documents.

    Attributes:
        words: n words.
        vectors: (n, width) float32.
        counts: (n,) int64, the sentences behind each vector; where there are none the word was
            embedded alone.
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
        """The vectors in the form that the measures on static vectors take."""
        return WordVectors(self.words, self.vectors)

    def save(self, folder: Path) -> None:
        """Write the files of `WordVectors`, `counts.npy`, `resampled.npy`, `report.json`."""
        arrivals = folder / ".part"
        self.word_vectors.save(arrivals)
        np.save(arrivals / "counts.npy", self.counts)
        np.save(arrivals / "resampled.npy", self.resampled)
        text = json.dumps(asdict(self.report), indent=2) + "\n"
        (arrivals / "report.json").write_text(text, "utf-8", newline="\n")
        for path in arrivals.iterdir():
            path.replace(folder / path.name)
        arrivals.rmdir()


def reduce_words(
    model: Model,
    sentences: Iterable[Sentence],
    words: Sequence[str],
    *,
    layer: int,
    tokens_per_batch: int = TOKENS_PER_BATCH,
    draws: int = 0,
    seed: int = 0,
    say: Log | None = None,
    seen: Callable[[Sequence[Sentence], NDArray[np.float32]], None] | None = None,
) -> Reduced:
    """The vector of each word: the mean over its pieces, its mentions in a sentence, sentences.

    Each sentence counts once for a word, however often the word is in it. A word that is in none is
    embedded alone, as the released code does it. Sentences are read once, and memory does not
    depend on how many there are.

    Intervals come from a Poisson bootstrap over documents (Chamandy et al. 2012): in each draw
    every document counts so many times as an independent Poisson variable of mean 1 says. A word
    none of whose documents a draw has taken is embedded alone in that draw. Weights depend on seed
    and document number only. Memory is `draws` x n x width x 4 bytes.

    Args:
        model: What to run.
        sentences: In any order; documents may be interleaved.
        words: n distinct words.
        layer: From 0 to `model.layers`; see `extract`.
        tokens_per_batch: Most pieces in a batch.
        draws: Resamples of the documents.
        seed: The configuration's seed.
        say: Called with a line of progress every 10 seconds.
        seen: Shown some sentences at a time, with the vectors of their mentions in order.

    Raises:
        UserError: as `extract`; or the words are not distinct.
    """
    if len(set(words)) < len(words):
        raise UserError("the words whose vectors are wanted are not distinct")
    progress = Progress(model.name, say)
    extractor = Extractor(model, layer, tokens_per_batch, progress)
    alone = extractor(words, [[(0, len(word))] for word in words])
    sums = _Sums(len(words), alone.vectors.shape[1], draws, seed)
    report = alone.report
    for block in _blocks(sentences):
        found = extractor([s.text for s in block], [s.spans for s in block])
        report += found.report
        sums.add(block, found.vectors)
        if seen:
            seen(block, found.vectors)
    return Reduced(
        words=tuple(words),
        vectors=_means(sums.total, sums.counts, alone.vectors),
        counts=sums.counts,
        resampled=_means(sums.resampled, sums.weights, alone.vectors),
        report=report,
    )


def _blocks(sentences: Iterable[Sentence]) -> Iterator[list[Sentence]]:
    """The sentences in lists of `AT_ONCE`."""
    source = iter(sentences)
    while block := list(islice(source, AT_ONCE)):
        yield block


def _means(sums: NDArray, counts: NDArray, alone: NDArray[np.float32]) -> NDArray[np.float32]:
    """Sums divided by counts, (..., n, width); where there are none, the words alone."""
    known = (counts > 0)[..., None]
    means = np.divide(sums, counts[..., None], where=known, out=np.zeros_like(sums))
    return np.where(known, means, alone).astype(np.float32)


class _Sums:
    """Sums over sentences and how many there were, for the corpus and for its resamples."""

    def __init__(self, n: int, width: int, draws: int, seed: int):
        self.total = np.zeros((n, width))
        self.counts = np.zeros(n, np.int64)
        self.resampled = np.zeros((draws, n, width), np.float32)
        self.weights = np.zeros((draws, n), np.float32)
        self._draws, self._seed = draws, seed

    def add(self, block: list[Sentence], vectors: NDArray[np.float32]) -> None:
        """Add sentences; `vectors` are those of their mentions, in order."""
        words = np.concatenate([np.asarray(s.words, np.int64) for s in block])
        if not len(words):
            return
        number = np.repeat(np.arange(len(block)), [len(s.words) for s in block])
        sentence, word, means = _by_sentence(number, words, vectors)
        weights = self._of_documents([s.document for s in block])[sentence]  # (rows, draws)
        for w in np.unique(word):
            rows = np.flatnonzero(word == w)
            self.total[w] += means[rows].sum(0, dtype=np.float64)
            self.counts[w] += len(rows)
            self.resampled[:, w] += weights[rows].T @ means[rows]
            self.weights[:, w] += weights[rows].sum(0)

    def _of_documents(self, documents: list[int]) -> NDArray[np.float32]:
        """How often each of these documents counts in each draw, (len(documents), draws)."""
        different, place = np.unique(documents, return_inverse=True)
        weights = np.zeros((len(different), self._draws), np.float32)
        if self._draws:
            for i, document in enumerate(different.tolist()):
                rng = generator(self._seed, "reduction", document)
                weights[i] = rng.poisson(1, self._draws)
        return weights[place]


def _by_sentence(
    sentence: NDArray[np.int64], word: NDArray[np.int64], vectors: NDArray[np.float32]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
    """The mean vector of each word in each sentence: sentence, word and mean of each such pair."""
    order = np.lexsort((word, sentence))
    sentence, word = sentence[order], word[order]
    new = (np.diff(sentence, prepend=-1) != 0) | (np.diff(word, prepend=-1) != 0)
    starts = np.flatnonzero(new)
    n = np.diff(starts, append=len(order))
    means = np.add.reduceat(vectors[order], starts) / n[:, None]
    return sentence[starts], word[starts], means.astype(np.float32)
