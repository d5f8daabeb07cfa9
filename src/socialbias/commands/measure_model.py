"""Vectors of words in a language model: each word by itself, or in its sentences of a corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from transformers import PreTrainedTokenizerFast

from socialbias.commands.measure_corpus import read
from socialbias.commands.subjects import Subject, open_subject
from socialbias.corpora.contexts import contexts_of, match
from socialbias.corpora.documents import ReadReport
from socialbias.corpora.prepare import prepare
from socialbias.corpora.prepared import Corpus
from socialbias.corpora.shards import INDEX, read_shards, write_shards
from socialbias.embeddings.static_models import whole_words
from socialbias.embeddings.vectors import WordVectors
from socialbias.embeddings.words.languages import ENGLISH
from socialbias.embeddings.words.lists import lists
from socialbias.errors import UserError
from socialbias.models.loading import Model, load_model, scoring_kind
from socialbias.models.reduction import Reduced, Sentence, reduce_words
from socialbias.models.sampled_sentences import Choice, sentences
from socialbias.models.threads import one_thread
from socialbias.models.tokenizers import pieces, spelt
from socialbias.stats.seeding import generator
from socialbias.stats.similarity import Array

MIN_RANDOM_WORDS, MOST_RANDOM_WORDS = 200, 1600  # random words of a model
WORK = 1e11  # random words times parameters: some ten seconds of a core
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
    beside: Callable[..., list[str]] | None = None,
) -> tuple[WordVectors, Array | None, dict]:
    """Return the vector of each word in one layer of a model (0 = input embeddings; None = last).

    With `texts`, a word's vector is the mean over its sentences there (Bommasani, Davis and Cardie
    2020), otherwise that of the word by itself. `text_key` and `by` are as for `read`; `beside`
    maps the words that are whole pieces, and a number, to that many random words. Returned are the
    vectors of words that the model can spell; with texts, those from resampled documents (200, n,
    d), else None; and what was read.
    """
    kind = {"masked": "encoder", "causal": "causal"}[scoring_kind(subject.path)]
    with one_thread():
        model = load_model(subject.path, kind)
        layer = model.layers if layer is None else layer
        facts = {"layer": layer, "layers": model.layers, "dimensions": model.width}
        words = spelt(model.tokenizer, words)
        if not words:
            raise UserError(f"{subject.name}: its vocabulary cannot spell any of the words")
        whole = whole_words(model.tokenizer.get_vocab())
        if texts is None:
            # Fewer random words in larger models.
            parameters = sum(p.numel() for p in model.network.parameters())
            many = int(min(max(WORK / parameters, MIN_RANDOM_WORDS), MOST_RANDOM_WORDS))
            asked = [*words]
            if beside:
                words += beside(whole, many)
                if any(n > 1 for n in pieces(model.tokenizer, asked).values()):
                    words += beside(_of_several_pieces(model.tokenizer), many)
            words = list(dict.fromkeys(words))
            reduced = reduce_words(model, [], words, layer=layer)
            return reduced.word_vectors, None, facts | {"words in sentences": 0}
        with TemporaryDirectory() as folder:
            shards, report = Path(folder) / "shards", ReadReport()
            write_shards(read(texts, text_key, by, report), shards, report)
            prepare(read_shards(shards / INDEX), Path(folder) / "ids", read=report)
            corpus = Corpus.load(Path(folder) / "ids")
            known = [word for word in corpus.words if word in set(whole)]
            extra = beside(known, MIN_RANDOM_WORDS) if beside else []
            reduced = _in_sentences(model, corpus, shards / INDEX, words, extra, layer, seed)
    facts["words in sentences"] = int((reduced.counts[: len(words)] > 0).sum())
    return reduced.word_vectors, reduced.resampled, facts


def _of_several_pieces(tokenizer: PreTrainedTokenizerFast) -> list[str]:
    """Return words of the packaged English lists and example that a tokenizer splits."""
    listed = [word for each in lists().values() if each.language == ENGLISH for word in each.all]
    words = [*open_subject("example").vocabulary(), *listed]
    words = spelt(tokenizer, [word for word in dict.fromkeys(words) if word.isalpha()])
    return [word for word, n in pieces(tokenizer, words).items() if n > 1]


def _in_sentences(
    model: Model,
    corpus: Corpus,
    index: Path,
    words: Sequence[str],
    extra: Sequence[str],
    layer: int,
    seed: int,
) -> Reduced:
    """Return the words' mean vectors over their sentences.

    An extra word is read in at most as many sentences as the median word has.
    """
    every = list(dict.fromkeys([*words, *extra]))
    matches = match(corpus, {word: [word] for word in every}, {"any": every}, max_window=1)
    contexts = contexts_of(matches, 1)
    if not len(contexts.firsts):
        raise UserError("texts: no sentence of 5 to 40 tokens has one of the words")
    rows = generator(seed, "sentences of placebo words").permutation(len(contexts.firsts))
    owners = pd.Series(contexts.targets[rows])
    often = max(int(owners[owners < len(words)].value_counts().median()), 1)
    kept = (owners < len(words)) | (owners.groupby(owners).cumcount() < often)
    contexts = contexts.take(np.sort(rows[kept.to_numpy()]))
    table = pd.DataFrame({"sentence": matches.sentences.numbers[contexts.firsts]})
    table["document"] = contexts.documents
    table["word"] = np.array(every, object)[contexts.targets]
    choice = Choice(tuple(every), table, table.iloc[:0])
    chosen: Iterator[Sentence] = sentences(corpus, index, choice, as_tokens=False)
    return reduce_words(model, chosen, every, layer=layer, draws=DRAWS, seed=seed)
