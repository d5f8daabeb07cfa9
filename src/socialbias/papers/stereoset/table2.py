"""Table 2: how many stereotypes and anti-stereotypes a sentiment classifier calls negative."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from socialbias.measures.stereoset import CANDIDATES
from socialbias.papers.stereoset.items import SHORT
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.stats.draws import resampled_mean, widened
from socialbias.stats.intervals import percentile

# By variant, the evidence. The released predictions are of the development split alone.
EVIDENCE = {"run": "evidence/stereoset/sentiment", "released": "evidence/stereoset/predictions"}
SENTIMENT = "sentiment"  # the row of both


def values(table: pd.DataFrame, variant: str, seed: int) -> Iterator[dict]:
    """Table 2's cells by one classifier.

    A sentence is negative where the probability of that is above one half, else positive: there is
    no third class, so that neutral sentences are one or the other (appendix A.2). Intervals and
    draws are over target terms.
    """
    note = ""
    if "accuracy" in table:
        first = table.iloc[0]
        note = f"{first['accuracy']:.1%} of {first['held_out']:,} held-out reviews are right"
    for short, task in {"": None, **SHORT}.items():
        part = table if task is None else table[table["task"] == task]
        for kind in CANDIDATES:
            if part.empty:
                continue
            row, negative = f"{short} {kind}".strip(), part[kind] > 0.5
            counts = negative.groupby(part["target"]).agg(["sum", "size"]).sort_index()
            names, sizes = list(counts.index), counts["size"].to_numpy(float)
            share = 100 * float(negative.mean())
            sums = counts["sum"].to_numpy(float)
            drawn = 100 * resampled_mean(sums, names, seed) / resampled_mean(sizes, names, seed)
            drawn = np.clip(widened(drawn, share, len(names)), 0, 100)
            n = len(negative)
            facts = {"n": n, "n_of": n, "n_unit": "sentences", "unit": "percent", "note": note}
            for column, number, draws in (
                (f"negative_percent@{variant}", share, drawn),
                (f"positive_percent@{variant}", 100 - share, 100 - drawn),
            ):
                yield value(row, column, number, interval=percentile(draws), draws=draws, **facts)


def summarise(job: Job) -> Iterator[dict]:
    """Yield all cells of the classifiers at hand."""
    for variant, name in EVIDENCE.items():
        if name in job:
            table = job.table(name)
            yield from values(table[table["row"] == SENTIMENT], variant, job.seed)
