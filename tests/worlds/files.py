"""Real files, of which a test that needs one that is not there is skipped."""

import os
from pathlib import Path

import pytest

from socialbias.sources.manifest import read_manifest
from tests.paths import DATA

MIRROR = os.environ.get("SOCIALBIAS_MIRROR", "")


def mirrored(name: str) -> Path:
    """A file or folder of the mirror that `SOCIALBIAS_MIRROR` names."""
    path = Path(MIRROR) / name
    if not MIRROR or not path.exists():
        pytest.skip(f"the mirror has no {name}: set SOCIALBIAS_MIRROR")
    return path


def fetched(source: str) -> tuple[Path, dict]:
    """Folder and manifest of a source in the data folder of this checkout or `SOCIALBIAS_DATA`."""
    path = DATA / source / "manifest.json"
    if not path.exists():
        pytest.skip(f"the data folder has no {source}: run the quickstart, or set SOCIALBIAS_DATA")
    return read_manifest(path)
