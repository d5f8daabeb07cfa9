"""A lock that contradicts what comes, and a cache that holds what it should not."""

import hashlib
import json
import os
import shutil
import stat
from dataclasses import replace
from multiprocessing import get_context

import pytest

from socialbias.api.output import written
from socialbias.errors import UserError
from socialbias.sources.fetch import fetch
from tests.reliability import fault


@pytest.fixture
def cache(tmp_path, places, body):
    """Places with a cache, and where the file lies in it."""
    digest = hashlib.sha256(body).hexdigest()
    folder = tmp_path / "cache"
    place = folder / "sha256" / digest[:2] / digest
    place.parent.mkdir(parents=True)
    return replace(places, cache=folder), place


@fault(
    "a file that differs from the one that was first fetched",
    "one line: what to do if the new one is right",
)
def test_an_upstream_that_differs_from_the_lock_is_one_line(site, unknown, places, log, left, body):
    demo = unknown(site.has("/a.bin"))
    fetch(demo, places, log.append)
    lock = (places.data / "sources.lock").read_bytes()
    shutil.rmtree(places.data / "demo")
    site.has("/a.bin", body[::-1])
    with pytest.raises(UserError) as caught:
        fetch(demo, places, log.append)
    message = str(caught.value)
    assert "\n" not in message
    assert "sha256" in message
    assert f"recorded in {places.data / 'sources.lock'}: if the new file is right" in message
    assert left(places.data / "demo") == []
    assert (places.data / "sources.lock").read_bytes() == lock


@fault("a file of the data folder that differs from the lock", "it is fetched again")
def test_a_file_here_that_differs_from_the_lock_is_fetched_again(
    site, unknown, places, log, left, body
):
    demo = unknown(site.has("/a.bin"))
    fetch(demo, places, log.append)
    (places.data / "demo/a.bin").write_bytes(body[::-1])
    fetch(demo, places, log.append)
    assert (places.data / "demo/a.bin").read_bytes() == body


def test_what_is_known_of_a_file_without_sha256_is_checked(site, unknown, places, log, left, body):
    wrong = unknown(site.has("/a.bin"), md5="0" * 32)
    with pytest.raises(UserError, match=r"md5 .* instead of 0000"):
        fetch(wrong, places, log.append)
    assert left(places.data) == []
    wrong = unknown(site.has("/a.bin"), git_blob_sha1="0" * 40)
    with pytest.raises(UserError, match="git_blob_sha1"):
        fetch(wrong, places, log.append)
    assert left(places.data) == []  # nothing wrong is recorded
    git = hashlib.sha1(b"blob %d\0" % len(body) + body).hexdigest()
    right = unknown(site.url + "/a.bin", md5=hashlib.md5(body).hexdigest(), git_blob_sha1=git)
    fetch(right, places, log.append)
    assert len(json.loads((places.data / "sources.lock").read_text())) == 1


def test_a_cache_is_read_before_any_server(site, source, cache, log, left, body):
    places, place = cache
    place.write_bytes(body)
    fetch(source(site.has("/a.bin")), places, log.append)
    assert left(places.data / "demo") == ["a.bin"]
    assert (places.data / "demo/a.bin").read_bytes() == body
    assert site.asked == []


@pytest.mark.parametrize("wrong", [b"", b"short", "reversed"])
@fault("a wrong file in the cache", "it is ignored, and the log says so")
def test_a_wrong_file_in_the_cache_is_ignored_and_told(site, source, cache, log, left, body, wrong):
    places, place = cache
    place.write_bytes(body[::-1] if wrong == "reversed" else wrong)
    before = place.read_bytes()
    fetch(source(site.has("/a.bin")), places, log.append)
    assert (places.data / "demo/a.bin").read_bytes() == body
    assert len(site.asked) == 1
    assert any("from the cache: " in line and "instead of" in line for line in log)
    assert place.read_bytes() == before  # nothing is written without leave
    assert left(places.data / "demo") == ["a.bin"]


def test_a_cache_is_written_only_with_leave_and_heals(site, source, cache, log, left, body):
    places, place = cache
    fetch(source(site.has("/a.bin")), places, log.append)
    assert left(places.cache) == []
    shutil.rmtree(places.data)
    place.write_bytes(body[::-1])
    fetch(source(site.has("/a.bin")), replace(places, cache_write=True), log.append)
    assert place.read_bytes() == body
    assert stat.S_IMODE(place.stat().st_mode) == 0o444
    assert left(places.cache) == [str(place.relative_to(places.cache))]


@fault("a file that was edited after it was added to the cache", "the cache keeps the right one")
def test_what_a_user_does_to_a_file_does_not_reach_the_cache_that_it_was_added_to(
    site, source, cache, log, body
):
    places, place = cache
    fetch(source(site.has("/a.bin")), replace(places, cache_write=True), log.append)
    (places.data / "demo/a.bin").write_bytes(b"mine")
    assert place.read_bytes() == body


def test_a_wrong_file_never_gets_into_the_cache(site, source, cache, log, left, body):
    places, _ = cache
    with pytest.raises(UserError):
        fetch(source(site.has("/a.bin", b"x")), replace(places, cache_write=True), log.append)
    assert left(places.cache) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
@fault("a cache that cannot be written", "the run goes on without it")
def test_a_cache_that_cannot_be_written_is_no_fault(site, source, cache, log, body):
    places, place = cache
    place.parent.chmod(0o555)
    fetch(source(site.has("/a.bin")), replace(places, cache_write=True), log.append)
    assert any("not added to the cache" in line for line in log)


@fault("a cache that is not a folder", "the run goes on without it")
def test_a_cache_that_is_no_folder_is_no_fault(tmp_path, site, source, places, log, body):
    (tmp_path / "file").write_text("x")
    broken = replace(places, cache=tmp_path / "file", cache_write=True)
    fetch(source(site.has("/a.bin")), broken, log.append)
    assert (places.data / "demo/a.bin").read_bytes() == body
    assert any("not added to the cache" in line for line in log)


def test_a_file_without_checksum_is_found_in_the_cache_once_it_is_in_the_lock(
    site, unknown, cache, log, left, body
):
    places, place = cache
    place.write_bytes(body)
    demo = unknown(site.has("/a.bin"))
    fetch(demo, places, log.append)
    assert len(site.asked) == 1
    shutil.rmtree(places.data / "demo")
    fetch(demo, places, log.append)
    assert len(site.asked) == 1


@fault("a data folder that cannot be made", "one line")
def test_a_data_folder_that_cannot_be_made_is_one_line(tmp_path, site, source, places, log):
    (tmp_path / "data").write_text("a file where the folder should be")
    with pytest.raises(UserError) as caught:
        fetch(source(site.has("/a.bin")), places, log.append)
    assert "\n" not in str(caught.value)
    assert "name another folder in `data`" in str(caught.value)


def write_often(path, letter):
    for _ in range(100):
        written(letter * 5000, path)
        assert len(set(path.read_text())) == 1


@fault("two commands that write the same file at once", "it is of one of them, whole")
def test_two_writers_of_one_file(tmp_path):
    context = get_context("fork")
    writers = [context.Process(target=write_often, args=(tmp_path / "x.json", c)) for c in "ab"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0]
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]
