"""Probes and their controls: what a probe adds to what it reads."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from socialbias.measures.datasets.census import GENDER
from socialbias.measures.text import directed_bias
from socialbias.papers.evidence import correlation, mean_over
from socialbias.papers.trustworthy.inputs import read_tables
from socialbias.pipeline.job import Job
from socialbias.stats.correlation import paired_spearman
from socialbias.stats.similarity import Array

LABELS = (*GENDER, "neither")
SHARES = [f"p_{label}" for label in LABELS]
HARD, SOFT = "hard", "soft"
# What a probe must beat before its numbers are judged, and its name.
BEATEN = {"shuffled": "with shuffled labels", "majority": "by each target's most frequent label"}
# Kinds of evidence by probabilities; `majority` are the shares of the labels trained on.
KINDS = ("given", "shuffled", "random", "one-hot", "majority")


def probe_counts(
    evidence: pd.DataFrame, kind: str, variant: str, *, soft: bool = False
) -> pd.DataFrame:
    """Return a probe's predictions for each target by document, as text counts (section 4.3)."""
    part = evidence[(evidence["kind"] == kind) & (evidence["variant"] == variant)]
    keys, seeds = ["target", "document", "corpus_documents"], max(part["seed"].nunique(), 1)
    table = part[keys].copy()
    for i, group in enumerate(GENDER):
        table[group] = (part[SHARES[i]] if soft else part["predicted"] == i) / seeds
    table["contexts"] = 1 / seeds if soft else table[list(GENDER)].sum(axis=1)
    return table.groupby(keys, as_index=False, observed=True).sum()


def weakness(evidence: pd.DataFrame, variant: str, level: float, seed: int) -> str:
    """Return why a probe cannot be judged: it predicts labels no better than its controls do."""
    part = evidence[evidence["variant"] == variant]
    right = (part["label"] == part["predicted"]).groupby([part["kind"], part["target"]]).mean()
    accuracy = right.unstack(level=0)
    targets, better = list(accuracy.index), []
    for control, name in BEATEN.items():
        if control in accuracy:
            differences = (accuracy["given"] - accuracy[control]).to_numpy()
            if not mean_over("", "", differences, targets, level, seed)["ci_low"] > 0:
                better.append(f"{accuracy[control].mean():.2f} {name}")
    if not better:
        return ""
    own = f"the probe's accuracy of {accuracy['given'].mean():.2f}"
    return f"{own} is not shown to be above {' or '.join(better)}"


def same_contexts(evidence: pd.DataFrame, variant: str) -> dict[str, pd.DataFrame]:
    """Labels and predictions of probes in the very same contexts, those held out, by document."""
    part = evidence[evidence["variant"] == variant]
    given = part[part["kind"] == "given"]
    labels = given[given["seed"] == given["seed"].min()].assign(
        kind="labels", seed=0, predicted=lambda rows: rows["label"]
    )
    kinds = [kind for kind in KINDS if (part["kind"] == kind).any()]
    counts = {"labels": probe_counts(labels, "labels", variant)}
    return counts | {kind: probe_counts(part, kind, variant, soft=True) for kind in kinds}


def trained_lean(evidence: pd.DataFrame, variant: str) -> pd.Series:
    """To which side each target leans in the contexts that probes were trained on: 1, -1 or NaN.

    1 is female. These contexts are of other documents than those held out, so that chance in the
    latter does not go into it.
    """
    part = evidence[(evidence["kind"] == "majority") & (evidence["variant"] == variant)]
    means = part.groupby("target", observed=True)[SHARES[: len(GENDER)]].mean()
    return np.sign(means[SHARES[0]] - means[SHARES[1]]).replace(0, np.nan)


def summarise(job: Job) -> Iterator[dict]:
    """Accuracy, association error and rank correlation of probes and controls, held out."""
    variant = job.settings["trustworthy.word_lists"][0]
    for name, table in read_tables(job).items():
        model = name.removeprefix("probe_")
        for kind, part in table[table["variant"] == variant].groupby("kind", observed=True):
            row = model if kind == "given" else f"{model} {kind}"
            yield from _cells(row, part, job.level, job.seed)


def _cells(row: str, part: pd.DataFrame, level: float, seed: int) -> list[dict]:
    """Return the cells of one probe."""
    accuracy = (part["label"] == part["predicted"]).groupby(part["target"]).mean()
    targets, truth = list(accuracy.index), _distribution(part, part["label"])

    def share(column: str, numbers: Array) -> dict:
        units = {"n_unit": "targets", "unit": "share"}
        mean = mean_over(row, column, numbers, targets, level, seed, **units)
        # The interval ends where shares do.
        return mean | {"ci_low": max(mean["ci_low"], 0.0), "ci_high": min(mean["ci_high"], 1.0)}

    records = [share("accuracy", accuracy.to_numpy())]
    for how in (HARD, SOFT):
        guess = _distribution(part, part["predicted"] if how == HARD else None)
        records.append(share(f"error@{how}", np.abs(guess - truth).sum(axis=1) / 2))
        fit = paired_spearman(directed_bias(guess), directed_bias(truth), targets, level, seed)
        records += correlation(row, f"spearman@{how}", fit, n_unit="targets")
    return records


def _distribution(part: pd.DataFrame, labels: pd.Series | None) -> Array:
    """(targets, 3) the share of each label; of the probabilities where there are no labels."""
    if labels is None:
        return part.groupby("target")[SHARES].mean().to_numpy()
    columns = [(labels == i).groupby(part["target"]).mean() for i in range(len(LABELS))]
    return np.column_stack(columns)
