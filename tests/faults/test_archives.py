"""Archives as they should be, and hostile ones: nothing is written elsewhere, no disk is filled."""

import gzip
import io
import struct
import tarfile
import zlib

import pytest

from socialbias.errors import UserError
from socialbias.files import unpack as unpacking
from socialbias.files.unpack import open_member, unpack
from tests.reliability import fault
from tests.worlds.bytes import tarred, zipped
from tests.worlds.servers import left

MEMBERS = {"top/a.txt": b"a" * 5000, "top/sub/b.txt": b"b", "top/empty": b""}
TOO_MANY = 200_001  # members of an archive
LINK, DEVICE = 0o120777 << 16, 0o020666 << 16


def content_of(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


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


def test_everything_is_unpacked_whatever_its_name_and_nothing_else_is_left(archive, tmp_path):
    folder = tmp_path / "out/demo"
    unpack(archive.rename(archive.with_name("download.part")), folder)
    assert content_of(folder) == MEMBERS
    assert [p.name for p in folder.parent.iterdir()] == ["demo"]
    assert {p.stat().st_mode & 0o7111 for p in folder.rglob("*.txt")} == {0}


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


# --- hostile ones -----------------------------------------------------------------------------


def encrypted():
    content = bytearray(zipped(("a", b"1")))
    content[6] |= 1  # the flag in the member's header, and in the list at the end
    content[content.index(b"PK\x01\x02") + 8] |= 1
    return bytes(content)


def bomb():
    """A tar of 20 GB of zeros, of which 320 MB are there."""
    head = tarfile.TarInfo("a")
    head.size = 20 << 30
    return gzip.compress(head.tobuf()) + gzip.compress(b"\0" * (8 << 20), 9) * 40


def long_header():
    head = tarfile.TarInfo("a")
    head.type, head.size = tarfile.XHDTYPE, 7 << 30
    return head.tobuf() + b"\0" * 10240


def many_in_a_zip():
    """The list alone, as long as it says: nothing is read but that."""
    name = b"a" * 8
    entry = struct.pack("<4s6H3L5H2L", b"PK\x01\x02", *[0] * 9, len(name), *[0] * 6) + name
    size = len(entry) * TOO_MANY
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, size, 4, 0)
    return b"PK\x03\x04" + entry * TOO_MANY + end


