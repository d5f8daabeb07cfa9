"""Scores by a model: which rows, by which schemes, and a killed job that goes on."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from socialbias.errors import UserError
from socialbias.measures.stereoset import CANDIDATES
from socialbias.papers.stereoset import scores as module
from socialbias.papers.stereoset.scores import measure, row_of
from socialbias.pipeline.job import Job, joined
from tests import tiny_models
from tests.paths import REPOSITORY
from tests.waiting import is_running, until

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
    fields = {"stereo_antistereo": "stereo", "bias_type": "gender", "annotations": "[]"}
    pairs.assign(**fields, anon_writer="a", anon_annotators="[]").to_csv(folder / "pairs.csv")
    manifest = {"source": "crows", "files": [{"path": "pairs.csv"}]}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return {name: folder / name for name in ("gpt2", "bert")} | {
        "items": folder / "items.parquet",
        "crows": folder / "manifest.json",
    }


def job(models, role, model, parts=None, say=print, cores=1, **settings):
    files = {role: [models[model]], "evidence/stereoset/items": [models["items"]]}
    files["crows_pairs"] = [models["crows"]]
    return Job(files, SETTINGS | settings, say, parts=parts, cores=cores)


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


@pytest.mark.long  # scores eight times
@pytest.mark.parametrize(("role", "model"), [("subject/mine", "gpt2"), ("bert_base", "bert")])
def test_scores_are_the_same_bytes_in_any_number_of_jobs(
    models, tmp_path, monkeypatch, role, model
):
    monkeypatch.setattr(module, "PART", 1)
    every = {"stereoset.intra_items": 0, "stereoset.splits": ["development", "test"]}
    result = set()
    for jobs, threads in ((1, 1), (2, 2), (5, 1), (13, 1)):  # of the last ones some have nothing
        before = torch.get_num_threads()
        torch.set_num_threads(threads)
        one = job(models, role, model, **every)
        tables = [measure(replace(one, share=(i, jobs))) for i in range(jobs)]
        torch.set_num_threads(before)
        joined(tables).to_parquet(tmp_path / "scores.parquet")
        result.add((tmp_path / "scores.parquet").read_bytes())
    [whole] = result
    assert whole


def test_what_a_process_cannot_score_is_told_in_the_line_of_the_job(models, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "PART", 1)
    table = sentences()
    table.loc[table["item"] == "development 3", "sentence"] = "He wept and wept and wept and wept."
    table.to_parquet(tmp_path / "items.parquet")
    scoring = job(models | {"items": tmp_path / "items.parquet"}, "subject/mine", "gpt2", cores=2)
    with pytest.raises(UserError, match="pieces and the model takes 24") as caught:
        measure(scoring)
    assert "\n" not in str(caught.value)


KILLED = """
import os, sys, time
from pathlib import Path
from socialbias.papers.stereoset import scores
from tests.papers.stereoset import test_scores as tests
folder, parts = map(Path, sys.argv[1:])
score, scores.PART = scores.score, 1
def slow(scorer, items, schemes):
    if len(list(parts.glob("*.parquet"))) >= 2:
        os.write(1, f"{os.getpid()}\\n".encode())  # in one piece, whoever else writes
        time.sleep(3600)
    return score(scorer, items, schemes)
scores.score = slow
models = {n: folder / n for n in ("gpt2", "bert")}
models |= {"items": folder / "items.parquet", "crows": folder / "manifest.json"}
scores.measure(tests.job(models, "subject/mine", "gpt2", parts, lambda _: None, cores=2))
"""


@pytest.mark.long  # 12 s
def test_a_job_that_is_killed_with_its_processes_goes_on_where_they_were(
    models, tmp_path, monkeypatch
):
    folder, parts = models["items"].parent, tmp_path / "parts"
    command = [sys.executable, "-c", KILLED, folder, parts]
    killed = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=REPOSITORY)
    workers = [int(killed.stdout.readline()) for _ in range(2)]
    assert killed.pid not in workers
    killed.kill()
    killed.wait()
    killed.stdout.close()
    until(lambda: not any(map(is_running, workers)))
    done = {path: path.stat().st_mtime_ns for path in parts.glob("*.parquet")}
    assert 2 <= len(done) < 6

    monkeypatch.setattr(module, "PART", 1)
    again = measure(job(models, "subject/mine", "gpt2", parts, cores=2))
    assert {path: path.stat().st_mtime_ns for path in done} == done
    assert len(list(parts.glob("*.parquet"))) == 6  # two items of each task and two pairs
    assert not [path for path in parts.rglob("*") if path.name.endswith(".part")]
    pd.testing.assert_frame_equal(again, measure(job(models, "subject/mine", "gpt2")))


@pytest.mark.parametrize(
    ("role", "row"),
    [("gpt2_small", "gpt2"), ("bert_large", "bert-large"), ("subject/my.own-1", "my.own-1")],
)
def test_row_of_a_role(role, row):
    assert row_of(role) == row


def test_a_split_without_items_is_told_in_one_line(models, tmp_path):
    table = sentences()
    table[table["split"] == "development"].to_parquet(tmp_path / "items.parquet")
    scoring = job(models | {"items": tmp_path / "items.parquet"}, "gpt2_small", "gpt2",
                **{"stereoset.splits": ["test"]})  # fmt: skip
    del scoring.files["crows_pairs"]
    with pytest.raises(UserError, match=r"no items of test that gpt2 scores: .*stereoset_test"):
        measure(scoring)
