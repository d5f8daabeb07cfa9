"""Scores by a model: which rows, by which schemes, and a killed job that goes on."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from socialbias.errors import UserError
from socialbias.measures.stereoset import CANDIDATES
from socialbias.papers.stereoset import scores as module
from socialbias.papers.stereoset.scores import measure, row_of
from socialbias.pipeline.job import Job
from tests import tiny_models

# Short: a letter is a piece, of which the tiny models take 24.
TEXTS = [
    ("intrasentence", "man", "A BLANK man.", ("rude", "kind", "blue")),
    ("intrasentence", "man", "The man is BLANK.", ("bad", "shy", "wet")),
    ("intrasentence", "nun", "A BLANK nun.", ("shy", "bad", "red")),
    ("intersentence", "man", "A man.", ("He hit.", "He wept.", "Ice.")),
    ("intersentence", "nun", "A nun.", ("A saint.", "A liar.", "Oil.")),
]
SETTINGS = {
    "contextual.device": "cpu",
    "contextual.tokens_per_batch": 256,
    "stereoset.splits": ["development"],
    "stereoset.intra_items": 2,
    "stereoset.inter_items": 0,
    "stereoset.pairs": 0,
    "seed": 1,
}


def sentences():
    """Every candidate of these items in both splits."""
    rows = []
    for split in ("development", "test"):
        for place, (task, target, context, given) in enumerate(TEXTS):
            for gold, text in zip(CANDIDATES, given, strict=True):
                within = task == "intrasentence"
                rows.append(
                    {"split": split, "task": task, "item": f"{split} {place}", "target": target}
                    | {"domain": "d", "context": context, "id": f"{split} {place} {gold}"}
                    | {"sentence": context.replace("BLANK", text) if within else text}
                    | {"gold": gold, "attribute": text if within else ""}
                )
    return pd.DataFrame(rows)


@pytest.fixture(scope="module")
def models(tmp_path_factory) -> dict[str, Path]:
    """Folders of tiny models, the items and pairs."""
    folder = tmp_path_factory.mktemp("models")
    for name, head in (("gpt2", "causal"), ("bert", "masked")):
        tiny_models.write(folder / name, name, head)
    sentences().to_parquet(folder / "items.parquet")
    pairs = pd.DataFrame({"sent_more": ["He hit.", "A liar."], "sent_less": ["He ate.", "A nun."]})
    about = {"stereo_antistereo": "stereo", "bias_type": "gender", "annotations": "[]"}
    pairs.assign(**about, anon_writer="a", anon_annotators="[]").to_csv(folder / "pairs.csv")
    manifest = {"source": "crows", "files": [{"path": "pairs.csv"}]}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return {name: folder / name for name in ("gpt2", "bert")} | {
        "items": folder / "items.parquet",
        "crows": folder / "manifest.json",
    }


def job(models, role, model, parts=None, say=print, **settings):
    files = {role: [models[model]], "evidence/stereoset/items": [models["items"]]}
    files["crows_pairs"] = [models["crows"]]
    return Job(files, {}, SETTINGS | settings, say, parts=parts)


def counted(table):
    return table.groupby(["scheme", "task"]).size().to_dict()


def test_a_causal_model_of_ones_own_is_in_both_tables(models):
    said = []
    table = measure(job(models, "subject/mine", "gpt2", say=said.append))
    assert counted(table) == {
        ("likelihood", "intrasentence"): 2,  # an item of each term
        ("pseudo-likelihood", "intrasentence"): 2,
        ("likelihood", "intersentence"): 2,
        ("pseudo-likelihood", "intersentence"): 2,
        ("pseudo-likelihood", "crows-pairs"): 2,
    }
    assert (set(table["row"]), set(table["split"])) == ({"mine"}, {"development", "crows-pairs"})
    of_pairs = table["task"] == "crows-pairs"
    assert np.isfinite(table.loc[~of_pairs, list(CANDIDATES)]).all(axis=None)
    assert np.isfinite(table.loc[of_pairs, list(CANDIDATES[:2])]).all(axis=None)
    assert table.loc[of_pairs, "unrelated"].isna().all()
    assert said[-1].startswith("mine: ")
    assert "scored again, alone" in said[-1]


def test_a_causal_model_of_the_papers_has_no_likelihood_of_what_follows(models):
    table = measure(job(models, "gpt2_small", "gpt2"))
    assert set(table["row"]) == {"gpt2"}
    assert ("likelihood", "intersentence") not in counted(table)
    assert counted(table)["pseudo-likelihood", "intersentence"] == 2


def test_a_masked_model_has_three_schemes_within_a_sentence(models):
    table = measure(job(models, "bert_base", "bert"))
    assert set(table["row"]) == {"bert-base"}
    within = table[table["task"] == "intrasentence"]
    assert set(within["scheme"]) == {"likelihood", "corrected", "pseudo-likelihood"}
    assert np.isfinite(within[list(CANDIDATES)]).all(axis=None)


def test_items_of_both_splits_where_both_are_asked_for(models):
    both = {"stereoset.splits": ["development", "test"], "stereoset.intra_items": 0}
    table = measure(job(models, "subject/mine", "gpt2", **both))
    assert counted(table)["likelihood", "intrasentence"] == 6
    by_split = table[table["task"] == "intersentence"].groupby("split").size()
    assert by_split.to_dict() == {"development": 4, "test": 4}


def test_a_killed_job_goes_on_where_it_was_to_the_same_scores(models, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "PART", 1)
    whole = measure(job(models, "subject/mine", "gpt2"))
    score, calls = module.score, []

    def killed(*arguments):
        if len(calls) == 3:
            raise KeyboardInterrupt
        calls.append(1)
        return score(*arguments)

    monkeypatch.setattr(module, "score", killed)
    with pytest.raises(KeyboardInterrupt):
        measure(job(models, "subject/mine", "gpt2", tmp_path / "parts"))
    done = sorted(path.name for path in (tmp_path / "parts").glob("*.parquet"))
    assert len(done) == 3

    def noted(*arguments):
        calls.append(1)
        return score(*arguments)

    monkeypatch.setattr(module, "score", noted)
    again = measure(job(models, "subject/mine", "gpt2", tmp_path / "parts"))
    assert len(calls) == 6  # two items of each task and two pairs, each once
    pd.testing.assert_frame_equal(again, whole)


@pytest.mark.parametrize(
    ("role", "row"),
    [("gpt2_small", "gpt2"), ("bert_large", "bert-large"), ("subject/my.own-1", "my.own-1")],
)
def test_row_of_a_role(role, row):
    assert row_of(role) == row


def test_a_split_without_items_is_told_in_one_line(models, tmp_path):
    table = sentences()
    table[table["split"] == "development"].to_parquet(tmp_path / "items.parquet")
    asked = job(models | {"items": tmp_path / "items.parquet"}, "gpt2_small", "gpt2",
                **{"stereoset.splits": ["test"]})  # fmt: skip
    del asked.files["crows_pairs"]
    with pytest.raises(UserError, match=r"no items of test that gpt2 scores: .*stereoset_test"):
        measure(asked)
