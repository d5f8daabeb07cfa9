"""Agreement of scorers on StereoSet's items, by hand."""

import pandas as pd
import pytest

from socialbias.papers.stereoset import pairs
from tests.worlds.jobs import summarised
from tests.worlds.numbers import cells
from tests.worlds.stereoset import ANTI, BEST, INTER, INTRA, scores


def decided(row, choices, task=INTRA, **others):
    """Evidence: of each item, of a term each, whether the stereotype is preferred."""
    items = [(task, f"term {i}", BEST if yes == "y" else ANTI) for i, yes in enumerate(choices)]
    return scores(row, *items, **others)


def test_phi_of_pairs_by_hand():
    """Two released scorers, a constant third, and two of a user's own."""
    parts = {
        "predictions": [
            decided("bert-base", "yyyyyynnnn"),
            decided("gpt2", "yyyynnnnny"),
            decided("xlnet-base", "y" * 10),
            decided("gpt2", "yn", task=INTER),
            decided("bert-base", "y" * 10, split="test"),
        ],
        "scores_mine": [decided("mine", "yyyyyynn")],  # eight of the ten items
        "scores_other": [decided("other", "nnnnnnyyyy")],
    }
    inputs = {f"evidence/stereoset/{name}": pd.concat(tables) for name, tables in parts.items()}
    found = cells(summarised(pairs.summarise_phi, inputs))
    # Neither with one that decides all alike, nor two of a user's own.
    named = {f"{own} - {papers}" for own in ("mine", "other") for papers in ("bert-base", "gpt2")}
    assert set(found) == {(row, "intra") for row in (*named, "bert-base - gpt2")}
    assert summarised(pairs.summarise_phi, {}) == []
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
