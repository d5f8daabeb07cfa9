"""Reduction against plain loops over sentences."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from socialbias.embeddings.vectors import WordVectors
from socialbias.errors import UserError
from socialbias.models import reduction as module
from socialbias.models.extract import Report, extract
from socialbias.models.loading import Model
from socialbias.models.reduction import Sentence, reduce_words, sum_words
from socialbias.stats.seeding import generator
from tests.worlds.models import loaded

WORDS = ("nurse", "businesswoman", "the", "soldier")
SENTENCES = [
    (0, "The nurse and the nurse.", [2, 0, 2, 0], [(0, 3), (4, 9), (14, 17), (18, 23)]),
    (0, "A businesswoman.", [1], [(2, 15)]),
    (1, "nurse", [0], [(0, 5)]),
    (2, "Nobody.", [], []),
    (0, "The businesswoman", [2, 1], [(0, 3), (4, 17)]),
]
LAYER = 2


@pytest.fixture(scope="module")
def model() -> Model:
    return loaded("bert")


def sentences() -> list[Sentence]:
    return [Sentence(*parts) for parts in SENTENCES]


def vector(model: Model, text: str, span: tuple[int, int]) -> np.ndarray:
    return extract(model, [text], [[span]], layer=LAYER).vectors[0].astype(float)


def slowly(model: Model, weight=lambda document: 1) -> np.ndarray:
    """Each word's mean over sentences of its mean over mentions, documents weighted."""
    rows = []
    for w, word in enumerate(WORDS):
        total, n = np.zeros(model.width), 0
        for document, text, words, spans in SENTENCES:
            mentions = [vector(model, text, s) for i, s in zip(words, spans, strict=True) if i == w]
            if mentions:
                total += weight(document) * np.mean(mentions, axis=0)
                n += weight(document)
        rows.append(total / n if n else vector(model, word, (0, len(word))))
    return np.array(rows)


@pytest.mark.parametrize("at_once", [1, 2, 1000])
def test_means_of_means(model, monkeypatch, at_once):
    monkeypatch.setattr(module, "BATCH_SENTENCES", at_once)
    reduced = reduce_words(model, iter(sentences()), WORDS, layer=LAYER)
    np.testing.assert_allclose(reduced.vectors, slowly(model), atol=1e-5)
    assert reduced.vectors.dtype == np.float32
    assert reduced.counts.tolist() == [2, 2, 2, 0]
    assert reduced.resampled.shape == (0, 4, model.width)
    # The words alone: 1 + 2 + 1 + 7 pieces; and those of the four sentences with mentions.
    assert reduced.report.texts == 4 + 4
    assert reduced.report.pieces == (1 + 2 + 1 + 7) + (4 + 2 + 1 + 3)


@pytest.mark.parametrize("at_once", [1, 1000])
def test_resamples_of_documents(model, monkeypatch, at_once):
    monkeypatch.setattr(module, "BATCH_SENTENCES", at_once)
    draws, seed = 12, 5
    reduced = reduce_words(model, sentences(), WORDS, layer=LAYER, draws=draws, seed=seed)
    weights = [generator(seed, "reduction", d).poisson(1, draws) for d in range(3)]
    assert any(weights[0][b] == 0 for b in range(draws)), "a draw without businesswomen"
    for b in range(draws):
        expected = slowly(model, lambda document, b=b: weights[document][b])
        np.testing.assert_allclose(reduced.resampled[b], expected, atol=1e-5)


def test_a_sentence_that_cannot_be_read_ends_the_run_at_its_place(model, monkeypatch):
    """Though the sentences after it are encoded while those before it are run."""
    monkeypatch.setattr(module, "BATCH_SENTENCES", 1)
    good = Sentence(0, "the nurse", [0], [(4, 9)])
    bad, done = replace(good, spans=[(4, 99)]), []
    with pytest.raises(UserError, match="characters 4 to 99 are not in a text of 9"):
        reduce_words(
            model, [good, good, bad, good], ["nurse"], layer=1, callback=lambda *x: done.append(x)
        )
    assert len(done) == 2


def test_no_sentences_at_all(model):
    reduced = reduce_words(model, [], WORDS, layer=LAYER, draws=2)
    assert not reduced.counts.any()
    with pytest.raises(UserError, match="not distinct"):
        reduce_words(model, [], ["nurse", "nurse"], layer=LAYER)
    np.testing.assert_allclose(reduced.resampled, [reduced.vectors] * 2)


def test_sums_of_shards_are_those_of_the_text(model):
    options = {"layer": LAYER, "draws": 3, "seed": 1}
    whole = sum_words(model, sentences(), WORDS, **options)
    first = sum_words(model, sentences()[:2], WORDS, **options)
    others = [
        sum_words(model, part, WORDS, isolated=False, **options)
        for part in (sentences()[2:4], sentences()[4:], [])
    ]
    added = others[0] + first + others[1] + others[2]
    assert added.report == whole.report
    assert added.counts.tolist() == whole.counts.tolist()
    found, expected = added.reduced(WORDS), whole.reduced(WORDS)
    np.testing.assert_allclose(found.vectors, expected.vectors, atol=1e-5)
    np.testing.assert_allclose(found.resampled, expected.resampled, atol=1e-5)


def test_files(model, tmp_path):
    """They are static vectors too."""
    reduced = reduce_words(model, sentences(), WORDS, layer=LAYER, draws=2)
    reduced.save(tmp_path / "bert")
    for name in ("vectors", "counts", "resampled"):
        found = np.load(tmp_path / f"bert/{name}.npy")
        np.testing.assert_array_equal(found, getattr(reduced, name))
    report = json.loads((tmp_path / "bert/report.json").read_text("utf-8"))
    assert Report(**report) == reduced.report
    static = WordVectors.load(tmp_path / "bert")
    assert static.words == WORDS
    np.testing.assert_array_equal(static.rows(["the"])[0], reduced.vectors[2].astype(float))
    written = {path.stem for path in (tmp_path / "bert").iterdir()}
    assert written == {"counts", "report", "resampled", "vectors", "vocabulary"}
