"""What a run would fetch, and how each role is served."""

import subprocess
import sys
from dataclasses import replace

import pytest

from socialbias.errors import UserError
from socialbias.files.text import readable_size
from socialbias.pipeline import doctor as examining
from socialbias.pipeline.doctor import answering_again, doctor, reachable, report
from socialbias.pipeline.preview import fetched, render, without_source
from socialbias.pipeline.setup import load_setup
from socialbias.sources.binding import Places, bind
from socialbias.sources.registry import Source
from socialbias.sources.request import Timeouts
from socialbias.sources.unavailable import (
    note_unavailable,
    read_unavailable,
    unavailable_sources,
)
from tests.paths import REPOSITORY


def source(name, *files, steps="", stands_in_for=""):
    entries = [
        {"name": n, "bytes": b, "sha256": "unknown" if b is None else "0" * 64, "locators": [x]}
        for n, b, x in files
    ]
    fidelity = "subset" if stands_in_for else "exact"
    said = {"title": "t", "citation": "c", "licence": "l", "steps": steps}
    said |= {"stands_in_for": stands_in_for, "fidelity": fidelity}
    return Source(id=name, files=entries, **said)


@pytest.fixture
def registry():
    sources = [
        source(
            "big", ("a", 2_000_000_000, "https://host.example/a"), ("b", None, "npm://b@1.0.0/b")
        ),
        source("small", ("a", 1500, "https://host.example/s")),
        source("gated", ("a", 5, "manual://"), steps="Sign the licence."),
        source("part", ("a", 7, "https://host.example/p"), stands_in_for="gated"),
    ]
    return {s.id: s for s in sources}


INPUTS = {"words": ["big"], "more": ["big"], "few": ["small"], "news": ["gated"]}
INPUTS |= {"other": ["gated", "part"], "none": []}


@pytest.fixture
def places(tmp_path, monkeypatch):
    monkeypatch.setattr("socialbias.sources.binding.client_installed", lambda kind: True)
    return Places(tmp_path / "data", tmp_path / "mirror", ("https", "npm"))


def test_the_plan_has_a_row_for_each_source_that_is_needed(registry, places):
    bindings = bind(INPUTS, registry, places)
    rows = fetched(bindings, registry, places)
    assert [(r.source, r.roles, r.where, r.bytes, r.unknown, r.download) for r in rows] == [
        ("big", ("words", "more"), "host.example, npm", 2_000_000_000, 1, True),
        ("small", ("few",), "host.example", 1500, 0, True),
        ("part", ("other",), "host.example", 7, 0, True),
    ]
    assert fetched(bindings, registry, places, ["small"]) == [rows[1]]


def test_what_is_here_is_not_planned_and_the_mirror_is_no_download(registry, places):
    for file in (places.data / "small/a", places.mirror / "big/a", places.data / "big/b"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    (places.mirror / "big/b").touch()
    rows = fetched(bind(INPUTS, registry, places), registry, places)
    assert [(r.source, r.where, r.bytes, r.unknown, r.download) for r in rows[:2]] == [
        ("big", "mirror", 2_000_000_000, 0, False),
        ("part", "host.example", 7, 0, True),
    ]


def test_the_table_ends_with_the_total_and_what_has_no_input(registry, places):
    bindings = bind(INPUTS, registry, places)
    lines = render(fetched(bindings, registry, places)).splitlines()
    assert lines[2].split()[:4] == ["big", "host.example,", "npm", "2.0"]
    assert lines[-2] == "to download: 2.0 GB and 1 file of unknown size"
    assert lines[-1].startswith("files without a published checksum: 1 (")
    assert render([]).endswith("nothing\nto download: nothing")
    assert [readable_size(999, 0), readable_size(1000, 2)] == [
        "999 B",
        "1.0 kB and 2 files of unknown size",
    ]
    news, none = without_source(bindings)
    assert news.startswith("no input for news: the source gated is missing: get it by hand")
    assert "Sign the licence" in news
    assert none.startswith("no input for none: ")


def test_the_doctor_has_a_finding_for_each_role(registry, places):
    (places.mirror / "big").mkdir(parents=True)
    (places.mirror / "big/a").touch()
    bindings = bind(INPUTS, registry, places)
    found = {f.role: f for f in doctor(INPUTS, bindings, registry, places)}
    words = found["words"]
    assert (words.where, words.online) == ("mirror, npm", "not asked")
    assert (found["other"].source, found["other"].fidelity) == ("part", "subset")
    assert "Sign the licence" in found["other"].step  # what would get the better one
    assert (found["news"].source, found["news"].fidelity) == ("gated", "no input")
    assert (found["none"].source, found["none"].online) == ("-", "-")
    assert found["words"].step == found["few"].step == ""
    text = report(list(found.values()), "paper")
    assert "  news, other: the source gated is missing: get it by hand: Sign the licence" in text


def test_the_doctor_looks_only_when_asked(registry, places, httpserver, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setattr(examining, "TIMEOUTS", Timeouts(connect=1, read=1))
    httpserver.expect_request("/s", method="HEAD").respond_with_data("")
    httpserver.expect_request("/no-head", method="HEAD").respond_with_data("", status=405)
    httpserver.expect_request("/no-head", method="GET").respond_with_data("x")
    httpserver.expect_request("/gone").respond_with_data("", status=404)
    url = httpserver.url_for
    bindings = bind(INPUTS, registry, places)
    doctor(INPUTS, bindings, registry, places)
    assert httpserver.log == []
    assert reachable(source("x", ("a", 1, url("/s")), ("b", 1, url("/no-head"))), places) == "yes"
    assert "no such file (404)" in reachable(source("x", ("a", 1, url("/gone"))), places)
    assert "no connection" in reachable(source("x", ("a", 1, "http://127.0.0.1:1/")), places)
    barred = replace(places, locators=())
    assert reachable(source("x", ("a", 1, url("/s"))), barred) == "no enabled locator"


def test_what_could_not_be_fetched_is_used_again_once_it_can(registry, places, httpserver):
    httpserver.expect_request("/s").respond_with_data("")
    httpserver.expect_request("/gone").respond_with_data("", status=404)
    url = httpserver.url_for
    registry |= {
        "back": source("back", ("a", 1, url("/s"))),
        "gone": source("gone", ("a", 1, url("/gone"))),
    }
    for name in ("back", "gone", "of-another-project"):
        note_unavailable(places.data, name, "no connection")
    failed = replace(places, unavailable=unavailable_sources(places.data, {}))
    assert answering_again(registry, failed) == ["back"]
    assert [*read_unavailable(places.data)] == ["gone", "of-another-project"]


def test_the_doctor_can_be_called_and_says_what_is_wrong_in_one_line():
    command = [sys.executable, "-m", "socialbias.pipeline.doctor", "--configfile"]

    def told(*words):
        return subprocess.run([*command, *words], cwd=REPOSITORY, capture_output=True, text=True)

    right = told("config.quickstart.yaml")
    assert right.returncode == 0, right.stderr
    assert right.stdout.startswith("run 'quickstart': ")
    assert "to download: " in right.stdout
    wrong = told("none.yaml")
    assert (wrong.returncode, wrong.stdout) == (1, "")
    [line] = wrong.stderr.splitlines()
    assert "none.yaml: cannot be read" in line


def test_a_configuration_that_is_no_mapping_is_one_line(tmp_path, monkeypatch):
    (tmp_path / "config.yaml").write_text("- a\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=r"config\.yaml: must be"):
        load_setup()
    (tmp_path / "config.yaml").write_text("a: [")
    with pytest.raises(UserError) as caught:
        load_setup()
    assert "\n" not in str(caught.value)
