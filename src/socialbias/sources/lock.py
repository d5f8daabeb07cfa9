"""Checksums recorded at the first download: `sources.lock` in the data folder.

Where upstream publishes no checksum, the first download is trusted and recorded, and every later
one must match it. The file is sorted JSON without dates and belongs under version control:
`{"<source>/<file>": {"bytes": ..., "sha256": ...}}`.
"""

from __future__ import annotations

import json
from pathlib import Path

from socialbias.errors import UserError
from socialbias.files.atomic_write import locked, write_text
from socialbias.files.json_files import parse_json
from socialbias.sources.checksums import UNKNOWN, FileCheck
from socialbias.sources.registry import SourceFile


def read_lock(path: Path) -> dict[str, dict]:
    """Return all entries, none if there is no file yet; a damaged one is a UserError."""
    try:
        entries = parse_json(path.read_text("utf-8"))
        fields = [(entry["bytes"], entry["sha256"]) for entry in entries.values()]
        if all(isinstance(size, int) and isinstance(sha, str) for size, sha in fields):
            return entries
    except FileNotFoundError:
        return {}
    except (AttributeError, KeyError, TypeError, ValueError):
        pass
    raise UserError(f"{path} is damaged: restore it from version control, or delete it")


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
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path.with_name(f".{path.name}.lock")):
        entries = read_lock(path)
        entry = {"bytes": check.bytes, "sha256": check.sha256}
        if entries.setdefault(name, entry) != entry:
            raise UserError(f"{source}: {file.name}: {changed(path)}")
        write_text(path, json.dumps(entries, indent=2, sort_keys=True, ensure_ascii=False) + "\n")


def changed(path: Path) -> str:
    """Return what to do about a file that differs from the recorded one."""
    return (
        f"it differs from the file that was first fetched and recorded in {path}: "
        "if the new file is right, remove its entry there"
    )
