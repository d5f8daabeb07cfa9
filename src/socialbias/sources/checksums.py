"""Whether a file is the one that was meant."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from socialbias.sources.landing import CHUNK
from socialbias.sources.registry import SourceFile

UNKNOWN = "unknown"


@dataclass(frozen=True)
class Facts:
    """What a file is.

    Attributes:
        bytes: Its size.
        sha256: Its checksum; "" when the size was wrong already.
        problem: What is wrong with it; None when nothing is.
    """

    bytes: int
    sha256: str
    problem: str | None


def sha256_of(path: Path) -> str:
    """Checksum of a file, read in chunks."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def problem_with(path: Path, file: SourceFile) -> str | None:
    """What is wrong with a file, or None when its size and checksums are right."""
    return facts_of(path, file).problem


def facts_of(path: Path, file: SourceFile) -> Facts:
    """Read a file once and compare it with everything that the registry knows of it.

    Where sha256 is unknown, md5 and Git's checksum are compared if there are any: with none of
    them every file of the right size is right, and the caller has to record what it was.
    """
    size = path.stat().st_size
    if file.bytes is not None and size != file.bytes:
        return Facts(size, "", f"{size} bytes instead of {file.bytes}")
    wanted = {"sha256": file.sha256}
    if file.sha256 == UNKNOWN:
        wanted |= {"md5": file.md5, "git_blob_sha1": file.git_blob_sha1}
    found = _digests(path, size, [kind for kind, value in wanted.items() if value])
    wrong = [
        f"{kind} {digest[:12]}… instead of {wanted[kind]}"
        for kind, digest in found.items()
        if wanted[kind] not in (digest, UNKNOWN)
    ]
    return Facts(size, found["sha256"], wrong[0] if wrong else None)


def _digests(path: Path, size: int, kinds: list[str]) -> dict[str, str]:
    """Checksums of a file, in one reading."""
    known = {
        "sha256": hashlib.sha256(),
        "md5": hashlib.md5(usedforsecurity=False),
        # Git's name of a file's content begins with its kind and size.
        "git_blob_sha1": hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False),
    }
    sums = {kind: known[kind] for kind in kinds}
    with path.open("rb") as file:
        while piece := file.read(CHUNK):
            for one in sums.values():
                one.update(piece)
    return {kind: one.hexdigest() for kind, one in sums.items()}
