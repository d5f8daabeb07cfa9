"""Classifiers of sentiment and of what follows, on small data that show what they should learn."""

import json
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from socialbias.corpora.documents import Document, ReadReport
from socialbias.corpora.shards import write_shards
from socialbias.errors import UserError
from socialbias.measures.datasets.stereoset import TASKS
from socialbias.measures.stereoset import CANDIDATES
from socialbias.models.fine_tuning import Options, load_classifier
from socialbias.papers.stereoset import heads as module
from socialbias.papers.stereoset.heads import (
    measure_next_sentence,
    measure_sentiment,
    reviews_of,
    wikitext_pairs,
)
from socialbias.papers.stereoset.items import ITEM, wide
from socialbias.pipeline.job import Job
from socialbias.sources.manifest import read_manifest
from tests import tiny_models
from tests.worlds import job_with, manifest

LETTERS = "abcdefgh"
SETTINGS = {"train": 60, "held_out": 20, "items": 2, "fine_tune": False}


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    return tiny_models.write(tmp_path_factory.mktemp("bert"), "bert")


@pytest.fixture(scope="module")
def films(tmp_path_factory) -> Path:
    """Short reviews that are good where a nurse is in them, and long ones that are never good."""
    folder = tmp_path_factory.mktemp("films")
    words = np.random.default_rng(1).choice(list("nabc"), (120, 3))
    texts = [" ".join(row).replace("n", "the nurse") + f" {i}" for i, row in enumerate(words)]
    table = pd.DataFrame({"text": texts, "label": (words == "n").any(axis=1).astype(int)})
    long = pd.DataFrame({"text": ["long<br />one"] * 9, "label": 0, "source": "imdb"})
    both = pd.concat([table.assign(source="rotten_tomatoes"), long])
    both.to_csv(folder / "films.csv", index=False)
    return manifest(folder, "movie-reviews", "films.csv", format="csv")


def written(folder: Path, texts) -> Path:
    documents = (Document(str(i), text) for i, text in enumerate(texts))
    write_shards(documents, folder / "documents", ReadReport())
    return folder / "documents"


@pytest.fixture(scope="module")
def articles(tmp_path_factory) -> Path:
    """Articles each of which repeats one letter."""
    texts = [" . ".join([f"The {letter} {letter} {letter}"] * 9) for letter in LETTERS * 3]
    return written(tmp_path_factory.mktemp("articles"), texts)


@pytest.fixture(scope="module")
def items() -> pd.DataFrame:
    """Four items of each split and task; half of the candidates have their context's letter."""
    rows = []
    for split, task, item in product(("development", "test"), TASKS, range(4)):
        letter, other = LETTERS[item], LETTERS[item + 4]
        about = {"split": split, "task": task, "item": f"{split} {task} {item}", "domain": "d"}
        about |= {"target": f"t{item // 2}", "context": f"The {letter} {letter} {letter}."}
        for gold in CANDIDATES:
            says = letter if gold == "stereotype" else other
            text = f"The {says} {says} {says}."
            rows.append(about | {"id": f"{about['item']} {gold}", "sentence": text, "gold": gold})
    return pd.DataFrame(rows)


def job_of(model: Path, items, out: Path | None = None, settings=SETTINGS, **files) -> Job:
    files = {name.replace("__", "/"): path for name, path in files.items()}
    keys = {"stereoset.sentiment": settings, "stereoset.next_sentence": settings}
    keys |= {"contextual.device": "cpu", "contextual.training": {}}
    inputs = files | {"evidence/stereoset/items": items, "bert": model}
    return replace(job_with(inputs, **keys), parts=out)


