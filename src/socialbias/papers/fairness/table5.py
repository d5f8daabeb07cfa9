"""Table 5: how well the models do on the development parts of what they learn from."""

from __future__ import annotations

import numpy as np
import pandas as pd

from socialbias.papers.inputs import joined
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.sources.fidelity import worst_fidelity
from socialbias.stats.clustered import share_draws
from socialbias.stats.draws import resampled_mean, widened

SENTIMENT = {
    "roberta semeval-2": ("sentiment_binary", "semeval_binary"),
    "roberta semeval-3": ("sentiment_three", "semeval_valence"),
}
ENTITIES, PLACES = "roberta conll2003", "LOC"
COUNTS = ["found", "predicted", "gold"]


def sentiment(row: str, said: pd.Series) -> list[dict]:
    """The accuracy of a classifier of sentiment, and the share of the most frequent class.

    Args:
        row: The row.
        said: What `models.predicted` says about the classifier.
    """
    n, share = int(said["held_out"]), float(said["accuracy"])
    counted = {"n": n, "n_of": n, "n_unit": "texts"}
    draws = share_draws([share], [n], [n - 1], [row])[:, 0]
    ends = {"ci_low": float(said["accuracy_low"]), "ci_high": float(said["accuracy_high"])}
    majority = float(said["majority"])
    return [
        value(row, "accuracy", share, draws=draws, **ends, **counted),
        value(row, "majority", majority, draws=majority, **counted),
    ]


def entities(counts: pd.DataFrame, seed: int) -> list[dict]:
    """The cells of a tagger of entities: F1 of exact spans, with intervals over documents.

    Args:
        counts: As `entities.measure_development` gives them.
        seed: The configuration's seed.
    """
    parts = {"f1": counts, "f1_places": counts[counts["class"] == PLACES]}
    return [_f1(column, part, seed) for column, part in parts.items()]


def _f1(column: str, counts: pd.DataFrame, seed: int) -> dict:
    sums = counts.groupby("document")[COUNTS].sum()
    units = [f"document {number}" for number in sums.index]
    number = float(_f1_of(sums.to_numpy().sum(axis=0)))
    draws = widened(_f1_of(resampled_mean(sums, units, seed)), number, len(units))
    draws = np.clip(draws, 0, 1)
    low, high = (float(end) for end in np.nanquantile(draws, [0.025, 0.975]))
    spans = int(sums["gold"].sum())
    return value(
        ENTITIES, column, number, ci_low=low, ci_high=high, draws=draws,
        n=spans, n_of=spans, n_unit="entities",
    )  # fmt: skip


def _f1_of(sums: np.ndarray) -> np.ndarray:
    """Of spans found, predicted and gold, (..., 3)."""
    return 2 * sums[..., 0] / (sums[..., 1] + sums[..., 2])


def summarise(job: Job) -> list[dict]:
    """All cells whose models are at hand."""
    records = []
    for row, (evidence, corpus) in SENTIMENT.items():
        name = f"evidence/fairness/{evidence}"
        if name in job:
            about = _provenance(job, "fairness_encoder", corpus)
            records += [r | about for r in sentiment(row, job.table(name).iloc[0])]
    name = "evidence/fairness/entities_development"
    if name in job:
        about = _provenance(job, "tagger", "conll2003") | {"fidelity": "substitute"}
        records += [r | about for r in entities(job.table(name), job.seed)]
    return [record | {"unit": "share"} for record in records]


def _provenance(job: Job, *roles: str) -> dict[str, str]:
    """`sources` and `fidelity` of what rests on some roles."""
    sources, fidelities = zip(*(p for role in roles for p in job.provenance[role]), strict=True)
    return {"sources": joined(sources), "fidelity": worst_fidelity(fidelities)}
