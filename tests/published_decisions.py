"""Which sentences of StereoSet's development split eleven published models prefer.

The predictions are in the mirror (`SOCIALBIAS_MIRROR`), the items in the data folder of this
checkout or of `SOCIALBIAS_DATA` (source `stereoset-dev-crlf`) or in the mirror.
"""

import os
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

from socialbias.measures.datasets.stereoset import GOLD, TASKS, read_items, read_predictions
from tests.paths import DATA

MIRROR = os.environ.get("SOCIALBIAS_MIRROR", "")
ITEMS = (DATA / "stereoset-dev-crlf" / "dev.json", Path(MIRROR) / "stereoset" / "dev.json")


def released_files() -> tuple[Path, list[Path]]:
    """The items and the eleven files of predictions; skips a test that lacks them."""
    paths = sorted((Path(MIRROR) / "stereoset" / "predictions").glob("*.json")) if MIRROR else []
    items = [path for path in ITEMS if path.exists()]
    if not paths or not items:
        pytest.skip("needs the predictions in SOCIALBIAS_MIRROR and dev.json in SOCIALBIAS_DATA")
    return items[0], paths


@cache
def published_decisions() -> dict[str, pd.DataFrame]:
    """By task, items by models: whether the stereotype scores higher; the index has the terms."""
    items, paths = released_files()
    table = read_items(items)
    found = {}
    for task in TASKS:
        part = table[table["task"] == task]
        wide = part.pivot(index=["target", "item"], columns="gold_label", values="id")
        columns = {}
        for path in paths:
            scores = read_predictions(path).query("task == @task").set_index("id")["score"]
            stereotype, other = (scores[wide[kind]].to_numpy() for kind in GOLD[:2])
            columns[path.stem.removeprefix("predictions_")] = stereotype > other  # not if they tie
        found[task] = pd.DataFrame(columns, index=wide.index).astype(float)
    return found
