import json

import pandas as pd

from socialbias.reporting.page.write import devices

CPU = {"device": "cpu", "dtype": "float32"}
CARD = {"device": "a card", "dtype": "tf32"}


def info(path, *ran_on):
    path.mkdir(parents=True)
    (path / "info.json").write_text(json.dumps({"layer": 3, "ran_on": ran_on}))
    return path / "info.json"


def evidence(path, *ran_on):
    path.parent.mkdir(parents=True, exist_ok=True)
    table = pd.DataFrame({"row": ["gpt2"]})
    if ran_on:
        table.attrs["ran_on"] = [{"model": "gpt2", **said} for said in ran_on]
    table.to_parquet(path)
    return path


def test_jobs_are_told_by_what_they_ran_on(tmp_path):
    files = [
        info(tmp_path / "contextual/bert/given", CPU, CARD),  # shards on two machines
        info(tmp_path / "contextual/bert/random", CPU),
        evidence(tmp_path / "stereoset/evidence/scores.parquet", CARD, CARD),
        evidence(tmp_path / "fairness/evidence/texts.parquet"),
    ]
    assert devices(files) == [
        CARD | {"jobs": ["bert/given", "stereoset/scores"]},
        CPU | {"jobs": ["bert/given", "bert/random"]},
    ]
    assert devices([]) == []
