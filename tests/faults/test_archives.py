"""Members of archives that are as they should be, and archives that are damaged."""

import gzip
import io
import tarfile
import zlib

import pytest

from socialbias.errors import UserError
from socialbias.files.unpack import open_member
from tests.reliability import fault
from tests.worlds.bytes import tarred, zipped

MEMBERS = {"top/a.txt": b"a" * 5000, "top/sub/b.txt": b"b", "top/empty": b""}


# --- as they should be ------------------------------------------------------------------------


@pytest.fixture(params=["zip", "tar", "tar.gz", "tar.bz2", "tar.xz"])
def archive(request, tmp_path):
    path = tmp_path / "in" / f"demo.{request.param}"
    path.parent.mkdir()
    if request.param == "zip":
        path.write_bytes(zipped(*MEMBERS.items()))
    else:
        dotted = [(f"./{name}", content) for name, content in MEMBERS.items()]
        mode = f"w:{request.param.partition('.')[2]}"
        path.write_bytes(tarred(("./top", tarfile.DIRTYPE, ""), *dotted, mode=mode))
    return path


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


# --- others -----------------------------------------------------------------------------------


def test_a_link_is_no_member(tmp_path):
    (archive := tmp_path / "a.tar").write_bytes(tarred(("x", tarfile.SYMTYPE, "/etc/passwd")))
    with pytest.raises(UserError, match="it has no member x"), open_member(archive, "x"):
        pass


DAMAGED = {
    "cut.zip": zlib.compress(b"x"),
    "cut.tar.gz": gzip.compress(tarfile.TarInfo("a").tobuf() * 9)[:-12],
    "bad.gz": b"\x1f\x8b\x08\0" + b"x" * 100,
    "bad.zip": b"PK\x03\x04" + b"x" * 100,
    "page.zip": b"<html>",
    "empty.tar": b"",
}


@fault("half an archive, or a file that is none", "one line")
@pytest.mark.parametrize(("name", "content"), DAMAGED.items(), ids=DAMAGED)
def test_damaged_archives(tmp_path, name, content):
    (archive := tmp_path / name).write_bytes(content)
    with pytest.raises(UserError) as caught, open_member(archive, "none"):
        pass
    assert str(caught.value).startswith(f"{name}: ")
    assert "\n" not in str(caught.value)
