"""What `planted_table6` is made of: probes on models that learned a planted corpus, and samples."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from socialbias.contextual.extract import extract
from socialbias.contextual.models import Model
from socialbias.contextual.probe import one_hot
from socialbias.corpora.documents import Document
from socialbias.corpora.prepare import prepare
from socialbias.corpora.prepared import Corpus
from socialbias.papers.trustworthy import probing
from socialbias.papers.validation.planted_design import Design
from socialbias.papers.validation.planted_table6 import VARIANT, near_targets, of_text
from socialbias.papers.validation.recovery_contextual import (
    PROBE,
    Mentions,
    mentions,
    sentences_of,
)
from socialbias.stats.seeding import generator

# Of a probe that is told the word: how large it is beside a representation, so that it is learnt
# as fast, and for how long. Chosen on one planted corpus, so that shares fit where they are learnt.
TOLD, TOLD_EPOCHS = 3.0, 50


def of_samples(path: Path, design: Design) -> pd.DataFrame:
    """As `of_text`, of what a model wrote (JSON lines of `generation.generate`)."""
    with path.open(encoding="utf-8") as lines, TemporaryDirectory() as folder:
        samples = (json.loads(line) for line in lines)
        documents = (Document(str(s["id"]), s["text"]) for s in samples if s["text"])
        prepare(documents, Path(folder), tokenizer="whitespace", lower="never")
        return of_text(Corpus.load(Path(folder)), design)


def evidence(
    model: Model,
    random: Model,
    corpus: Corpus,
    design: Design,
    most: int,
    replicates: int,
    seed: int,
) -> pd.DataFrame:
    """Probes and their controls on the last layer, as `probing.evidence`.

    Args:
        model: Trained on the corpus.
        random: The same architecture with random weights.
        corpus: Prepared.
        design: What is planted, with two groups.
        most: Sentences of a target, at most.
        replicates: Seeds of each probe.
        seed: The configuration's seed.
    """
    words = near_targets(design)
    found = mentions(corpus, words, design, most, generator(seed, "planted", "probe", "sentences"))
    return probed(model, random, [(corpus, found)], design, replicates, seed)


def probed(
    model: Model,
    random: Model,
    texts: list[tuple[Corpus, Mentions]],
    design: Design,
    replicates: int,
    seed: int,
    told: bool = False,
) -> pd.DataFrame:
    """Probes and their controls on sentences of texts, of which a probe learns the first.

    Args:
        model: As in `evidence`.
        random: As in `evidence`.
        texts: Corpora, and the sentences of each that are represented. Documents of the last have
            the numbers that they have there, those of the others stand behind them.
        design: What is planted, as far as the texts have it in common.
        replicates: Seeds of each probe.
        seed: The configuration's seed.
        told: Whether a probe is told which word it is about, beside what represents it, and learns
            for long. It can then give each word its own share; a probe that is not gives shares by
            what the words' representations have in common, which are too far apart or too near.
    """
    words = near_targets(design)
    sentences, parts, number = [], [], texts[-1][0].size
    for corpus, found in texts:
        last = corpus is texts[-1][0]
        sentences += sentences_of(corpus, words, found)
        part = {
            "document": found.documents + (0 if last else number),
            "target": np.array(words, object)[found.words],
            f"label@{VARIANT}": np.where(found.labels < 0, design.k, found.labels),
        }
        parts.append(pd.DataFrame(part).assign(word=found.words))
        number += 0 if last else corpus.size
    examples = pd.concat(parts, ignore_index=True)
    # A target's sentences stand together, those of the first text before the others.
    order = np.argsort(examples.pop("word").to_numpy(), kind="stable")
    lines, spans = [s.text for s in sentences], [s.spans for s in sentences]
    vectors = [extract(m, lines, spans, layer=m.layers).vectors[order] for m in (model, random)]
    examples, settings = examples.iloc[order], PROBE
    if told:
        numbers = np.unique(examples["target"].to_numpy(str), return_inverse=True)[1]
        identity = (TOLD * one_hot(numbers, len(words))).astype(np.float32)
        vectors = [np.hstack([rows, identity]) for rows in vectors]
        settings = replace(PROBE, epochs=TOLD_EPOCHS)
    return probing.evidence(*vectors, examples, settings, replicates, seed, number)
