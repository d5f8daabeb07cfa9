"""Recovery from models: which sentences are asked, the probe's shares, and samples."""

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from socialbias.contextual.language_models import train_gpt2
from socialbias.contextual.models import load_model
from socialbias.papers.validation import recovery
from socialbias.papers.validation import recovery_contextual as contextual
from socialbias.papers.validation.planted_corpus import write
from socialbias.papers.validation.planted_design import Design
from socialbias.stats.clustered import clustered_shares
from socialbias.stats.seeding import generator

SMALL = Design(direct=4, second_order=2, null=2)


@pytest.fixture(scope="module")
def written():
    return write(SMALL, 12_000, generator(3, "small"))


@pytest.fixture(scope="module")
def corpus(written):
    return written.prepared()


def test_mentions_are_sentences_with_the_word_and_their_group(corpus):
    words = list(SMALL.targets["target"])
    found = contextual.mentions(corpus, words, SMALL, 20, np.random.default_rng(1))
    sentences = list(contextual.sentences_of(corpus, words, found))
    assert max(Counter(found.words.tolist()).values()) == 20
    assert found.sentences.tolist() == sorted(found.sentences)  # in corpus order
    whole = contextual.mentions(corpus, words, SMALL, 10**6, np.random.default_rng(1))
    counts = corpus.counts[[corpus.words.index(word) for word in words]]
    assert np.bincount(whole.words).tolist() == counts.tolist()  # all where there are few
    group_of = {word: g for g, group in enumerate(SMALL.groups.values()) for word in group}
    for word, label, sentence in zip(found.words, found.labels, sentences, strict=True):
        ((start, end),) = sentence.spans
        assert sentence.text[start:end] == words[word]
        assert sentence.words == [word]
        named = {group_of[token] for token in sentence.text.split() if token in group_of}
        assert label == (named.pop() if len(named) == 1 else -1)


def test_certain_probabilities_are_counts():
    rng = np.random.default_rng(2)
    labels, words, documents = rng.integers(-1, 2, 60), rng.integers(3, size=60), np.arange(60) // 4
    chances = (labels[:, None] == np.arange(2)).astype(float)
    soft = recovery.soft_shares(chances, words, documents, 3, 0.95)
    hard = clustered_shares(labels, words, documents, 3, 2, 0.95)
    for name in ("share", "low", "high"):
        assert getattr(soft, name) == pytest.approx(getattr(hard, name))


def test_samples_that_are_the_corpus_say_what_it_says(written, corpus, tmp_path):
    lines = [json.dumps({"id": d.id, "text": d.text}) for d in written.texts()]
    lines.insert(3, json.dumps({"id": -1, "text": ""}))  # a sample may be empty
    path = tmp_path / "samples.jsonl"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    found = contextual.samples_evidence(path, SMALL, "samples", 0.95)
    expected = recovery.text_evidence(corpus, SMALL, 0.95, "samples")
    pd.testing.assert_frame_equal(found, expected)


def test_a_model_is_probed_and_reduced(corpus, tmp_path):
    options = replace(contextual.GPT2, epochs=1.0)
    train_gpt2(corpus, tmp_path / "model", options, 1)
    model = load_model(tmp_path / "model", "causal", device="cpu")
    probed = contextual.probe_evidence(model, corpus, SMALL, "probe", 40, 0.95, 1)
    assert set(probed["measure"]) == {"probe", "probe decisions"}
    decided = probed[probed["measure"] == "probe decisions"]
    assert decided["n"].max() <= 40
    probed = probed[probed["measure"] == "probe"]
    assert probed["target"].tolist() == SMALL.targets["target"].tolist()
    assert probed["measured"].between(0, 1).all()
    assert ((probed["low"] <= probed["measured"]) & (probed["measured"] <= probed["high"])).all()
    reduced = contextual.reduction_evidence(model, corpus, SMALL, "made", 20, 20, 1)
    assert set(reduced["measure"]) == {f"made {name}" for name in contextual.NAMES}
    assert reduced["measured"].notna().all()
