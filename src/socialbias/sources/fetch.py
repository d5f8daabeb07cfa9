"""Fetching sources: place by place, every file verified and moved into place atomically."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from socialbias.errors import UserError
from socialbias.files.atomic_write import (
    DISK_FULL,
    Log,
    locked,
    move_into_place,
    part_path,
    partial_downloads,
)
from socialbias.sources import https, hub, npm, pypi
from socialbias.sources.binding import Places, candidates, locator_kind
from socialbias.sources.checksums import UNKNOWN, FileCheck, check_file
from socialbias.sources.contents import EXPECTED, counted, difference, problem_with_content
from socialbias.sources.copies import copies
from socialbias.sources.lock import changed, pinned, record
from socialbias.sources.manifest import write_manifest
from socialbias.sources.registry import Source, SourceFile
from socialbias.sources.request import FetchRequest
from socialbias.sources.subjects import FILE_LOCATOR, HUB_LOCATOR, fetch_subject
from socialbias.sources.unavailable import UnavailableError, note_available, note_unavailable

DOWNLOADERS = {
    "https": https.download,
    "hf": hub.download,
    "pypi": pypi.download,
    "npm": npm.download,
}
Download = Callable[[Path], object]  # writes a file


def fetch(source: Source, places: Places, log: Log) -> dict:
    """Fetch and verify every file of a source into `places.data / source.id`; return its manifest.

    A valid file that is already there is kept. A wrong or incomplete file is never left behind:
    each is written under another name and renamed once its size and checksum are verified. Places
    are tried in order: the mirror, the locators, then copies of the same bytes elsewhere. If two
    processes want the same file, the second waits for the first. A UserError names the file, every
    place that was tried, and what the user can do.
    """
    files = []
    for file in source.files:
        check = _ensure_file(source, file, places, log)
        entry = {"path": file.name, "bytes": check.bytes, "sha256": check.sha256}
        if file.expect:
            target = places.data / source.id / file.name
            counts = counted(target, source, file)
            problem, slight = difference(file.expect, counts)
            if problem and slight:
                log(f"{source.id}: {file.name} has {problem}, which is close enough")
            elif problem and source.id not in places.accept_short:
                raise UserError(
                    f"{source.id}: {file.name} has {problem}: it is incomplete or another edition: "
                    f"remove {target} and run the same command again, or write "
                    f"`accept_short: [{source.id}]` in the configuration to use it as a subset"
                )
            entry |= {"expected": dict(file.expect), "found": counts}
        files.append(entry)
    keys = ("title", "licence", "format", "fidelity", "stands_in_for")
    return {"source": source.id, **{key: getattr(source, key) for key in keys}, "files": files}


def fetch_or_link(source: Source, places: Places, log: Log) -> dict:
    """Fetch a source, or link a user's own, and write the manifest beside its files.

    A source that no place gave is noted in the data folder: the next run goes on without it.
    """
    if source.files[0].locators[0].startswith((FILE_LOCATOR, HUB_LOCATOR)):
        manifest = fetch_subject(source, places.data)
        log(f"{source.id}: {len(manifest['files'])} files of your own")
    else:
        try:
            manifest = fetch(source, places, log)
        except UnavailableError as error:
            note_unavailable(places.data, source.id, str(error))
            raise
        note_available(places.data, source.id)
    write_manifest(manifest, places.data / source.id / "manifest.json")
    return manifest


def _content_problem(path: Path, source: Source, file: SourceFile, places: Places) -> str | None:
    """Return why a file of unknown checksum cannot be recorded; None if it can."""
    if problem := problem_with_content(path, file.name, source.format):
        return problem
    if not file.expect or source.id in places.accept_short:
        return None
    problem, slight = difference(file.expect, counted(path, source, file))
    return f"it has {problem}" if problem and not slight else None


def _ensure_file(source: Source, file: SourceFile, places: Places, log: Log) -> FileCheck:
    """Return the check of a valid file in the data folder, fetched if necessary."""
    target = places.data / source.id / file.name
    lock = target.with_name(f".{target.name}.lock")
    try:
        check = _check_existing(target, pinned(source.id, file, places.lock_path))
        # An existing lock is another process's, or left over from one: either way, acquire it.
        if check is None or file.sha256 == UNKNOWN or lock.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            with locked(lock, log):
                return _ensure_file_locked(source, file, target, places, log)
    except OSError as error:
        raise UserError(
            f"{source.id}: cannot fetch {file.name} to {target.parent}: {_line(error)}. "
            "Free some space there, or name another folder in `data`."
        ) from error
    log(f"{source.id}: {file.name} is up to date")
    return check


def _ensure_file_locked(
    source: Source, file: SourceFile, target: Path, places: Places, log: Log
) -> FileCheck:
    """Do as `_ensure_file`, holding the lock: another process may have fetched it meanwhile."""
    known = pinned(source.id, file, places.lock_path)
    check = check_file(target, known) if target.is_file() else None
    if check and not check.problem and known.sha256 == UNKNOWN:
        check = replace(check, problem=_content_problem(target, source, known, places))
    if check and not check.problem:
        record(source.id, file, check, places.lock_path)
        _remove_parts(target)
        log(f"{source.id}: {file.name} is up to date")
        return check
    if check:
        log(f"{source.id}: {file.name} is invalid ({check.problem}): fetching it again")
        if EXPECTED not in check.problem:  # otherwise it may be all that there is: accept_short
            target.unlink()
    part, check = part_path(target), None
    if known.sha256 != UNKNOWN:
        check = _check_existing(part, known)  # complete, but the process was killed before renaming
    try:
        if check is None:
            check = _fetch_file(source, file, known, target, places, log)
        record(source.id, file, check, places.lock_path)
        move_into_place(part, target)
    finally:
        part.unlink(missing_ok=True)
    _remove_parts(target)
    return check


def _remove_parts(target: Path) -> None:
    """Remove what interrupted downloads of a file have left behind."""
    for part in (part_path(target), *partial_downloads(target)):
        part.unlink(missing_ok=True)


def _check_existing(path: Path, file: SourceFile) -> FileCheck | None:
    """Return the check of a file that exists and is valid, else None."""
    check = check_file(path, file) if path.is_file() else None
    return None if check is None or check.problem else check


def _fetch_file(
    source: Source, file: SourceFile, known: SourceFile, target: Path, places: Places, log: Log
) -> FileCheck:
    """Try each place until a valid file has arrived; return its check."""
    part = part_path(target)
    look = partial(_content_problem, source=source, file=known, places=places)
    tried = []
    for name, download in _candidates(source, known, places, log):
        log(f"{source.id}: {file.name} from {name}")
        resumed = bool(partial_downloads(target))
        check = _try(download, part, known, look)
        if check.problem and check.bytes and resumed:  # what was there was of another file
            log(f"{source.id}: {file.name} from {name}: {check.problem}: fetching it anew")
            check = _try(download, part, known, look)
        if check.problem is None:
            return check
        log(f"{source.id}: {file.name} from {name}: {check.problem}")
        tried.append(f"{name}: {check.problem}")
    text = f"{source.id}: cannot fetch {file.name}: "
    text += "; ".join(tried).rstrip(".") or "no place in `locators` has it"
    if file.sha256 != known.sha256 and any("instead of" in problem for problem in tried):
        text += f". Note that {changed(places.lock_path)}"
    if target.exists() or any(EXPECTED in problem for problem in tried):
        text += f". To use it as a subset, write `accept_short: [{source.id}]` in the configuration"
    if received := sum(part.stat().st_size for part in partial_downloads(target)):
        text += f". {received} bytes were received and are kept: the next try resumes"
    if source.steps:
        text += f". {' '.join(source.steps.split()).rstrip('.')}"
    text += f". Download the file yourself and save it as {target}"
    if more := {*map(locator_kind, file.locators)} - {*places.locators, "manual"}:
        text += f", or add {' or '.join(sorted(more))} to `locators` in the configuration"
    if any(locator_kind(locator) == "hf" for locator in file.locators):
        text += ", or set HF_ENDPOINT to a mirror of the Hub that you trust"
    raise UnavailableError(f"{text}.")


def _try(
    download: Download, part: Path, file: SourceFile, look: Callable[[Path], str | None]
) -> FileCheck:
    """Get a file from one place; return its check.

    Where its checksum is unknown, `look` says what is wrong with its content. A full disk, which no
    other place can help, is an OSError.
    """
    part.unlink(missing_ok=True)  # it may be a link into the mirror: never write into it
    try:
        download(part)
        check = check_file(part, file)
        if check.problem is None and file.sha256 == UNKNOWN:
            check = replace(check, problem=look(part))
    except UserError as error:
        check = FileCheck(0, "", str(error))
    except OSError as error:  # requests' errors are OSErrors too
        if error.errno in DISK_FULL:
            part.unlink(missing_ok=True)
            raise
        check = FileCheck(0, "", _line(error))
    return check


def _candidates(
    source: Source, file: SourceFile, places: Places, log: Log
) -> Iterator[tuple[str, Download]]:
    """Yield each place to try: its name, and a function that writes the file to a path."""
    request = FetchRequest(
        source=source.id,
        name=file.name,
        bytes=file.bytes,
        pinned=file.sha256 != UNKNOWN,
        packages=places.data / "packages",
        log=log,
        timeouts=places.timeouts,
    )
    for kind, place in candidates(source, file, places, [*file.locators, *copies(file)]):
        if kind == "mirror":
            yield "the mirror", partial(link_or_copy, place)
        elif kind == "manual":
            yield str(place), partial(shutil.copyfile, place)
        else:
            yield place, partial(DOWNLOADERS[kind], place, request=request)


def link_or_copy(path: Path, target: Path) -> None:
    """Take a file from a mirror: as a hard link where that is possible and allowed.

    A link is as safe as a copy: nothing here writes into an existing file (everything is renamed
    into place), and a file that somebody else writes into is found out when it is read.
    """
    target.unlink(missing_ok=True)
    try:
        os.link(path.resolve(), target)  # not a link to a link, which may lead elsewhere from there
    except OSError:
        shutil.copyfile(path, target)


def _line(error: OSError) -> str:
    """Return an error in one line."""
    return (str(error).splitlines() or [type(error).__name__])[0]
