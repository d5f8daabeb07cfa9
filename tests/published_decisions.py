"""Which sentences of StereoSet's development split eleven published models prefer.

The predictions are in the mirror (`SOCIALBIAS_MIRROR`), the items in the data folder of this
checkout or of `SOCIALBIAS_DATA` (source `stereoset-dev-crlf`) or in the mirror.
"""

import os
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

from socialbias.datasets.stereoset import GOLD, TASKS, read_items, read_predictions
from tests.paths import DATA

MIRROR = os.environ.get("SOCIALBIAS_MIRROR", "")
ITEMS = (DATA / "stereoset-dev-crlf" / "dev.json", Path(MIRROR) / "stereoset" / "dev.json")


@cache
def published_decisions() -> dict[str, pd.DataFrame]:
    """By task, items by models: whether the stereotype scores higher; the index has the terms.

    Skips a test that lacks the files.
    """
    paths = sorted((Path(MIRROR) / "stereoset" / "predictions").glob("*.json")) if MIRROR else []
    items = [path for path in ITEMS if path.exists()]
    if not paths or not items:
        pytest.skip("needs the predictions in SOCIALBIAS_MIRROR and dev.json in SOCIALBIAS_DATA")
    table = read_items(items[0])
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
