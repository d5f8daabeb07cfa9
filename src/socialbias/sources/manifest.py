"""The manifest of a fetched source: what lies beside it, verified."""

from __future__ import annotations

import json
from pathlib import Path


def write_manifest(manifest: dict, path: Path) -> None:
    """Write a manifest atomically."""
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", "utf-8")
    temporary.replace(path)


def read_manifest(path: Path) -> tuple[Path, dict]:
    """The folder in which a source's files lie, and its manifest."""
    return path.parent, json.loads(path.read_text("utf-8"))
