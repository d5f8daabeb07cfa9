"""The sentences that a model reads, and the words in them that count."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from socialbias.corpora.prepared import Corpus
from socialbias.corpora.raw import raw_sentences
from socialbias.files.atomic_write import write_parquet, write_text
from socialbias.models.reduction import Sentence

CHOSEN = "chosen.txt"


@dataclass(frozen=True)
class Choice:
    """Sentences that a model reads, and the words in them that count."""

    words: tuple[str, ...]  # n words that get a vector: targets, then group words
    # Columns `sentence` (its number in the corpus), `document`, `word` (its number).
    mentions: pd.DataFrame
    # Rows of `mentions` that a probe is given, with the column `target`, and for each variant of
    # the word lists `label@<variant>`: 0 for female, 1 for male, 2 for neither. The rows of a
    # target stand together, its documents in random order.
    examples: pd.DataFrame

    def save(self, folder: Path) -> None:
        """Write `chosen.txt` (the words), `mentions.parquet` and `examples.parquet`."""
        write_text(folder / CHOSEN, "".join(f"{word}\n" for word in self.words))
        for name in ("mentions", "examples"):
            write_parquet(folder / f"{name}.parquet", getattr(self, name))

    @classmethod
    def load(cls, folder: Path) -> Choice:
        """Read what `save` wrote."""
        words = (folder / CHOSEN).read_text("utf-8").splitlines()
        tables = [pd.read_parquet(folder / f"{name}.parquet") for name in ("mentions", "examples")]
        return cls(tuple(words), *tables)

    def shard(self, number: int, of: int) -> Choice:
        """Return the mentions in one of several parts, of about as many sentences each."""
        sentences, first = np.unique(self.mentions["sentence"], return_index=True)
        owners = self.mentions["document"].to_numpy()[first]
        bounds = np.arange(of + 1) * len(sentences) // of
        # To the first sentence of a document: all of it is in one part.
        starts = np.searchsorted(owners, owners[bounds[1:-1]]) if len(sentences) else bounds[1:-1]
        low, high = np.r_[0, starts, len(sentences)][number : number + 2]
        return replace(
            self, mentions=self.mentions[self.mentions["sentence"].isin(sentences[low:high])]
        )


def sentences(
    corpus: Corpus, index: Path, choice: Choice, *, as_tokens: bool
) -> Iterator[Sentence]:
    """Yield the sentences that a model reads, with the words in them that count."""
    numbers = {word: i for i, word in enumerate(choice.words)}
    ids = {corpus_id: numbers[w] for corpus_id, w in enumerate(corpus.words) if w in numbers}
    # As arrays by sentence: a set for each would take ten times the memory, for millions of them.
    table = choice.mentions.sort_values("sentence")
    mentioned = table["word"].map(numbers).to_numpy()
    different, starts = np.unique(table["sentence"], return_index=True)
    if as_tokens:
        source = _tokens(corpus, different)
    else:
        found = raw_sentences(index, corpus, different)
        source = ((raw.number, raw.document, raw.text, raw.spans) for raw in found)
    bounds = pairwise(chain(starts, [len(mentioned)]))
    for (number, document, text, spans), (start, end) in zip(source, bounds, strict=True):
        wanted = set(mentioned[start:end].tolist())
        first, last = corpus.sentences[number : number + 2]
        numbered = [ids.get(token) for token in corpus.tokens[first:last].tolist()]
        places = [i for i, word in enumerate(numbered) if word in wanted]
        words = [numbered[i] for i in places]
        yield Sentence(document, text, words, [spans[i] for i in places], number)


def _tokens(corpus: Corpus, numbers: NDArray[np.int64]) -> Iterator[tuple]:
    owners = np.searchsorted(corpus.documents, corpus.sentences[numbers], side="right") - 1
    for number, document in zip(map(int, numbers), map(int, owners), strict=True):
        first, last = corpus.sentences[number : number + 2]
        tokens = [corpus.words[i] for i in corpus.tokens[first:last]]
        ends = np.cumsum([len(token) + 1 for token in tokens]) - 1
        spans = [(end - len(token), end) for end, token in zip(ends.tolist(), tokens, strict=True)]
        yield number, document, " ".join(tokens), spans
