"""What `planted_table6` is made of: probes on models that learned a planted corpus, and samples."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from socialbias.contextual.extract import extract
from socialbias.contextual.models import Model
from socialbias.contextual.probe import one_hot
from socialbias.corpora.prepared import Corpus
from socialbias.papers.trustworthy import probing
from socialbias.papers.validation.planted_design import Design
from socialbias.papers.validation.planted_table6 import VARIANT, near_targets
from socialbias.papers.validation.recovery_contextual import (
    PROBE,
    Mentions,
    mentions,
    sentences_of,
)
from socialbias.stats.seeding import generator

# For a probe that knows the word: the word's size beside a representation, so that it is learnt as
# fast, and the epochs. Chosen on one planted corpus, so that shares fit where they are learnt.
WORD_SIZE, WORD_EPOCHS = 3.0, 50


def evidence(
    model: Model,
    random: Model,
    corpus: Corpus,
    design: Design,
    most: int,
    replicates: int,
    seed: int,
) -> pd.DataFrame:
    """Probes and their controls on the last layer, as `probing.evidence`."""
    rng = generator(seed, "planted", "probe", "sentences")
    sample = mentions(corpus, near_targets(design), design, most, rng)
    return probed(model, random, [(corpus, sample)], design, replicates, seed)


def probed(
    model: Model,
    random: Model,
    texts: list[tuple[Corpus, Mentions]],
    design: Design,
    replicates: int,
    seed: int,
    with_word: bool = False,
) -> pd.DataFrame:
    """Probes and their controls on sentences of texts, of which a probe learns the first."""
    words = near_targets(design)
    sentences, parts, number = [], [], texts[-1][0].size
    for corpus, sample in texts:
        last = corpus is texts[-1][0]
        sentences += sentences_of(corpus, words, sample)
        part = {
            "document": sample.documents + (0 if last else number),
            "target": np.array(words, object)[sample.words],
            f"label@{VARIANT}": np.where(sample.labels < 0, design.k, sample.labels),
        }
        parts.append(pd.DataFrame(part).assign(word=sample.words))
        number += 0 if last else corpus.size
    examples = pd.concat(parts, ignore_index=True)
    # A target's sentences stand together, those of the first text before the others.
    order = np.argsort(examples.pop("word").to_numpy(), kind="stable")
    lines, spans = [s.text for s in sentences], [s.spans for s in sentences]
    vectors = [extract(m, lines, spans, layer=m.layers).vectors[order] for m in (model, random)]
    examples, settings = examples.iloc[order], PROBE
    if with_word:
        numbers = np.unique(examples["target"].to_numpy(str), return_inverse=True)[1]
        identity = (WORD_SIZE * one_hot(numbers, len(words))).astype(np.float32)
        vectors = [np.hstack([rows, identity]) for rows in vectors]
        settings = replace(PROBE, epochs=WORD_EPOCHS)
    return probing.evidence(*vectors, examples, settings, replicates, seed, number)
