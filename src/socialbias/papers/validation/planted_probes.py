"""What `planted_table6` is made of: probes on models that learned a planted corpus, and samples."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from socialbias.contextual.extract import extract
from socialbias.contextual.models import Model
from socialbias.corpora.documents import Document
from socialbias.corpora.prepare import prepare
from socialbias.corpora.prepared import Corpus
from socialbias.papers.trustworthy import probing
from socialbias.papers.validation.planted_design import Design
from socialbias.papers.validation.planted_table6 import VARIANT, near_targets, of_text
from socialbias.papers.validation.recovery_contextual import PROBE, mentions, sentences_of
from socialbias.seeding import generator


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
    sentences = list(sentences_of(corpus, words, found))
    texts, spans = [s.text for s in sentences], [s.spans for s in sentences]
    order = np.argsort(found.words, kind="stable")  # a target's sentences stand together
    labels = np.where(found.labels < 0, design.k, found.labels)
    examples = pd.DataFrame(
        {
            "document": found.documents,
            "target": np.array(words, object)[found.words],
            f"label@{VARIANT}": labels,
        }
    ).iloc[order]
    vectors = [extract(m, texts, spans, layer=m.layers).vectors[order] for m in (model, random)]
    return probing.evidence(*vectors, examples, PROBE, replicates, seed, corpus.size)
