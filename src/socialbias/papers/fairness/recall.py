"""How many entities a ready tagger finds, by the GDP of a country and the gender of a name."""

from __future__ import annotations

import numpy as np
import pandas as pd

from socialbias.papers.fairness.terms import NAMES, NATIONALITY
from socialbias.papers.inputs import joined
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.stats.draws import resampled_mean, widened

EVIDENCE = "evidence/fairness/entities"
# By attribute: what fills the templates, the class of entity, and the role that names it.
ASKED = {
    NATIONALITY: ("country", "LOC", "fairness_countries"),
    NAMES: ("name", "PER", "fairness_names"),
}


def recalls(counts: pd.DataFrame, seed: int) -> list[dict]:
    """The share of entities that are found, of each group.

    Args:
        counts: As `entities.measure` gives them, of one attribute, class and word class.
        seed: The configuration's seed.
    """
    return [_recall(str(group), part, seed) for group, part in counts.groupby("group")]


def _recall(group: str, part: pd.DataFrame, seed: int) -> dict:
    tables = [
        part.pivot_table(name, "source", "term", aggfunc="sum", fill_value=0)
        for name in ("found", "gold")
    ]
    found, gold = (table.to_numpy(float) for table in tables)
    number = float(found.sum() / gold.sum())
    # Templates are resampled alike for all groups, so that draws of groups pair.
    templates = [f"template {source}" for source in tables[0].index]
    weights = resampled_mean(np.eye(len(found)), templates, seed)
    of_terms = resampled_mean(np.eye(found.shape[1]), list(tables[0].columns), seed)
    samples = [np.einsum("dt,tc,dc->d", weights, x, of_terms, optimize=True) for x in (found, gold)]
    samples = samples[0] / samples[1]
    draws = np.clip(widened(samples, number, *found.shape), 0, 1)
    low, high = (float(end) for end in np.nanquantile(draws, [0.025, 0.975]))
    terms = found.shape[1]
    return value(
        group, "recall", number, ci_low=low, ci_high=high, draws=draws,
        n=terms, n_of=terms, n_unit="terms", unit="share",
    )  # fmt: skip


def summarise(job: Job) -> list[dict]:
    """All rows whose countries or names are at hand."""
    if EVIDENCE not in job:
        return []
    table, records = job.table(EVIDENCE), []
    for attribute, (word_class, kind, role) in ASKED.items():
        chosen = table[
            (table["attribute"] == attribute)
            & (table["class"] == kind)
            & (table["word_class"] == word_class)
        ]
        parts = [
            p
            for name in ("tagger", "fairness_entities", role)
            for p in job.provenance.get(name, ())
        ]
        about = {"sources": joined(source for source, _ in parts), "fidelity": "substitute"}
        records += [record | about for record in recalls(chosen, job.seed)]
    return records
