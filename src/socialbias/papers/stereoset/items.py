"""StereoSet's items as evidence, the scores that were released, and what scorers have in common.

The authors released the scores of eleven models, on the development split.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from socialbias.measures.datasets.stereoset import TASKS, attribute, read_items, read_predictions
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


ITEMS = "evidence/stereoset/items"
DOMAINS = ("gender", "profession", "race", "religion")


def read_all(job: Job) -> pd.DataFrame | None:
    """Return all candidate sentences (`items.measure`); None unless both splits are at hand."""
    table = job.table(ITEMS) if ITEMS in job else None
    return table if table is not None and set(table["split"]) == set(SPLITS) else None


ROWS = {"EnsembleModel": "ensemble", "SentimentModel": "sentiment"}
PUBLISHED = (  # the scorers whose predictions the authors released
    "bert-base", "bert-large", "roberta-base", "roberta-large", "xlnet-base", "xlnet-large",
    "gpt2", "gpt2-medium", "gpt2-large", "ensemble", "sentiment",
)  # fmt: skip
CAUSAL = ("gpt2", "gpt2-medium", "gpt2-large")  # one score of a sentence, whatever the scheme


def measure_predictions(job: Job) -> pd.DataFrame:
    """Return the released scores, an item a row, as `items.scored` gives them."""
    items = job.table("evidence/stereoset/items")
    ids = wide(items[items["split"] == DEVELOPMENT], "id")
    folder, manifest = read_manifest(job.path("stereoset_predictions"))
    wanted, parts = ids[list(CANDIDATES)].to_numpy(), []
    for file in manifest["files"]:
        path = folder / file["path"]
        row = row_of(path)
        known = read_predictions(path).set_index("id")["score"]
        scores = known[wanted.ravel()].to_numpy().reshape(wanted.shape)
        parts.append(scored(ids, scores, row, "" if row == "sentiment" else LIKELIHOOD))
        if row in CAUSAL:
            intra = (ids["task"] == TASKS[0]).to_numpy()
            parts.append(scored(ids[intra], scores[intra], row, PSEUDO))
    return pd.concat(parts, ignore_index=True)


def row_of(path: Path) -> str:
    """Return the row of a prediction file, such as `bert-base`, from its name."""
    name = path.stem.removeprefix("predictions_").split("_")[0]
    return ROWS.get(name, name.removesuffix("-cased"))
