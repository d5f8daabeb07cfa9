"""Skip-gram with negative sampling on a bootstrap sample of a corpus's documents.

gensim trains, with one worker: the same input gives the same bytes, whatever else the machine
does. The sample is a list of document numbers; texts are read from the memory map as they come,
and nothing is copied. Words are integers for gensim, which makes no difference to the vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import numpy as np
from gensim.models import Word2Vec
from numpy.typing import NDArray

from socialbias.corpora.npy import save_array
from socialbias.corpora.prepared import Corpus
from socialbias.embeddings.options import Options
from socialbias.embeddings.vectors import WordVectors
from socialbias.errors import UserError
from socialbias.seeding import generator

LIMIT = 10_000  # tokens of a text; gensim leaves out the rest without a word
EVERY = 10.0  # seconds between lines of progress
FEWEST = 2  # words that a model must have

Log = Callable[[str], None]


@dataclass(frozen=True)
class Trained:
    """A model.

    Attributes:
        vectors: By frequency in the sample, words of one frequency as in the corpus.
        counts: (n,) int64, the occurrences of each word in the sample.
        inclusion: (d,) uint16, how often each document was taken.
    """

    vectors: WordVectors
    counts: NDArray[np.int64]
    inclusion: NDArray[np.uint16]

    def save(self, folder: Path) -> None:
        """Write `vectors.npy`, `vocabulary.txt`, `counts.npy`, `inclusion.npy`; each is whole."""
        arrivals = folder / ".part"
        self.vectors.save(arrivals)
        save_array(arrivals / "counts.npy", self.counts, np.int64)
        save_array(arrivals / "inclusion.npy", self.inclusion, np.uint16)
        for path in arrivals.iterdir():
            path.replace(folder / path.name)
        arrivals.rmdir()


def bootstrap(
    size: int, seed: int, corpus: str, replicate: int, documents: int | None = None
) -> NDArray[np.int64]:
    """The documents of a bootstrap sample.

    Args:
        size: d, the number of documents in the corpus.
        seed: The configuration's seed.
        corpus: The corpus's name.
        replicate: Number of the sample. Each has randomness of its own: more of them change none.
        documents: How many to draw; as many as the corpus has by default.

    Returns:
        (documents,) document numbers, drawn with replacement, in the order in which they are drawn.
    """
    return generator(seed, corpus, replicate).integers(0, size, documents or size)


def train(
    corpus: Corpus,
    documents: NDArray[np.int64],
    options: Options,
    seed: int,
    *,
    name: str = "model",
    say: Log | None = None,
) -> Trained:
    """Train a model on some documents of a corpus.

    Args:
        corpus: Prepared.
        documents: The numbers of the documents, in the order of training; any number of times.
        options: How.
        seed: Of gensim's randomness; different for each replicate.
        name: Stands at the beginning of each line of progress.
        say: Called with a line of progress every 10 seconds.

    Returns:
        The model.

    Raises:
        UserError: fewer than two words are frequent enough.
    """
    inclusion = np.bincount(documents, minlength=corpus.size)
    counts = corpus.counts_in(inclusion)
    words = _vocabulary(corpus, counts, options.min_count)
    if len(words) < FEWEST:
        raise UserError(
            f"{name}: fewer than {FEWEST} words occur {options.min_count} times: "
            "give it more text, or lower min_count"
        )
    texts = Texts(corpus, documents, words, _Progress(name, options.epochs, say))
    model = _model(options, seed)
    # Among words of one frequency gensim reverses the order in which it is given them. A word's
    # key must be its place: gensim takes an integer for a key where it means a place, and would
    # draw noise words with the frequencies of others.
    given = {place: int(counts[words[place]]) for place in reversed(range(len(words)))}
    model.build_vocab_from_freq(given, corpus_count=len(texts))
    model.train(texts, total_examples=len(texts), epochs=options.epochs)
    vectors = WordVectors(tuple(corpus.words[i] for i in words), model.wv.vectors)
    return Trained(vectors, counts[words], inclusion.astype(np.uint16))


def _vocabulary(corpus: Corpus, counts: NDArray[np.int64], least: int) -> NDArray[np.int64]:
    """The ids of the words of a model, by frequency in the sample, then by id."""
    words = np.flatnonzero(counts[: corpus.bound(least)] >= least)
    return words[np.argsort(-counts[words], kind="stable")]


def _model(options: Options, seed: int) -> Word2Vec:
    return Word2Vec(
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


class Texts:
    """The texts that gensim gets, anew in each epoch.

    A document is a list of the places of its words in the model; words that are too rare are not
    in it, so that they take no room in a window. One of more than 10,000 comes in equal parts.
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
        """The number of texts."""
        return int(_parts(self._lengths[self._documents]).sum())

    def __iter__(self) -> Iterator[list[int]]:
        self._progress.begin()
        for number in self._documents.tolist():
            words = self._text(number)
            if len(words) <= LIMIT:
                yield words.tolist()
            else:
                yield from (part.tolist() for part in np.array_split(words, _parts(len(words))))
            self._progress.advance(len(words))


def _parts(length):
    """In how many parts texts of so many words come."""
    return np.maximum(-(-length // LIMIT), 1)


class _Progress:
    """Epoch, rate and time left, a line every 10 seconds."""

    def __init__(self, name: str, epochs: int, say: Log | None):
        self.words = 0  # of an epoch
        self._name, self._epochs, self._say = name, epochs, say
        self._epoch, self._done = 0, 0
        self._started = self._said = monotonic()

    def begin(self) -> None:
        """An epoch begins."""
        self._epoch += 1
        if self._epoch == 1:
            self._started = self._said = monotonic()

    def advance(self, words: int) -> None:
        """So many more words have been handed over; gensim is at most a few batches behind."""
        self._done += words
        now = monotonic()
        if self._say is None or now - self._said < EVERY:
            return
        self._said = now
        rate = self._done / (now - self._started)
        left = max(self.words * self._epochs - self._done, 0) / rate
        minutes, seconds = divmod(round(left), 60)
        self._say(
            f"{self._name}, epoch {self._epoch} of {self._epochs}: {rate:,.0f} words/s, "
            f"{minutes}:{seconds:02d} left"
        )
