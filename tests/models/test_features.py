"""Vectors of texts against the network run on one text at a time."""

import numpy as np
import pytest
import torch

from socialbias.errors import UserError
from socialbias.models import features as module
from socialbias.models.features import encoded, pair_features, text_features
from socialbias.models.loading import Model
from tests import tiny_models
from tests.worlds.models import loaded

TEXTS = ["the nurse", "A businesswoman, the nurse!", "nurse", "the nurse", "the the the nurse"]
PAIRS = ["a nurse", "no word", "businesswoman", "the", "x"]
ARCHITECTURES = ("bert", "roberta", "gpt2", "xlnet")


@pytest.fixture(scope="module")
def models() -> dict[str, Model]:
    return {name: loaded(name) for name in ARCHITECTURES}


def alone(model: Model, *texts: str) -> np.ndarray:
    """The last layer of a text, or of a pair, by itself."""
    inputs = model.tokenizer(*texts, return_tensors="pt", return_token_type_ids=True)
    if not inputs["token_type_ids"].any():
        del inputs["token_type_ids"]
    with torch.no_grad():
        return model.network(**inputs).last_hidden_state[0].numpy()


@torch.no_grad()
def at_once(model: Model, texts, pairs=None, pooling="mean") -> np.ndarray:
    """Vectors of texts or pairs, run as one batch."""
    return module.pooled(model, encoded(model, texts, pairs), pooling).numpy()


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_vectors_are_those_of_each_text_alone(models, name):
    layers = [alone(models[name], text) for text in TEXTS]
    means = text_features(models[name], TEXTS)
    np.testing.assert_allclose(means, [x.mean(0) for x in layers], atol=1e-5)
    firsts = at_once(models[name], TEXTS, pooling="first")
    np.testing.assert_allclose(firsts, [x[0] for x in layers], atol=1e-5)
    assert means.dtype == np.float32


def test_a_pair_is_encoded_with_the_separator_of_its_tokenizer(models):
    model = models["bert"]
    ids, types = encoded(model, TEXTS[:1], PAIRS[:1])[0]
    assert model.tokenizer.convert_ids_to_tokens(ids.tolist()) == [
        "[CLS]", "the", "nurse", "[SEP]", "a", "nurse", "[SEP]",
    ]  # fmt: skip
    assert types.tolist() == [0, 0, 0, 0, 1, 1, 1]
    expected = [alone(model, *both).mean(0) for both in zip(TEXTS, PAIRS, strict=True)]
    np.testing.assert_allclose(at_once(model, TEXTS, PAIRS), expected, atol=1e-5)


def test_without_a_separator_a_space_joins_a_pair(models):
    found = at_once(models["gpt2"], ["the nurse", "nurse"], ["a nurse", "woman"])
    expected = [
        alone(models["gpt2"], text).mean(0) for text in ("the nurse a nurse", "nurse woman")
    ]
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_features_of_a_pair_are_made_of_both_vectors(models):
    u, v = text_features(models["bert"], TEXTS), text_features(models["bert"], PAIRS)
    found = pair_features(models["bert"], TEXTS, PAIRS)
    np.testing.assert_allclose(found, np.hstack([u, v, np.abs(u - v), u * v]), atol=1e-5)


def test_long_texts_are_cut(models):
    model = models["bert"]
    assert [len(ids) for ids, _ in encoded(model, ["nurse " * 50])] == [tiny_models.LIMIT]
    ids, _ = encoded(model, ["the " * 9], ["nurse"], longest=6)[0]
    kept = model.tokenizer.convert_ids_to_tokens(ids.tolist())
    assert kept == ["[CLS]", "the", "the", "[SEP]", "nurse", "[SEP]"]


def test_a_full_memory_halves_the_batch(models, monkeypatch):
    expected, pooled = text_features(models["bert"], TEXTS), module.pooled

    def of_two_rows(model, rows, pooling):
        if len(rows) > 2:
            raise RuntimeError("out of memory")
        return pooled(model, rows, pooling)

    monkeypatch.setattr(module, "pooled", of_two_rows)
    np.testing.assert_allclose(text_features(models["bert"], TEXTS), expected, atol=1e-5)


def test_what_cannot_be_encoded(models):
    assert text_features(models["bert"], []).shape == (0, tiny_models.WIDTH)
    with pytest.raises(UserError, match="no piece of text 2"):
        text_features(models["gpt2"], ["a", ""])
