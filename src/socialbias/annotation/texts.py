"""Contexts of a corpus as a table to draw from, and drawn contexts with their text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from socialbias.annotation.items import Item, Sample, compose, name_of
from socialbias.corpora.contexts import Contexts, Matches
from socialbias.corpora.prepared import Corpus
from socialbias.corpora.raw import raw_sentences


def candidates(matches: Matches, contexts: Contexts) -> pd.DataFrame:
    """Contexts as a table.

    Args:
        matches: What `match` found.
        contexts: The windows that `contexts_of` made of it.

    Returns:
        Columns `target`, `document`, `first` (the row of the window's first sentence), `stratum`
        (the groups whose words occur, as a mask).
    """
    return pd.DataFrame(
        {
            "target": np.array(list(matches.targets), dtype=object)[contexts.targets],
            "document": contexts.documents,
            "first": contexts.firsts,
            "stratum": contexts.masks,
        }
    )


def distinct(table: pd.DataFrame, n: int, matches: Matches, corpus: Corpus) -> pd.DataFrame:
    """The contexts that read differently: of equal ones of a target in a document the first.

    An item is named after its text, so that two would be one, and fewer would be labelled than
    were drawn.

    Args:
        table: What `candidates` returned.
        n: Sentences of a context.
        matches: What `match` found.
        corpus: The prepared corpus.
    """
    windows = _windows(table, n, matches)
    lengths = corpus.sentences[windows + 1] - corpus.sentences[windows]
    shape = pd.DataFrame(np.hstack([lengths, np.diff(windows) == 1]), table.index)
    shape = shape.assign(target=table["target"], document=table["document"])
    alike = shape.duplicated(keep=False)  # few: only these have to be read
    tokens = [
        b"".join(corpus.tokens[slice(*corpus.sentences[i : i + 2])].tobytes() for i in window)
        for window in windows[alike].tolist()
    ]
    repeated = shape[alike].assign(tokens=tokens).duplicated()
    return table.drop(index=repeated.index[repeated]).reset_index(drop=True)


def make_sample(
    drawn: pd.DataFrame, n: int, matches: Matches, corpus: Corpus, documents: Path, about: dict
) -> Sample:
    """Drawn contexts with their text.

    Args:
        drawn: What `draw` returned for `distinct` candidates.
        n: Sentences of a context.
        matches: What `match` found.
        corpus: The prepared corpus.
        documents: Index of the documents' shards, which hold the original characters.
        about: Where the corpus is from, and how the draw was made.
    """
    windows = _windows(drawn, n, matches)
    raw = {s.number: s for s in raw_sentences(documents, corpus, np.unique(windows).tolist())}
    items = []
    for row, numbers in zip(drawn.itertuples(), windows.tolist(), strict=True):
        wanted = set(matches.targets[row.target])
        sentences = [_words(corpus, number) for number in numbers]
        pieces = []
        for number, words in zip(numbers, sentences, strict=True):
            spans = zip(raw[number].spans, words, strict=True)
            pieces.append((raw[number].text, [span for span, word in spans if word in wanted]))
        text, spans = compose(pieces, [True, *(np.diff(numbers) == 1)])
        name = name_of(row.target, row.document, text)
        items.append(Item(name, row.target, row.document, text, spans, sentences, row.everyone))
    return Sample(tuple(matches.groups), {item.item: item for item in items}, about)


def _windows(table: pd.DataFrame, n: int, matches: Matches) -> NDArray[np.int64]:
    """(rows, n) the numbers of the sentences of each context."""
    rows = table["first"].to_numpy(np.int64)[:, None] + np.arange(n)
    return matches.sentences.numbers[rows]


def _words(corpus: Corpus, number: int) -> list[str]:
    """The tokens of a sentence, as words."""
    start, end = corpus.sentences[number : number + 2]
    return [corpus.words[i] for i in corpus.tokens[start:end]]
