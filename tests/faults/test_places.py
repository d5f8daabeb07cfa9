"""The places that a file comes from: data folder, mirror, cache, lock, packages and servers."""

import hashlib
import shutil

import pytest

from socialbias.errors import UserError
from socialbias.sources import binding, pypi
from tests.reliability import fault
from tests.worlds.bytes import wheel
from tests.worlds.servers import BODY, left

WRONG = BODY[::-1]
WHEEL = "pypi://demo==1.0/demo/data/a.bin"


@pytest.fixture
def mirror(demo, tmp_path, monkeypatch):
    """A place in a mirror for the file; clients of packages are here."""
    monkeypatch.setattr(binding, "client_installed", lambda kind: True)
    demo.places = demo.at(mirror=tmp_path / "mirror")
    (place := tmp_path / "mirror/demo/a.bin").parent.mkdir(parents=True)
    return place


def here(demo, body):
    demo.target.parent.mkdir(parents=True, exist_ok=True)
    demo.target.write_bytes(body)


def test_a_copy_in_the_mirror_is_taken_and_described(demo, mirror):
    folder = mirror.parents[1] / "shared/below"
    folder.mkdir(parents=True)
    (folder / "a.bin").write_bytes(BODY)
    source = demo.source(name="below/a.bin", format="csv").model_copy(update={"folder": "shared"})
    manifest = demo.fetch(source)
    assert (demo.target.parent / "below/a.bin").read_bytes() == BODY
    assert left(demo.places.data) == ["demo/below/a.bin"]
    facts = ("demo", "A demonstration", "MIT", "csv", "exact", "")
    keys = ("source", "title", "licence", "format", "fidelity", "stands_in_for")
    assert tuple(manifest[key] for key in keys) == facts
    digest = hashlib.sha256(BODY).hexdigest()
    assert manifest["files"] == [{"path": "below/a.bin", "bytes": len(BODY), "sha256": digest}]


def test_a_right_file_that_is_here_is_not_fetched_again(demo):
    demo.fetch()
    demo.fetch()
    assert len(demo.site.asked) == 1
    assert demo.log[-1] == "demo: a.bin is up to date"


@fault("a wrong file in the data folder, or mirror", "the next place is asked")
@pytest.mark.parametrize("wrong", [b"", b"short", WRONG])
def test_a_wrong_file_falls_through_to_the_next_place(demo, mirror, wrong):
    for place in (demo.target, mirror):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(wrong)
    demo.fetch()
    demo.check()
    assert len(demo.site.asked) == 1
    assert any("the mirror: " in line and "instead of" in line for line in demo.log)
    assert mirror.read_bytes() == wrong


def test_a_wrong_file_is_not_left_behind_when_no_place_has_the_right_one(demo):
    here(demo, WRONG)
    demo.failure(demo.source(f"{demo.site.url}/gone"))
    assert demo.left == []


def test_places_are_tried_in_order_and_a_failure_names_them_all(demo, mirror, monkeypatch):
    serve_package(monkeypatch, OSError("ERROR: no such package"))
    mirror.write_bytes(WRONG)
    first, second = f"{demo.site.url}/gone", demo.site.has("/second", WRONG)
    message = demo.failure(demo.source(first, WHEEL, second))
    names = ["the mirror: ", f"{first}: ", f"{WHEEL}: ERROR: no such package; no such archive"]
    found = [message.index(name) for name in [*names, f"{second}: "]]
    assert found == sorted(found)
    assert demo.left == []


def test_places_that_are_not_allowed_or_have_no_client_are_not_tried(demo, monkeypatch):
    monkeypatch.setattr(binding, "client_installed", lambda kind: kind != "pypi")
    both = demo.source(demo.url, WHEEL)
    assert "no place in `locators` has it" in demo.failure(both, locators=())
    assert "no place in `locators` has it" in demo.failure(both, locators=("pypi",))
    assert demo.site.asked == []


# --- packages ---------------------------------------------------------------------------------


def serve_package(monkeypatch, content):
    """Pip downloads a wheel with these bytes, nothing (None), or fails; there is no archive."""

    def download(requirement, folder):
        if isinstance(content, OSError):
            raise content
        if content is not None:
            (folder / "demo-1.0-py3-none-any.whl").write_bytes(content)

    def no_archive(*arguments):
        raise OSError("no such archive")

    monkeypatch.setattr(pypi, "_pip_download", download)
    monkeypatch.setattr(pypi, "_download_archive", no_archive)


MEMBER = "demo/data/a.bin"


@pytest.mark.parametrize(
    ("package", "line"),
    [
        (wheel((MEMBER, WRONG)), "sha256"),
        (b"PK no zip", "demo-1.0-py3-none-any.whl: "),
        (None, "the download of demo-1.0 is empty"),
        (OSError("ERROR: no such package"), "no such package"),
    ],
    ids=["other bytes", "damaged", "nothing", "absent"],
)
def test_a_package_that_is_wrong_falls_through(demo, mirror, monkeypatch, package, line):
    serve_package(monkeypatch, package)
    assert line in demo.failure(demo.source(WHEEL))
    demo.fetch(demo.source(WHEEL, demo.url))
    demo.check()


# --- the lock ---------------------------------------------------------------------------------


@fault("a file that differs from the one first fetched", "one line: what to do")
def test_an_upstream_that_differs_from_the_lock_is_one_line(demo):
    unknown = demo.source(known=False)
    demo.fetch(unknown)
    lock = (demo.places.data / "sources.lock").read_bytes()
    here(demo, WRONG)
    demo.fetch(unknown)
    demo.check()
    shutil.rmtree(demo.target.parent)
    demo.site.has("/a.bin", WRONG)
    message = demo.failure(unknown)
    assert "sha256" in message
    recorded = f"recorded in {demo.places.data / 'sources.lock'}: if the new file is right"
    assert recorded in message
    assert demo.left == []
    assert (demo.places.data / "sources.lock").read_bytes() == lock


# --- folders ----------------------------------------------------------------------------------


@fault("a data folder that cannot be made", "one line")
def test_a_data_folder_that_cannot_be_made_is_one_line(demo):
    demo.places.data.write_text("a file where the folder should be")
    with pytest.raises(UserError, match="name another folder in `data`") as caught:
        demo.fetch()
    assert "\n" not in str(caught.value)
