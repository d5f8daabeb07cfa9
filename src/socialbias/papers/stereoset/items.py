"""StereoSet's items as evidence, and what scorers of them have in common."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from socialbias.datasets.stereoset import TASKS, attribute, read_items
from socialbias.measures.stereoset import CANDIDATES
from socialbias.papers.inputs import by_turns
from socialbias.pipeline.job import Job
from socialbias.sources.manifest import only_file, read_manifest
from socialbias.stats.seeding import generator

DEVELOPMENT, TEST = "development", "test"
SHORT = dict(zip(("intra", "inter"), TASKS, strict=True))  # in names of rows and columns
SPLITS = {DEVELOPMENT: "stereoset_dev", TEST: "stereoset_test"}  # by split, its role
ITEM = ["split", "task", "item", "target", "domain"]
LIKELIHOOD, PSEUDO, CORRECTED = "likelihood", "pseudo-likelihood", "corrected"
# How the candidates of an item were scored; "" where there is one way for all tables.
SCHEMES = (LIKELIHOOD, PSEUDO, CORRECTED, "")


def measure(job: Job) -> pd.DataFrame:
    """Return every candidate sentence of the splits at hand, as `candidates` gives them."""
    roles = {split: role for split, role in SPLITS.items() if role in job}
    return candidates(
        {split: read_items(only_file(*read_manifest(job.path(r)))) for split, r in roles.items()}
    )


def candidates(splits: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return every candidate sentence of some splits."""
    names = {"bias_type": "domain", "gold_label": "gold"}
    parts = [table.assign(split=split).rename(columns=names) for split, table in splits.items()]
    table = pd.concat(parts, ignore_index=True)
    table["attribute"] = [
        attribute(context, sentence) if task == TASKS[0] else ""
        for task, context, sentence in table[["task", "context", "sentence"]].to_numpy()
    ]
    columns = [*ITEM, "context", "id", "sentence", "gold", "labels", "annotators", "attribute"]
    return table[columns]


def wide(items: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return one row per item, with something of each candidate."""
    keys = [*ITEM, "context"]
    firsts = items.drop_duplicates(["split", "item"])[keys]
    by_gold = items.pivot(index=["split", "item"], columns="gold", values=column)
    return firsts.join(by_gold[list(CANDIDATES)], on=["split", "item"]).reset_index(drop=True)


def with_texts(items: pd.DataFrame) -> pd.DataFrame:
    """Return one row per item with its sentences and, as `<candidate> attribute`, attributes."""
    attributes = wide(items, "attribute")[list(CANDIDATES)].add_suffix(" attribute")
    return wide(items, "sentence").join(attributes)


def sampled(items: pd.DataFrame, number: int, seed: int) -> pd.DataFrame:
    """At most this many items, as equally many of each target term as there are."""
    if not number or number >= len(items):
        return items
    rng = generator(seed, "items", items["split"].iloc[0], items["task"].iloc[0])
    shuffled = items.iloc[rng.permutation(len(items))]
    return by_turns(shuffled, "target", number).sort_index()


def scored(items: pd.DataFrame, scores: object, row: str, scheme: str) -> pd.DataFrame:
    """Scores of items in the form that all tables read.

    Args:
        items: One row per item.
        scores: (n, 3), of the candidates in the order of `CANDIDATES`.
        row: The row of the tables that the scorer has.
        scheme: One of `SCHEMES`.
    """
    table = items[ITEM].assign(row=row, scheme=scheme)
    table[list(CANDIDATES)] = np.asarray(scores, float)
    return table
