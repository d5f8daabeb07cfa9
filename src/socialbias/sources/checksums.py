"""Checks that a file is the expected one: its size and checksums."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

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
    """Compare a file with the size and checksum that the registry, or the lock, has of it."""
    size = path.stat().st_size
    if file.bytes is not None and size != file.bytes:
        return FileCheck(size, "", f"{size} bytes instead of {file.bytes}")
    digest, problem = sha256_of(path), None
    if file.sha256 not in (digest, UNKNOWN):
        problem = f"sha256 {digest[:12]}… instead of {file.sha256}"
    return FileCheck(size, digest, problem)
