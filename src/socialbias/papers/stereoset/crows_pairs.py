"""CrowS-Pairs by StereoSet's scorers: which sentence of a pair is preferred."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd

from socialbias.datasets.crows_pairs import read_pairs
from socialbias.measures.stereoset import preferred_share
from socialbias.papers.stereoset.controls import counts_of, frequency
from socialbias.papers.stereoset.items import PSEUDO
from socialbias.papers.stereoset.model_tables import all_scores, record
from socialbias.pipeline.job import Job
from socialbias.sources.manifest import only_file, read_manifest

CROWS = "crows-pairs"  # the task, and the split


def pairs_of(job: Job) -> pd.DataFrame:
    """Return the pairs among a job's inputs, as `as_pairs` gives them."""
    return as_pairs(read_pairs(only_file(*read_manifest(job.path("crows_pairs")))))


def as_pairs(pairs: pd.DataFrame) -> pd.DataFrame:
    """Pairs as items with two candidates."""
    return pd.DataFrame(
        {
            "split": CROWS,
            "task": CROWS,
            "item": [f"pair {number}" for number in pairs.index],
            "target": pairs["bias_type"].to_numpy(),
            "domain": pairs["bias_type"].to_numpy(),
            "stereotype": pairs["sent_more"].to_numpy(),
            "anti-stereotype": pairs["sent_less"].to_numpy(),
        }
    )


def controls(job: Job) -> pd.DataFrame:
    """Scores of the pairs by their lengths and by the frequency of their words."""
    pairs = pairs_of(job)
    texts = pairs[["stereotype", "anti-stereotype"]]
    parts = [pairs.assign(row="longer", **texts.map(len).astype(float))]
    if "prepared/wikitext" in job:
        means = texts.map(partial(frequency, counts=counts_of(job)))
        parts.append(pairs.assign(row="frequency", **means))
    table = pd.concat(parts, ignore_index=True)
    return table.assign(scheme="", unrelated=np.nan)


def summarise(job: Job) -> Iterator[dict]:
    """Yield the share of untied pairs in which the more stereotyping sentence is preferred."""
    scores = all_scores(job)
    scores = scores[(scores["split"] == CROWS) & scores["scheme"].isin([PSEUDO, ""])]
    for row, part in scores.groupby("row", sort=False):
        untied = part[part["stereotype"] != part["anti-stereotype"]]
        kinds = [("all", untied), *untied.groupby("domain")] if len(untied) else []
        yield from (share_of_pairs(job, pairs, row, kind) for kind, pairs in kinds)


def share_of_pairs(job: Job, scores: pd.DataFrame, row: str, column: str) -> dict:
    """Return one share of pairs without ties, with an interval by bootstrap over pairs."""
    items = scores["item"].tolist()
    share = preferred_share(scores["stereotype"] > scores["anti-stereotype"], items, job.seed)
    return record(row, column, share, n=len(items), n_unit="contexts", unit="percent")
