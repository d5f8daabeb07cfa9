"""Archives that are as they should be; those that are not are in tests/faults."""

import io
import tarfile
import zipfile

import pytest

from socialbias.errors import UserError
from socialbias.files.unpack import open_member, unpack

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


def content_of(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_everything_is_unpacked_and_nothing_else_is_left(archive, tmp_path):
    folder = tmp_path / "out/demo"
    unpack(archive, folder)
    assert content_of(folder) == MEMBERS
    assert [p.name for p in folder.parent.iterdir()] == ["demo"]
    assert {p.stat().st_mode & 0o7111 for p in folder.rglob("*.txt")} == {0}


def test_what_an_archive_is_is_told_by_its_content(archive, tmp_path):
    renamed = archive.rename(archive.with_name("download.part"))
    unpack(renamed, tmp_path / "out")
    assert content_of(tmp_path / "out") == MEMBERS


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


def test_an_empty_zip_is_empty(tmp_path):
    path = tmp_path / "a.zip"
    zipfile.ZipFile(path, "w").close()
    unpack(path, tmp_path / "out")
    assert content_of(tmp_path / "out") == {}
