"""Which words a text's targets are compared with, and which of them are neighbours."""

import numpy as np
import pytest

from socialbias.measurement.texts import GroupShares, in_as_many_contexts


def test_words_are_taken_that_are_in_about_as_many_contexts():
    words, rng = np.array([20, 1000, 50, 500, 25, 100]), np.random.default_rng(0)
    assert in_as_many_contexts(words, np.array([24]), rng).tolist() == [0, 2, 4]
    assert in_as_many_contexts(words, np.array([2000]), rng).tolist() == [1, 3, 5]


def test_words_of_the_same_documents_are_neighbours_and_frequent_ones_of_none():
    contexts = np.repeat([[4, 0, 0], [1, 0, 0], [0, 9, 0], [0, 0, 9], [16, 16, 16]], 2, axis=1)
    owners, documents = np.nonzero(contexts)
    counts = np.column_stack([contexts[owners, documents], np.zeros(len(owners), int)])
    profiles = GroupShares(counts, owners, documents, [*"abcde"], 0.95).profiles()
    cosines = profiles @ profiles.T
    assert cosines[0, 1:4] == pytest.approx([1, -0.5, -0.5], abs=1e-5)
    assert cosines[4, :4] == pytest.approx(np.zeros(4), abs=1e-3)
