"""Causal scores, worked out by hand for a model that is a table."""

from __future__ import annotations

import numpy as np
import pytest

from socialbias.errors import UserError
from socialbias.models.items import Intersentence, Intrasentence
from socialbias.models.scoring import score
from socialbias.models.token_scores import TokenScorer
from tests.table_model import table_model

# What follows a token at a position, counted from 0. With the start token positions are one higher.
FOLLOWING = {
    (0, "<s>"): {"he": 1 / 2, "she": 1 / 8},
    (0, "he"): {"is": 1 / 4, "was": 1 / 16},
    (1, "he"): {"is": 1 / 2, "was": 1 / 8},
    (0, "she"): {"was": 1 / 2},
    (1, "she"): {"was": 1 / 4},
    (1, "is"): {"un": 1 / 4, "old": 1 / 8},
    (2, "is"): {"un": 1 / 16, "old": 1 / 2, "here": 1 / 4},
    (2, "un"): {"##kind": 1 / 2},
    (3, "un"): {"##kind": 1 / 4},
    (1, "was"): {"old": 1 / 2},
    (2, "was"): {"old": 1 / 16, "good": 1 / 8},
    (3, "here"): {".": 1 / 2},
    (4, "."): {"he": 1 / 4, "she": 1 / 2},
    (5, "he"): {"was": 1 / 2},
    (5, "she"): {"was": 1 / 4},
    (6, "was"): {"good": 1 / 2, "old": 1 / 32},
    (2, "here"): {".": 1 / 4},
}


@pytest.fixture(scope="module", params=[True, False], ids=["shared", "alone"])
def scorer(request) -> TokenScorer:
    model = table_model("causal", lambda words, place, at: FOLLOWING.get((at, words[place]), {}))
    scorer = TokenScorer(model, share=request.param)
    assert bool(scorer.shares) == request.param
    return scorer


def powers(values: np.ndarray) -> list[float]:
    return (values / np.log(2)).ravel().tolist()


def test_sentences_with_a_gap_or_as_they_are_written(scorer):
    items = [Intrasentence("he is BLANK", ("unkind", "old"))]
    found = score(scorer, items, ["sentence_released", "sentence_mean", "sentence_sum"])
    released, mean, total = found.values()
    # he 1/2; without the start token is 1/4, un 1/4, kind 1/2, or old 1/8.
    assert released.values[0] == pytest.approx([2 ** (-6 / 4), 2 ** (-6 / 3)])
    # he 1/2, is 1/2, un 1/16, kind 1/4, or old 1/2.
    assert powers(mean.values) == pytest.approx([-8 / 4, -3 / 3])
    assert powers(total.values) == pytest.approx([-8, -3])
    items = [Intrasentence("he is BLANK", ("unkind", "old"), ("she was old", "he was old"))]
    total = score(scorer, items, ["sentence_sum"])["sentence_sum"]
    # she 1/8, was 1/4, old 1/16; he 1/2, was 1/8, old 1/16.
    assert powers(total.values) == pytest.approx([-9, -8])


def test_ratio(scorer):
    items = [Intersentence("he is here", ("he was good", "she was old"))]
    ratio = score(scorer, items, ["ratio"])["ratio"]
    # After "he is here.": he 1/4, was 1/2, good 1/2; she 1/2, was 1/4, old 1/32.
    # Alone: he 1/2, was 1/8, good 1/8; she 1/8, was 1/4, old 1/16.
    assert powers(ratio.values) == pytest.approx([-4 + 7, -8 + 9])


def test_close_candidates_are_scored_again(scorer):
    items = [Intrasentence("he is BLANK", ("old", "old", "unkind"))]
    scores = score(scorer, items, ["sentence_sum"])["sentence_sum"]
    assert scores.again.tolist() == [[True, True, False]]
    assert scores.values[0, 0] == scores.values[0, 1]


def test_what_cannot_be_scored(scorer):
    item = Intrasentence("he is BLANK", ("old",))
    model = table_model("causal", lambda words, place, at: {})
    model.tokenizer.bos_token = None
    with pytest.raises(UserError, match="no token for the beginning or end of a text"):
        score(TokenScorer(model), [item], ["sentence_sum"])
    with pytest.raises(UserError, match="items of Intersentence only"):
        score(scorer, [item], ["ratio"])
