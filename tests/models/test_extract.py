"""Vectors of words against a pass with all layers, one text at a time."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from socialbias.errors import UserError
from socialbias.models import extract as module
from socialbias.models.extract import Report, extract
from socialbias.models.loading import Model
from tests import tiny_models
from tests.worlds.models import full, loaded

ARCHITECTURES = ("bert", "roberta", "albert", "gpt2", "llama", "xlnet")
TEXTS = [
    'The nurse, "a nurse".',
    "",
    "Businesswoman",
    'A "businesswoman", the nurse',
    "nurse nurse",
    "no word",
]
SPANS = [[(4, 9), (14, 19)], [], [(0, 13)], [(3, 16), (19, 28)], [(0, 5), (6, 11)], []]


@pytest.fixture(scope="module")
def models() -> dict[str, Model]:
    return {name: loaded(name) for name in ARCHITECTURES}


def slowly(model: Model, texts, spans, layer: int) -> np.ndarray:
    """One text at a time, every layer, piece by piece and character by character."""
    rows = []
    for text, words in zip(texts, spans, strict=True):
        if not words:
            continue
        inputs = model.tokenizer(text, return_tensors="pt", return_offsets_mapping=True)
        offsets = inputs.pop("offset_mapping")[0].tolist()
        inputs.pop("token_type_ids", None)
        ids = inputs["input_ids"]
        if model.network.config.model_type == "xlnet":  # its tokenizer has a segment for <cls>
            inputs["token_type_ids"] = torch.where(ids == 2, 2, 0)
        with torch.no_grad():
            hidden = model.network(**inputs, output_hidden_states=True).hidden_states[layer][0]
        names = model.tokenizer.convert_ids_to_tokens(ids[0])
        for start, end in words:
            visible = {i for i in range(start, end) if not text[i].isspace()}
            pieces = [
                k
                for k, (first, behind) in enumerate(offsets)
                if visible & set(range(first, behind)) and names[k] != "▁"
            ]
            rows.append(hidden[pieces].mean(0).numpy())
    return np.array(rows)


@pytest.mark.parametrize("name", ARCHITECTURES)
@pytest.mark.parametrize("layer", range(tiny_models.LAYERS + 1))
def test_every_layer_in_batches_of_any_size(models, name, layer):
    expected = slowly(models[name], TEXTS, SPANS, layer)
    for size in (1, 10_000):
        found = extract(models[name], TEXTS, SPANS, layer=layer, tokens_per_batch=size).vectors
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, expected, atol=1e-5)


def test_report(models):
    """Counted by hand: [CLS] the nurse , " a nurse " . [SEP]; businesswoman is two pieces."""
    report = extract(models["bert"], TEXTS, SPANS, layer=1).report
    pieces = 1 + 1 + 2 + 2 + 2 + 1 + 1  # the fifth span is two words
    tokens = 10 + 4 + (1 + 1 + 1 + 2 + 1 + 1 + 1 + 1 + 1) + 4
    assert report == Report(texts=4, words=7, pieces=pieces, tokens=tokens)
    assert report + report == Report(texts=8, words=14, pieces=20, tokens=2 * tokens)
    for texts, spans in (([], []), (["a text"], [[]])):
        found = extract(models["bert"], texts, spans, layer=1)
        assert found.vectors.shape == (0, tiny_models.WIDTH)
        assert found.report == Report()


def test_a_blank_belongs_to_no_word(models):
    """In `a nurse` GPT-2's second piece begins with the blank; `a b` has a piece that is blank."""
    gpt2 = models["gpt2"]
    words = [[(0, 1)], [(1, 7)], [(2, 7)], [(0, 2)]]
    a, padded, nurse, with_blank = extract(gpt2, ["a nurse"] * 4, words, layer=0).vectors
    np.testing.assert_array_equal(padded, nurse)
    np.testing.assert_array_equal(a, with_blank)
    # Two blanks: the first is a piece of its own, which stands inside the words.
    found = extract(gpt2, ["a  nurse"] * 2, [[(0, 8)], [(0, 1), (3, 8)]], layer=0).vectors
    np.testing.assert_allclose(found[0], (found[1] + found[2]) / 2, atol=1e-6)


