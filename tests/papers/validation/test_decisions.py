"""Agreement of scorers on StereoSet's items, by hand."""

import pandas as pd
import pytest

from socialbias.measures.stereoset import CANDIDATES
from socialbias.papers.stereoset.pairs import summarise_phi as summarise
from socialbias.pipeline.job import Job

BEST, ANTI = (3.0, 2.0, 1.0), (2.0, 3.0, 1.0)


def scores(row, decided, split="development", task="intrasentence"):
    """Evidence: of each item, of a term each, whether the stereotype is preferred."""
    about = {"split": split, "task": task, "row": row, "scheme": "likelihood", "domain": "d"}
    return pd.DataFrame(
        [
            about
            | {"item": f"{task} {i}", "target": f"term {i}"}
            | dict(zip(CANDIDATES, BEST if yes == "y" else ANTI, strict=True))
            for i, yes in enumerate(decided)
        ]
    )


@pytest.fixture
def job(tmp_path):
    """Two released scorers, a constant third, and two of a user's own."""
    parts = {
        "predictions": [
            scores("bert-base", "yyyyyynnnn"),
            scores("gpt2", "yyyynnnnny"),
            scores("xlnet-base", "y" * 10),
            scores("gpt2", "yn", task="intersentence"),
            scores("bert-base", "y" * 10, split="test"),
        ],
        "scores_mine": [scores("mine", "yyyyyynn")],  # eight of the ten items
        "scores_other": [scores("other", "nnnnnnyyyy")],
    }
    files = {}
    for name, tables in parts.items():
        pd.concat(tables).to_parquet(tmp_path / f"{name}.parquet")
        files[f"evidence/stereoset/{name}"] = [tmp_path / f"{name}.parquet"]
    return Job(files, {"seed": 1, "intervals.level": 0.95}, print)


def test_phi_of_pairs_by_hand(job):
    found = {(r["row"], r["column"]): r for r in summarise(job)}
    assert set(found) == {
        ("mine - bert-base", "intra"),
        ("mine - gpt2", "intra"),
        ("other - bert-base", "intra"),
        ("other - gpt2", "intra"),
        ("bert-base - gpt2", "intra"),
    }  # neither with one that decides all alike, nor two of a user's own
    # Both prefer it in 4 items, the first alone in 2, the other alone in 1, neither in 3.
    pair = found["bert-base - gpt2", "intra"]
    assert pair["value"] == pytest.approx((4 * 3 - 2 * 1) / (6 * 4 * 5 * 5) ** 0.5)
    assert pair["ci_low"] < pair["value"] < pair["ci_high"]
    assert (pair["n"], pair["n_unit"]) == (10, "terms")
    # Of the eight items that both decided.
    mine = found["mine - bert-base", "intra"]
    assert mine["value"] == pytest.approx(1)
    assert (mine["n"], mine["note"]) == (8, "8 items")
    assert found["other - bert-base", "intra"]["value"] == pytest.approx(-1)


def test_without_scores_there_are_no_numbers():
    assert summarise(Job({}, {}, print)) == []
