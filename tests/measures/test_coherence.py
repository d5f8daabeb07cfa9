"""Coherence and set similarity on vocabularies small enough to rank by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import rankdata

from socialbias.measures import coherence as module
from socialbias.measures.coherence import (
    coherence,
    coherences,
    scaled_ranks,
    set_similarity,
    weat_direction,
)


@pytest.mark.parametrize("few", [0, 10_000])
def test_ranks_are_scipys_by_counting_and_by_sorting(monkeypatch, few):
    monkeypatch.setattr(module, "MAX_COUNTED", few)
    scores = np.random.default_rng(3).integers(0, 40, 200).astype(np.float32)
    rows = np.arange(0, 200, 3)
    assert_allclose(scaled_ranks(scores, rows), (rankdata(scores)[rows] - 1) / 199)


def test_coherence_is_the_difference_of_the_mean_ranks():
    scores = np.array([0.0, 1, 2, 3, 4])
    # ranks 3/4 and 4/4, mean 7/8; rank 1/4: apart by 5/8
    assert coherence(scores, [3, 4], [1]) == pytest.approx(5 / 8)
    assert coherence(scores, [1], [3, 4]) == pytest.approx(5 / 8)


@pytest.mark.parametrize(("first", "second"), [([], [1]), ([1], [])])
def test_an_empty_set_has_no_coherence(first, second):
    assert np.isnan(coherence(np.arange(4.0), first, second))


def test_many_pairs_are_measured_each_along_its_own_direction():
    vocabulary = np.array([[1.0, 0], [0.8, 0.6], [0.6, 0.8], [0, 1]])
    # along x the order is 3 2 1 0, along y 0 1 2 3; along zero there is none
    directions = [[5.0, 0], [0, 0.1], [0, 0]]
    found = coherences(vocabulary, directions, [([0], [3]), ([2, 3], [1]), ([0], [3])])
    assert_allclose(found, [1, (2 / 3 + 1) / 2 - 1 / 3, np.nan])


def test_the_weat_direction_is_the_difference_of_the_set_means():
    first, second = [[3.0, 4], [0, 2]], [[5.0, 0]]
    assert_allclose(weat_direction(first, second), [1.5 - 5, 3])
    assert_allclose(weat_direction(first, second, normalize=True), [0.3 - 1, 0.9])


def test_set_similarity_is_the_cosine_of_the_means():
    first, second = [[2.0, 0], [0, 1]], [[3.0, 0]]
    assert set_similarity(first, second) == pytest.approx(2 / np.sqrt(5))
    assert set_similarity(first, second, normalize=True) == pytest.approx(1 / np.sqrt(2))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: scaled_ranks(np.array([1.0]), [0]), "two or more words"),
        (lambda: coherences(np.eye(2), [[1.0, 0]], [([0], [1])] * 2), "1 directions for 2 pairs"),
        (lambda: weat_direction(np.empty((0, 2)), [[1.0, 0]]), "at least one row"),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
