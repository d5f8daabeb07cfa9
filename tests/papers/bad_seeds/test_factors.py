"""Frequency, part of speech and size of generated sets, one at a time."""

import numpy as np
import pandas as pd
import pytest

from socialbias.embeddings.vectors import WordVectors
from socialbias.papers.bad_seeds import factors
from socialbias.papers.bad_seeds.factors import evidence
from tests.papers.bad_seeds.worlds import corpus
from tests.worlds.jobs import summarised
from tests.worlds.numbers import numbers

BAND = (100, 1000)


@pytest.fixture(scope="module")
def world():
    """Frequent nouns lie in tight clusters of 20, rare ones anywhere; there are no verbs."""
    rng = np.random.default_rng(1)
    centres = np.repeat(rng.standard_normal((30, 40)), 20, axis=0)
    frequent = centres + 0.05 * rng.standard_normal(centres.shape)
    points = np.vstack([frequent, rng.standard_normal((200, 40))]).astype(np.float32)
    words = tuple(f"w{i}" for i in range(len(points)))
    counts = {word: 500 if i < 600 else 20 for i, word in enumerate(words)}
    return corpus(WordVectors(words, points), counts=counts, tags=dict.fromkeys(words, "noun"))


def test_only_settings_with_enough_pairs_are_measured(world):
    rows = set(evidence(world, BAND, 1)["row"])
    assert "pos verb" not in rows
    assert "frequency 30 to 100" not in rows
    assert {"frequency 10 to 30", "frequency 100 to 1000", "pos noun", "size 20"} <= rows


def test_sets_in_clusters_explain_more_than_sets_in_noise(world):
    table = evidence(world, BAND, 1).set_index(["row", "vectors"])
    tight, loose = (table.loc[(f"frequency {b}", "")] for b in ("100 to 1000", "10 to 30"))
    # The two centres of a pair are one axis: all differences lie along it.
    assert tight["explained"] > 0.95
    assert loose["explained"] < 0.6
    # With random vectors in the model's place nothing of that is left.
    assert table.loc[("frequency 100 to 1000", "random"), "explained"] < 0.6


def test_cells_are_means_over_models_with_the_fewest_pairs():
    said = {"explained": 0.5, "similarity": 0.1}
    rows = [
        {"row": "size 5", "vectors": "", "model": i, "coherence": c, "pairs": p} | said
        for i, (c, p) in enumerate([(0.6, 40), (0.8, 12)])
    ]
    records = summarised(factors, pd.DataFrame(rows))
    assert numbers(records)["size 5", "coherence"] == pytest.approx(0.7)
    assert {r["n"] for r in records} == {12}
