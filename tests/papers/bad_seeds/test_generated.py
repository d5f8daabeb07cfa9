"""Generated seed sets in a plane, where nearest neighbours can be seen."""

from math import cos, radians, sin

import numpy as np
import pytest

from socialbias.embeddings.vectors import WordVectors
from socialbias.papers.bad_seeds.pairs import candidates, generated_pairs, generated_sets
from tests.papers.bad_seeds.worlds import corpus

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


def test_targets_are_random_distinct_and_seeded(plane):
    first = [made(plane, 2, seed, neighbours=2) for seed in range(40)]
    assert all(len({s[0] for s in sets}) == 2 for sets in first)
    assert {sets[0][0] for sets in first} == {"a", "b", "c", "d", "e"}
    assert first == [made(plane, 2, seed, neighbours=2) for seed in range(40)]


def test_sets_are_paired_in_the_order_drawn_as_far_as_there_are(plane):
    assert len(made(plane, 9, neighbours=2)) == 5
    assert made(plane, neighbours=5) == []
    first, second, third, fourth = made(plane, 4, neighbours=2)
    for pairs, paired in ((2, [(first, second), (third, fourth)]), (1, [(first, second)])):
        rng = np.random.default_rng(0)
        assert generated_pairs(plane, TEXT, "NOUN", BAND, pairs, rng, 2) == paired
    rng = np.random.default_rng(0)
    assert len(generated_pairs(plane, TEXT, "NOUN", BAND, 9, rng, 2)) == 2  # of five sets
