"""Probes and draws: what holds whatever the numbers are."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from socialbias.models.generation import sample_tokens
from socialbias.models.probe import split

SCORES = arrays(np.float32, (4, 7), elements=st.floats(-8, 8, width=32))


@given(st.lists(st.integers(0, 4), max_size=60), st.floats(0.01, 0.99))
def test_the_training_part_are_the_first_of_each_target(targets, share):
    training = split(targets, share)
    for target in set(targets):
        mine = training[np.array(targets) == target]
        assert mine.sum() == mine[: mine.sum()].sum()  # a beginning
        assert abs(mine.sum() - share * len(mine)) < 1
        assert mine.sum() <= share * len(mine) + 1e-6


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 6)), max_size=60),
    st.floats(0.01, 0.99),
)
def test_no_document_of_a_target_is_on_both_sides(rows, share):
    targets, documents = np.array(rows, int).reshape(-1, 2).T
    training = split(targets, share, documents)
    for target in set(targets):
        mine, sides = documents[targets == target], training[targets == target]
        sizes = [int((mine == document).sum()) for document in set(mine)]
        assert all(len(set(sides[mine == document])) == 1 for document in set(mine))
        assert not sides.all()
        assert abs(sides.sum() - share * len(mine)) <= max(sizes)


@given(SCORES, st.floats(0, 1, exclude_max=True))
def test_a_larger_chance_draws_no_earlier_token(scores, chance):
    scores = torch.from_numpy(scores)
    chances = torch.full((4,), chance, dtype=torch.float64)
    assert (sample_tokens(scores, chances) >= sample_tokens(scores, chances / 2)).all()
