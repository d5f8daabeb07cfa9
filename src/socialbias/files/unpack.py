"""Zip and tar archives whose checksums are known."""

from __future__ import annotations

import gzip
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from socialbias.errors import UserError

DAMAGED = (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError)
DAMAGED += (EOFError, gzip.BadGzipFile)
DAMAGED += (KeyError, RuntimeError)  # a link to no member; encrypted, or compressed otherwise


@contextmanager
def open_archive(archive: Path) -> Iterator[zipfile.ZipFile | tarfile.TarFile]:
    """Open a zip or tar (also .gz, .bz2, .xz); one that cannot be read is a UserError."""
    try:
        opener = zipfile.ZipFile if zipfile.is_zipfile(archive) else tarfile.open
        with opener(archive) as opened:
            yield opened
    except DAMAGED:
        problem = "damaged, or neither a zip nor a tar: fetch it again"
        raise UserError(f"{archive.name}: {problem}") from None


def unpack(archive: Path, folder: Path) -> None:
    """Unpack an archive into a folder, and nothing outside it."""
    with open_archive(archive) as opened:
        if isinstance(opened, tarfile.TarFile):
            opened.extractall(folder, filter="data")
        else:
            opened.extractall(folder)
