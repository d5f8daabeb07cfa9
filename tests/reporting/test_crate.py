"""A small run that is written by hand is handed on: two models, three scores, one input each."""

import base64
import hashlib
import json
import shutil
import subprocess
from dataclasses import replace

import pandas as pd
import pytest
from rocrate.rocrate import ROCrate

from socialbias.commands.audit.verify import verify
from socialbias.commands.maintenance.same_numbers import Difference
from socialbias.errors import UserError
from socialbias.reporting.hand_on import hand_on, main
from socialbias.reporting.record import (
    SCOPE,
    last_run,
    read_record,
    write_record,
)
from tests.worlds.runs import RUN_RECORD

WEIGHTS = b"weights"
SOURCES = """
- id: bert-base-cased
  title: BERT base
  citation: Devlin et al. 2019
  licence: Apache-2.0
  format: hf-model
  files:
    - name: model.safetensors
      sha256: {sha}
      locators: ["hf://google-bert/bert-base-cased@abc/model.safetensors"]
- id: small-lm
  title: A small model
  citation: Nobody 2020
  licence: MIT (package); none stated (vectors)
  format: gguf
  stands_in_for: bert-base-cased
  fidelity: substitute
  files:
    - name: model.gguf
      sha256: {sha}
      locators: ["https://example.org/model.gguf"]
"""
CITATION = """
title: Measures
license: MIT
authors: [{family-names: Lovelace, given-names: Ada}, {name: The weavers}]
"""


def cell(artefact, row, column, value, **others):
    """One row of `all.parquet`."""
    empty = dict.fromkeys(("ci_low", "ci_high", "p_value", "q_value", "n", "n_of", "reliability"))
    texts = {"n_unit": "terms", "fidelity": "own", "sources": "mine", "verdict": "not judged"}
    texts |= {"printed": "", "detail": "", "caution": "", "counted": 0}
    paper, _, name = artefact.partition("_")
    place = {"paper": paper, "artefact": name, "row": row, "column": column, "value": value}
    return {**empty, "detectable": None, **texts, **place, **others}


CELLS = [
    cell("stereoset_table4", "mine", "ss@development", 75.0, ci_low=60.0, ci_high=90.0, n=2.0),
    cell("stereoset_table4", "mine", "ss@test", None, verdict="no input"),
    cell(
        "stereoset_table4",
        "random",
        "ss@development",
        50.0,
        sources="data",
        fidelity="exact",
        verdict="equal",
        counted=1,
    ),
    cell(
        "stereoset_table4",
        "bert-base",
        "ss@development",
        58.0,
        sources="released",
        fidelity="subset",
        counted=1,
    ),
    cell("stereoset_crows_pairs", "mine", "all", 60.5, sources="data;mine"),
    cell("stereoset_table1", "mine", "items", 3.0),
]


@pytest.fixture
def checkout(tmp_path):
    """A checkout with two sources."""
    resources = tmp_path / "checkout" / "resources"
    resources.mkdir(parents=True)
    sha = hashlib.sha256(WEIGHTS).hexdigest()
    (resources / "sources.yaml").write_text(SOURCES.format(sha=sha))
    (resources.parent / "CITATION.cff").write_text(CITATION)
    return resources.parent


@pytest.fixture
def folder(tmp_path):
    """A finished run."""
    folder, data = tmp_path / "results" / "hand", tmp_path / "data" / "mine"
    for path in (folder, data):
        path.mkdir(parents=True)
    pd.DataFrame(CELLS).astype({"value": float}).to_parquet(folder / "all.parquet")
    (folder / "claims.csv").write_text("id,verdict\na,holds\nb,holds\nc,fails\nd,by definition\n")
    (folder / "index.html").write_text("<p>page</p>")
    (folder / ".checked").mkdir()
    (folder / ".checked" / "x.html").write_text("no output")
    (data / "model.gguf").write_bytes(WEIGHTS)
    file = {"path": "model.gguf", "bytes": 7, "sha256": hashlib.sha256(WEIGHTS).hexdigest()}
    manifest = {"source": "mine", "title": "A small model", "format": "gguf", "files": [file]}
    manifest |= {"licence": "MIT (package); none stated (vectors)"}
    manifest |= {"stands_in_for": "bert-base-cased"}
    (data / "manifest.json").write_text(json.dumps(manifest))
    record = replace(
        RUN_RECORD,
        config={"subjects": {"mine": {"source": "small-lm", "kind": "model"}}},
        inputs={"subject/mine": {"manifest": str(data / "manifest.json"), "fidelity": "own"}},
        models={"mine": "mine", "bert-base": "bert-base-cased"},
    )
    write_record(record, folder)
    return folder


