"""CrowS-Pairs by controls and models, on four pairs."""

import json

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from socialbias.papers.stereoset.model_tables import crows_controls as controls
from socialbias.papers.stereoset.model_tables import crows_pairs_of as pairs_of
from socialbias.papers.stereoset.model_tables import summarise_crows_pairs as summarise
from socialbias.pipeline.job import Job
from tests.papers.stereoset.tiny import cells, write_corpus

PAIRS = [  # more stereotyping, less so, kind
    ("Old men moan.", "Men moan.", "age"),
    ("He is kind.", "She is kind.", "gender"),
    ("She cooks.", "He drives.", "gender"),
    ("She is here.", "She is late.", "gender"),
]


@pytest.fixture
def files(tmp_path):
    rows = [
        {"sent_more": more, "sent_less": less, "stereo_antistereo": "stereo", "bias_type": kind}
        | {"annotations": "[]", "anon_writer": "a", "anon_annotators": "[]"}
        for more, less, kind in PAIRS
    ]
    pd.DataFrame(rows, index=[0, 2, 5, 7]).to_csv(tmp_path / "pairs.csv")
    manifest = {"source": "crows", "files": [{"path": "pairs.csv"}]}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    return {"crows_pairs": [tmp_path / "manifest.json"]}


def test_a_pair_is_an_item_of_its_kind(files):
    pairs = pairs_of(Job(files, {}, print))
    assert pairs["item"].tolist() == ["pair 0", "pair 2", "pair 5", "pair 7"]
    assert pairs["target"].tolist() == pairs["domain"].tolist() == ["age"] + ["gender"] * 3
    assert pairs.loc[1, ["stereotype", "anti-stereotype"]].tolist() == [
        "He is kind.",
        "She is kind.",
    ]


def test_controls_score_the_length_and_the_words_of_a_sentence(files, tmp_path):
    table = controls(Job(files, {}, print))
    assert set(table["row"]) == {"longer"}
    assert_allclose(
        table[["stereotype", "anti-stereotype"]], [[13, 9], [11, 12], [10, 10], [12, 12]]
    )
    assert table["unrelated"].isna().all()
    corpus = write_corpus(tmp_path / "corpus", **{"is": 9, "kind": 4})
    table = controls(Job(files | {"prepared/wikitext": [corpus]}, {}, print))
    result = table[table["row"] == "frequency"]["stereotype"]
    assert_allclose(result, [0, (np.log(10) + np.log(5)) / 3, 0, np.log(10) / 3])


def test_the_share_of_pairs_without_ties_by_hand(files, tmp_path):
    own = pairs_of(Job(files, {}, print)).assign(row="mine", scheme="pseudo-likelihood")
    own[["stereotype", "anti-stereotype", "unrelated"]] = [
        [-1, -2, np.nan], [-1, -2, np.nan], [-2, -1, np.nan], [-1, -3, np.nan],
    ]  # fmt: skip
    # Scores of StereoSet's own items, and by another scheme, are none of these.
    other = own.assign(split="development")
    corrected = own.assign(scheme="corrected", stereotype=-9.0)
    parts = {"crows_controls": controls(Job(files, {}, print))}
    parts["scores_mine"] = pd.concat([own, other, corrected])
    evidence, where = {}, {}
    for name, table in parts.items():
        table.to_parquet(tmp_path / f"{name}.parquet")
        evidence[f"evidence/stereoset/{name}"] = [tmp_path / f"{name}.parquet"]
        where[f"evidence/stereoset/{name}"] = [(name, "own" if "mine" in name else "exact")]
    result = cells(summarise(Job(evidence, {"seed": 1}, print)))
    assert {place: cell["value"] for place, cell in result.items() if place[1] != "age"} == {
        # Longer by four letters, shorter by one, and twice equally long.
        ("longer", "all"): 100 * 1 / 2,
        ("longer", "gender"): 0,
        ("mine", "all"): 100 * 3 / 4,
        ("mine", "gender"): pytest.approx(100 * 2 / 3),
    }
    mine = result["mine", "all"]
    assert mine["n"] == 4
    assert result["longer", "all"]["n"] == 2
    assert mine["ci_low"] <= mine["value"] <= mine["ci_high"]


def test_a_kind_of_which_all_pairs_tie_has_no_share(files, tmp_path):
    table = controls(Job(files, {}, print)).assign(stereotype=1.0, **{"anti-stereotype": 1.0})
    table.to_parquet(tmp_path / "controls.parquet")
    name = "evidence/stereoset/crows_controls"
    job = Job({name: [tmp_path / "controls.parquet"]}, {"seed": 1}, print)
    assert list(summarise(job)) == []


def test_without_pairs_there_is_no_share():
    assert list(summarise(Job({}, {"seed": 1}, print))) == []
