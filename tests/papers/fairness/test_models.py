"""Classifiers of sentiment on tweets of a few words, and how two encoders' orders agree."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from socialbias.errors import UserError
from socialbias.measures.datasets.semeval import HEADER
from socialbias.papers.fairness import figure1, metrics, models
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
from socialbias.stats.draws import DRAWS
from tests import tiny_models
from tests.worlds import cells, job_with, manifest, summarised
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


ATTRIBUTES = ["a", "b", "c", "d", "e", "f", "g"]


def agreement_of(first, second, sd: float = 0.01):
    numbers, rng = [np.array(x, float) for x in (first, second)], np.random.default_rng(1)
    draws = [x + rng.normal(0, sd, (DRAWS, 7)) for x in numbers]
    return figure1.agreement(numbers, draws, ATTRIBUTES, job_with())


def test_an_order_agrees_with_itself_and_not_with_its_reverse():
    same, chance = agreement_of(range(7), range(7))
    reverse, _ = agreement_of(range(7), range(7)[::-1])
    assert (same["number"], reverse["number"]) == pytest.approx((1, -1))
    # Of the 5,040 orders one is the same and one the reverse.
    assert same["p_value"] == reverse["p_value"] == pytest.approx(2 / 5040)
    assert same["n"] == 7
    # Tables of Spearman's rho for seven pairs: .786 is exceeded with a probability of .025.
    assert chance == pytest.approx(0.786, abs=0.05)
    assert (same["draws"] > chance).mean() > 0.99
    assert (same["null"] > chance).mean() < 0.06
    assert abs(same["null"].mean()) < 0.1


def test_where_attributes_are_alike_no_draw_is_sure():
    result, chance = agreement_of(np.arange(7) / 100, np.arange(7) / 100, sd=1)
    assert 0.005 < (result["draws"] > chance).mean() < 0.2
    low, high = result["interval"]
    assert low < 0 < high


def metrics_of(order) -> pd.DataFrame:
    """Two metrics of seven attributes, with two samples and two deals each."""
    rows = [
        {
            "task": "binary", "attribute": attribute, "metric": metric, "version": "published",
            "class_": "positive", "group": "", "value": x, "null_mean": 0.5, "p_value": 1.0,
            "sampled": np.array([x - 0.01, x + 0.01]), "dealt": np.array([0.4, 0.6]),
        }
        for attribute, x in zip(ATTRIBUTES, order, strict=True)
        for metric in ("AvgGF", "CFGap")
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_the_cells_of_two_encoders():
    inputs = {metrics.METRICS_EVIDENCE: metrics_of([1, 2, 3, 4, 5, 6, 7])}
    inputs[f"{metrics.METRICS_EVIDENCE}_second"] = metrics_of([2, 1, 6, 8, 10, 12, 14])
    found = cells(summarised(figure1.summarise_encoders, inputs))
    assert found["c", "first@binary"]["value"] == pytest.approx(3 / 7)
    assert found["c", "second_above@binary"]["value"] == pytest.approx(5.5 / 14)
    # Two neighbours are exchanged: 1 - 6 * 2 / (7 * 48).
    assert found["order", "rho@binary"]["value"] == pytest.approx(1 - 12 / 336)
    assert found["order", "rho_above@binary"]["value"] == pytest.approx(1 - 12 / 336)
    assert len(found) == 4 * 7 + 3
    assert summarised(figure1.summarise_encoders, {}) == []


def test_a_second_encoder_is_asked_as_the_first(model, tweets):
    """The same model in both roles says the same."""
    job = job_of(model, tweets)
    inputs = dict(job.files) | {"fairness_second_encoder": [model]}
    del inputs[models.ENCODER], inputs[models.FEATURES]
    other = job_with(inputs, **SETTINGS)
    other.files[f"{models.FEATURES}_second"] = [measure(other)]
    for classify in (models.measure_binary, models.measure_three):
        pd.testing.assert_frame_equal(classify(job), classify(other))