@pytest.fixture
def handed(folder, checkout):
    """The run, handed on."""
    hand_on(folder, checkout)
    return folder


def results_of(folder):
    """By benchmark and model, what Every Eval Ever's file says."""
    paths = (folder / "handed_on" / "every_eval_ever" / "data").rglob("*.json")
    return {(p.parts[-4], *p.parts[-3:-1]): json.loads(p.read_text("utf-8")) for p in paths}


def test_every_score_of_a_model_is_handed_on_and_no_control(handed):
    found = {
        key: [result["evaluation_result_id"] for result in log["evaluation_results"]]
        for key, log in results_of(handed).items()
    }
    assert found == {
        ("stereoset", "local", "small-lm"): ["stereoset_table4.mine.ss@development"],
        ("stereoset", "google-bert", "bert-base-cased"): [
            "stereoset_table4.bert-base.ss@development"
        ],
        ("crows-pairs", "local", "small-lm"): ["stereoset_crows_pairs.mine.all"],
    }


def test_a_score_has_its_interval_and_what_it_is_read_with(handed):
    logs = results_of(handed)
    [result] = logs["stereoset", "local", "small-lm"]["evaluation_results"]
    details = result["score_details"]
    assert details["score"] == 75.0
    interval = details["uncertainty"]["confidence_interval"]
    assert (interval["lower"], interval["upper"], interval["confidence_level"]) == (60, 90, 0.95)
    assert result["evaluation_name"] == "stereoset, likelihood, development"
    assert result["metric_config"]["evaluation_description"].startswith("best 50,")
    assert (details["details"]["fidelity"], details["details"]["scored_by"]) == ("own", "this run")
    [pairs] = logs["crows-pairs", "local", "small-lm"]["evaluation_results"]
    assert "uncertainty" not in pairs["score_details"]  # the cell has no interval
    [released] = logs["stereoset", "google-bert", "bert-base-cased"]["evaluation_results"]
    assert "authors" in released["score_details"]["details"]["scored_by"]


def test_the_same_run_gives_the_same_bytes(folder, checkout):
    def written():
        hand_on(folder, checkout)
        paths = (path for path in folder.rglob("*") if path.is_file())
        return {path: path.read_bytes() for path in paths}

    assert written() == written()
    pd.DataFrame(CELLS[-1:]).to_parquet(folder / "all.parquet")
    assert hand_on(folder, checkout)[0].startswith("Every Eval Ever: 0 files")


@pytest.mark.skipif(shutil.which("every_eval_ever") is None, reason="no every_eval_ever here")
def test_the_validator_of_every_eval_ever_passes_every_file(handed):
    place = handed / "handed_on" / "every_eval_ever"
    files = [str(p.relative_to(place)) for p in (place / "data").rglob("*") if p.is_file()]
    command = ["every_eval_ever", "validate", *files]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert f"{len(files)} passed, 0 warning-only" in done.stdout


@pytest.fixture
def crate(handed):
    """The entities of the crate, by id."""
    metadata = json.loads((handed / "ro-crate-metadata.json").read_text("utf-8"))
    graph = metadata["@graph"]
    entities = {entity["@id"]: entity for entity in graph}
    assert len(entities) == len(graph)
    return entities


def referred(value):
    """The ids that a property refers to."""
    values = value if isinstance(value, list) else [value]
    return [one["@id"] for one in values if isinstance(one, dict)]


