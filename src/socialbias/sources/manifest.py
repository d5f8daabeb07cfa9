"""The manifest of a fetched source: a list of its verified files, stored beside them."""

from __future__ import annotations

import json
from pathlib import Path

from socialbias.sources.atomic_write import write_text


def write_manifest(manifest: dict, path: Path) -> None:
    """Write a manifest atomically."""
    write_text(path, json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")


def read_manifest(path: Path) -> tuple[Path, dict]:
    """The folder of a source's files, and its manifest."""
    return path.parent, json.loads(path.read_text("utf-8"))


def only_file(folder: Path, manifest: dict) -> Path:
    """The file of a source that has one."""
    [file] = manifest["files"]
    return folder / file["path"]
