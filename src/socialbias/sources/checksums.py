"""Checks that a file is the expected one: its size and checksums."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from socialbias.files.atomic_write import CHUNK

if TYPE_CHECKING:  # every job computes checksums, and hardly one needs the registry's models
    from socialbias.sources.registry import SourceFile

UNKNOWN = "unknown"


@dataclass(frozen=True)
class FileCheck:
    """The result of checking a file."""

    bytes: int
    sha256: str  # "" if the size was already wrong
    problem: str | None  # what is wrong with it


def sha256_of(path: Path) -> str:
    """Return the usual checksum of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_file(path: Path, file: SourceFile) -> FileCheck:
    """Read a file once and compare it with everything that the registry knows about it.

    Where sha256 is unknown, md5 and Git's blob checksum are compared if the registry has them;
    without any, every file of the right size passes and the caller has to record its checksum.
    """
    size = path.stat().st_size
    if file.bytes is not None and size != file.bytes:
        return FileCheck(size, "", f"{size} bytes instead of {file.bytes}")
    expected = {"sha256": file.sha256}
    if file.sha256 == UNKNOWN:
        expected |= {"md5": file.md5, "git_blob_sha1": file.git_blob_sha1}
    hashes = {
        "sha256": hashlib.sha256(),
        "md5": hashlib.md5(usedforsecurity=False),
        # Git hashes a header with the object's type and size before the content.
        "git_blob_sha1": hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False),
    }
    hashes = {kind: hashes[kind] for kind, value in expected.items() if value}
    with path.open("rb") as opened:
        while chunk := opened.read(CHUNK):
            for each in hashes.values():
                each.update(chunk)
    digests = {kind: each.hexdigest() for kind, each in hashes.items()}
    wrong = [
        f"{kind} {digest[:12]}… instead of {expected[kind]}"
        for kind, digest in digests.items()
        if expected[kind] not in (digest, UNKNOWN)
    ]
    return FileCheck(size, digests["sha256"], wrong[0] if wrong else None)
