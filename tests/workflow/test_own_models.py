"""StereoSet asked about a model of a user's own, which one line of `subjects` names."""

import numpy as np
import pandas as pd
import pytest

from socialbias.reporting.values import NO_INPUT, read_values
from tests.conftest import copy_repository
from tests.tiny_stereoset import GOLD, add_stereoset


@pytest.fixture
def asked(tmp_path, fetched):
    return add_stereoset(copy_repository(tmp_path / "copy", fetched), tmp_path)


@pytest.mark.long
def test_a_model_is_one_more_row_and_scores_only_itself(asked, planned, tmp_path):
    evidence = [f"evidence: stereoset {name}" for name in ("controls", "items", "scores_tiny")]
    shown = ["figure: stereoset table6", "values: stereoset table6"]
    target = "stereoset_table6"
    assert planned(asked, target) == sorted([*evidence, "fetching tiny", *shown])
    result = asked.quickstart(target)
    assert result.returncode == 0, result.stderr
    table = read_values(asked.results / "stereoset/table6.values.csv").set_index(["row", "column"])
    assert not [row for row, _ in table.index if "smollm2" in row]
    own = table.loc[[("intra tiny", "ss@development"), ("inter tiny", "ss@development")]]
    scores = pd.read_parquet(asked.results / "stereoset/evidence/scores_tiny.parquet")
    assert set(scores["row"]) == {"tiny"}
    assert len(scores) == 2 * 2 * 2  # two items of two tasks, for both kinds of tables
    for (row, _), cell in own.iterrows():
        task = {"intra": "intrasentence", "inter": "intersentence"}[row.split()[0]]
        of_task = scores[(scores["task"] == task) & (scores["scheme"] == "likelihood")]
        preferred = of_task["stereotype"] > of_task["anti-stereotype"]
        assert cell["value"] == 100 * preferred.mean()  # an item a term
        assert (cell["fidelity"], cell["n"], cell["n_unit"]) == ("own", 2, "terms")
        assert np.isfinite(of_task[list(GOLD)].to_numpy()).all()
    assert table.loc[("intra bert-base", "ss@development"), "fidelity"] == NO_INPUT
    assert not list((asked.results / "stereoset/evidence").glob("*.parts"))
    # One line more is one model more, and nothing else is scored again.
    with (asked.path / "config.quickstart.yaml").open("a") as file:
        file.write(f"  other: {{path: {tmp_path}/other, kind: model}}\n")
    more = ["evidence: stereoset scores_other", "fetching other"]
    assert planned(asked, target) == sorted([*more, *shown])
    # In four jobs and one that puts them together: the same bytes.
    path = "stereoset/evidence/scores_tiny"
    whole = (asked.results / f"{path}.parquet").read_bytes()
    asked.edit("config.quickstart.yaml", "score_jobs: 1", "score_jobs: 4")
    parts = [f"evidence: stereoset scores_tiny, part {n}" for n in range(4)]
    (asked.results / f"{path}.parquet").unlink()
    file = f"results/quickstart/{path}.parquet"
    assert planned(asked, file) == sorted(["evidence: stereoset scores_tiny", *parts])
    result = asked.quickstart(file)
    assert result.returncode == 0, result.stderr
    assert (asked.results / f"{path}.parquet").read_bytes() == whole
    assert not list((asked.results / "stereoset/evidence").rglob("parts/*/*.parquet"))
