"""The scores that the authors released of eleven models, on the development split."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from socialbias.datasets.stereoset import TASKS, read_predictions
from socialbias.errors import UserError
from socialbias.measures.stereoset import CANDIDATES, check_scores
from socialbias.papers.stereoset.items import DEVELOPMENT, LIKELIHOOD, PSEUDO, scored, wide
from socialbias.pipeline.job import Job
from socialbias.sources.manifest import read_manifest

ROWS = {"EnsembleModel": "ensemble", "SentimentModel": "sentiment"}
PUBLISHED = (  # the scorers whose predictions the authors released
    "bert-base", "bert-large", "roberta-base", "roberta-large", "xlnet-base", "xlnet-large",
    "gpt2", "gpt2-medium", "gpt2-large", "ensemble", "sentiment",
)  # fmt: skip
CAUSAL = ("gpt2", "gpt2-medium", "gpt2-large")  # one score of a sentence, whatever the scheme


def measure(job: Job) -> pd.DataFrame:
    """Return the released scores, an item a row, as `items.scored` gives them."""
    items = job.table("evidence/stereoset/items")
    ids = wide(items[items["split"] == DEVELOPMENT], "id")
    folder, manifest = read_manifest(job.path("stereoset_predictions"))
    parts = []
    for file in manifest["files"]:
        path = folder / file["path"]
        row = row_of(path)
        scores = placed(read_predictions(path), ids, path)
        parts.append(scored(ids, scores, row, "" if row == "sentiment" else LIKELIHOOD))
        if row in CAUSAL:
            intra = (ids["task"] == TASKS[0]).to_numpy()
            parts.append(scored(ids[intra], scores[intra], row, PSEUDO))
    return pd.concat(parts, ignore_index=True)


def row_of(path: Path) -> str:
    """Return the row of a prediction file, such as `bert-base`, from its name."""
    name = path.stem.removeprefix("predictions_").split("_")[0]
    return ROWS.get(name, name.removesuffix("-cased"))


def placed(predictions: pd.DataFrame, ids: pd.DataFrame, path: Path) -> object:
    """Return scores in the order of items and candidates, (n, 3)."""
    wanted = ids[list(CANDIDATES)].to_numpy()
    known = predictions.set_index("id")["score"]
    if known.index.has_duplicates:  # in both tasks: of one, reading refuses them
        raise UserError(f"{path}: duplicate sentence {known.index[known.index.duplicated()][0]!r}")
    if missing := sorted(set(wanted.ravel()) - set(known.index)):
        raise UserError(f"{path}: {len(missing)} sentences without a score, such as {missing[0]}")
    if unknown := sorted(set(known.index) - set(wanted.ravel())):
        raise UserError(f"{path}: {len(unknown)} unknown sentences, such as {unknown[0]}")
    tasks = predictions.set_index("id")["task"].loc[wanted.ravel()]
    if (misplaced := (tasks != ids["task"].repeat(len(CANDIDATES)).to_numpy())).any():
        name, task = tasks.index[misplaced][0], tasks[misplaced].iloc[0]
        [right] = {*TASKS} - {task}
        raise UserError(f"{path}: sentence {name} is under {task}: put it under {right}")
    return check_scores(known.loc[wanted.ravel()].to_numpy().reshape(wanted.shape))
