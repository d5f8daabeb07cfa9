"""Whether scorers decide alike on StereoSet's items: phi over items."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd

from socialbias.datasets.stereoset import TASKS
from socialbias.papers.stereoset.items import DEVELOPMENT, LIKELIHOOD
from socialbias.papers.stereoset.model_tables import scores_of
from socialbias.papers.stereoset.pairs import PUBLISHED, decisions
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.stats.correlation import percentile_interval
from socialbias.stats.draws import resampled_counts
from socialbias.stats.multitrait import phi


def summarise(job: Job) -> list[dict]:
    """Return every pair of the published scorers, and of a user's own models with these."""
    tables = scores_of(job, LIKELIHOOD)
    scores = [part.assign(row=row) for row, split, part in tables if split == DEVELOPMENT]
    if not scores:
        return []
    table, records = pd.concat(scores, ignore_index=True), []
    for column, task in zip(("intra", "inter"), TASKS, strict=True):
        decided = decisions(table[table["task"] == task])["ss"]
        own = [name for name in decided if f"evidence/stereoset/scores_{name}" in job]
        names = own + [name for name in PUBLISHED if name in decided and name not in own]
        for first, second in combinations(names, 2):
            both = decided[[first, second]].dropna()
            if {first, second} <= {*own} or both.empty:
                continue
            terms, place = np.unique(both.index.get_level_values("target"), return_inverse=True)
            weights = np.vstack([np.ones(len(terms)), resampled_counts(terms.tolist(), job.seed)])
            draws = phi(both[first], both[second], place, weights)
            if np.isnan(draws[0]):  # one decides all alike
                continue
            ends = percentile_interval(draws[1:], job.level, len(terms))
            number = {"interval": ends, "draws": draws[1:], "unit": "phi"}
            number |= {"n": len(terms), "n_unit": "terms", "note": f"{len(both):,} items"}
            records.append(value(f"{first} - {second}", column, float(draws[0]), **number))
    return records
