"""Table 9: neutral associations, which were not released, and the label `related`."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd

from socialbias.datasets.stereoset import GOLD
from socialbias.papers.stereoset.dataset import DOMAINS, read_sentences
from socialbias.papers.stereoset.items import SPLITS
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.stats.draws import resampled_mean, widened
from socialbias.stats.intervals import percentile

RELATED = "related"
# Of the neutral sentences in print.
TARGETS = ("Ethiopia", "chess player", "schoolgirl", "Afghanistan", "tailor")
COLUMNS = ["task", "item", "target", "domain", "gold", "labels"]
KINDS = {"related": GOLD, **{f"related {kind}": (kind,) for kind in GOLD}}


def values(sentences: pd.DataFrame, seed: int) -> list[dict]:
    """Table 9's cells: the share of labels that are `related`, neither stereotype nor its contrary.

    It is the nearest that was released to neutral associations. Intervals and draws are over target
    terms; of one term, over its items.
    """
    # How many labels each candidate has, and how many of them are `related`.
    counts = [(list(labels).count(RELATED), len(labels)) for labels in sentences["labels"]]
    table = sentences.drop(columns="labels")
    table[[RELATED, "labels"]] = np.array(counts, float)
    parts = {target: table[table["target"] == target] for target in TARGETS}
    parts = {row: part.assign(unit=part["item"]) for row, part in parts.items()}
    if set(sentences["split"]) == set(SPLITS):
        by_term = table.assign(unit=table["target"])
        parts |= {domain: by_term[by_term["domain"] == domain] for domain in DOMAINS}
        parts["all"] = by_term
    records = []
    for (row, part), (column, kinds) in product(parts.items(), KINDS.items()):
        if part.empty:
            continue
        part = part[part["gold"].isin(kinds)]
        sums = part.groupby("unit")[[RELATED, "labels"]].sum()
        share = 100 * sums[RELATED].sum() / sums["labels"].sum()
        units = list(sums.index)
        drawn = [resampled_mean(sums[name].to_numpy(), units, seed) for name in (RELATED, "labels")]
        draws = np.clip(widened(100 * drawn[0] / drawn[1], share, len(units)), 0, 100)
        n = part["item"].nunique()
        facts = {"n": n, "n_of": n, "n_unit": "items", "unit": "percent"}
        facts |= {"interval": percentile(draws), "draws": draws}
        records.append(value(row, column, float(share), **facts))
    return records


def summarise(job: Job) -> list[dict]:
    """Return all cells of the terms whose split is at hand."""
    sentences = read_sentences(job, COLUMNS)
    return [] if sentences is None else values(sentences, job.seed)
