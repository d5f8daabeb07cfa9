"""Which scorers differ: differences paired by item and clustered by target term."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from socialbias.measures.stereoset import CANDIDATES
from socialbias.papers.stereoset.controls import CONTROLS
from socialbias.papers.stereoset.items import DEVELOPMENT, LIKELIHOOD, PUBLISHED, SHORT
from socialbias.papers.stereoset.model_tables import scores_of
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.stats.paired import all_pairs

BASELINES = ("ideal", "stereotyped", "random")


def summarise(job: Job) -> Iterator[dict]:
    """Yield every pair of scorers, on the development split."""
    parts = [
        part.assign(row=row)
        for row, split, part in scores_of(job, LIKELIHOOD)
        if split == DEVELOPMENT and row not in BASELINES
    ]
    scores = pd.concat(parts, ignore_index=True) if parts else None
    for short, task in SHORT.items() if parts else ():
        for name, decided in decisions(scores[scores["task"] == task]).items():
            yield from _pairs(job, decided, f"{name}-{short}")


def decisions(scores: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return what each scorer decides of each item."""
    stereotype, anti, unrelated = (scores[name].to_numpy() for name in CANDIDATES)
    pairs = [(stereotype, anti), (stereotype, unrelated), (anti, unrelated)]
    wins = np.array([first > second for first, second in pairs], float)
    ties = np.array([first == second for first, second in pairs])
    wins[ties & scores["row"].isin(CONTROLS).to_numpy()] = np.nan
    known = ~np.isnan(wins[1:])
    with np.errstate(invalid="ignore"):
        lms = np.where(known, wins[1:], 0).sum(axis=0) / known.sum(axis=0)
    table = scores[["item", "target", "row"]].assign(ss=wins[0], lms=lms)
    return {
        name: table.pivot(index=["item", "target"], columns="row", values=name)
        for name in ("ss", "lms")
    }


def _pairs(job: Job, decided: pd.DataFrame, column: str) -> Iterator[dict]:
    """Yield the cells of one column."""
    # A user's own models first, then the paper's, then controls.
    known = [*PUBLISHED, *CONTROLS]
    names = [name for name in decided if name not in known]
    names += [name for name in known if name in decided]
    terms = decided.index.get_level_values("target").tolist()
    pairs = all_pairs(decided[names].to_numpy(), terms, job.seed, job.level)
    for k, (i, j) in enumerate(zip(pairs.first, pairs.second, strict=True)):
        if np.isnan(pairs.error[k]) or {names[i], names[j]} <= {*CONTROLS}:
            continue
        note = [pairs.verdicts()[k], f"{pairs.items[k]:,} items"]
        if np.isfinite(pairs.items_needed[k]):
            note.append(f"{pairs.items_needed[k]:,.0f} would show this difference")
        yield value(
            f"{names[i]} - {names[j]}",
            column,
            100 * pairs.difference[k],
            ci_low=100 * pairs.low[k],
            ci_high=100 * pairs.high[k],
            draws=100 * pairs.draws[:, k],
            p_value=pairs.p_value[k],
            detectable=100 * pairs.detectable[k],
            n=pairs.terms[k],
            n_unit="terms",
            unit="percentage points",
            note="; ".join(note),
        )
