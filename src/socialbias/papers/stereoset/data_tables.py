"""Tables 1 and 9: numbers and lengths of items, and the label `related`.

Neutral associations, which Table 9 prints, were not released.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import numpy as np
import pandas as pd

from socialbias.measures.datasets.stereoset import GOLD
from socialbias.papers.stereoset.items import DOMAINS, ITEMS, SHORT, SPLITS, read_all
from socialbias.pipeline.job import Job
from socialbias.reporting.values import exact, value
from socialbias.stats.draws import resampled_mean, widened
from socialbias.stats.intervals import percentile


def lengths(sentences: pd.DataFrame) -> pd.Series:
    """Return the words of each candidate, with the sentence before it.

    Words are what white space separates. Of an intrasentence item the text is the sentence with its
    blank filled; of an intersentence item it is the context and the candidate. Over the three
    candidates of all items that comes within .03 of every domain in print. No other choice does:
    contexts alone have 7.3 words in intersentence items, where print has 15.6 (gender), stereotypes
    with their contexts 16.1.
    """
    own = sentences["sentence"].str.split().str.len()
    before = sentences["context"].str.split().str.len()
    return own + before.where(sentences["task"] == SHORT["inter"], 0)


def table1(job: Job) -> list[dict]:
    """Return Table 1's cells; none unless both splits are at hand.

    Print's mean lengths of totals are unweighted means, of the four domains and of the two tasks;
    `mean_length_by_item` weights them by their items. All items that there are were counted, so
    that nothing varies.
    """
    sentences = read_all(job)
    if sentences is None:
        return []
    table, records, of_tasks = sentences.assign(words=lengths(sentences)), [], []
    for short, task in SHORT.items():
        of_task, means = table[table["task"] == task], []
        for domain in DOMAINS:
            part = of_task[of_task["domain"] == domain]
            if len(part):
                means.append(float(part["words"].mean()))
                records += _cells(f"{short} {domain}", part, means[-1])
        of_tasks.append(math.fsum(means) / len(means))
        note = f"the mean of {len(means)} domains, regardless of their numbers of items"
        records += _cells(f"{short} total", of_task, of_tasks[-1], note)
    mean = math.fsum(of_tasks) / len(of_tasks)
    return records + _cells("overall", table, mean, "the mean of both tasks' totals")


def _cells(row: str, part: pd.DataFrame, mean: float, note: str = "") -> list[dict]:
    """Return the four numbers of one row."""
    items = part["item"].nunique()
    counts = {"n": items, "n_of": items, "n_unit": "items"}
    numbers = {
        "target_terms": (part["target"].nunique(), "terms", ""),
        "cats": (items, "items", ""),
        "mean_length_words": (mean, "words", note),
        "mean_length_by_item": (part["words"].mean(), "words", ""),
    }
    return [
        exact(row, column, number, unit=unit, note=remark, **counts)
        for column, (number, unit, remark) in numbers.items()
    ]


RELATED = "related"
# Of the neutral sentences in print.
TARGETS = ("Ethiopia", "chess player", "schoolgirl", "Afghanistan", "tailor")
KINDS = {"related": GOLD, **{f"related {kind}": (kind,) for kind in GOLD}}


def table9(job: Job) -> Iterator[dict]:
    """Yield Table 9's cells of the terms at hand: the share of labels that are `related`.

    Such labels are neither stereotypes nor their contrary: the nearest to neutral associations that
    was released. Intervals and draws are over target terms; of one term, over its items.
    """
    if ITEMS not in job:
        return
    sentences = job.table(ITEMS)
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
    for (row, part), (column, kinds) in product(parts.items(), KINDS.items()):
        if part.empty:
            continue
        part = part[part["gold"].isin(kinds)]
        sums = part.groupby("unit")[[RELATED, "labels"]].sum()
        share = 100 * sums[RELATED].sum() / sums["labels"].sum()
        units = list(sums.index)
        drawn = [
            resampled_mean(sums[name].to_numpy(), units, job.seed) for name in (RELATED, "labels")
        ]
        draws = np.clip(widened(100 * drawn[0] / drawn[1], share, len(units)), 0, 100)
        n = part["item"].nunique()
        facts = {"n": n, "n_of": n, "n_unit": "items", "unit": "percent"}
        facts |= {"interval": percentile(draws), "draws": draws}
        yield value(row, column, float(share), **facts)
