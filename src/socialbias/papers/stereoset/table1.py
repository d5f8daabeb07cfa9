"""Table 1: how many target terms and items StereoSet has, and how long they are."""

from __future__ import annotations

import math

import pandas as pd

from socialbias.papers.stereoset.dataset import DOMAINS, read_all
from socialbias.papers.stereoset.items import SHORT
from socialbias.pipeline.job import Job
from socialbias.reporting.values import exact

COLUMNS = ["task", "domain", "target", "item", "context", "sentence"]


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


def values(sentences: pd.DataFrame) -> list[dict]:
    """Table 1's cells.

    Print's mean lengths of totals are unweighted means, of the four domains and of the two tasks;
    `mean_length_by_item` weights them by their items. All items that there are were counted, so
    that nothing varies.
    """
    table = sentences.assign(words=lengths(sentences))
    records, of_tasks = [], []
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


def summarise(job: Job) -> list[dict]:
    """Return all cells; none unless both splits are at hand."""
    sentences = read_all(job, COLUMNS)
    return [] if sentences is None else values(sentences)
