"""A word's vector depends on its text and on nothing else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialbias.contextual.extract import extract
from socialbias.contextual.models import load_model
from tests import tiny_models

WORDS = ["nurse", "Businesswoman", "the", "É", "猫", "x1", ",", '"', "a"]
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=30)


@pytest.fixture(
    scope="module",
    params=[
        "llama",
        pytest.param("bert", marks=pytest.mark.long),
        pytest.param("gpt2", marks=pytest.mark.long),
        pytest.param("roberta", marks=pytest.mark.long),
    ],
)
def model(request, tmp_path_factory):
    folder = tiny_models.write(tmp_path_factory.mktemp(request.param), request.param)
    return load_model(folder, "encoder", device="cpu")


@given(
    sentences=st.lists(SENTENCES, min_size=1, max_size=6),
    tokens=st.integers(1, 200),
    layer=st.integers(0, tiny_models.LAYERS),
    data=st.data(),
)
def test_neither_order_nor_batches_matter(model, sentences, tokens, layer, data):
    texts = [" ".join(words) for words in sentences]
    spans = []
    for words in sentences:
        ends = np.cumsum([len(word) + 1 for word in words]) - 1
        spans.append([(int(e) - len(w), int(e)) for w, e in zip(words, ends, strict=True)])
    one_by_one = [
        extract(model, [text], [words], layer=layer).vectors
        for text, words in zip(texts, spans, strict=True)
    ]
    order = data.draw(st.permutations(range(len(texts))))
    shuffled = extract(
        model,
        [texts[i] for i in order],
        [spans[i] for i in order],
        layer=layer,
        tokens_per_batch=tokens,
    )
    expected = np.concatenate([one_by_one[i] for i in order])
    np.testing.assert_allclose(shuffled.vectors, expected, atol=1e-4)
