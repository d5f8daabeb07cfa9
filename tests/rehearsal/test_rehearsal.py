"""The parts of the rehearsal that a test can look at without running it."""

import zipfile

import pandas as pd
import pytest
import requests

from socialbias.corpora.documents import ReadReport
from socialbias.corpora.readers import READERS
from socialbias.reporting.values import NO_INPUT, TOO_SPARSE
from socialbias.sources.contents import counted
from socialbias.sources.registry import Source, load_registry
from tests.paths import RESOURCES
from tests.rehearsal import checks, generate
from tests.rehearsal.hosts import Hosts
from tests.rehearsal.texts import Words


def test_every_source_that_the_runs_bind_has_a_generator():
    assert set(generate.bound_sources()) == set(generate.GENERATORS)


def source(name: str, *locators: str) -> Source:
    file = {"name": "a.csv", "sha256": "unknown", "locators": list(locators)}
    return Source(id=name, title="A", citation="B", licence="C", files=[file])


def test_hosts_answer_for_their_addresses_over_tls(tmp_path, monkeypatch):
    (tmp_path / "one").mkdir()
    (tmp_path / "one/a.csv").write_bytes(b"a,b\n")
    demo = source("one", "https://data.example.org/x/a.csv", "pypi://demo==1.0/demo/a.csv")
    hosts = Hosts(tmp_path)
    hosts.publish({"one": demo}, tmp_path)
    with hosts:
        for name, value in hosts.environment.items():
            monkeypatch.setenv(name, value)
        assert requests.get("https://data.example.org/x/a.csv", timeout=60).content == b"a,b\n"
        assert requests.get("https://data.example.org/y", timeout=60).status_code == 404
        page = requests.get("https://packages.invalid/simple/demo/", timeout=60).json()
        wheel = requests.get(page["files"][0]["url"], timeout=60).content
    (tmp_path / "demo.whl").write_bytes(wheel)
    assert "demo/a.csv" in zipfile.ZipFile(tmp_path / "demo.whl").namelist()


def found(*cells: tuple) -> pd.DataFrame:
    return pd.DataFrame(cells, columns=["target", "row", "column", "fidelity", "note"])


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """One reason to be empty: a text that is too short, for one cell of one artefact."""
    path = tmp_path / "empty.yaml"
    path.write_text("short text: {note: no context, targets: [p_t1], most: 1}\n", "utf-8")
    monkeypatch.setattr(checks, "KEPT", path)


@pytest.mark.usefixtures("kept")
def test_a_cell_is_filled_or_empty_for_a_reason_that_is_kept():
    filled = ("p_t1", "a", "x", "exact", "")
    sparse = ("p_t1", "a", "y", NO_INPUT, "no context of this target")
    assert checks.problems(found(filled, sparse)) == []
    [line] = checks.problems(found(("p_t2", "a", "y", NO_INPUT, "no context of this target")))
    assert "is empty for no kept reason" in line
    [line] = checks.problems(found(sparse, ("p_t1", "b", "y", NO_INPUT, "no context of it")))
    assert line.startswith("2 cells are empty: short text; at most 1")
    [line] = checks.problems(found(("p_t1", "a", "z", NO_INPUT, TOO_SPARSE)))
    assert "is empty for no kept reason" in line


@pytest.mark.usefixtures("kept")
def test_a_missing_source_is_a_reason_only_where_the_run_has_it_not():
    missing = ("p_t1", "a", "x", NO_INPUT, "the source nyt-articles-2016 is missing: run ...")
    [line] = checks.problems(found(missing))
    assert "names a missing source" in line
    assert checks.problems(found(missing), lacking=["nyt-articles-2016"]) == []
    [line] = checks.problems(found(missing), lacking=["gpt2"])
    assert "names a source that the run has" in line


def test_texts_of_the_rehearsal_have_a_record_without_text_and_one_less_than_is_expected(tmp_path):
    registry = load_registry(RESOURCES / "sources.yaml")
    counts = {}
    for name in ("goodreads-romance", "nyt-articles-2016"):
        (tmp_path / name).mkdir()
        counts[name] = generate.GENERATORS[name](registry[name], tmp_path / name, Words())
    generate.write_registry(tmp_path, counts, tmp_path / "sources.yaml")
    written = load_registry(tmp_path / "sources.yaml")
    for name, more in (("goodreads-romance", 1), ("nyt-articles-2016", 0)):
        source = written[name]
        [file] = source.files
        path = tmp_path / name / file.name
        in_file = counted(path, source, file)["documents"]
        report = ReadReport()
        list(READERS[source.format](path, report))
        assert report.documents == in_file - 1
        assert file.expect["documents"] == in_file + more
