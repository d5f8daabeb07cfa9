"""Vectors of words in a language model: each word by itself, or in its sentences of a corpus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from socialbias.api.of_texts import read
from socialbias.api.subjects import Subject
from socialbias.contextual.models import Model, load_model, scoring_kind
from socialbias.contextual.reduction import Reduced, Sentence, reduce_words
from socialbias.contextual.threads import one_thread
from socialbias.corpora.contexts import contexts_of, match
from socialbias.corpora.documents import ReadReport
from socialbias.corpora.prepare import prepare
from socialbias.corpora.prepared import Corpus
from socialbias.corpora.shards import INDEX, read_shards, write_shards
from socialbias.embeddings.vectors import WordVectors
from socialbias.errors import UserError
from socialbias.measures.similarity import Array
from socialbias.papers.trustworthy.representations import Choice, sentences

DRAWS = 200  # resamples of documents: each stores a vector for every word


def model_vectors(
    subject: Subject,
    words: Sequence[str],
    *,
    seed: int,
    layer: int | None = None,
    texts: Subject | None = None,
    text_key: str | None = None,
    by: str | None = None,
) -> tuple[WordVectors, Array | None, dict]:
    """The vector of each word in one layer of a model.

    Args:
        subject: A model.
        words: Distinct words.
        seed: Of the resamples of documents.
        layer: From 0, the embeddings; None for the last.
        texts: A corpus: a word's vector is the mean over its sentences there (Bommasani, Davis and
            Cardie 2020). None for each word by itself.
        text_key: As for `of_texts.read`.
        by: As for `of_texts.read`.

    Returns:
        The vectors; of a corpus those from resampled documents, (200, n, d), else None; and what
        was read.

    Raises:
        UserError: the model or the corpus cannot be read, or there is no such layer.
    """
    kind = {"masked": "encoder", "causal": "causal"}[scoring_kind(subject.path)]
    with one_thread():
        model = load_model(subject.path, kind)
        layer = model.layers if layer is None else layer
        about = {"layer": layer, "layers": model.layers, "dimensions": model.width}
        if texts is None:
            found = reduce_words(model, [], words, layer=layer)
            return found.word_vectors, None, about | {"words in sentences": 0}
        with TemporaryDirectory() as folder:
            documents = read(texts, text_key, by, report := ReadReport())
            found = _in_sentences(model, documents, report, words, layer, Path(folder), seed)
    about["words in sentences"] = int((found.counts > 0).sum())
    return found.word_vectors, found.resampled, about


def _in_sentences(
    model: Model,
    documents: Iterator,
    report: ReadReport,
    words: Sequence[str],
    layer: int,
    folder: Path,
    seed: int,
) -> Reduced:
    """The words' vectors, means over the sentences of the documents."""
    write_shards(documents, folder / "shards", report)
    prepare(read_shards(folder / "shards" / INDEX), folder / "ids", read=report)
    corpus = Corpus.load(folder / "ids")
    found = match(corpus, {word: [word] for word in words}, {"any": words}, max_window=1)
    contexts = contexts_of(found, 1)
    if not len(contexts.firsts):
        raise UserError("texts: no sentence of 5 to 40 tokens has one of the words")
    table = pd.DataFrame({"sentence": found.sentences.numbers[contexts.firsts]})
    table["document"] = contexts.documents
    table["word"] = np.array(words, object)[contexts.targets]
    choice = Choice(tuple(words), table, table.iloc[:0])
    chosen: Iterator[Sentence] = sentences(
        corpus, folder / "shards" / INDEX, choice, as_tokens=False
    )
    return reduce_words(model, chosen, words, layer=layer, draws=DRAWS, seed=seed)
