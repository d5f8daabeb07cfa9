"""Archives as they should be, damaged ones, and members that lead elsewhere."""

import tarfile
from contextlib import suppress

import pytest

from socialbias.errors import UserError
from socialbias.files.unpack import unpack
from socialbias.sources import packages
from socialbias.sources.packages import copy_member
from tests.reliability import fault
from tests.worlds.bytes import tarred, zipped
from tests.worlds.servers import left

MEMBERS = {"top/a.txt": b"a" * 5000, "top/sub/b.txt": b"b", "top/empty": b""}


@pytest.fixture(params=["zip", "tar", "tar.gz", "tar.bz2", "tar.xz"])
def archive(request, tmp_path):
    path = tmp_path / "download.part"  # whatever its name
    if request.param == "zip":
        path.write_bytes(zipped(*MEMBERS.items()))
    else:
        dotted = [(f"./{name}", content) for name, content in MEMBERS.items()]
        mode = f"w:{request.param.partition('.')[2]}"
        path.write_bytes(tarred(("./top", tarfile.DIRTYPE, ""), *dotted, mode=mode))
    return path


def test_everything_is_unpacked(archive, tmp_path):
    unpack(archive, folder := tmp_path / "out/demo")
    found = (p for p in folder.rglob("*") if p.is_file())
    assert {str(p.relative_to(folder)): p.read_bytes() for p in found} == MEMBERS


@pytest.mark.parametrize("member", ["top/a.txt", "a.txt"])
def test_one_member_is_copied_without_unpacking(archive, tmp_path, member):
    copy_member(archive, member, tmp_path / "a", 5000)
    assert (tmp_path / "a").read_bytes() == b"a" * 5000
    assert left(tmp_path) == ["a", archive.name]


def test_a_member_of_unknown_size_has_a_limit(archive, tmp_path, monkeypatch):
    monkeypatch.setattr(packages, "MAX_MEMBER", 4999)
    with pytest.raises(OSError, match=r"^more than the 4999 bytes expected$"):
        copy_member(archive, "a.txt", tmp_path / "a", None)


@pytest.mark.parametrize("member", ["top/none", "b.txt"])
def test_a_member_that_is_not_there_is_one_line(archive, tmp_path, member):
    with pytest.raises(UserError, match=f"^{archive.name}: it has no member {member}$"):
        copy_member(archive, member, tmp_path / "a", None)


@fault("members of archives whose names lead elsewhere (`../x`, `/x`)", "nothing is written there")
@pytest.mark.parametrize("name", ["../x", "a/../../x", "/{folder}/x"])
@pytest.mark.parametrize("make", [zipped, tarred])
def test_members_that_lead_elsewhere(tmp_path, make, name):
    archive = tmp_path / "demo"
    archive.write_bytes(make((name.format(folder=str(tmp_path)[1:]), b"1")))
    with suppress(UserError):
        unpack(archive, tmp_path / "out")
    assert not set(left(tmp_path)) & {"x"}


NO_FILES = {
    "a folder": (tarfile.DIRTYPE, ""),
    "a pipe": (tarfile.FIFOTYPE, ""),
    "a link to nothing": (tarfile.LNKTYPE, "top/none"),
    "a link to itself": (tarfile.SYMTYPE, "a"),
    "a link that leads elsewhere": (tarfile.SYMTYPE, "/etc/passwd"),
}


@fault("a member of an archive that is a link, a folder or a pipe", "one line: it has no such file")
@pytest.mark.parametrize("kind", NO_FILES.values(), ids=NO_FILES)
def test_members_that_are_no_files(tmp_path, kind):
    (archive := tmp_path / "demo").write_bytes(tarred(("top/a", *kind)))
    with pytest.raises(UserError, match=r"^demo: it has no member a$"):
        copy_member(archive, "a", tmp_path / "out", None)
    with suppress(UserError):
        unpack(archive, tmp_path / "all")
    assert set(left(tmp_path)) <= {"demo", "all"}


@fault("an archive that is encrypted, or compressed in an unknown way", "one line that names it")
@pytest.mark.parametrize(("local", "central", "value"), [(6, 8, 1), (8, 10, 99)])
def test_zips_that_cannot_be_decoded(tmp_path, local, central, value):
    content = bytearray(zipped(("top/a", b"1" * 99)))
    content[local] = content[content.index(b"PK\x01\x02") + central] = value
    (archive := tmp_path / "demo").write_bytes(content)
    for read in (unpack, lambda a, to: copy_member(a, "a", to, None)):
        with pytest.raises(UserError, match=r"^demo: damaged, or neither .* fetch it"):
            read(archive, tmp_path / "out")


DAMAGED = {
    "half a zip": zipped(*MEMBERS.items())[:-30],
    "half a tar": tarred(*MEMBERS.items(), mode="w:gz")[:80],
    "no gzip": b"\x1f\x8b\x08\0" + b"x" * 100,
    "no zip": b"PK\x03\x04" + b"x" * 100,
    "a page": b"<html>",
    "nothing": b"",
}


@fault("half an archive, or a file that is none", "one line that names it")
@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
def test_damaged_archives(tmp_path, content):
    (archive := tmp_path / "demo").write_bytes(content)
    for read in (unpack, lambda a, to: copy_member(a, "top/none", to, None)):
        with pytest.raises(UserError, match=r"^demo: damaged, or neither .* fetch it"):
            read(archive, tmp_path / "out")
