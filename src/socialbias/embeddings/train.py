"""Skip-gram with negative sampling on a bootstrap sample of a corpus's documents.

gensim trains with one worker, so the same input gives the same bytes, whatever else the machine
does. The sample is a list of document numbers; texts are read from the memory map as needed, and
nothing is copied. Words are passed to gensim as integers, which does not affect the vectors.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from gensim.models import Word2Vec
from numpy.typing import NDArray

from socialbias.corpora.npy import save_array
from socialbias.corpora.prepared import Corpus
from socialbias.embeddings.options import Options
from socialbias.embeddings.vectors import WordVectors
from socialbias.errors import UserError
from socialbias.stats.seeding import generator
from socialbias.system.progress import Log, Pace

MAX_TEXT = 10_000  # tokens of a text; gensim silently drops the rest
MIN_WORDS = 2  # words that a model must have


@dataclass(frozen=True)
class Trained:
    """A trained model."""

    vectors: WordVectors  # by frequency in the sample, ties in the order of the corpus
    counts: NDArray[np.int64]  # (n,) the count of each word in the sample
    inclusion: NDArray[np.uint16]  # (d,) how often each document was drawn

    def save(self, folder: Path) -> None:
        """Write `vectors.npy`, `vocabulary.txt`, `counts.npy`, `inclusion.npy`, each atomically."""
        self.vectors.save(folder)
        save_array(folder / "counts.npy", self.counts, np.int64)
        save_array(folder / "inclusion.npy", self.inclusion, np.uint16)


def bootstrap(
    size: int, seed: int, corpus: str, replicate: int, documents: int | None = None
) -> NDArray[np.int64]:
    """Return the numbers of documents drawn with replacement from a corpus of `size` documents.

    By default as many are drawn as it has. A sample is independent of how many others are drawn.
    """
    return generator(seed, corpus, replicate).integers(0, size, documents or size)


def train(
    corpus: Corpus,
    documents: NDArray[np.int64],
    options: Options,
    seed: int,
    *,
    name: str = "model",
    log: Log | None = None,
) -> Trained:
    """Train a model on some documents of a corpus, which may be repeated, in this order.

    gensim's seed is different for each replicate. It is a UserError if fewer than two
    words are frequent enough.
    """
    inclusion = np.bincount(documents, minlength=corpus.size)
    counts = corpus.counts_in(inclusion)
    # By frequency in the sample, then by id.
    words = np.flatnonzero(counts[: corpus.bound(options.min_count)] >= options.min_count)
    words = words[np.argsort(-counts[words], kind="stable")]
    if len(words) < MIN_WORDS:
        raise UserError(
            f"{name}: fewer than {MIN_WORDS} words occur {options.min_count} times: "
            "use more text, or lower min_count"
        )
    texts = Texts(corpus, documents, words, _Progress(name, options.epochs, log))
    model = Word2Vec(
        sg=1,
        hs=0,
        vector_size=options.dimensions,
        window=options.window,
        min_count=options.min_count,
        negative=options.negative,
        sample=options.sample,
        epochs=options.epochs,
        seed=seed,
        workers=1,
    )
    # gensim reverses the order of words with equal frequency. A word's key must equal its index:
    # gensim interprets an integer key as an index in places, and would draw negative samples with
    # the frequencies of other words.
    frequencies = {place: int(counts[words[place]]) for place in reversed(range(len(words)))}
    model.build_vocab_from_freq(frequencies, corpus_count=len(texts))
    vocabulary = tuple(corpus.words[i] for i in words)
    model.train(texts, total_examples=len(texts), epochs=options.epochs)
    vectors = WordVectors(vocabulary, model.wv.vectors)
    return Trained(vectors, counts[words], inclusion.astype(np.uint16))


class Texts:
    """The texts passed to gensim, read again in each epoch.

    A document is a list of its words' indices in the model; words that are too rare are left out,
    so that they take no room in a window. A document of more than 10,000 words is split into equal
    parts.
    """

    def __init__(
        self,
        corpus: Corpus,
        documents: NDArray[np.int64],
        words: NDArray[np.int64],
        progress: _Progress,
    ):
        self._corpus, self._documents, self._size = corpus, documents, len(words)
        self._places = np.full(len(corpus.words), len(words), np.uint32)
        self._places[words] = np.arange(len(words))
        self._progress = progress
        self._lengths = np.zeros(corpus.size, np.int64)
        for number in np.unique(documents).tolist():
            self._lengths[number] = len(self._text(number))
        self._progress.words = int(self._lengths[documents].sum())

    def _text(self, number: int) -> NDArray[np.uint32]:
        places = self._places[self._corpus.document(number)]
        return places[places < self._size]

    def __len__(self) -> int:
        """Return the number of texts."""
        return int(_parts(self._lengths[self._documents]).sum())

    def __iter__(self) -> Iterator[list[int]]:
        for number in self._documents.tolist():
            words = self._text(number)
            if len(words) <= MAX_TEXT:
                yield words.tolist()
            else:
                yield from (part.tolist() for part in np.array_split(words, _parts(len(words))))
            self._progress.advance(len(words))


def _parts(length):
    """Return the number of parts into which texts of these lengths are split."""
    return np.maximum(-(-length // MAX_TEXT), 1)


class _Progress:
    """Logs epoch, rate and time left."""

    def __init__(self, name: str, epochs: int, log: Log | None):
        self.words = 0  # per epoch
        self._name, self._epochs, self._pace, self._done = name, epochs, Pace(log), 0

    def advance(self, words: int) -> None:
        """Count words passed to gensim, which lags behind by a few batches at most."""
        self._done += words
        if self._pace.due():
            rate = self._done / self._pace.seconds
            left = self._pace.left(self._done, max(self.words * self._epochs, self._done))
            epoch = f"epoch {-(-self._done // self.words)} of {self._epochs}"
            self._pace.log(f"{self._name}, {epoch}: {rate:,.0f} words/s, {left}")
