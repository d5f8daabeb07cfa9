"""Reading zip and tar archives: one member of a package, and what opens a compressed file.

Nothing is unpacked: a member is a stream, of which `copy_stream` takes no more than the registry
expects, and its checksum is compared before anything reads it.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from socialbias.errors import UserError

ZIP = (b"PK\x03\x04", b"PK\x05\x06")  # how an archive begins, and an empty one
COMPRESSIONS = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}
DAMAGED = (zipfile.BadZipFile, tarfile.TarError, gzip.BadGzipFile, zlib.error, lzma.LZMAError)
DAMAGED += (EOFError, NotImplementedError)  # the latter: a compression that Python does not support


def decompressor(start: bytes) -> Callable[..., BinaryIO] | None:
    """Return what opens a compressed file with this beginning; None for any other file."""
    return next((o for magic, o in COMPRESSIONS.items() if start.startswith(magic)), None)


def opened_zip(file: Path | BinaryIO) -> zipfile.ZipFile:
    """Open a zip that begins with its first member: one behind another file is a BadZipFile."""
    archive = zipfile.ZipFile(file)
    if min((member.header_offset for member in archive.infolist()), default=0):
        archive.close()
        raise zipfile.BadZipFile("it stands behind another file")
    return archive


@contextmanager
def open_member(archive: Path, member: str, inside_top: bool = False) -> Iterator[BinaryIO]:
    """Open one file of a zip or tar (also .gz, .bz2, .xz) for reading.

    If two members of a tar have one name, the first is taken: verify it. With `inside_top`
    the name may also be relative to the archive's top folder. A member that is missing or no
    regular file, and an archive that is damaged, are a UserError.
    """

    def is_wanted(name: str) -> bool:
        return member == name or (inside_top and member == name.partition("/")[2])

    with archive.open("rb") as file:
        start = file.read(6)
    try:
        if start.startswith(ZIP):
            with zipfile.ZipFile(archive) as opened:
                if name := next(filter(is_wanted, opened.namelist()), ""):
                    with opened.open(name) as stream:
                        yield stream
                    return
        else:
            with (decompressor(start) or open)(archive, "rb") as file:
                for entry in (opened := tarfile.TarFile(fileobj=file)):
                    if entry.isreg() and is_wanted(entry.name.removeprefix("./")):
                        with opened.extractfile(entry) as stream:
                            yield stream
                        return
    except DAMAGED as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise UserError(f"{archive.name}: damaged, fetch it again: {reason}") from None
    raise UserError(f"{archive.name}: it has no member {member}")
