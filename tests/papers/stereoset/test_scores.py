"""Scores by a model: which rows, by which schemes, and a killed job that goes on."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from socialbias.errors import UserError
from socialbias.measures.stereoset import CANDIDATES
from socialbias.papers.stereoset import scores as module
from socialbias.papers.stereoset.scores import measure
from tests import tiny_models
from tests.worlds import job_with, manifest

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
    for split, (place, text) in product(("development", "test"), enumerate(TEXTS)):
        task, target, context, given = text
        about = {"split": split, "task": task, "item": f"{split} {place}", "target": target}
        for gold, filled in zip(CANDIDATES, given, strict=True):
            within = task == "intrasentence"
            rows.append(
                about
                | {"domain": "d", "context": context, "id": f"{split} {place} {gold}"}
                | {"sentence": context.replace("BLANK", filled) if within else filled}
                | {"gold": gold, "attribute": filled if within else ""}
            )
    return pd.DataFrame(rows)


@pytest.fixture(scope="module")
def models(tmp_path_factory) -> dict[str, Path]:
    """Folders of tiny models, and pairs."""
    folder = tmp_path_factory.mktemp("models")
    for name, head in (("gpt2", "causal"), ("bert", "masked")):
        tiny_models.write(folder / name, name, head)
    pairs = pd.DataFrame({"sent_more": ["He hit.", "A liar."], "sent_less": ["He ate.", "A nun."]})
    fields = {"stereo_antistereo": "stereo", "bias_type": "gender", "annotations": "[]"}
    pairs.assign(**fields, anon_writer="a", anon_annotators="[]").to_csv(folder / "pairs.csv")
    crows = manifest(folder, "crows", "pairs.csv")
    return {"gpt2": folder / "gpt2", "bert": folder / "bert", "crows": crows}


def job(models, role, model, items=None, **others):
    """A job of one model; `others` are settings (their names have a dot) or fields of the job."""
    settings = {name: others.pop(name) for name in [*others] if "." in name}
    items = sentences() if items is None else items
    inputs = {
        role: models[model],
        "evidence/stereoset/items": items,
        "crows_pairs": models["crows"],
    }
    return replace(job_with(inputs, **SETTINGS | settings), **others)


def counted(table):
    return table.groupby(["scheme", "task"]).size().to_dict()


def test_a_causal_model_of_ones_own_is_in_both_tables(models):
    lines = []
    table = measure(job(models, "subject/mine", "gpt2", say=lines.append))
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
    assert lines[-1].startswith("mine: ")
    assert "scored again, alone" in lines[-1]


def test_models_of_the_papers_have_the_schemes_of_their_tables(models):
    table = measure(job(models, "gpt2_small", "gpt2"))
    assert set(table["row"]) == {"gpt2"}
    assert ("likelihood", "intersentence") not in counted(table)  # of the papers' own
    assert counted(table)["pseudo-likelihood", "intersentence"] == 2
    table = measure(job(models, "bert_base", "bert"))
    assert set(table["row"]) == {"bert-base"}
    within = table[table["task"] == "intrasentence"]
    assert set(within["scheme"]) == {"likelihood", "corrected", "pseudo-likelihood"}
    assert np.isfinite(within[list(CANDIDATES)]).all(axis=None)


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
        measure(job(models, "subject/mine", "gpt2", parts=tmp_path / "parts"))
    done = sorted(path.name for path in (tmp_path / "parts").glob("*.parquet"))
    assert len(done) == 3

    def noted(*arguments):
        calls.append(1)
        return score(*arguments)

    monkeypatch.setattr(module, "score", noted)
    again = measure(job(models, "subject/mine", "gpt2", parts=tmp_path / "parts"))
    assert len(calls) == 6  # two items of each task and two pairs, each once
    pd.testing.assert_frame_equal(again, whole)


def test_what_a_process_cannot_score_is_told_in_the_line_of_the_job(models, monkeypatch):
    monkeypatch.setattr(module, "PART", 1)
    table = sentences()
    table.loc[table["item"] == "development 3", "sentence"] = "He wept and wept and wept and wept."
    scoring = job(models, "subject/mine", "gpt2", table, cores=2)
    with pytest.raises(UserError, match="pieces and the model takes 24") as caught:
        measure(scoring)
    assert "\n" not in str(caught.value)


def test_a_split_without_items_is_told_in_one_line(models):
    table = sentences().query("split == 'development'")
    scoring = job(models, "gpt2_small", "gpt2", table, **{"stereoset.splits": ["test"]})
    del scoring.files["crows_pairs"]
    with pytest.raises(UserError, match=r"no items of test that gpt2 scores: .*stereoset_test"):
        measure(scoring)
