"""Candidate contexts as a table to draw from, and drawn contexts with their text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from socialbias.annotation.items import Item, Sample, compose, item_name
from socialbias.corpora.contexts import Contexts, Matches
from socialbias.corpora.prepared import Corpus
from socialbias.corpora.raw import raw_sentences


def candidates(matches: Matches, contexts: Contexts) -> pd.DataFrame:
    """Contexts as a table.

    Args:
        matches: The result of `match`.
        contexts: Windows that `contexts_of` made from it.

    Returns:
        Columns `target`, `document`, `first` (the row of the window's first sentence), `stratum`
        (the groups whose words occur, as a bit mask).
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
    """Remove contexts with the same text: of equal contexts of a target in a document keep one.

    An item is named after its text, so equal ones would become one item, and fewer would be
    labelled than were drawn.

    Args:
        table: The result of `candidates`.
        n: Sentences of a context.
        matches: The result of `match`.
        corpus: The prepared corpus.
    """
    windows = _windows(table, n, matches)
    lengths = corpus.sentences[windows + 1] - corpus.sentences[windows]
    shape = pd.DataFrame(np.hstack([lengths, np.diff(windows) == 1]), table.index)
    shape = shape.assign(target=table["target"], document=table["document"])
    alike = shape.duplicated(keep=False)  # few contexts, and only these have to be read
    tokens = [
        b"".join(corpus.tokens[slice(*corpus.sentences[i : i + 2])].tobytes() for i in window)
        for window in windows[alike].tolist()
    ]
    repeated = shape[alike].assign(tokens=tokens).duplicated()
    return table.drop(index=repeated.index[repeated]).reset_index(drop=True)


def make_sample(
    drawn: pd.DataFrame,
    n: int,
    matches: Matches,
    corpus: Corpus,
    documents: Path,
    provenance: dict,
) -> Sample:
    """Drawn contexts with their text.

    Args:
        drawn: The result of `draw` on `distinct` candidates.
        n: Sentences of a context.
        matches: The result of `match`.
        corpus: The prepared corpus.
        documents: Index of the documents' shards, which hold the original text.
        provenance: Where the corpus comes from, and how the sample was drawn.
    """
    windows = _windows(drawn, n, matches)
    raw = {s.number: s for s in raw_sentences(documents, corpus, np.unique(windows).tolist())}
    items = []
    for row, numbers in zip(drawn.itertuples(), windows.tolist(), strict=True):
        target_words = set(matches.targets[row.target])
        sentences = [_words(corpus, number) for number in numbers]
        pieces = []
        for number, words in zip(numbers, sentences, strict=True):
            spans = zip(raw[number].spans, words, strict=True)
            mentions = [span for span, word in spans if word in target_words]
            pieces.append((raw[number].text, mentions))
        text, spans = compose(pieces, [True, *(np.diff(numbers) == 1)])
        name = item_name(row.target, row.document, text)
        items.append(Item(name, row.target, row.document, text, spans, sentences, row.everyone))
    return Sample(tuple(matches.groups), {item.item: item for item in items}, provenance)


def _windows(table: pd.DataFrame, n: int, matches: Matches) -> NDArray[np.int64]:
    """(rows, n) the sentence numbers of each context."""
    rows = table["first"].to_numpy(np.int64)[:, None] + np.arange(n)
    return matches.sentences.numbers[rows]


def _words(corpus: Corpus, number: int) -> list[str]:
    """The tokens of a sentence, as words."""
    start, end = corpus.sentences[number : number + 2]
    return [corpus.words[i] for i in corpus.tokens[start:end]]
