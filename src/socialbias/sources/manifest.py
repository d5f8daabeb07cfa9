"""The manifest of a fetched source: a list of its verified files, stored beside them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from socialbias.errors import UserError
from socialbias.files.atomic_write import write_text
from socialbias.files.json_files import parse_json
from socialbias.sources.checksums import sha256_of
from socialbias.sources.verified import AGAIN, check, mark


def write_manifest(manifest: dict, path: Path) -> None:
    """Write a manifest atomically; its files have just been checked."""
    for file in manifest.get("files", []):
        mark(path.parent, file)
    write_text(path, json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")


def read_manifest(path: Path) -> tuple[Path, dict]:
    """Return the folder of a source's files, and its manifest.

    It is a UserError if it cannot be read, or if a file is not the one that was fetched.
    """
    manifest = parsed(path)
    # Without its manifest a source is fetched again: what is right stays, what is not is replaced.
    check(path.parent, manifest.get("files", []), str(path))
    return path.parent, manifest


def parsed(path: Path) -> dict:
    """Return a manifest without a look at its files; one that cannot be read is a UserError."""
    try:
        manifest = parse_json(path.read_text("utf-8"))
        if isinstance(manifest, dict):
            return manifest
    except ValueError:
        pass
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}): remove it {AGAIN}") from None
    raise UserError(f"{path}: damaged: remove it {AGAIN}")


def size_and_checksum(folder: Path, file: Mapping[str, Any]) -> tuple[int, str]:
    """Return the bytes and the sha256 of an entry of `files`, which may not have them."""
    path = folder / file["path"]
    return file.get("bytes") or path.stat().st_size, file.get("sha256") or sha256_of(path)


def only_file(folder: Path, manifest: dict) -> Path:
    """Return the file of a source that has one."""
    [file] = manifest["files"]
    return folder / file["path"]
