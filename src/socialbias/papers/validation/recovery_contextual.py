"""Recovery from models that are trained on the planted corpus: what they represent and write.

With `text` of the corpus itself as L1, a probe on a model's vectors (L2) and the text that it
writes (L3) are one chain (Bommasani and Liang 2022, section 8), in which each link has a truth.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import softmax

from socialbias.corpora.contexts import contexts_of, match
from socialbias.corpora.documents import Document
from socialbias.corpora.prepare import prepare
from socialbias.corpora.prepared import Corpus
from socialbias.measures.text import exclusive
from socialbias.models.extract import extract
from socialbias.models.loading import Model
from socialbias.models.objectives import Options
from socialbias.models.probe import Settings, fit, split
from socialbias.models.reduction import Sentence, reduce_words
from socialbias.papers.trustworthy import probing
from socialbias.papers.validation.planted_design import SECOND, Design
from socialbias.papers.validation.planted_table6 import VARIANT, near_targets
from socialbias.papers.validation.recovery import (
    shares_evidence,
    soft_shares,
    text_evidence,
    vector_evidence,
)
from socialbias.stats.seeding import generator

NAMES = ("divdist", "weat")  # measures on reduced vectors
PROBE = Settings(epochs=10, batch_size=50)
# Models of one layer learn the most in a given time; BERT needs to see more than GPT-2 to begin
# with, and short blocks, in which a target has few neighbours.
SMALL = Options(words=1000, layers=1)
GPT2 = replace(SMALL, length=32, passage=30, batch=16, learning_rate=3e-3, warmup=0.2)
BERT = replace(SMALL, length=16, batch=32, masked=0.3, learning_rate=4e-3, warmup=0.1)

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Mentions:
    """Sentences that mention words, one row for each sentence and word, in corpus order."""

    words: Ints  # (m,) the number of the word
    sentences: Ints  # (m,) the number of the sentence in the corpus
    documents: Ints  # (m,) the number of its document
    labels: Ints  # (m,) the one group of which the sentence has a word, -1 for none or several


def mentions(
    corpus: Corpus, words: list[str], design: Design, most: int, rng: np.random.Generator
) -> Mentions:
    """At most `most` random sentences of each word, labelled by the exclusive rule."""
    matches = match(corpus, {word: [word] for word in words}, design.groups, max_window=1)
    contexts = contexts_of(matches, 1)
    order = rng.permutation(len(contexts.targets))
    turns = pd.Series(contexts.targets[order]).groupby(contexts.targets[order]).cumcount()
    chosen = contexts.take(np.sort(order[turns.to_numpy() < most]))
    labels = exclusive(chosen.masks, design.k)
    numbers = matches.sentences.numbers[chosen.firsts]
    return Mentions(chosen.targets, numbers, chosen.documents, labels)


def sentences_of(corpus: Corpus, words: list[str], sample: Mentions) -> Iterator[Sentence]:
    """Yield the sentences as text, with the place of the first occurrence of the word."""
    columns = (sample.words, sample.sentences, sample.documents)
    for word, number, document in zip(*(column.tolist() for column in columns), strict=True):
        ids = corpus.tokens[corpus.sentences[number] : corpus.sentences[number + 1]]
        tokens = [corpus.words[i] for i in ids]
        place = tokens.index(words[word])
        start = sum(len(token) + 1 for token in tokens[:place])
        span = (start, start + len(words[word]))
        yield Sentence(document, " ".join(tokens), [word], [span])


def reduction_evidence(
    model: Model, corpus: Corpus, design: Design, prefix: str, most: int, draws: int, seed: int
) -> pd.DataFrame:
    """Measures on the mean vector of each word over its sentences, in the model's last layer."""
    words = [*design.targets["target"], *(w for group in design.groups.values() for w in group)]
    rng = generator(seed, "recovery", prefix, "sentences")
    sentences = sentences_of(corpus, words, mentions(corpus, words, design, most, rng))
    reduced = reduce_words(model, sentences, words, layer=model.layers)
    return vector_evidence(reduced.word_vectors, design, prefix, NAMES, draws, seed)


