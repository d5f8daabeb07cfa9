"""Processes that are killed (-9) while they fetch, and processes that want the same file."""

import hashlib
import json
import os

import pytest

from tests.reliability import fault
from tests.shortened import later
from tests.waiting import PATIENCE, until
from tests.worlds.bytes import wheel
from tests.worlds.servers import BODY, hanging, left, serving

WHEEL = "pypi://demo==1.0/demo/a.bin"
CUT = 300_000


def both_finish(start, demo, source, **places):
    """A second run brings the right bytes and clears away what the first one left."""
    child = start(source, **places)
    assert child.finish() == 0, child.text
    demo.check()


def in_the_middle(start, demo, source):
    """A process that has got a part of the file."""
    demo.site.faults = [serving(pause=CUT)]
    child = start(source)
    assert demo.site.waiting.wait(PATIENCE)
    parts = demo.target.parent.glob
    until(lambda: [part.stat().st_size for part in parts("a.bin.*.part")] == [CUT])
    return child


@fault("a process killed (-9) while it connects", "the next run fetches the file")
def test_killed_while_connecting(demo, start):
    demo.site.faults = [hanging]
    child = start(demo.source())
    assert demo.site.waiting.wait(PATIENCE)
    child.kill()
    assert not demo.target.exists()
    both_finish(start, demo, demo.source())


@fault("one killed in the middle of a download", "the next run fetches what is missing")
def test_in_the_middle_of_a_download(demo, start):
    in_the_middle(start, demo, demo.source()).kill()
    assert not demo.target.exists()
    both_finish(start, demo, demo.source())
    assert demo.site.ranges == ["", f"bytes={CUT}-"]
    assert demo.site.asked[1].sent == len(BODY) - CUT


@pytest.mark.parametrize(
    "stop", later(["before the record", "before the check", "before the rename"], 1)
)
@pytest.mark.parametrize("known", [pytest.param(True, marks=pytest.mark.long), False])
@fault(
    "one killed between download, check, record and rename",
    "the next run brings the right bytes and clears away what was left",
)
def test_killed_after_the_download(demo, start, stop, known):
    source = demo.source(known=known)
    child = start(source, stop)
    child.wait_for_mark()
    child.kill()
    assert not demo.target.exists()
    assert all(name.endswith((".part", ".lock")) for name in demo.left)
    both_finish(start, demo, source)
    # What had come was right: it is not fetched again where that can be told without a record.
    recorded = known or stop == "before the rename"
    assert len(demo.site.asked) == (1 if recorded else 2)


@pytest.mark.long
@fault("one killed while a package is fetched or a member copied", "the same")
def test_killed_while_pip_fetches_a_package_and_while_a_member_is_copied(
    tmp_path, demo, start, monkeypatch
):
    (wheels := tmp_path / "wheels").mkdir()
    (wheels / "demo-1.0-py3-none-any.whl").write_bytes(wheel(("demo/a.bin", BODY)))
    pip_reads(monkeypatch, wheels)
    child = start(demo.source(WHEEL), "before the member")
    child.wait_for_mark()
    child.kill()
    # As if pip had been killed, too: half a package, and what an earlier run has left of it.
    packages = demo.places.data / "packages"
    (packages / "demo-1.0/demo-1.0-py3-none-any.whl").unlink()
    (packages / "demo-1.0").rmdir()
    (packages / ".demo-1.0~old.part").mkdir()
    (packages / ".demo-1.0~old.part/demo-1.0-py3-none-any.whl").write_bytes(b"half")
    both_finish(start, demo, demo.source(WHEEL))
    assert left(packages) == ["demo-1.0/demo-1.0-py3-none-any.whl"]


def pip_reads(monkeypatch, folder):
    """Let pip look into a folder and nowhere else."""
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))


@fault("one killed while it adds to the cache", "the same; the cache has no half file")
def test_killed_while_adding_to_the_cache(tmp_path, demo, start):
    shared = {"cache": tmp_path / "cache", "cache_write": True}
    child = start(demo.source(), "before the cache", **shared)
    child.wait_for_mark()
    child.kill()
    assert left(tmp_path / "cache") == []
    both_finish(start, demo, demo.source(), **shared)


@fault("two processes that want one file", "it is fetched once")
def test_two_that_want_one_file_fetch_it_once(demo, start):
    source = demo.source(known=False)
    first = in_the_middle(start, demo, source)
    second = start(source)
    second.wait_for("another process is working on a.bin: waiting")
    demo.site.go.set()
    assert (first.finish(), second.finish()) == (0, 0), first.text + second.text
    assert len(demo.site.asked) == 1
    assert left(demo.places.data) == ["demo/a.bin", "sources.lock"]
    manifests = [json.loads(child.text.splitlines()[-1]) for child in (first, second)]
    assert manifests[0] == manifests[1]


@fault("a process that waits for another that is killed", "it goes on where the other stopped")
def test_who_waits_goes_on_where_the_killed_one_stopped(demo, start):
    first = in_the_middle(start, demo, demo.source())
    second = start(demo.source())
    second.wait_for("waiting")
    first.kill()
    assert second.finish() == 0, second.text
    assert demo.site.ranges == ["", f"bytes={CUT}-"]
    assert demo.left == ["a.bin"]


@pytest.mark.long  # six processes
@fault("many that fetch at once", "no entry of the lock is lost")
def test_many_that_fetch_at_once_lose_no_entry_of_the_lock(demo, start):
    names = [f"{number}.txt" for number in range(6)]
    urls = {name: demo.site.has(f"/{name}", name[:1].encode()) for name in names}
    children = [start(demo.source(url, known=False, name=name)) for name, url in urls.items()]
    assert [child.finish() for child in children] == [0] * 6, [c.text for c in children]
    assert json.loads((demo.places.data / "sources.lock").read_text()) == {
        f"demo/{name}": {"bytes": 1, "sha256": hashlib.sha256(name[:1].encode()).hexdigest()}
        for name in names
    }
    assert left(demo.places.data) == [f"demo/{name}" for name in names] + ["sources.lock"]
