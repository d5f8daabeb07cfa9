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
            row = f"{short} {kind}".strip()
            if len(part):
                yield from _shares(row, variant, part[kind] > 0.5, part["target"], seed, note)


def _shares(
    row: str, variant: str, negative: pd.Series, terms: pd.Series, seed: int, note: str
) -> list[dict]:
    """Return the percentages of negative and of positive sentences."""
    counts = negative.groupby(terms).agg(["sum", "size"]).sort_index()
    names, sizes = list(counts.index), counts["size"].to_numpy(float)
    share = 100 * float(negative.mean())
    sums = counts["sum"].to_numpy(float)
    drawn = 100 * resampled_mean(sums, names, seed) / resampled_mean(sizes, names, seed)
    drawn = np.clip(widened(drawn, share, len(names)), 0, 100)
    facts = {"n": len(negative), "n_of": len(negative), "n_unit": "sentences", "note": note}
    return [
        value(
            row, f"{column}@{variant}", number,
            interval=percentile(draws), draws=draws, unit="percent", **facts,
        )
        for column, number, draws in (
            ("negative_percent", share, drawn),
            ("positive_percent", 100 - share, 100 - drawn),
        )
    ]  # fmt: skip


def summarise(job: Job) -> Iterator[dict]:
    """Yield all cells of the classifiers at hand."""
    for variant, name in EVIDENCE.items():
        if name in job:
            table = job.table(name)
            yield from values(table[table["row"] == SENTIMENT], variant, job.seed)
