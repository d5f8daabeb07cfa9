"""Section 8's example, on vectors whose cosines can be read off."""

import numpy as np
import pytest

from socialbias.papers.trustworthy.special_cases import values
from tests.worlds.jobs import job_with
from tests.worlds.vectors import vectors


def cells(embedding, professions=()):
    records = values("demo", embedding, professions, job_with())
    return {record["column"]: record["value"] for record in records}


def test_sum_and_difference_of_two_cosines_by_hand():
    # cos(scientist, man) = 0.8 and cos(scientist, woman) = 0.6 in the plane.
    result = cells(vectors(scientist=[1.0, 0], man=[4.0, 3], woman=[3.0, 4]))
    # |0.8/1.4 - 1/2| + |0.6/1.4 - 1/2| = 0.2/1.4
    expected = {"man": 0.8, "woman": 0.6, "sum": 1.4, "difference": 0.2, "divdist": 0.2 / 1.4}
    assert result == pytest.approx(expected)


def test_sum_and_difference_can_rank_professions_in_opposite_orders():
    # man and woman are axes: the nearer a word is to their middle, the larger the sum of its
    # cosines and the smaller their difference.
    words = {f"p{i}": [np.cos(a), np.sin(a)] for i, a in enumerate(np.radians([5, 15, 25, 35, 45]))}
    space = vectors(scientist=[1.0, 0], man=[1.0, 0], woman=[0.0, 1], **words)
    assert cells(space, list(words))["rho"] == pytest.approx(-1)


def test_an_embedding_without_the_example_has_no_cell():
    assert cells(vectors(scientist=[1.0, 0], man=[4.0, 3])) == {}