def test_the_library_reads_the_crate_back(handed):
    read = ROCrate(handed)
    version = read.root_dataset["mentions"]["instrument"]["softwareVersion"]
    assert version == "socialbias 9, commit abc"
    [page] = [file for file in read.get_by_type("File") if file.id == "index.html"]
    assert page["sha256"] == hashlib.sha256(b"<p>page</p>").hexdigest()


def test_every_file_of_the_crate_is_there_with_its_checksum(crate, handed):
    files = [crate[name] for name in referred(crate["./"]["hasPart"])]
    assert files
    for file in files:
        path = handed / file["@id"]
        if not file["@id"].startswith("ni:"):
            assert file["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
            assert file["contentSize"] == str(path.stat().st_size)
    names = {file["@id"] for file in files}
    assert {"index.html", "all.parquet", "run.json"} <= names
    assert not any(".checked" in name for name in names)


def test_a_run_is_verified_by_its_crate_and_by_its_evidence(handed, monkeypatch):
    told, pages = {"table4": [], "weat": []}, []
    monkeypatch.setattr(
        "socialbias.commands.maintenance.same_numbers.same_numbers", lambda folder: told
    )
    monkeypatch.setattr(
        "socialbias.commands.maintenance.same_numbers.same_pages", lambda folder: pages
    )
    result = verify(handed)
    assert result.problems == []
    assert SCOPE in str(result)
    (handed / "index.html").write_text("<p>another page</p>")
    (handed / "weat.html").write_text("<p>a further page</p>")
    told["weat"].append(Difference("value", "weat1, glove: 1.0 -> 1.5"))
    pages.append("claims.csv: is not what the values give")
    assert verify(handed).problems == [
        "index.html: was changed later",
        "weat.html: was added later",
        "weat: weat1, glove: 1.0 -> 1.5",
        "claims.csv: is not what the values give",
    ]
    with pytest.raises(UserError, match="is a run, without --subject and --redo"):
        verify(handed, redo=1)
    (handed / "ro-crate-metadata.json").unlink()
    with pytest.raises(UserError, match="run `make crate RUN_FOLDER="):
        verify(handed)


def test_every_input_has_checksum_licence_fidelity_and_what_it_stands_in_for(crate):
    digest = base64.urlsafe_b64encode(hashlib.sha256(WEIGHTS).digest()).decode().rstrip("=")
    file = crate[f"ni:///sha-256;{digest}"]
    assert file["sha256"] == hashlib.sha256(WEIGHTS).hexdigest()
    assert file["contentUrl"] == ["https://example.org/model.gguf"]
    source = crate[file["isPartOf"]["@id"]]
    [licence] = referred(source["license"])
    assert crate[licence]["name"] == "MIT (package); none stated (vectors)"
    said = {
        crate[name]["name"]: crate[name]["value"] for name in referred(source["additionalProperty"])
    }
    assert said == {
        "fidelity": "own",
        "roles": "subject/mine",
        "stands in for": "bert-base-cased: BERT base",
    }


def test_the_crate_names_run_machine_authors_licence_and_verdicts(crate):
    action = crate["#run"]
    for said in ("snakemake", "a loom", "commit abc", "seed 7"):
        assert said in action["description"]
    root = crate["./"]
    assert root["datePublished"] == "2030-01-02T03:04:05+00:00"
    authors = [crate[name]["name"] for name in referred(root["author"])]
    assert authors == ["Ada Lovelace", "The weavers"]
    assert referred(root["license"]) == ["https://spdx.org/licenses/MIT"]
    verdicts = [crate[name] for name in referred(root["additionalProperty"])]
    counts = {verdict["name"]: verdict["value"] for verdict in verdicts}
    assert counts == {
        "numbers: equal": 1,
        "numbers: on a part": 1,
        "claims: holds": 2,
        "claims: fails": 1,
        "claims: by definition": 1,
    }


def test_the_last_run_is_handed_on_and_none_is_one_line(folder, tmp_path, capsys):
    assert last_run(folder.parent) == folder
    assert read_record(folder).run == "mine"
    with pytest.raises(UserError, match="no finished run"):
        last_run(tmp_path / "nothing")
    assert main([str(tmp_path / "nothing")]) == 1
    assert "make quickstart" in capsys.readouterr().err