def test_the_blank_that_a_tokenizer_puts_in_front(models):
    """Where the text begins `▁` claims the first letter; the word is the same without it."""
    llama = models["llama"]
    spans = [[(0, 2)], [(1, 3)]]
    assert llama.tokenizer.tokenize("Bo") == llama.tokenizer.tokenize(" Bo") == ["▁", "B", "o"]
    found = extract(llama, ["Bo", " Bo"], spans, layer=2)
    assert found.report.pieces == 4
    np.testing.assert_allclose(found.vectors[0], found.vectors[1], atol=1e-6)


@pytest.mark.parametrize(
    ("text", "span", "layer", "message"),
    [
        ("a nurse", (1, 2), 1, "no piece for ' '"),
        ("a nurse", (3, 3), 1, "no piece for ''"),
        ("", (0, 0), 1, "no piece for ''"),
        ("a nurse", (0, 99), 1, "characters 0 to 99 are not in a text of 7"),
        ("a nurse", (5, 2), 1, "characters 5 to 2 are not in a text of 7"),
        ("a nurse", (-1, 2), 1, "characters -1 to 2 are not in a text of 7"),
        ("a nurse", (2, 7), -1, "no layer -1: choose one from 0 to 3"),
        ("a nurse", (2, 7), 4, "no layer 4: choose one from 0 to 3"),
    ],
)
def test_what_cannot_be_extracted(models, text, span, layer, message):
    with pytest.raises(UserError, match=message):
        extract(models["bert"], [text], [[span]], layer=layer)


def test_windows_by_hand(models):
    """30 words of one letter in a model of 24 pieces, of which [CLS] and [SEP] take two."""
    text = " ".join("abcdefghijklmnopqrstuvwxyzabcd")
    bert = models["bert"]
    places = [0, 13, 29]
    found = extract(bert, [text], [[(2 * i, 2 * i + 1) for i in places]], layer=2)
    assert found.report == Report(texts=1, words=3, pieces=3, tokens=72, windows=3)
    first_words = [0, 13 - 11, 30 - 22]
    for row, place, first in zip(found.vectors, places, first_words, strict=True):
        window = text[2 * first : 2 * (first + 22)].rstrip()
        at = 2 * (place - first)
        alone = extract(bert, [window], [[(at, at + 1)]], layer=2)
        assert alone.report.windows == 0
        np.testing.assert_allclose(row, alone.vectors[0], atol=1e-5)


def full_above(monkeypatch, rows: int, error: Exception) -> list[int]:
    """A device whose memory is full when a batch has more rows than this."""
    run, sizes = module._pieces, []

    def vectors(model, layer, batch):
        sizes.append(len(batch))
        if len(batch) > rows:
            raise error
        return run(model, layer, batch)

    monkeypatch.setattr(module, "_pieces", vectors)
    return sizes


@pytest.mark.parametrize(
    "error",
    [
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB"),
        RuntimeError("MPS backend out of memory (MPS allocated: 9 GB)"),
        RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate 9 bytes."),
        RuntimeError("Invalid buffer size: 19.07 GB"),
    ],
)
def test_full_memory_halves_the_batch(models, monkeypatch, error):
    texts, spans = ["a nurse"] * 20, [[(2, 7)]] * 20
    expected = extract(models["bert"], texts, spans, layer=1).vectors
    sizes = full_above(monkeypatch, 3, error)
    found = extract(models["bert"], texts, spans, layer=1)
    assert sizes == [20, 10, 5] + 10 * [2]  # halved until it fits, and not tried again
    assert found.report.halvings == 3
    np.testing.assert_allclose(found.vectors, expected, atol=1e-6)


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (torch.OutOfMemoryError("CUDA"), UserError, "bert.*: a text of 4 pieces does not fit"),
        (RuntimeError("expected scalar type Half"), RuntimeError, "scalar type"),
    ],
)
def test_one_text_that_does_not_fit_and_another_error(models, monkeypatch, error, kind, message):
    full_above(monkeypatch, 0, error)
    with pytest.raises(kind, match=message):
        extract(models["bert"], ["a nurse"], [[(2, 7)]], layer=1)


def test_a_model_beside_which_there_is_no_room(models, monkeypatch):
    monkeypatch.setattr(module, "_hidden", full)
    with pytest.raises(UserError, match=r"not even a text of three pieces fits .* of cpu"):
        extract(models["bert"], ["a nurse"], [[(2, 7)]], layer=1)
