"""Probes and their controls on represented words, trained."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd

from socialbias.errors import UserError
from socialbias.measures.datasets.census import GENDER
from socialbias.models.probe import (
    BY_TARGET,
    LABELS,
    REAL,
    SHUFFLED,
    Probes,
    Settings,
    one_hot,
    probe,
)
from socialbias.papers.trustworthy.probes import SHARES
from socialbias.pipeline.job import Job
from socialbias.stats.similarity import Array

REPRESENTED = "representation/"  # begins the names of what models have represented
# By kind of probe, the features and the labels that it learns.
KINDS = {
    ("given", REAL): "given",
    ("random", REAL): "random",
    ("one-hot", REAL): "one-hot",
    ("given", SHUFFLED): "shuffled",
    ("given", BY_TARGET): "control",
}


def evidence(
    given: Array,
    random: Array,
    examples: pd.DataFrame,
    settings: Settings,
    replicates: int,
    seed: int,
    corpus_documents: int,
) -> pd.DataFrame:
    """Train the probes and their controls on each variant of the labels."""
    targets, numbers = np.unique(examples["target"].to_numpy(str), return_inverse=True)
    identity = one_hot(numbers, len(targets))
    parts = []
    for name in examples.columns[examples.columns.str.startswith("label@")]:
        labels = examples[name].to_numpy()
        options = {"n_targets": len(targets), "k": len(GENDER), "settings": settings, "seed": seed}
        options |= {"labels": np.where(labels == len(GENDER), -1, labels), "targets": numbers}
        options |= {"documents": examples["document"].to_numpy(), "replicates": replicates}
        trained = probe({"given": given}, **options, label_sets=LABELS)
        controls = probe({"random": random, "one-hot": identity}, **options)
        tables = [_table(trained, examples), _table(controls, examples)]
        # The majority: the most frequent label and the shares of each target, or of all targets
        # together where nothing of its own was trained on.
        held_out, counts = trained.held_out, trained.train_counts
        majority = examples.iloc[held_out][["target", "document"]].copy()
        counts = np.where(counts.any(axis=1, keepdims=True), counts, counts.sum(axis=0))
        own = counts[trained.examples.targets[held_out]].astype(float)
        majority["kind"], majority["seed"], majority["label"] = "majority", 0, labels[held_out]
        majority["predicted"] = own.argmax(axis=1)
        majority[SHARES] = (own / own.sum(axis=1, keepdims=True)).astype(np.float32)
        tables.append(majority)
        parts += [table.assign(variant=name.removeprefix("label@")) for table in tables]
    table = pd.concat(parts, ignore_index=True).assign(corpus_documents=corpus_documents)
    return table.astype({"kind": "category", "variant": "category", "target": "category"})


def _table(probes: Probes, examples: pd.DataFrame) -> pd.DataFrame:
    """Return what each probe predicts for each example held out."""
    parts = []
    for run in probes.runs:
        part = examples.iloc[probes.held_out][["target", "document"]].copy()
        part["kind"], part["seed"] = KINDS[run.features, run.labels], run.replicate
        # A control task is right or wrong by the labels that it was given.
        part["label"] = run.expected
        part["predicted"] = run.predictions
        part[SHARES] = run.probabilities.astype(np.float32)
        parts.append(part)
    return pd.concat(parts)


def measure(job: Job) -> pd.DataFrame:
    """Return the evidence of the one model whose representations are among a job's inputs."""
    models = (f"{REPRESENTED}{name}" for name in job.below(REPRESENTED))
    given, random = (job.path(name).parent for name in models)
    examples = pd.read_parquet(given / "examples.parquet")
    if not examples.equals(pd.read_parquet(random / "examples.parquet")):
        raise UserError(f"{given} and {random}: not the same examples: remove both and run again")
    [options] = [value for key, value in job.settings.items() if key.endswith("_probe")]
    table = evidence(
        np.load(given / "features.npy"),
        np.load(random / "features.npy"),
        examples,
        Settings(epochs=options["epochs"], batch_size=options["batch"]),
        job.settings["trustworthy.probe_seeds"],
        job.seed,
        json.loads((given / "info.json").read_text("utf-8"))["documents"],
    )
    job.say(f"{len(examples):,} examples of {examples['target'].nunique()} targets")
    return table
