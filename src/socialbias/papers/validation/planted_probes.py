"""What `planted_table6` is made of: probes on models that learned a planted corpus, and samples.

In a second world a known amount is amplified. The GPT-2 of the recovery has learnt a text in which
targets lean by up to `DESIGN.most`. There it and the probe on its representations are compared with
a text of the same words in which each leans by half of that: what the model writes goes further
than this text by the difference, and so does a probe that knows a word and has learnt its labels in
the model's own text. A probe that reads the sentence that it is tested on goes less far.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from socialbias.corpora.prepared import Corpus
from socialbias.models.extract import extract
from socialbias.models.loading import Model, load_model
from socialbias.models.probe import one_hot
from socialbias.papers.trustworthy import probing
from socialbias.papers.validation.planted_design import Design
from socialbias.papers.validation.planted_table6 import (
    CORPUS,
    HALF,
    VARIANT,
    WORLD,
    near_targets,
    other_text,
)
from socialbias.papers.validation.recovery_contextual import PROBE, Mentions, mentions, sentences_of
from socialbias.pipeline.job import Job
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


MODEL = "planted/gpt2_model"
WITH_WORD = " told"  # ends the names of rows


def measure(job: Job) -> pd.DataFrame:
    """Probes by row of `planted_table6`, in the column `row`.

    Those of `gpt2 amplified` learn from the model's own text and are tested on the other one. In
    rows with `told`, in both worlds, probes know which word they are about.
    """
    learnt = Corpus.load(job.path(CORPUS).parent)
    held_out = other_text(job.settings["trustworthy.recovery.tokens"], job.seed)
    most, words = job.settings["trustworthy.recovery.sentences"], near_targets(HALF)
    rng = generator(job.seed, "recovery", "amplified", "sentences")
    training = mentions(learnt, words, HALF, most, rng)
    test = mentions(held_out, words, HALF, round((1 - PROBE.train_share) * most), rng)
    both = list(zip((learnt, held_out), balanced(training, test, len(words)), strict=True))
    model = load_model(job.path(MODEL), "causal", device="cpu")
    random = load_model(job.path(MODEL), "causal", device="cpu", seed=job.seed)
    how = HALF, job.settings["trustworthy.probe_seeds"], job.seed
    parts = [
        probed(model, random, texts, *how, with_word=with_word).assign(row=row)
        for row, texts, with_word in (
            (WORLD, both, False),
            (f"{WORLD}{WITH_WORD}", both, True),
            (f"gpt2{WITH_WORD}", [(learnt, training)], True),
        )
    ]
    return pd.concat(parts, ignore_index=True)


def balanced(training: Mentions, test: Mentions, n: int) -> tuple[Mentions, Mentions]:
    """Return the first sentences of each of n words, as a probe's train share asks for."""
    odds = PROBE.train_share / (1 - PROBE.train_share)
    counts = [np.bincount(sample.words, minlength=n) for sample in (training, test)]
    tested = np.minimum(counts[1], (counts[0] / odds).astype(int))
    learnt = (tested * odds + 1e-9).astype(int)
    return _at_most(training, learnt), _at_most(test, tested)


def _at_most(sample: Mentions, most: np.ndarray) -> Mentions:
    """Return the first sentences of each word."""
    turns = pd.Series(sample.words).groupby(sample.words).cumcount().to_numpy()
    kept = turns < most[sample.words]
    return Mentions(*(column[kept] for column in vars(sample).values()))
