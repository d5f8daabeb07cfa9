"""CrowS-Pairs by controls and models, on four pairs."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from socialbias.papers.stereoset import model_tables
from socialbias.papers.stereoset.model_tables import crows_controls as controls
from socialbias.papers.stereoset.model_tables import crows_pairs_of as pairs_of
from tests.worlds.corpora import manifest, prepared
from tests.worlds.jobs import job_with, summarised
from tests.worlds.numbers import cells

EVIDENCE = "evidence/stereoset/"
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
    return {"crows_pairs": manifest(tmp_path, "crows", "pairs.csv")}


def test_a_pair_is_an_item_of_its_kind(files):
    pairs = pairs_of(job_with(files))
    assert pairs["item"].tolist() == ["pair 0", "pair 2", "pair 5", "pair 7"]
    assert pairs["target"].tolist() == pairs["domain"].tolist() == ["age"] + ["gender"] * 3
    assert pairs.loc[1, ["stereotype", "anti-stereotype"]].tolist() == [*PAIRS[1][:2]]


def test_controls_score_the_length_and_the_words_of_a_sentence(files, tmp_path):
    table = controls(job_with(files))
    assert set(table["row"]) == {"longer"}
    assert_allclose(
        table[["stereotype", "anti-stereotype"]], [[13, 9], [11, 12], [10, 10], [12, 12]]
    )
    assert table["unrelated"].isna().all()
    corpus = prepared(tmp_path / "corpus", ["is " * 9 + "kind " * 4])
    table = controls(job_with(files | {"prepared/wikitext": corpus}))
    result = table[table["row"] == "frequency"]["stereotype"]
    assert_allclose(result, [0, (np.log(10) + np.log(5)) / 3, 0, np.log(10) / 3])


def test_the_share_of_pairs_without_ties_by_hand(files):
    own = pairs_of(job_with(files)).assign(row="mine", scheme="pseudo-likelihood")
    own[["stereotype", "anti-stereotype", "unrelated"]] = [
        [-1, -2, np.nan], [-1, -2, np.nan], [-2, -1, np.nan], [-1, -3, np.nan],
    ]  # fmt: skip
    # Scores of StereoSet's own items, and by another scheme, are none of these.
    other = own.assign(split="development")
    corrected = own.assign(scheme="corrected", stereotype=-9.0)
    result = cells(summarised(model_tables.summarise_crows_pairs, {
        f"{EVIDENCE}crows_controls": controls(job_with(files)),
        f"{EVIDENCE}scores_mine": pd.concat([own, other, corrected]),
    }))  # fmt: skip
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


def test_a_kind_of_which_all_pairs_tie_has_no_share(files):
    table = controls(job_with(files)).assign(stereotype=1.0, **{"anti-stereotype": 1.0})
    assert (
        summarised(model_tables.summarise_crows_pairs, {f"{EVIDENCE}crows_controls": table}) == []
    )
    assert summarised(model_tables.summarise_crows_pairs, {}) == []
