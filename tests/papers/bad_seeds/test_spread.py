"""How much the choice of seeds, of pairs and of bootstraps moves a measure."""

from math import cos, radians, sin, sqrt

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from socialbias.embeddings.vectors import WordVectors
from socialbias.papers.bad_seeds import figure5, spread
from socialbias.papers.bad_seeds.pairs import candidates, generated_pairs, generated_sets
from tests.papers.bad_seeds.worlds import SETS, WORLD, corpus, measured, spread_table
from tests.worlds import cells, numbers, summarised, vectors


def test_spread_measures_leans_and_effect_sizes():
    concepts = {"lean": [["X"], ["Y"], ["missing"]], "pair": [["X", "Y"]]}
    table = measured(
        spread.measure, {"nyt": corpus(vectors(**WORLD))}, {"alternatives": concepts}, SETS
    )
    found = table.set_index(["concept", "column"])["measure"]
    unit = {w: np.array(v) / np.linalg.norm(v) for w, v in WORLD.items()}
    lean = {w: unit[w][0] - unit[w][1] for w in WORLD}
    x, y = [lean[w] for w in ("x1", "x2", "z")], [lean[w] for w in ("y1", "y2")]
    assert found["lean", "X"] == pytest.approx(np.mean(x), abs=1e-6)
    assert found["pair", "X | Y"] == pytest.approx(
        (np.mean(x) - np.mean(y)) / np.std(x + y, ddof=1), abs=1e-6
    )
    assert len(found) == 3


@pytest.mark.parametrize(
    ("grid", "share"),
    [([[1.0, 1], [3, 3]], 1), ([[0.0, 2], [2, 0]], 0), ([[1.0], [3]], np.nan)],
)
def test_the_corpus_is_taken_out_of_the_spread_of_the_seeds(grid, share):
    assert_allclose(spread.components(np.array(grid))["share from seeds"], share)


def test_spread_by_hand():
    # Means 1 and 3 have a variance of 2, and each set one of 2 over the bootstraps, all of which
    # both sets have: none of it is noise between the sets.
    found = spread.components(np.array([[0.0, 2], [2, 4]]))
    expected = {"sd over corpora": sqrt(2), "share from seeds": 1 / 2}
    assert found == pytest.approx(expected | {"same sign": 1, "reach of seed sets": 2})


def test_spread_cells():
    found = cells(summarised(spread, spread_table(A=[0, 2], B=[2, 4])))
    assert found["c, nyt", "A"]["value"] == 1
    assert found["c, nyt", "share from seeds"]["value"] == pytest.approx(1 / 2)
    assert found["c, nyt", "share from seeds"]["n"] == 2
    alone = cells(summarised(spread, spread_table(A=[0, 2])))
    assert list(alone) == [("c, nyt", "A")]


def test_spread_leaves_out_sets_that_rest_on_too_few_seeds():
    table = spread_table(A=[0, 2], B=[2, 4], C=[50, 90])
    # One bootstrap without most of the words of C is enough: its measure is of another set there.
    table.loc[(table["column"] == "C") & (table["unit"] == 1), "n"] = 2
    found = cells(summarised(spread, table))
    assert found["c, nyt", "C"]["value"] == 70
    assert found["c, nyt", "C"]["note"].startswith("too few")
    share = found["c, nyt", "share from seeds"]
    assert (share["value"], share["n"], share["n_of"]) == (pytest.approx(1 / 2), 2, 3)
    table.loc[table["column"] == "B", "n"] = 2
    assert ("c, nyt", "share from seeds") not in cells(summarised(spread, table))
    table["n"] = 2  # of all sets
    assert {column for _, column in cells(summarised(spread, table))} == {"A", "B", "C"}


def factors_of(world):
    return measured(figure5.measure_factors, {"wikitext": world}, rarest=100, commonest=1000)


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
    rows = set(factors_of(world)["row"])
    assert "pos verb" not in rows
    assert "frequency 30 to 100" not in rows
    assert {"frequency 10 to 30", "frequency 100 to 1000", "pos noun", "size 20"} <= rows


def test_sets_in_clusters_explain_more_than_sets_in_noise(world):
    table = factors_of(world).set_index(["row", "vectors"])
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
    records = summarised(figure5.summarise_factors, pd.DataFrame(rows))
    assert numbers(records)["size 5", "coherence"] == pytest.approx(0.7)
    assert {r["n"] for r in records} == {12}


# Words by their angle in degrees; the verb lies between two nouns, one noun is rare.
ANGLES = {"a": 0, "b": 10, "run": 12, "c": 25, "rare": 30, "d": 45, "e": 90, "f": 200}
TAGS = dict.fromkeys(ANGLES, "NOUN") | {"run": "VERB"}
COUNTS = dict.fromkeys(ANGLES, 100) | {"rare": 9, "f": 1001}
BAND = (10, 1000)
TEXT = corpus(counts=COUNTS, tags=TAGS)


@pytest.fixture
def plane():
    # Lengths differ: the nearest by cosine is not the nearest by inner product.
    points = [
        (cos(radians(t)) * (1 + i), sin(radians(t)) * (1 + i))
        for i, t in enumerate(ANGLES.values())
    ]
    return WordVectors(tuple(ANGLES), np.array(points, dtype=np.float32))


def made(plane, sets=5, seed=0, **others):
    rng = np.random.default_rng(seed)
    return generated_sets(plane, TEXT, "NOUN", BAND, sets, rng, **others)


@pytest.mark.parametrize(
    ("text", "band", "expected"),
    [
        (TEXT, BAND, "a b c d e"),
        (TEXT, (9, 9), "rare"),  # the bounds are included
        (TEXT, (1001, 2000), "f"),
        (corpus(tags=TAGS), (0, 1000), ""),  # without a count
        (corpus(counts=COUNTS), BAND, ""),  # without a tag
    ],
)
def test_candidates_have_the_part_of_speech_and_the_frequency(plane, text, band, expected):
    rows = candidates(plane, text, "NOUN", band)
    assert " ".join(plane.words[i] for i in rows) == expected


def test_a_set_is_a_target_and_its_nearest_neighbours_by_cosine(plane):
    found = {s[0]: s[1:] for s in made(plane, neighbours=2)}
    assert found == {
        "a": ("b", "c"),
        "b": ("a", "c"),
        "c": ("b", "d"),  # 15 and 20 degrees; a is 25 away
        "d": ("c", "b"),
        "e": ("d", "c"),
    }


def test_sets_are_paired_in_the_order_drawn_as_far_as_there_are(plane):
    assert len(made(plane, 9, neighbours=2)) == 5
    assert made(plane, neighbours=5) == []
    first, second, third, fourth = made(plane, 4, neighbours=2)
    for pairs, paired in ((2, [(first, second), (third, fourth)]), (1, [(first, second)])):
        rng = np.random.default_rng(0)
        assert generated_pairs(plane, TEXT, "NOUN", BAND, pairs, rng, 2) == paired
    rng = np.random.default_rng(0)
    assert len(generated_pairs(plane, TEXT, "NOUN", BAND, 9, rng, 2)) == 2  # of five sets
