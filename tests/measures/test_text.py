"""The text measure: labels, counts, sub-lists of words, and reading."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from socialbias.corpora.contexts import Contexts
from socialbias.errors import UserError
from socialbias.measures.text import (
    association_counts,
    counts_with_words,
    directed_bias,
    exclusive,
    random_words,
    shares,
    vote,
)

F, M, BOTH = 1, 2, 3


def contexts(targets, documents, masks) -> Contexts:
    columns = (np.array(column, np.int64) for column in (targets, documents))
    return Contexts(1, np.arange(len(masks)), *columns, np.array(masks, np.uint64))


# Target 0 in documents 0, 0, 2, 2; target 1 in documents 2, 5.
SIX = contexts([0, 0, 0, 0, 1, 1], [0, 0, 2, 2, 2, 5], [F, F, M, BOTH, 0, M])
COUNTS = [[2, 1, 1], [0, 1, 1]]


def test_exclusive():
    masks = np.array([0, 0b1, 0b10, 0b100, 0b11, 0b101, 0b111, 0b110], np.uint64)
    assert exclusive(masks, 3).tolist() == [-1, 0, 1, 2, -1, -1, -1, -1]
    assert exclusive(masks.reshape(2, 4), 3).shape == (2, 4)
    assert exclusive(np.array([2**63, 2**62, 2**63 + 1], np.uint64), 64).tolist() == [63, 62, -1]
    assert exclusive(np.array([], np.uint64), 2).shape == (0,)
    with pytest.raises(ValueError, match="beyond the 2 groups"):
        exclusive(masks, 2)


def test_a_window_is_no_longer_than_its_context():
    with pytest.raises(ValueError, match="windows of 6 sentences in contexts of 5"):
        vote(np.zeros((1, 5), np.uint64), 6, ["female", "male"])


def test_association_counts():
    assert association_counts(SIX, 2, 2).tolist() == COUNTS
    assert association_counts(SIX, 3, 2).tolist() == [*COUNTS, [0, 0, 0]]


def test_random_words():
    groups = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2])
    chosen = random_words(groups, 2, 500, np.random.default_rng(0))
    assert chosen.shape == (500, 9)
    for group in range(3):
        assert (chosen[:, groups == group].sum(axis=1) == 2).all()
    # Each word of four is in half of the draws, each pair of it in a sixth.
    assert_allclose(chosen[:, 5:].mean(axis=0), 0.5, atol=0.08)
    assert_allclose((chosen[:, 5] & chosen[:, 8]).mean(), 1 / 6, atol=0.06)
    with pytest.raises(UserError, match="the shortest list has 2"):
        random_words(groups, 3, 1, np.random.default_rng(0))


def test_many_draws_come_in_blocks(monkeypatch):
    rng = np.random.default_rng(0)
    table = rng.random((40, 6)) < 0.2
    groups, targets = np.array([0, 0, 1, 1, 2, 2]), rng.integers(0, 3, 40)
    chosen = random_words(groups, 1, 30, rng)
    whole = counts_with_words(csr_array(table), targets, 3, groups, chosen)
    monkeypatch.setattr("socialbias.measures.text.BATCH_CELLS", 1)
    assert_array_equal(counts_with_words(csr_array(table), targets, 3, groups, chosen), whole)
    for draw, words in enumerate(chosen):
        expected = np.zeros((3, 4), int)
        for row, target in zip(table, targets, strict=True):
            present = {groups[i] for i in range(6) if row[i] and words[i]}
            expected[target, present.pop() if len(present) == 1 else 3] += 1
        assert whole[draw].tolist() == expected.tolist()


def test_bias():
    counts = np.array([[3, 1, 90], [0, 5, 0], [0, 0, 7], [0, 0, 0]])
    assert_allclose(shares(counts), [[0.75, 0.25], [0, 1], [np.nan] * 2, [np.nan] * 2])
    assert_allclose(directed_bias(counts), [0.25, -0.5, np.nan, np.nan])
    many = np.stack([counts, 2 * counts])
    assert_allclose(directed_bias(many), [[0.25, -0.5, np.nan, np.nan]] * 2)