def many_in_a_tar():
    block = b"".join(tarfile.TarInfo(f"{i}").tobuf() for i in range(1000))
    return gzip.compress(block, 9) * (TOO_MANY // 1000 + 1)


def lying():
    size = struct.pack("<L", 5000)
    return zipped(("a", b"\0" * 5000)).replace(size, struct.pack("<L", 5))


ELSEWHERE = ["../x", "a/../../x", "/etc/x", "C:\\x", "a\\..\\x", "..", "a/../x", "a\nb"]
TWICE = [["a", "a"], ["a", "./a"], ["a", "a/b"], ["a/b", "a"]]
LINKS = [(tarfile.SYMTYPE, "/etc/passwd"), (tarfile.SYMTYPE, "b"), (tarfile.LNKTYPE, "b")]
DEVICES = [(kind, "") for kind in (tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE)]
ZEROS = ("a", b"\0" * 50_000_000)
# What the archive is (bytes, or what makes them), what the line says, and a member that is refused
# with the same words when it is opened alone.
HOSTILE = {
    **{f"zip: {name!r}": (zipped(("b", b"1"), (name, b"2")), "", "") for name in ELSEWHERE},
    **{f"tar: {name!r}": (tarred(("b", b"1"), (name, b"2")), "", "") for name in ELSEWHERE},
    **{f"tar twice: {names}": (tarred(*((n, b"1") for n in names)), "", "") for names in TWICE},
    **{
        f"zip twice: {names}": (lambda names=names: zipped(*((n, b"1") for n in names)), "", "")
        for names in TWICE
    },
    "zip: a name twice": (lambda: zipped(("a", b"1"), ("a", b"2")), "twice", "a"),
    **{
        f"tar: {kind!r} {to}": (
            tarred(("b", b"1"), ("x", kind, to)),
            "a link or not a regular",
            "x",
        )
        for kind, to in LINKS + DEVICES
    },
    "zip: a link": (zipped(("x", "/etc/passwd"), mode=LINK), "a link or not a regular", "x"),
    "zip: a device": (zipped(("x", ""), mode=DEVICE), "a link or not a regular", "x"),
    "zip: encrypted": (encrypted(), "encrypted", "a"),
    "zip: a bomb": (lambda: zipped(ZEROS), f"or {32 << 20} bytes in them", "a"),
    "zip: a lie": (lying(), "damaged", ""),
    "zip: too many": (many_in_a_zip, "more than 200000 members", ""),
    "tar: a bomb": (bomb, "expands to more than", "b"),  # to be skipped, it must be uncompressed
    "tar: a long header": (long_header(), "headers is too long", ""),
    "tar: too many": (many_in_a_tar, "", ""),
    "cut.zip": (zlib.compress(b"x"), "", ""),
    "cut.tar.gz": (gzip.compress(tarfile.TarInfo("a").tobuf() * 9)[:-12], "", ""),
    "bad.gz": (b"\x1f\x8b\x08\0" + b"x" * 100, "", ""),
    "bad.zip": (b"PK\x03\x04" + b"x" * 100, "", ""),
    "page.zip": (b"<html>", "", ""),
    "empty.tar": (b"", "", ""),
}


@fault(
    "members of archives whose names lead elsewhere (`../x`, `/x`), are there twice, or are links, "
    "devices or pipes; encrypted members; gigabytes of zeros, millions of members, endless "
    "headers, sizes that lie; half an archive, or a file that is none",
    "one line: the archive is refused; nothing is written outside or left",
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(("content", "words", "member"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_archives(tmp_path, content, words, member):
    archive, folder = tmp_path / "demo", tmp_path / "out/folder"
    archive.write_bytes(content() if callable(content) else content)
    folder.parent.mkdir()
    with pytest.raises(UserError, match=words or None) as caught:
        unpack(archive, folder)
    assert str(caught.value).startswith("demo: ")
    assert "\n" not in str(caught.value)
    assert left(tmp_path) == ["demo"]
    if member:
        with pytest.raises(UserError, match=words), open_member(archive, member):
            pass


@fault("many members that are too much together", "the archive is refused")
@pytest.mark.parametrize(("kind", "size"), [("zip", 20_000), ("tar.xz", 20 * 1536)])
def test_many_members_that_are_too_much_together(tmp_path, monkeypatch, kind, size):
    members = [(f"{i}", b"\1" * 1000) for i in range(20)]
    (archive := tmp_path / f"a.{kind}").write_bytes(
        zipped(*members) if kind == "zip" else tarred(*members, mode="w:xz")
    )
    monkeypatch.setattr(unpacking, "MAX_RATIO", 1)
    for limit, most, words in ((size - 1, 20, f"{size - 1} bytes"), (2 * size, 19, "19 members")):
        monkeypatch.setattr(unpacking, "HARMLESS", limit)
        monkeypatch.setattr(unpacking, "MAX_MEMBERS", most)
        with pytest.raises(UserError, match=words):
            unpack(archive, tmp_path / "out")
    monkeypatch.setattr(unpacking, "MAX_MEMBERS", 20)
    unpack(archive, tmp_path / "out")
    assert len(left(tmp_path / "out")) == 20


@fault("a disk that fills up while an archive is unpacked", "one line; nothing is left")
def test_a_full_disk_while_unpacking(tiny_disk, tmp_path):
    """On a real file system of 256 KiB."""
    (archive := tmp_path / "a.zip").write_bytes(
        zipped(("a", b"1"), ("b", bytes(range(256)) * 4000))
    )
    with pytest.raises(UserError, match=r"a\.zip: cannot be unpacked: .*No space left"):
        unpack(archive, tiny_disk / "folder")
    assert left(tiny_disk) == []
