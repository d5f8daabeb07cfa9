"""Checksums recorded at the first download: `sources.lock` in the data folder.

Where upstream publishes no checksum, the first download is trusted and recorded, and every later
one must match it. The file is sorted JSON without dates and belongs under version control:
`{"<source>/<file>": {"bytes": ..., "sha256": ...}}`.
"""

from __future__ import annotations

from pathlib import Path

from socialbias.errors import UserError
from socialbias.files.json_files import changed_entries, read_entries
from socialbias.sources.checksums import UNKNOWN, FileCheck
from socialbias.sources.registry import SourceFile


def read_lock(path: Path) -> dict[str, dict]:
    """Return all entries, none if there is no file yet; a damaged one is a UserError."""
    advice = "restore it from version control, or delete it"
    return read_entries(path, {"bytes": int, "sha256": str}, advice)


def pinned(source: str, file: SourceFile, path: Path) -> SourceFile:
    """Return the file with size and checksum of its first download, where upstream has none."""
    if file.sha256 != UNKNOWN:
        return file
    entry = read_lock(path).get(f"{source}/{file.name}")
    if entry is None:
        return file
    size = entry["bytes"] if file.bytes is None else file.bytes
    return file.model_copy(update={"sha256": entry["sha256"], "bytes": size})


def record(source: str, file: SourceFile, check: FileCheck, path: Path) -> None:
    """Record a file's size and checksum at its first download, unless upstream publishes one.

    It is a UserError if another process has meanwhile recorded something different.
    """
    if file.sha256 != UNKNOWN:
        return
    name = f"{source}/{file.name}"
    entry = {"bytes": check.bytes, "sha256": check.sha256}
    with changed_entries(path, read_lock) as entries:
        if entries.setdefault(name, entry) != entry:
            raise UserError(f"{source}: {file.name}: {changed(path)}")


def changed(path: Path) -> str:
    """Return what to do about a file that differs from the recorded one."""
    return (
        f"it differs from the file that was first fetched and recorded in {path}: "
        "if the new file is right, remove its entry there"
    )
