"""Archives that are as they should be, and those that are damaged."""

import gzip
import io
import tarfile
import zipfile
import zlib

import pytest

from socialbias.errors import UserError
from socialbias.files.unpack import open_member
from tests.reliability import fault

MEMBERS = {"top/a.txt": b"a" * 5000, "top/sub/b.txt": b"b", "top/empty": b""}


def zipped(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in MEMBERS.items():
            file.writestr(name, content)
    return path


def tarred(path, mode):
    with tarfile.open(path, mode) as file:
        folder = tarfile.TarInfo("./top")
        folder.type = tarfile.DIRTYPE
        file.addfile(folder)
        for name, content in MEMBERS.items():
            member = tarfile.TarInfo(f"./{name}")
            member.size, member.mode = len(content), 0o4777
            file.addfile(member, io.BytesIO(content))
    return path


KINDS = ["zip", "tar", "tar.gz", "tar.bz2", "tar.xz"]


@pytest.fixture(params=KINDS)
def archive(request, tmp_path):
    path = tmp_path / "in" / f"demo.{request.param}"
    path.parent.mkdir()
    if request.param == "zip":
        return zipped(path)
    return tarred(path, f"w:{request.param.partition('.')[2]}")


def test_one_member_is_opened_without_unpacking(archive, tmp_path):
    with open_member(archive, "top/a.txt") as stream:
        assert stream.read(3) == b"aaa"
        assert len(stream.read()) == 4997
    with open_member(archive, "sub/b.txt", inside_top=True) as stream:
        assert stream.read() == b"b"
    with open_member(archive, "top/a.txt") as stream:
        assert io.TextIOWrapper(stream, "utf-8").readline() == "a" * 5000
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in"]


@pytest.mark.parametrize("member", ["top/none", "sub/b.txt", "a.txt"])
def test_a_member_that_is_not_there_is_one_line(archive, member):
    with (
        pytest.raises(UserError, match=f"^{archive.name}: it has no member {member}$"),
        open_member(archive, member),
    ):
        pass


def test_what_goes_wrong_in_the_readers_own_code_is_left_alone(archive):
    with pytest.raises(KeyError), open_member(archive, "top/a.txt"):
        raise KeyError("mine")


def test_a_link_is_no_member(tmp_path):
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as file:
        link = tarfile.TarInfo("a")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        file.addfile(link)
    with pytest.raises(UserError, match="has no member a"), open_member(path, "a"):
        pass


DAMAGED = {
    "cut.zip": zlib.compress(b"x"),
    "cut.tar.gz": gzip.compress(tarfile.TarInfo("a").tobuf() * 9)[:-12],
    "bad.gz": b"\x1f\x8b\x08\0" + b"x" * 100,
    "bad.zip": b"PK\x03\x04" + b"x" * 100,
    "page.zip": b"<html>",
    "empty.tar": b"",
}


@pytest.mark.parametrize(("name", "content"), DAMAGED.items(), ids=DAMAGED)
@fault("half an archive, or a file that is no archive", "one line")
def test_what_is_no_archive_or_half_of_one(tmp_path, name, content):
    archive = tmp_path / name
    archive.write_bytes(content)
    with pytest.raises(UserError) as caught, open_member(archive, "none"):
        pass
    assert str(caught.value).startswith(f"{name}: ")
    assert "\n" not in str(caught.value)
