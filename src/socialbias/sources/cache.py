"""A cache that many users and many checkouts share: `SOCIALBIAS_CACHE`.

A file lies in it under its own checksum, `<cache>/sha256/ab/abcdef...`: it needs no index, two
sources that hold the same file share it, and a file that is not what its name says is ignored. It
is only read, unless `SOCIALBIAS_CACHE_WRITE=1`: then what was fetched and found right is added. A
file whose checksum nobody knows cannot be looked up; once it is in `resources/sources.lock` it can.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

from socialbias.sources.checksums import UNKNOWN
from socialbias.sources.landing import CHUNK, Log, arrival_of, land, locked


def cached(cache: Path | None, sha256: str) -> Path | None:
    """Where a file lies in the cache, if something is there; it still has to be checked."""
    if cache is None or sha256 == UNKNOWN:
        return None
    path = _place(cache, sha256)
    return path if path.is_file() else None


def link_or_copy(path: Path, target: Path) -> None:
    """Take a file out of the cache: as a hard link where the file system and its owner allow it.

    Nothing here writes into a file that is there (all is renamed into place), so that a link is as
    safe as a copy; files of the cache are read-only besides.
    """
    target.unlink(missing_ok=True)
    try:
        os.link(path, target)
    except OSError:
        shutil.copyfile(path, target)


def add(cache: Path, path: Path, sha256: str, log: Log) -> None:
    """Put a file that was found right into the cache; a cache that cannot be written is no fault.

    Args:
        cache: The cache's folder.
        path: The file; copied, so that what a user does to it later stays with the user.
        sha256: Its checksum: what was copied is compared with it before it bears that name.
        log: Told when it did not work.
    """
    place = _place(cache, sha256)
    arrival = arrival_of(place)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with locked(place.with_name(f".{place.name}.lock")):
            try:
                if _copy(path, arrival) == sha256:
                    arrival.chmod(0o444)
                    land(arrival, place)
                else:
                    log(f"{path.name} changed while it was copied to the cache: left out")
            finally:
                arrival.unlink(missing_ok=True)
    except OSError as error:
        log(f"{path.name}: not added to the cache: {error}")


def _place(cache: Path, sha256: str) -> Path:
    return cache / "sha256" / sha256[:2] / sha256


def _copy(path: Path, target: Path) -> str:
    """Copy a file and return the checksum of what was copied."""
    digest = hashlib.sha256()
    target.unlink(missing_ok=True)
    with path.open("rb") as source, target.open("wb") as file:
        while piece := source.read(CHUNK):
            digest.update(piece)
            file.write(piece)
    return digest.hexdigest()
