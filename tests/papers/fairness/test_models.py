"""Classifiers of sentiment on tweets of a few words, and how two encoders' orders agree."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from socialbias.errors import UserError
from socialbias.measures.datasets.semeval import HEADER
from socialbias.papers.fairness.features import HELD_OUT, SUITE, TRAIN, examples, measure
from socialbias.papers.fairness.models import (
    ENCODER,
    FEATURES,
    KEPT,
    RECIPE,
    SUITES,
    labelled,
    measure_binary,
    measure_three,
)
from socialbias.papers.fairness.suites import suite
from tests import tiny_models
from tests.worlds import job_with, manifest
from tests.worlds.fairness import GENDER, TERMS_OF_GENDER

NEGATIVE, NEITHER, POSITIVE = (" ".join([word] * 5) for word in ("nurse", "the", "business"))
SUITE_OF_GENDER = suite(GENDER, TERMS_OF_GENDER)[0]
SETTINGS = {
    "contextual.device": "cpu", "contextual.training": {},
    "fairness.reviews": 60, "fairness.fine_tune": False,
}  # fmt: skip


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return tiny_models.write(tmp_path_factory.mktemp("bert"), "bert")


@pytest.fixture(scope="module")
def tweets(tmp_path_factory):
    """Of each class as many: bad ones repeat "nurse", good ones "business", others "the"."""
    folder = tmp_path_factory.mktemp("tweets")
    (folder / "V-oc").mkdir()
    texts_of = {-2: NEGATIVE, 0: NEITHER, 3: POSITIVE}
    for part, number in (("train", 20), ("dev", 8)):
        lines = [
            f"{part}-{i}-{score}\t{texts_of[score]} {'abcde'[i % 5]}\tvalence\t{score}: such"
            for score in texts_of
            for i in range(number)
        ]
        path = folder / f"V-oc/Valence-oc-En-{part}.txt"
        path.write_text("\n".join([HEADER, *lines, ""]))
    return manifest(folder, "tweets", format="semeval-voc")


@pytest.fixture(scope="module")
def films(tmp_path_factory):
    folder = tmp_path_factory.mktemp("films")
    texts = [f"{NEGATIVE if i % 2 else POSITIVE} {i}" for i in range(600)]
    table = pd.DataFrame({"text": texts, "label": [1 - i % 2 for i in range(600)]})
    table.assign(source="rotten_tomatoes").to_csv(folder / "films.csv", index=False)
    return manifest(folder, "movie-reviews", "films.csv", format="csv")


def job_of(model, corpus, suites=SUITE_OF_GENDER, **settings):
    """A job whose features are measured."""
    inputs = {SUITES: suites, ENCODER: model, "semeval_binary": corpus, "semeval_valence": corpus}
    job = job_with(inputs, **SETTINGS | settings)
    job.files[FEATURES] = [measure(job)]
    return job


def test_a_frozen_encoder_with_two_and_three_classes(model, tweets):
    job = job_of(model, tweets)
    features = job.table(FEATURES)
    assert features["part"].value_counts().to_dict() == {TRAIN: 60, HELD_OUT: 24, SUITE: 8}
    three, binary = measure_three(job), measure_binary(job)
    # Five of the eight filled templates are neutral.
    assert three[KEPT].equals(SUITE_OF_GENDER[KEPT])
    assert binary[KEPT].equals(SUITE_OF_GENDER[KEPT].iloc[5:].reset_index(drop=True))
    np.testing.assert_allclose(three[["negative", "neutral", "positive"]].sum(axis=1), 1)
    np.testing.assert_allclose(binary[["negative", "positive"]].sum(axis=1), 1)
    assert binary["neutral"].isna().all()
    counts = ["trained", "held_out", "majority"]
    assert three.iloc[0][counts].tolist() == [60, 24, 1 / 3]
    assert binary.iloc[0][counts].tolist() == [40, 16, 1 / 2]
    for table in (three, binary):
        facts = table.iloc[0]
        assert facts["accuracy_low"] < facts["accuracy"] <= facts["accuracy_high"]
        assert facts["accuracy"] > 0.9
        assert not facts["fine_tuned"]


def test_probabilities_stand_beside_the_texts_that_they_are_of(model, tweets):
    labels = [2, 0, 1, 2, 0, 1, 2, 2]
    texts = [f"{(NEGATIVE, NEITHER, POSITIVE)[label]} b" for label in labels]
    job = job_of(model, tweets, SUITE_OF_GENDER.assign(label=labels, text=texts))
    result = measure_three(job)[["negative", "neutral", "positive"]].to_numpy()
    assert result.argmax(axis=1).tolist() == labels


def test_fine_tuning_learns_the_same(model, tweets, tmp_path, monkeypatch):
    monkeypatch.setitem(RECIPE, "learning_rate", 1e-2)
    job = replace(job_of(model, tweets, **{"fairness.fine_tune": True}), parts=tmp_path)
    assert "vector" not in job.table(FEATURES)
    table = measure_binary(job)
    assert len(table) == 3
    assert table["fine_tuned"].all()
    assert table["accuracy"].iloc[0] > 0.9


def test_reviews_stand_in_for_tweets_but_have_no_neutral_class(model, films):
    job = job_of(model, films)
    parts = job.table(FEATURES)["part"].value_counts().to_dict()
    assert parts == {TRAIN: 60, HELD_OUT: 500, SUITE: 3}
    table = examples(films, 60, seed=1)
    assert table["text"].is_unique  # in one part only
    assert (table["score"] == np.where(table["text"].str.startswith("business"), 1, -1)).all()
    assert measure_binary(job)["accuracy"].iloc[0] > 0.9
    with pytest.raises(UserError, match="semeval_binary: it has no neutral text"):
        measure_three(job)


def test_classes_are_signs():
    table = pd.DataFrame({"score": [-3, -1, 0, 1, 3]})
    assert labelled(table, "three")["label"].tolist() == [0, 0, 1, 2, 2]
    binary = labelled(table, "binary")
    assert binary[["score", "label"]].to_numpy().tolist() == [[-3, 0], [-1, 0], [1, 1], [3, 1]]