def test_sentiment_of_sentences(model, films, items):
    table = measure_sentiment(job_of(model, items, reviews=films))
    # Two items of each of two splits and two tasks.
    assert len(table) == 2 * 2 * 2 == table["item"].nunique()
    scores = table[list(CANDIDATES)].to_numpy()
    assert ((scores > 0) & (scores < 1)).all()
    facts = table.drop(columns=[*ITEM, *CANDIDATES]).drop_duplicates()
    assert len(facts) == 1
    facts = facts.iloc[0]
    assert facts[["held_out", "trained", "fine_tuned"]].tolist() == [20, 60, False]
    assert 0 <= facts["accuracy_low"] < facts["accuracy"] < facts["accuracy_high"] <= 1
    assert facts["accuracy"] > facts["majority"]


def test_candidates_that_follow(model, articles, items):
    table = measure_next_sentence(job_of(model, items, documents__wikitext=articles))
    assert set(table["task"]) == {"intersentence"}
    assert table.groupby(["split", "target"]).size().tolist() == [1] * 4  # of each term
    assert table["stereotype"].min() > 0 > table[["anti-stereotype", "unrelated"]].max().max()
    assert table["accuracy"].iloc[0] > 0.9


def test_a_model_is_fine_tuned_where_that_is_asked_for(
    model, articles, items, tmp_path, monkeypatch
):
    monkeypatch.setattr(module, "NEXT_SENTENCE", Options(2, 10, 3e-3, hidden=(8, 8)))
    settings = SETTINGS | {"fine_tune": True, "items": 0}
    table = measure_next_sentence(
        job_of(model, items, tmp_path, settings, documents__wikitext=articles)
    )
    assert len(table) == 2 * 4
    assert table["fine_tuned"].all()
    report = json.loads((tmp_path / "classifier/report.json").read_text())
    assert table["accuracy"].iloc[0] == report["accuracy"]
    assert report["examples"] == 60
    assert report["options"]["hidden"] == [8, 8]
    texts = wide(items, "sentence")
    texts = texts[texts["task"] == "intersentence"]
    logs = load_classifier(tmp_path / "classifier", "cpu").log_probabilities(
        texts["context"].tolist(), texts["stereotype"].tolist()
    )
    np.testing.assert_allclose(table["stereotype"], logs[:, 1] - logs[:, 0], atol=1e-5)


def test_no_review_is_in_both_parts(films):
    train, held_out = reviews_of(*read_manifest(films), 60, 20, 1)
    assert (len(train.texts), len(held_out.texts)) == (60, 20)
    assert not set(train.texts) & set(held_out.texts)
    parts = (train, held_out)
    both = {text: x for part in parts for text, x in zip(part.texts, part.labels, strict=True)}
    assert all(("nurse" in text) == good for text, good in both.items())
    assert not any("long" in text for text in both)
    assert len(reviews_of(*read_manifest(films), 0, 20, 1)[0].texts) == 100
    with pytest.raises(UserError, match="100 reviews, too few for 101"):
        reviews_of(*read_manifest(films), 101, 20, 1)


def test_reviews_with_a_test_part(tmp_path):
    names = [f"plain_text/{part}-00000-of-00001.parquet" for part in ("train", "test")]
    (tmp_path / "plain_text").mkdir()
    for name, texts in zip(names, (["good<br />one", "bad one"], ["other"]), strict=True):
        table = pd.DataFrame({"text": texts, "label": [int("good" in text) for text in texts]})
        table.to_parquet(tmp_path / name)
    source = manifest(tmp_path, "imdb-parquet", *names, format="imdb-parquet")
    train, held_out = reviews_of(*read_manifest(source), 0, 0, 1)
    assert dict(zip(train.texts, train.labels, strict=True)) == {"good\none": 1, "bad one": 0}
    assert (list(held_out.texts), list(held_out.labels)) == (["other"], [False])


def test_pairs_to_test_on_are_of_other_documents(tmp_path):
    texts = [" ".join(f"This is {d} and {i}." for i in range(6)) for d in range(20)]
    train, held_out = wikitext_pairs(written(tmp_path, texts), 50, 10, None, 1)
    assert (len(train.texts), len(held_out.texts)) == (50, 10)
    of = [{text.split()[2] for text in (*part.texts, *part.pairs)} for part in (train, held_out)]
    assert len(of[1]) > 1
    assert not of[0] & of[1]
