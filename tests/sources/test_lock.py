"""The lock of what upstream publishes without a checksum, and the locks between processes."""

import hashlib
import threading
import time

import pytest

from socialbias.errors import UserError
from socialbias.files.atomic_write import locked
from socialbias.sources.checksums import FileCheck, check_file
from socialbias.sources.lock import pinned, read_lock, record
from socialbias.sources.registry import SourceFile
from tests.waiting import until

FACTS = FileCheck(3, "a" * 64, None)


def file(name="b.csv", sha256="unknown", **said):
    return SourceFile(name=name, sha256=sha256, locators=["https://x/y"], **said)


def test_the_first_file_is_recorded_and_later_ones_are_held_to_it(tmp_path):
    path = tmp_path / "below/sources.lock"
    assert pinned("demo", file(), path) == file()
    record("demo", file(), FACTS, path)
    record("demo", file(), FACTS, path)
    assert pinned("demo", file(), path) == file(sha256="a" * 64, bytes=3)
    assert pinned("other", file(), path) == file()
    with pytest.raises(
        UserError, match=r"demo: b\.csv: it differs from the file that was first fetched"
    ):
        record("demo", file(), FileCheck(3, "b" * 64, None), path)
    assert read_lock(path) == {"demo/b.csv": {"bytes": 3, "sha256": "a" * 64}}
    assert [p.name for p in path.parent.iterdir()] == ["sources.lock"]


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"a": 1}', '{"a": {"bytes": 1}}', "<<<<<<< ours", '{"a": {}}']
)
def test_a_damaged_lock_is_one_line(tmp_path, text):
    (tmp_path / "lock").write_text(text)
    with pytest.raises(UserError, match="lock is damaged: restore it from version control"):
        pinned("demo", file(), tmp_path / "lock")


def test_the_facts_of_a_file(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"abc")
    assert check_file(path, file()) == FileCheck(3, hashlib.sha256(b"abc").hexdigest(), None)
    assert check_file(path, file(bytes=4)).problem == "3 bytes instead of 4"
    assert "sha256" in check_file(path, file(sha256="0" * 64)).problem


def test_a_lock_is_held_by_one_and_leaves_nothing(tmp_path):
    path, inside, counted, said = tmp_path / ".a.lock", [], [], []

    def work():
        with locked(path, said.append):
            inside.append(1)
            time.sleep(0.01)
            counted.append(len(inside))
            inside.pop()

    threads = [threading.Thread(target=work) for _ in range(8)]
    with locked(path):
        for thread in threads:
            thread.start()
        until(lambda: len(said) == 8)
        assert counted == []
    for thread in threads:
        thread.join()
    assert counted == [1] * 8
    assert list(tmp_path.iterdir()) == []
    assert set(said) == {"another process is working on a: waiting"}
