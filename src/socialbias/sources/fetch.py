"""Fetching a source: tried place by place, checked byte by byte, landed atomically."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from socialbias.errors import UserError
from socialbias.sources import hf, https, kaggle, npm, pypi
from socialbias.sources.binding import (
    Places,
    client_present,
    in_cache,
    in_mirror,
    locator_kind,
    put_by_hand,
)
from socialbias.sources.cache import add, link_or_copy
from socialbias.sources.checksums import UNKNOWN, Facts, facts_of, problem_with, sha256_of
from socialbias.sources.landing import DISK_FULL, Log, arrival_of, land, locked, parts_of
from socialbias.sources.lock import changed, pinned, record
from socialbias.sources.order import Order
from socialbias.sources.registry import Source, SourceFile

__all__ = ["Log", "fetch", "problem_with", "sha256_of"]

CACHE = "the cache"
BRING = {
    "https": https.bring,
    "hf": hf.bring,
    "pypi": pypi.bring,
    "npm": npm.bring,
    "kaggle": kaggle.bring,
}


def fetch(source: Source, places: Places, log: Log) -> dict:
    """Bring every file of a source to `places.data / source.id`, verified.

    A file that is there already and right is kept. A wrong or half-written file is never left:
    each arrives under another name and is renamed once its size and checksum are right. Of two
    processes that want one file the second waits for the first.

    Args:
        source: What to fetch.
        places: Where it may come from: the mirror, the cache, then its locators in their order.
        log: Called with one line for each step.

    Returns:
        The manifest: source id, title, licence, fidelity, and each file's path, size, checksum.

    Raises:
        UserError: naming the file, every place that was tried, and what the user can do.
    """
    files = []
    for file in source.files:
        facts = _bring_home(source, file, places, log)
        files.append({"path": file.name, "bytes": facts.bytes, "sha256": facts.sha256})
    return {
        "source": source.id,
        "title": source.title,
        "licence": source.licence,
        "format": source.format,
        "fidelity": source.fidelity,
        "stands_in_for": source.stands_in_for,
        "files": files,
    }


def _bring_home(source: Source, file: SourceFile, places: Places, log: Log) -> Facts:
    """One file in its place, fetched unless it is there and right."""
    target = places.data / source.id / file.name
    lock = target.with_name(f".{target.name}.lock")
    try:
        facts = _if_right(target, pinned(source.id, file, places.lock_path))
        # A lock that is there is another process's, or what is left of one: either way we take it.
        if facts is None or file.sha256 == UNKNOWN or lock.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            with locked(lock, log):
                return _bring_home_alone(source, file, target, places, log)
    except OSError as error:
        raise UserError(
            f"{source.id}: cannot fetch {file.name} to {target.parent}: {_line(error)}. "
            "Free some space there, or name another folder in `data`."
        ) from error
    log(f"{source.id}: {file.name} is here and right")
    return facts


def _bring_home_alone(
    source: Source, file: SourceFile, target: Path, places: Places, log: Log
) -> Facts:
    """The same, while no other process does it. What it waited for may have come by now."""
    known = pinned(source.id, file, places.lock_path)
    facts = _if_right(target, known)
    if facts is not None:
        record(source.id, file, facts, places.lock_path)
        _clear(target)
        log(f"{source.id}: {file.name} is here and right")
        return facts
    if target.exists():
        log(f"{source.id}: {file.name} is here and wrong: {facts_of(target, known).problem}")
        target.unlink()
    arrival = arrival_of(target)
    if arrival.exists() and known.sha256 != UNKNOWN:
        facts = _if_right(arrival, known)  # it came, and the process was killed before it said so
    place = ""
    try:
        if facts is None:
            facts, place = _fetch_file(source, file, known, target, places, log)
        record(source.id, file, facts, places.lock_path)
        land(arrival, target)
    finally:
        arrival.unlink(missing_ok=True)
    _clear(target)
    if places.cache and places.cache_write and place != CACHE:
        add(places.cache, target, facts.sha256, log)
    return facts


def _clear(target: Path) -> None:
    """Remove what interrupted downloads have left of a file that is here."""
    for part in (arrival_of(target), *parts_of(target)):
        part.unlink(missing_ok=True)


def _if_right(path: Path, file: SourceFile) -> Facts | None:
    """What a file is, if it is there and right."""
    if not path.is_file():
        return None
    facts = facts_of(path, file)
    return None if facts.problem else facts


def _fetch_file(
    source: Source, file: SourceFile, known: SourceFile, target: Path, places: Places, log: Log
) -> tuple[Facts, str]:
    """Try each place in turn until the right bytes have arrived; what they are, and from where."""
    arrival = arrival_of(target)
    tried = []
    for name, bring in _ways(source, known, places, log):
        log(f"{source.id}: {file.name} from {name}")
        facts, pieced = _try(bring, arrival, known)
        if facts.problem and pieced:
            # What was taken up was not the beginning of what came now: once more from nothing.
            log(f"{source.id}: {file.name} from {name}: {facts.problem}; again from the beginning")
            facts, _ = _try(bring, arrival, known)
        if facts.problem is None:
            return facts, name
        log(f"{source.id}: {file.name} from {name}: {facts.problem}")
        tried.append(f"{name}: {facts.problem}")
    raise UserError(_failure(source, file, known, target, places, tried))


def _try(bring: Callable[[Path], object], arrival: Path, file: SourceFile) -> tuple[Facts, bool]:
    """Let one place bring a file; what is wrong is removed.

    Returns:
        What came, and whether it was put together from several answers of a server.

    Raises:
        OSError: the disk is full, whatever the place.
    """
    pieced = False
    arrival.unlink(missing_ok=True)  # it may be a link into the cache: never written into
    try:
        pieced = bring(arrival) is True
        facts = facts_of(arrival, file)
        if facts.problem is None:
            return facts, pieced
    except UserError as error:
        facts = Facts(0, "", str(error))
    except OSError as error:  # requests' errors are OSErrors too
        if error.errno in DISK_FULL:
            arrival.unlink(missing_ok=True)
            raise
        facts = Facts(0, "", _line(error))
    arrival.unlink(missing_ok=True)
    return facts, pieced


def _failure(
    source: Source,
    file: SourceFile,
    known: SourceFile,
    target: Path,
    places: Places,
    tried: list[str],
) -> str:
    """One line: what could not be fetched, what was tried, what to do."""
    places_tried = "; ".join(tried).rstrip(".") or "no place may be tried"
    text = f"{source.id}: cannot fetch {file.name}: {places_tried}. "
    if file.sha256 != known.sha256 and any("instead of" in problem for problem in tried):
        text += f"Mind that {changed(places.lock_path)}. "
    if kept := sum(part.stat().st_size for part in parts_of(target)):
        text += f"{kept} bytes have come: run the same again to go on from there. "
    if source.steps:
        text += f"{' '.join(source.steps.split()).rstrip('.')}. "
    return f"{text}Put the file at {target} by hand, or allow another kind of place in `locators`."


def _ways(
    source: Source, file: SourceFile, places: Places, log: Log
) -> Iterator[tuple[str, Callable[[Path], object]]]:
    """Each place to try: its name, and a function that brings the file to a path."""
    if copy := in_mirror(source, file, places):
        yield "the mirror", partial(_copy, copy)
    if copy := in_cache(source, file, places):
        yield CACHE, partial(link_or_copy, copy)
    order = Order(
        source=source.id,
        name=file.name,
        bytes=file.bytes,
        pinned=file.sha256 != UNKNOWN,
        packages=places.data / "packages",
        log=log,
        patience=places.patience,
    )
    for locator in file.locators:
        kind = locator_kind(locator)
        if kind == "manual":
            if copy := put_by_hand(source, file, places):
                yield str(copy), partial(_copy, copy)
        elif source.status == "dead":
            continue
        elif kind in BRING and kind in places.locators and client_present(kind):
            yield locator, partial(BRING[kind], locator, order=order)


def _copy(path: Path, target: Path) -> None:
    """Copy a file: a new one, never into a file that may be linked from elsewhere."""
    target.unlink(missing_ok=True)
    shutil.copyfile(path, target)


def _line(error: OSError) -> str:
    """An error in one line."""
    return (str(error).splitlines() or [type(error).__name__])[0]
