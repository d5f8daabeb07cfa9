"""A small run that is written by hand, with one input, is described as a crate."""

import base64
import hashlib
import json
from dataclasses import replace

import pytest
from rocrate.rocrate import ROCrate

from socialbias.commands.audit.verify import verify
from socialbias.commands.maintenance.same_numbers import Difference
from socialbias.errors import UserError
from socialbias.reporting.crate import main, write_crate
from socialbias.reporting.record import SCOPE, last_run, read_record, write_record
from tests.worlds.runs import RUN_RECORD

WEIGHTS, PAGE = b"weights", b"<p>page</p>"
LICENCE = "MIT (package); none stated (vectors)"
SOURCES = """
- {id: bert-base-cased, title: BERT base, citation: Devlin et al. 2019, licence: Apache-2.0, format: hf-model,
   files: [{name: model.safetensors, sha256: SUM, locators: ["https://example.org/bert"]}]}
- {id: small-lm, title: A small model, citation: Nobody 2020, licence: MIT, format: gguf,
   stands_in_for: bert-base-cased, fidelity: substitute,
   files: [{name: model.gguf, sha256: SUM, locators: ["https://example.org/model.gguf"]}]}
"""  # noqa: E501
CITATION = """
title: Measures
license: MIT
authors: [{family-names: Lovelace, given-names: Ada}, {name: The weavers}]
"""


def sha256(content):
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def folder(tmp_path):
    """A finished run, with its crate."""
    folder, data = tmp_path / "results" / "hand", tmp_path / "data" / "mine"
    resources = tmp_path / "checkout" / "resources"
    for path in (folder / ".checked", data, resources):
        path.mkdir(parents=True)
    (resources / "sources.yaml").write_text(SOURCES.replace("SUM", sha256(WEIGHTS)))
    (resources.parent / "CITATION.cff").write_text(CITATION)
    (folder / "index.html").write_bytes(PAGE)
    (folder / ".checked" / "x.html").write_text("no output")
    (data / "model.gguf").write_bytes(WEIGHTS)
    file = {"path": "model.gguf", "bytes": 7, "sha256": sha256(WEIGHTS)}
    manifest = {"source": "mine", "title": "A small model", "format": "gguf", "files": [file]}
    manifest |= {"licence": LICENCE, "stands_in_for": "bert-base-cased"}
    (data / "manifest.json").write_text(json.dumps(manifest))
    record = replace(
        RUN_RECORD,
        config={"subjects": {"mine": {"source": "small-lm", "kind": "model"}}},
        inputs={"subject/mine": {"manifest": str(data / "manifest.json"), "fidelity": "own"}},
    )
    write_record(record, folder)
    first = write_crate(folder, resources.parent).read_bytes()
    assert write_crate(folder, resources.parent).read_bytes() == first
    return folder


@pytest.fixture
def crate(folder):
    """The entities of the crate, by id."""
    graph = json.loads((folder / "ro-crate-metadata.json").read_text("utf-8"))["@graph"]
    entities = {entity["@id"]: entity for entity in graph}
    assert len(entities) == len(graph)
    return entities


def referred(crate, values):
    """The entities that a property refers to."""
    values = values if isinstance(values, list) else [values]
    return [crate[one["@id"]] for one in values if isinstance(one, dict)]


def test_the_library_reads_the_crate_back(folder):
    read = ROCrate(folder)
    version = read.root_dataset["mentions"]["instrument"]["softwareVersion"]
    assert version == "socialbias 9, commit abc"
    files = {file.id: file for file in read.get_by_type("File") if not file.id.startswith("ni:")}
    assert {*files} == {"index.html", "run.json"}
    assert files["index.html"]["sha256"] == sha256(PAGE)
    assert files["index.html"]["contentSize"] == str(len(PAGE))


def test_every_input_has_checksum_licence_fidelity_and_what_it_stands_in_for(crate):
    digest = base64.urlsafe_b64encode(hashlib.sha256(WEIGHTS).digest()).decode().rstrip("=")
    file = crate[f"ni:///sha-256;{digest}"]
    assert file["sha256"] == sha256(WEIGHTS)
    assert file["contentUrl"] == ["https://example.org/model.gguf"]
    [source] = referred(crate, file["isPartOf"])
    [licence] = referred(crate, source["license"])
    assert licence["name"] == LICENCE
    facts = referred(crate, source["additionalProperty"])
    assert {fact["name"]: fact["value"] for fact in facts} == {
        "fidelity": "own",
        "roles": "subject/mine",
        "stands in for": "bert-base-cased: BERT base",
    }


def test_the_crate_names_run_machine_authors_and_licence(crate):
    for part in ("snakemake", "a loom", "commit abc", "seed 7"):
        assert part in crate["#run"]["description"]
    root = crate["./"]
    assert root["datePublished"] == "2030-01-02T03:04:05+00:00"
    authors = [author["name"] for author in referred(crate, root["author"])]
    assert authors == ["Ada Lovelace", "The weavers"]
    [licence] = referred(crate, root["license"])
    assert licence["@id"] == "https://spdx.org/licenses/MIT"


def test_a_run_is_verified_by_its_crate_and_by_its_evidence(folder, monkeypatch):
    numbers, pages = {"table4": [], "weat": []}, []
    module = "socialbias.commands.maintenance.same_numbers"
    monkeypatch.setattr(f"{module}.same_numbers", lambda folder: numbers)
    monkeypatch.setattr(f"{module}.same_pages", lambda folder: pages)
    result = verify(folder)
    assert result.problems == []
    assert SCOPE in str(result)
    (folder / "index.html").write_text("<p>another page</p>")
    (folder / "weat.html").write_text("<p>a further page</p>")
    numbers["weat"].append(Difference("value", "weat1, glove: 1.0 -> 1.5"))
    pages.append("claims.csv: is not what the values give")
    assert verify(folder).problems == [
        "index.html: was changed later",
        "weat.html: was added later",
        "weat: weat1, glove: 1.0 -> 1.5",
        "claims.csv: is not what the values give",
    ]
    with pytest.raises(UserError, match="is a run, without --subject and --redo"):
        verify(folder, redo=1)
    (folder / "ro-crate-metadata.json").unlink()
    with pytest.raises(UserError, match="run `make crate RUN_FOLDER="):
        verify(folder)


def test_the_last_run_is_described_and_none_is_one_line(folder, tmp_path, capsys):
    assert last_run(folder.parent) == folder
    assert read_record(folder).run == "mine"
    with pytest.raises(UserError, match="no finished run"):
        last_run(tmp_path / "nothing")
    assert main([str(tmp_path / "nothing")]) == 1
    assert "make quickstart" in capsys.readouterr().err
