"""Recovery over corpora and trainings, of what small models represent and write.

On the corpora of `recovery_corpora`, with the models and the measures of `recovery_contextual`. All
that a training can vary does: the model's weights and the order in which it learns, the sentences
that it is asked about, the probe, and what it writes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from socialbias.contextual.generation import Options as Generation
from socialbias.contextual.generation import generate
from socialbias.contextual.language_models import train_bert, train_gpt2
from socialbias.contextual.models import load_model
from socialbias.corpora.prepared import Corpus
from socialbias.papers.validation import recovery_contextual as contextual
from socialbias.papers.validation.planted_corpus import of_corpus
from socialbias.papers.validation.planted_design import Design
from socialbias.papers.validation.recovery_corpora import (
    CORPORA,
    DESIGN,
    DIVISIONS,
    in_parts,
    of_training,
    units_of,
)
from socialbias.pipeline.job import Job

Measured = Callable[[Corpus, Design, Path, int], list[pd.DataFrame]]


def measure_bert(job: Job) -> pd.DataFrame:
    """Reduction and probe of a BERT, on all corpora."""
    options = replace(contextual.BERT, epochs=job.settings["trustworthy.recovery.bert_epochs"])
    most = job.settings["trustworthy.recovery.sentences"]

    def measured(corpus: Corpus, design: Design, folder: Path, seed: int) -> list[pd.DataFrame]:
        train_bert(corpus, folder / "model", options, seed, job.say)
        model = load_model(folder / "model", "encoder", device="cpu")
        return [
            contextual.reduction_evidence(model, corpus, design, "bert", most, DIVISIONS, seed),
            contextual.probe_evidence(model, corpus, design, "bert probe", most, job.level, seed),
        ]

    return _measure(job, measured)


def measure_gpt2(job: Job) -> pd.DataFrame:
    """Return the probe of a GPT-2 and what it writes, on all corpora."""
    options = replace(contextual.GPT2, epochs=job.settings["trustworthy.recovery.gpt2_epochs"])
    most, count = (job.settings[f"trustworthy.recovery.{key}"] for key in ("sentences", "samples"))

    def measured(corpus: Corpus, design: Design, folder: Path, seed: int) -> list[pd.DataFrame]:
        train_gpt2(corpus, folder / "model", options, seed, job.say)
        model = load_model(folder / "model", "causal", device="cpu")
        samples = folder / "samples.jsonl"
        generate(model, samples, count, Generation(batch=256), seed, job.say)
        return [
            contextual.probe_evidence(model, corpus, design, "gpt2 probe", most, job.level, seed),
            contextual.samples_evidence(samples, design, "gpt2 samples", job.level),
        ]

    return _measure(job, measured)


def _measure(job: Job, measured: Measured) -> pd.DataFrame:
    """Evidence of all trainings, as `recovery_corpora.measure`."""
    tokens = job.settings["trustworthy.recovery.corpus_tokens"]

    def evidence(unit: tuple[int, int]) -> pd.DataFrame:
        corpus, training = unit
        design, written = of_corpus(job.seed, DESIGN, tokens, CORPORA, corpus)
        seed = of_training(job.seed, CORPORA, corpus, training)
        with TemporaryDirectory() as folder:
            parts = measured(written, design, Path(folder), seed)
        return pd.concat(parts).assign(corpus=corpus, training=training)

    return in_parts(job, evidence, units_of(job))
