"""Tagging: what it learns, and that it continues where it was killed."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from socialbias.errors import UserError
from socialbias.measures.spans import may_follow
from socialbias.models.features import hidden_states
from socialbias.models.tagging import (
    Tagged,
    encoded_words,
    fine_tune_tagger,
    load_tagger,
)
from socialbias.models.training import Options
from tests import tiny_models
from tests.worlds.models import check_continues_where_it_is_killed, folder_of, loaded

TINY = Options(
    epochs=4, batch=6, learning_rate=3e-3, warmup=2, dropout=0.1, patience=2, checkpoint=2
)
WORDS = ["the", "nurse", "business", "woman", "a", "b", "businesswoman"]


def sentences(n: int, seed: int) -> Tagged:
    """`nurse` is a person; `business woman` an organisation of two words, each alone is none."""
    rng = np.random.default_rng(seed)
    words = [rng.choice(WORDS, 5).tolist() for _ in range(n)]
    tags = [["B-PER" if word == "nurse" else "O" for word in each] for each in words]
    for each, of in zip(words, tags, strict=True):
        for i in range(len(each) - 1):
            if each[i : i + 2] == ["business", "woman"]:
                of[i : i + 2] = ["B-ORG", "I-ORG"]
    return Tagged(words, tags)


@pytest.fixture(scope="module")
def bert() -> Path:
    return folder_of("bert")


def run(folder: Path, out: Path, options: Options = TINY, **more) -> dict:
    parts = sentences(40, 1), sentences(20, 2)
    return fine_tune_tagger(folder, *parts, out, options, 1, device="cpu", **more)


def test_a_killed_run_continues_to_the_same_bytes(bert, tmp_path):
    check_continues_where_it_is_killed(
        lambda out, **more: run(bert, out, TINY, **more), tmp_path, 10
    )


@pytest.mark.long
@pytest.mark.parametrize("name", ["bert", "roberta"])
def test_it_learns_what_can_be_learnt(tmp_path, name):
    folder, options = tiny_models.write(tmp_path / "m", name), replace(TINY, epochs=10, batch=8)
    parts = sentences(120, 1), sentences(60, 2)
    report = fine_tune_tagger(
        folder, *parts, tmp_path / "out", replace(options, patience=10), 1, device="cpu"
    )
    assert max(report["development"]) > 0.85
    assert (report["examples"], report["kinds"]) == (120, ["ORG", "PER"])
    tagger = load_tagger(tmp_path / "out", "cpu")
    tags, probable = tagger.predict(parts[1].words)
    assert [len(each) for each in tags] == [5] * 60
    for each in tags:
        assert all(map(may_follow, [*each, "O"], ["O", *each]))
    p = np.concatenate(probable)
    assert p.shape == (300, 2)
    assert ((p >= 0) & (p.sum(axis=1, keepdims=True) <= 1 + 1e-9)).all()
    nurses = np.array([word == "nurse" for each in parts[1].words for word in each])
    assert p[nurses, 1].mean() > 0.8 > 0.2 > p[~nurses, 1].mean()


def test_pieces_belong_to_words():
    """`business` `##woman` is one word of two pieces; the first and last piece are special."""
    words = [["the", "businesswoman", "nurse"], ["nurse"]]
    model = loaded("bert")
    rows, owners = encoded_words(model, words, 24)
    assert [len(ids) for ids, _ in rows] == [6, 3]
    assert [each.tolist() for each in owners] == [[-1, 0, 1, 1, 2, -1], [-1, 0, -1]]
    assert encoded_words(model, words, 5)[1][0].tolist() == [-1, 0, 1, 1, -1]
    assert encoded_words(loaded("gpt2"), [["ab", "nurse"]], 24)[1][0].tolist() == [0, 0, 1]


def test_what_is_read_of_a_word_is_the_mean_over_its_pieces(bert, tmp_path):
    run(bert, tmp_path / "out", replace(TINY, epochs=1))
    tagger = load_tagger(tmp_path / "out", "cpu")
    rows, owners = encoded_words(tagger.model, [["the", "businesswoman", "a"], ["a"]], 24)
    with torch.no_grad():
        scores, mask = tagger.scores(rows, owners)
        hidden, _ = hidden_states(tagger.model, rows)
        expected = tagger.head.linear((hidden[0, 2] + hidden[0, 3]) / 2)
    np.testing.assert_allclose(scores[0, 1], expected, atol=1e-5)
    assert mask.tolist() == [[True] * 3, [True, False, False]]


def test_words_beyond_the_length_are_outside_of_entities(bert, tmp_path):
    report = run(bert, tmp_path / "out", replace(TINY, length=5, epochs=1))
    assert report["unread"] > 0
    tagger = load_tagger(tmp_path / "out", "cpu")
    tags, probable = tagger.predict([["nurse"] * 9])
    assert tags[0][3:] == ["O"] * 6
    assert (probable[0][3:] == 0).all()
    assert (probable[0][:3] > 0).all()


def test_what_cannot_be_trained(bert, tmp_path):
    some, out = sentences(4, 1), tmp_path / "out"
    with pytest.raises(UserError, match="the development part has no sentence"):
        fine_tune_tagger(bert, some, Tagged([], []), out, TINY, 1)
    with pytest.raises(UserError, match="the train part has no entity"):
        fine_tune_tagger(bert, Tagged([["a"]], [["O"]]), some, out, TINY, 1)
    with pytest.raises(UserError, match="train a head first"):
        load_tagger(bert)
