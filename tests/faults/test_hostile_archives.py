"""Archives that would write elsewhere, fill the disk or the memory, or mean two things at once."""

import gzip
import io
import struct
import tarfile
import zipfile
import zlib

import pytest

from socialbias.errors import UserError
from socialbias.files import unpack as unpacking
from socialbias.files.unpack import open_member, unpack
from tests.reliability import fault

LINK = 0o120777 << 16
DEVICE = 0o020666 << 16


def zipped(path, members):
    """A zip of (name or ZipInfo, bytes)."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members:
            file.writestr(name, content)
    return path


def info(name, mode):
    member = zipfile.ZipInfo(name)
    member.external_attr = mode
    return member


def tarred(path, members, mode="w:gz"):
    """A tar of (name, type, link name or content)."""
    with tarfile.open(path, mode) as file:
        for name, kind, content in members:
            member = tarfile.TarInfo(name)
            member.type = kind
            if kind in (tarfile.SYMTYPE, tarfile.LNKTYPE):
                member.linkname = content
                file.addfile(member)
            else:
                member.size = len(content)
                file.addfile(member, io.BytesIO(content))
    return path


def refused(archive, folder, left):
    """Refused in one line that names the archive, with nothing left anywhere."""
    with pytest.raises(UserError) as caught:
        unpack(archive, folder)
    assert str(caught.value).startswith(f"{archive.name}: ")
    assert "\n" not in str(caught.value)
    assert left(folder.parent) == []
    return str(caught.value)


@pytest.fixture
def out(tmp_path):
    (tmp_path / "out").mkdir()
    return tmp_path / "out/folder"


ELSEWHERE = ["../x", "a/../../x", "/etc/x", "C:\\x", "a\\..\\x", "..", "a/../x", "a\nb"]


@pytest.mark.parametrize("name", ELSEWHERE)
@pytest.mark.parametrize("kind", ["zip", "tar"])
@fault(
    "members of archives whose names lead elsewhere (`../x`, `/x`)",
    "the archive is refused; nothing is written outside",
)
def test_names_that_lead_elsewhere(tmp_path, out, left, name, kind):
    if kind == "zip":
        archive = zipped(tmp_path / "a.zip", [("fine", b"1"), (name, b"2")])
    else:
        members = [("fine", tarfile.REGTYPE, b"1"), (name, tarfile.REGTYPE, b"2")]
        archive = tarred(tmp_path / "a.tar.gz", members)
    refused(archive, out, left)
    assert sorted(p.name for p in tmp_path.iterdir()) == [archive.name, "out"]


TAR_KINDS = {
    "a link": [(tarfile.SYMTYPE, "/etc/passwd"), (tarfile.SYMTYPE, "b"), (tarfile.LNKTYPE, "b")],
    "not a regular file": [(tarfile.CHRTYPE, b""), (tarfile.BLKTYPE, b""), (tarfile.FIFOTYPE, b"")],
}


@pytest.mark.parametrize(
    ("kind", "content", "words"), [(k, c, w) for w, pairs in TAR_KINDS.items() for k, c in pairs]
)
@fault("links, devices and pipes in a tar", "the archive is refused")
def test_links_and_devices_in_a_tar(tmp_path, out, left, kind, content, words):
    archive = tarred(tmp_path / "a.tgz", [("b", tarfile.REGTYPE, b"1"), ("x", kind, content)])
    assert words in refused(archive, out, left)
    with pytest.raises(UserError, match=words), open_member(archive, "x"):
        pass


@pytest.mark.parametrize(("mode", "words"), [(LINK, "a link"), (DEVICE, "not a regular file")])
@fault("links and devices in a zip", "the archive is refused")
def test_links_and_devices_in_a_zip(tmp_path, out, left, mode, words):
    archive = zipped(tmp_path / "a.zip", [(info("x", mode), "/etc/passwd")])
    assert words in refused(archive, out, left)
    with pytest.raises(UserError, match=words), open_member(archive, "x"):
        pass


TWICE = [["a", "a"], ["a", "./a"], ["a", "a/b"], ["a/b", "a"]]


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("names", TWICE)
@pytest.mark.parametrize("kind", ["zip", "tar"])
@fault("an archive with a name twice, or with one of both a file and a folder", "it is refused")
def test_names_that_are_there_twice(tmp_path, out, left, names, kind):
    if kind == "zip":
        archive = zipped(tmp_path / "a.zip", [(name, name) for name in names])
    else:
        members = [(name, tarfile.REGTYPE, b"1") for name in names]
        archive = tarred(tmp_path / "a.tar", members, "w")
    refused(archive, out, left)


def test_a_name_of_which_a_zip_has_two_cannot_be_opened(tmp_path):
    with pytest.warns(UserWarning, match="Duplicate"):
        archive = zipped(tmp_path / "a.zip", [("a", b"1"), ("a", b"2")])
    with pytest.raises(UserError, match="twice"), open_member(archive, "a"):
        pass


@fault("an encrypted zip", "one line")
def test_an_encrypted_zip(tmp_path, out, left):
    archive = zipped(tmp_path / "a.zip", [("a", b"1")])
    content = bytearray(archive.read_bytes())
    content[6] |= 1  # the flag in the member's header, and in the list at the end
    content[content.index(b"PK\x01\x02") + 8] |= 1
    archive.write_bytes(content)
    assert "encrypted" in refused(archive, out, left)


@fault("a zip of gigabytes of zeros", "it is refused before it is written")
def test_a_zip_bomb_is_left_before_it_is_written(tmp_path, out, left):
    archive = zipped(tmp_path / "a.zip", [("a", b"\0" * 50_000_000)])
    assert f"or {32 << 20} bytes" in refused(archive, out, left)
    with pytest.raises(UserError, match="bytes in them"), open_member(archive, "a"):
        pass


@fault("many members that are too much together", "the archive is refused")
def test_many_members_that_are_too_much_together(tmp_path, out, left, monkeypatch):
    members = [(f"{i}", b"\1" * 1000) for i in range(20)]
    in_zip = zipped(tmp_path / "a.zip", members)
    in_tar = [(name, tarfile.REGTYPE, content) for name, content in members]
    in_tar = tarred(tmp_path / "a.tar.xz", in_tar, "w:xz")
    monkeypatch.setattr(unpacking, "MAX_RATIO", 1)
    for archive, size in ((in_zip, 20_000), (in_tar, 20 * 1536)):
        monkeypatch.setattr(unpacking, "HARMLESS", size - 1)
        assert f"{size - 1} bytes" in refused(archive, out, left)
        monkeypatch.setattr(unpacking, "HARMLESS", 2 * size)
        monkeypatch.setattr(unpacking, "MAX_MEMBERS", 19)
        assert "more than 19 members" in refused(archive, out, left)
        monkeypatch.setattr(unpacking, "MAX_MEMBERS", 20)
        unpack(archive, tmp_path / archive.stem)
        assert len(left(tmp_path / archive.stem)) == 20


@fault("a zip that lies about a size", "it is refused; nothing is left")
def test_a_zip_that_lies_about_a_size(tmp_path, out, left):
    archive = zipped(tmp_path / "a.zip", [("a", b"\0" * 5000)])
    content = archive.read_bytes().replace(struct.pack("<L", 5000), struct.pack("<L", 5))
    archive.write_bytes(content)
    with pytest.raises(UserError, match="damaged"):
        unpack(archive, out)
    assert left(out.parent) == []


def gz_of(block, times):
    """Blocks compressed one by one, which is a gz file of all of them."""
    return gzip.compress(block, 9) * times


@fault("a gz file of gigabytes of zeros", "unpacking stops at the limit")
def test_a_gz_bomb_in_a_tar(tmp_path, out, left):
    zeros = b"\0" * (8 << 20)
    head = tarfile.TarInfo("a")
    head.size = 20 << 30
    archive = tmp_path / "a.tar.gz"
    archive.write_bytes(gzip.compress(head.tobuf()) + gz_of(zeros, 40))
    assert "expands to more than" in refused(archive, out, left)
    with pytest.raises(UserError, match="expands to more than"), open_member(archive, "b"):
        pass  # to be skipped, it would have to be uncompressed


@fault("a header of a tar that would fill the memory", "the archive is refused")
def test_a_tar_header_that_would_fill_the_memory(tmp_path, out, left):
    head = tarfile.TarInfo("a")
    head.type, head.size = tarfile.XHDTYPE, 7 << 30
    archive = tmp_path / "a.tar"
    archive.write_bytes(head.tobuf() + b"\0" * 10240)
    assert "headers is too long" in refused(archive, out, left)


@fault("a million members in a tar", "it is refused")
def test_a_million_members_in_a_tar(tmp_path, out, left):
    block = b"".join(tarfile.TarInfo(f"{i}").tobuf() for i in range(1000))
    archive = tmp_path / "a.tar.gz"
    archive.write_bytes(gz_of(block, 1000))
    refused(archive, out, left)


@fault("a million members in a zip", "it is refused")
def test_a_million_members_in_a_zip(tmp_path, out, left):
    # The list alone, as long as it says: nothing is read but that.
    name = b"a" * 8
    entry = struct.pack("<4s6H3L5H2L", b"PK\x01\x02", *[0] * 9, len(name), *[0] * 6) + name
    size = len(entry) * 1_000_000
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, size, 4, 0)
    archive = tmp_path / "a.zip"
    with archive.open("wb") as file:
        file.write(b"PK\x03\x04")
        for _ in range(100):
            file.write(entry * 10_000)
        file.write(end)
    assert "more than 200000 members" in refused(archive, out, left)


DAMAGED = {
    "cut.zip": zlib.compress(b"x"),
    "cut.tar.gz": gzip.compress(tarfile.TarInfo("a").tobuf() * 9)[:-12],
    "bad.gz": b"\x1f\x8b\x08\0" + b"x" * 100,
    "bad.zip": b"PK\x03\x04" + b"x" * 100,
    "page.zip": b"<html>",
    "empty.tar": b"",
}


@pytest.mark.parametrize(("name", "content"), DAMAGED.items(), ids=DAMAGED)
@fault("half an archive, or a file that is no archive", "one line; nothing is left")
def test_what_is_no_archive_or_half_of_one(tmp_path, out, left, name, content):
    archive = tmp_path / name
    archive.write_bytes(content)
    with pytest.raises(UserError) as caught:
        unpack(archive, out)
    assert str(caught.value).startswith(f"{name}: ")
    assert "\n" not in str(caught.value)
    assert left(out.parent) == []


@fault("a disk that fills up while an archive is unpacked", "one line; nothing is left")
def test_a_full_disk_while_unpacking(tiny_disk, tmp_path, left):
    """On a real file system of 256 KiB."""
    content = bytes(range(256)) * 4000
    archive = zipped(tmp_path / "a.zip", [("a", b"1"), ("b", content)])
    with pytest.raises(UserError, match=r"a\.zip: cannot be unpacked: .*No space left"):
        unpack(archive, tiny_disk / "folder")
    assert left(tiny_disk) == []
