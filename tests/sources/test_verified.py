"""What a job reads is what was written."""

import os
from types import SimpleNamespace

import pytest

from socialbias.errors import UserError
from socialbias.pipeline.scripting import logged
from socialbias.sources import verified
from socialbias.sources.manifest import read_manifest, write_manifest
from socialbias.sources.verified import check_folders, check_result, described, forget, record
from tests.reliability import fault

BODY = bytes(range(256)) * 40
ZEROED = BODY[:5000] + bytes(100) + BODY[5100:]
# What is done to a file, and what the one line about it says.
DAMAGE = {
    "cut": (lambda path: path.write_bytes(BODY[:5000]), "5,000 bytes, where 10,240 were written"),
    "longer": (lambda path: path.write_bytes(BODY + b"x"), "10,241 bytes"),
    "zeroed": (lambda path: path.write_bytes(ZEROED), "changed after it was written"),
    "empty": (lambda path: path.write_bytes(b""), "0 bytes"),
    "gone": (lambda path: path.unlink(), "is no longer there"),
}


@pytest.fixture
def source(tmp_path):
    """The manifest of a fetched source of one file."""
    (tmp_path / "news").mkdir()
    (tmp_path / "news/a.bin").write_bytes(BODY)
    files = [described(tmp_path / "news/a.bin", tmp_path / "news")]
    write_manifest({"source": "news", "files": files}, tmp_path / "news/manifest.json")
    return tmp_path / "news/manifest.json"


@pytest.fixture
def hashed(monkeypatch):
    """The files whose checksums are computed."""
    seen = []
    real = verified.sha256_of
    monkeypatch.setattr(verified, "sha256_of", lambda path: (seen.append(path.name), real(path))[1])
    return seen


def later(path):
    """Another time of change."""
    os.utime(path, ns=(1, path.stat().st_mtime_ns + 10**9))


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_source_changed_after_it_was_fetched_is_one_line(source, damage):
    harm, words = DAMAGE[damage]
    harm(source.parent / "a.bin")
    with pytest.raises(UserError, match=words) as caught:
        read_manifest(source)
    line = str(caught.value)
    assert line.startswith(f"{source.parent / 'a.bin'}: ")
    assert line.endswith(f"remove {source} and run the same command again")


def test_a_checksum_is_computed_once_for_each_stamp(source, hashed):
    for _ in range(3):
        read_manifest(source)
    assert hashed == []  # the stamp is that of the fetched file
    later(source.parent / "a.bin")
    for _ in range(3):
        read_manifest(source)
    assert hashed == ["a.bin"]


@fault(
    "a source edited in place, with its size and time of change put back (`cp -p`, rsync, editors)",
    "one line: the file differs from what was fetched; one that has the same bytes is accepted",
)
def test_a_file_edited_in_place_whose_time_was_put_back(source, hashed):
    path = source.parent / "a.bin"
    before = path.stat()
    for content in (BODY, ZEROED):
        with path.open("r+b") as file:
            file.write(content)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        stat = path.stat()
        assert (stat.st_ino, stat.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
        if content == BODY:
            read_manifest(source)
    with pytest.raises(UserError, match="changed after it was written"):
        read_manifest(source)
    assert hashed == ["a.bin", "a.bin"]


@pytest.mark.parametrize("text", ["", "{", "[1]", "null", "\x00"])
def test_a_broken_manifest_is_one_line(source, text):
    source.write_text(text)
    with pytest.raises(UserError, match="damaged: remove it and run the same command again"):
        read_manifest(source)


def job_of(folder, inputs=(), outputs=()):
    """A job as Snakemake describes it."""
    return SimpleNamespace(log=[str(folder / "log")], input=list(inputs), output=list(outputs))


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_result_changed_after_it_was_written_is_one_line(tmp_path, damage, capsys):
    made = tmp_path / "made.npy"
    with logged(job_of(tmp_path, outputs=[made])):
        made.write_bytes(BODY)
    ran = []
    with logged(job_of(tmp_path, inputs=[made])):
        ran.append(1)
    harm, words = DAMAGE[damage]
    harm(made)
    with pytest.raises(SystemExit) as caught, logged(job_of(tmp_path, inputs=[made])):
        ran.append(2)
    assert words in str(caught.value)
    assert str(caught.value).endswith(f"remove {made} and run the same command again")
    assert ran == [1]


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_file_in_a_folder_is_checked_with_it_and_before_any_job(tmp_path, damage):
    folder = tmp_path / "results/vectors/news"
    (folder / "lists").mkdir(parents=True)
    (folder / "lists/vectors.npy").write_bytes(BODY)
    (folder / ".snakemake_timestamp").touch()
    record(folder)
    check_folders(tmp_path / "results")
    harm, words = DAMAGE[damage]
    harm(folder / "lists/vectors.npy")
    for check, argument in ((check_result, folder), (check_folders, tmp_path / "results")):
        with pytest.raises(UserError, match=words) as caught:
            check(argument)
        assert f"remove {folder} and run" in str(caught.value)


def test_a_job_that_fails_leaves_no_record_of_what_it_was_to_write(tmp_path):
    made = tmp_path / "made.csv"
    made.write_text("old")
    record(made)
    job = logged(job_of(tmp_path, outputs=[made]))
    job.__enter__()
    made.write_text("half")
    with pytest.raises(SystemExit):
        job.__exit__(UserError, UserError("no"), None)
    check_result(made)
    forget(made)  # once more is no fault