def probe_evidence(
    model: Model, corpus: Corpus, design: Design, measure: str, most: int, level: float, seed: int
) -> pd.DataFrame:
    """Return a linear probe for a sentence's group, on its target's vector in the last layer.

    It learns from the first sentences of the direct and null targets. The share of a group is its
    mean probability over the sentences that are left, over those of all groups, as a target's soft
    counts; second-order targets, which the probe has never seen, are tested on all of theirs. A
    second measure, with ` decisions` behind the name, counts its decisions, as the paper does.
    """
    table, rng = design.targets, generator(seed, "recovery", measure, "sentences")
    words = list(table["target"])
    sample = mentions(corpus, words, design, most, rng)
    sentences = list(sentences_of(corpus, words, sample))
    texts, spans = [s.text for s in sentences], [s.spans for s in sentences]
    vectors = extract(model, texts, spans, layer=model.layers).vectors
    unseen = (table["kind"] == SECOND).to_numpy()[sample.words]
    training = split(sample.words, PROBE.train_share, sample.documents) & ~unseen
    k, rng = design.k, generator(seed, measure, "probe")
    labels = np.where(sample.labels < 0, k, sample.labels)[None, training]
    weights, intercepts = fit([vectors[training]], labels, [0], k + 1, PROBE, [rng])
    chances = softmax(vectors.astype(float) @ weights[0].T + intercepts[0], axis=1)[:, :k]
    # The rest is the probability of no group, which a decision may be for.
    rest = 1 - chances.sum(axis=1, keepdims=True)
    decided = np.concatenate([chances, rest], axis=1).argmax(axis=1)[:, None] == np.arange(k)
    parts = []
    for name, found in ((measure, chances), (f"{measure} decisions", decided)):
        tested = (side[~training] for side in (found, sample.words, sample.documents))
        shares = soft_shares(*tested, len(words), level)
        parts.append(shares_evidence(table, shares, design, name))
    return pd.concat(parts, ignore_index=True)


def samples_evidence(path: Path, design: Design, measure: str, level: float) -> pd.DataFrame:
    """Return the text measure on what a model wrote."""
    with corpus_of_samples(path) as corpus:
        return text_evidence(corpus, design, level, measure)


@contextmanager
def corpus_of_samples(path: Path) -> Iterator[Corpus]:
    """Provide what a model wrote (JSON lines of `generation.generate`) as a prepared corpus."""
    with path.open(encoding="utf-8") as lines, TemporaryDirectory() as folder:
        samples = (json.loads(line) for line in lines)
        documents = (Document(str(s["id"]), s["text"]) for s in samples if s["text"])
        prepare(documents, Path(folder), tokenizer="whitespace", lower="never")
        yield Corpus.load(Path(folder))


def controlled_probes(
    model: Model,
    random: Model,
    corpus: Corpus,
    design: Design,
    most: int,
    replicates: int,
    seed: int,
) -> pd.DataFrame:
    """Return probes and their controls on the last layer, as `probing.evidence`."""
    words = near_targets(design)
    rng = generator(seed, "planted", "probe", "sentences")
    sample = mentions(corpus, words, design, most, rng)
    sentences = list(sentences_of(corpus, words, sample))
    examples = pd.DataFrame(
        {
            "document": sample.documents,
            "target": np.array(words, object)[sample.words],
            f"label@{VARIANT}": np.where(sample.labels < 0, design.k, sample.labels),
        }
    )
    order = np.argsort(sample.words, kind="stable")  # a target's sentences stand together
    texts, spans = [s.text for s in sentences], [s.spans for s in sentences]
    vectors = [extract(m, texts, spans, layer=m.layers).vectors[order] for m in (model, random)]
    return probing.evidence(*vectors, examples.iloc[order], PROBE, replicates, seed, corpus.size)
