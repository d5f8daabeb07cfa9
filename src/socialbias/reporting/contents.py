"""The files of a run or an audit, and those that a crate describes; needs NumPy alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from socialbias.errors import UserError
from socialbias.files.json_files import parse_json
from socialbias.files.text import read_text

NAME = "ro-crate-metadata.json"


def files_of(folder: Path) -> Iterator[Path]:
    """Yield every file of a run, or of an audit, that is whole and meant to be read."""
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        hidden = any(part.startswith(".") for part in parts)
        if path.is_file() and not hidden and path.suffix not in (".tmp", ".lock", ".part"):
            yield path


def described_files(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield `path`, `bytes` and `sha256` of each file of a run, as its crate has them."""
    path = folder / NAME
    if not path.is_file():
        raise UserError(f"{folder}: has no {NAME}: run `make crate RUN_FOLDER={folder}` first")
    try:
        graph = parse_json(read_text(path))["@graph"]
        files = [each for each in graph if each["@type"] == "File"]
        files = [file for file in files if not file["@id"].startswith("ni:")]
        for file in files:
            size = {"bytes": int(file["contentSize"]), "sha256": file["sha256"]}
            yield {"path": file["name"], **size}
    except (ValueError, KeyError, TypeError):
        raise UserError(f"{path}: is damaged: run `make crate` again") from None
