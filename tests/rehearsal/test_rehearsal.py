"""The parts of the rehearsal that a test can look at without running it."""

import zipfile

import requests

from socialbias.corpora.documents import ReadReport
from socialbias.corpora.readers import READERS
from socialbias.sources.contents import counted
from socialbias.sources.registry import Source, load_registry
from tests.paths import RESOURCES
from tests.rehearsal import generate
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
