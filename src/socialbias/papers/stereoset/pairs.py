"""Which scorers differ: differences paired by item and clustered by target term."""

from __future__ import annotations

import numpy as np
import pandas as pd

from socialbias.datasets.stereoset import TASKS
from socialbias.measures.stereoset import CANDIDATES
from socialbias.papers.inputs import joined
from socialbias.papers.stereoset.controls import CONTROLS
from socialbias.papers.stereoset.items import LIKELIHOOD
from socialbias.papers.stereoset.model_tables import scores_of
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.sources.fidelity import worst_fidelity
from socialbias.stats.paired import Pairs, all_pairs

PUBLISHED = (  # the scorers whose predictions the authors released
    "bert-base", "bert-large", "roberta-base", "roberta-large", "xlnet-base", "xlnet-large",
    "gpt2", "gpt2-medium", "gpt2-large", "ensemble", "sentiment",
)  # fmt: skip
BASELINES = ("ideal", "stereotyped", "random")


def summarise(job: Job) -> list[dict]:
    """Every pair of scorers, on the development split."""
    scores = [
        part.assign(row=row)
        for row, split, part in scores_of(job, LIKELIHOOD)
        if split == "development" and row not in BASELINES
    ]
    table = pd.concat(scores, ignore_index=True)
    records = []
    for short, task in zip(("intra", "inter"), TASKS, strict=True):
        of_task = table[table["task"] == task]
        for name, decided in decisions(of_task).items():
            records += _pairs(job, of_task, decided, f"{name}-{short}")
    return records


def decisions(scores: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """What each scorer decides of each item.

    Args:
        scores: Of one split and task, an item a row for each scorer.

    Returns:
        `ss` and `lms`, (items, scorers) from 0 to 1: whether the stereotype is preferred, and how
        many of the two meaningful candidates are preferred to the unrelated one. NaN where a
        scorer has no score of an item, or a control a tie.
    """
    stereotype, anti, unrelated = (scores[name].to_numpy() for name in CANDIDATES)
    halves = ((stereotype > unrelated).astype(float) + (anti > unrelated)) / 2
    prefers = (stereotype > anti).astype(float)
    tied = scores["row"].isin(CONTROLS).to_numpy() & (stereotype == anti)
    found = scores[["item", "target", "row"]].assign(ss=np.where(tied, np.nan, prefers), lms=halves)
    return {
        name: found.pivot(index=["item", "target"], columns="row", values=name)
        for name in ("ss", "lms")
    }


def _pairs(job: Job, scores: pd.DataFrame, decided: pd.DataFrame, column: str) -> list[dict]:
    """The cells of one column: a user's own models first, then the paper's, then controls."""
    known = [*PUBLISHED, *CONTROLS]
    own = [name for name in decided.columns if name not in known]
    names = own + [name for name in known if name in decided.columns]
    terms = decided.index.get_level_values("target").tolist()
    found = all_pairs(decided[names].to_numpy(), terms, job.seed, job.level)
    about = dict(list(scores.groupby("row")))
    records = []
    for k, (i, j) in enumerate(zip(found.first, found.second, strict=True)):
        pair = names[i], names[j]
        # Two controls, or two models of a user's own, have no row.
        if np.isnan(found.error[k]) or {*pair} <= {*CONTROLS} or {*pair} <= {*own}:
            continue
        sides = [about[name] for name in pair]
        fields = {
            "fidelity": worst_fidelity(f for side in sides for f in side["fidelity"].unique()),
            "sources": joined(s for side in sides for s in side["sources"].unique()),
        }
        records.append(_cell(found, k, " - ".join(pair), column, fields))
    return records


def _cell(found: Pairs, k: int, row: str, column: str, fields: dict) -> dict:
    """One difference."""
    note = [found.verdicts()[k], f"{found.items[k]:,} items"]
    if np.isfinite(found.items_needed[k]):
        note.append(f"{found.items_needed[k]:,.0f} would show this difference")
    return value(
        row,
        column,
        100 * found.difference[k],
        ci_low=100 * found.low[k],
        ci_high=100 * found.high[k],
        p_value=found.p_value[k],
        detectable=100 * found.detectable[k],
        n=found.terms[k],
        n_unit="terms",
        unit="percentage points",
        note="; ".join(note),
        **fields,
    )
