"""A cache shared by users and checkouts: `SOCIALBIAS_CACHE`.

A file is stored under its own checksum, `<cache>/sha256/ab/abcdef...`: no index is needed, sources
with the same file share it, and a file that does not match its name is ignored. The cache is
read-only unless `SOCIALBIAS_CACHE_WRITE=1`, which adds every verified download. A file whose
checksum is unknown cannot be looked up until it is in `sources.lock` in the data folder.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from socialbias.files.atomic_write import Log, locked, move_into_place, part_path
from socialbias.sources.checksums import sha256_of


def place_of(cache: Path, sha256: str) -> Path:
    """Return where the cache has a file, if it has it; its content is not checked."""
    return cache / "sha256" / sha256[:2] / sha256


def link_or_copy(path: Path, target: Path) -> None:
    """Take a file from the cache or a mirror: as a hard link where that is possible and allowed.

    A link is as safe as a copy: nothing here writes into an existing file (everything is renamed
    into place), and a file that somebody else writes into is found out when it is read.
    """
    target.unlink(missing_ok=True)
    try:
        os.link(path.resolve(), target)  # not a link to a link, which may lead elsewhere from there
    except OSError:
        shutil.copyfile(path, target)


def add(cache: Path, path: Path, sha256: str, log: Log) -> None:
    """Add a copy of a verified file to the cache, after a comparison with its checksum.

    A cache that cannot be written is logged, and no error.
    """
    place = place_of(cache, sha256)
    part = part_path(place)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with locked(place.with_name(f".{place.name}.lock")):
            try:
                part.unlink(missing_ok=True)
                shutil.copyfile(path, part)
                if sha256_of(part) == sha256:
                    part.chmod(0o444)
                    move_into_place(part, place)
                else:
                    log(f"{path.name} changed while it was copied to the cache: not added")
            finally:
                part.unlink(missing_ok=True)
    except OSError as error:
        log(f"{path.name}: not added to the cache: {error}")
