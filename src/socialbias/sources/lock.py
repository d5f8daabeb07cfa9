"""What unverifiable files were when they were first fetched: `resources/sources.lock`.

Where upstream publishes no checksum, the first file that comes is trusted and recorded, and every
later one must be the same. The file is JSON, sorted, without dates, and belongs into version
control: `{"<source>/<file>": {"bytes": ..., "sha256": ...}}`.
"""

from __future__ import annotations

import json
from pathlib import Path

from socialbias.errors import UserError
from socialbias.sources.checksums import UNKNOWN, Facts
from socialbias.sources.landing import locked, write_text
from socialbias.sources.registry import SourceFile


def read_lock(path: Path) -> dict[str, dict]:
    """All entries; none where there is no lock yet.

    Raises:
        UserError: the file is damaged.
    """
    try:
        entries = json.loads(path.read_text("utf-8"))
        if all(_well_formed(entry) for entry in entries.values()):
            return entries
    except FileNotFoundError:
        return {}
    except (AttributeError, KeyError, TypeError, ValueError):
        pass
    raise UserError(f"{path} is damaged: take it back from version control, or remove it")


def pinned(source: str, file: SourceFile, path: Path) -> SourceFile:
    """The file with the size and checksum of its first download, where upstream tells none."""
    if file.sha256 != UNKNOWN:
        return file
    entry = read_lock(path).get(f"{source}/{file.name}")
    if entry is None:
        return file
    size = entry["bytes"] if file.bytes is None else file.bytes
    return file.model_copy(update={"sha256": entry["sha256"], "bytes": size})


def record(source: str, file: SourceFile, facts: Facts, path: Path) -> None:
    """Record what a file was when it first came; nothing where its checksum is known.

    Raises:
        UserError: another process has recorded something else meanwhile.
    """
    if file.sha256 != UNKNOWN:
        return
    name = f"{source}/{file.name}"
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path.with_name(f".{path.name}.lock")):
        entries = read_lock(path)
        entry = {"bytes": facts.bytes, "sha256": facts.sha256}
        if entries.setdefault(name, entry) != entry:
            raise UserError(f"{source}: {file.name}: {changed(path)}")
        write_text(path, json.dumps(entries, indent=2, sort_keys=True, ensure_ascii=False) + "\n")


def changed(path: Path) -> str:
    """What to do about a file that is no longer what it was."""
    return (
        f"it is not what was first fetched and recorded in {path}: "
        "if the new file is right, remove its entry there"
    )


def _well_formed(entry: dict) -> bool:
    return isinstance(entry["bytes"], int) and isinstance(entry["sha256"], str)
