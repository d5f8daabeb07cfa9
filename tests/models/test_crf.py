"""The conditional random field against all tag sequences, one by one."""

from itertools import pairwise, product

import numpy as np
import pytest
import torch

from socialbias.models.crf import Crf

TAGS, LENGTHS = 3, (4, 1, 3)


@pytest.fixture
def chain():
    torch.manual_seed(1)
    crf = Crf(TAGS).double()
    with torch.no_grad():
        for parameter in crf.parameters():
            parameter.copy_(torch.randn_like(parameter))
    return crf


@pytest.fixture
def sentences():
    torch.manual_seed(2)
    scores = torch.randn(len(LENGTHS), max(LENGTHS), TAGS, dtype=torch.float64)
    return scores, torch.arange(max(LENGTHS)) < torch.tensor(LENGTHS)[:, None]


def score(crf, scores, path) -> float:
    """Of one path, term by term."""
    between = crf.between.detach()
    total = sum(scores[t, tag] for t, tag in enumerate(path))
    return float(total + sum(between[a, b] for a, b in pairwise(path)))


def paths(n: int):
    return list(product(range(TAGS), repeat=n))


def test_the_loss_is_minus_the_log_of_the_share_of_all_paths(chain, sentences):
    scores, mask = sentences
    tags = torch.tensor([[2, 0, 1, 1], [1, 0, 0, 0], [0, 0, 2, 0]])
    expected = 0.0
    for i, n in enumerate(LENGTHS):
        everything = [score(chain, scores[i], path) for path in paths(n)]
        expected += np.logaddexp.reduce(everything) - score(chain, scores[i], tags[i, :n].tolist())
    assert chain.loss(scores, mask, tags).item() == pytest.approx(expected)
    other = torch.where(mask, tags, 2)  # what stands where no word is does not count
    assert chain.loss(scores, mask, other).item() == pytest.approx(expected)


def test_what_is_not_allowed_is_not_the_best(chain, sentences):
    """No tag follows itself, none begins with 1, none ends with 2."""
    scores, mask = sentences
    allowed = ~torch.eye(TAGS + 1, dtype=torch.bool)
    allowed[-1, 1] = allowed[2, -1] = False
    for i, (n, found) in enumerate(zip(LENGTHS, chain.best(scores, mask, allowed), strict=True)):
        legal = [
            path
            for path in paths(n)
            if all(a != b for a, b in pairwise(path)) and path[0] != 1 and path[-1] != 2
        ]
        assert found == list(max(legal, key=lambda path, i=i: score(chain, scores[i], path)))
