"""What `make rehearsal-all` adds: damaged files."""

from __future__ import annotations

import gzip
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from socialbias.errors import UserError
from socialbias.sources.binding import KINDS, Places
from socialbias.sources.fetch import fetch
from socialbias.sources.registry import Source
from socialbias.sources.request import Timeouts
from tests.rehearsal.hosts import Hosts
from tests.rehearsal.stage import BY_HAND, BY_HAND_FOLDER, MIRRORED, Stage

HASTE = Timeouts(connect=5, read=10, attempts=2, backoff=0.05)
PAGE = b"<!DOCTYPE html>\n<html><head><title>503</title></head><body>Try later.</body></html>\n"
GZIP = b"\x1f\x8b"
Step = Callable


def rehearse(stage: Stage, folder: Path, step: Step) -> None:
    """All variants of a stage that has run to its end."""
    problems = []
    for name, damage in DAMAGE.items():
        problems += step(
            f"every source with {name}", lambda d=damage, n=name: damaged(stage, folder, n, d)
        )
    if problems:
        raise SystemExit("\n".join([*problems, f"{len(problems)} problems"]))


def branched(
    stage: Stage, path: Path, lacking: Sequence[str] = (), ignore: Callable | None = None
) -> Stage:
    """A copy of a stage without some sources, and without what is to be ignored."""
    shutil.copytree(stage.path, path, symlinks=True, ignore=ignore)
    for name in lacking:
        shutil.rmtree(path / "fetched" / name, ignore_errors=True)
    return stage.moved(path)


# Damage


def half(content: bytes) -> bytes:
    """A download that broke off."""
    return content[: len(content) // 2]


def shorter(content: bytes) -> bytes:
    """Whole, but with a record less: an older edition, or one that somebody has cut."""
    if content[:2] == GZIP:
        return gzip.compress(shorter(gzip.decompress(content)), 1)
    if b"\nURL: " in content:  # a record of several lines
        return content[: content.rindex(b"\nURL: ")]
    return content[: content.rstrip(b"\n").rfind(b"\n") + 1] or content[:-1]


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "half of a file": half,
    "a record less": shorter,
}


def damaged(stage: Stage, folder: Path, name: str, damage: Callable[[bytes], bytes]) -> list[str]:
    """Every source with its files damaged: what refuses it, at fetch or in a job.

    Returns:
        A line for each source that nothing refuses.
    """
    path = folder / name.replace(" ", "-")
    origin = path / "origin"
    shutil.copytree(stage.origin, origin)
    for source in stage.sources.values():
        for file in source.files:  # all: a copy of the same bytes would stand in for one
            path_of = origin / source.id / file.name
            path_of.write_bytes(damage(path_of.read_bytes()))
    shutil.copytree(stage.path, path / "checkout", symlinks=True, ignore=FRESH)
    other = stage.moved(path / "checkout")
    for lent in (*MIRRORED, *BY_HAND):
        where = "mirror" if lent in MIRRORED else BY_HAND_FOLDER
        below = stage.sources[lent].mirror_folder if lent in MIRRORED else lent
        shutil.copytree(origin / lent, other.path / where / below, dirs_exist_ok=True)
    places = Places(
        other.path / "fetched",
        other.path / "mirror",
        KINDS[:-1],
        manual=other.path / BY_HAND_FOLDER,
        timeouts=HASTE,
    )
    hosts = Hosts(path)
    hosts.publish(other.served(), origin)
    with hosts, environment(other.environment | hosts.environment):
        refused = {k: why for k in stage.bound if (why := refusal(other.sources[k], places))}
    # Those that came through are read, beside good ones in place of the others.
    for source in refused:
        good = other.path / "fetched" / source
        shutil.rmtree(good, ignore_errors=True)
        shutil.copytree(stage.path / "fetched" / source, good)
    accepted = [k for k in stage.bound if k not in refused]
    if accepted:
        other.snakemake("--keep-going")
    said = logged(other.path / "logs/paper")
    for source in stage.bound:
        why = refused.get(source) or said_of(source, said) or "TAKEN AS IT IS"
        print(f"  {source}: {why[:200]}")
    return [
        f"{name}: {source}: nothing refuses it" for source in accepted if not said_of(source, said)
    ]


FRESH = shutil.ignore_patterns("results", "fetched", ".snakemake", "logs", "benchmarks")


def refusal(source: Source, places: Places) -> str:
    """Why a source cannot be fetched, in one line; "" if it can.

    Raises:
        ValueError: it says so in more than one line.
    """
    try:
        fetch(source, places, lambda line: None)
    except UserError as error:
        if "\n" in str(error):
            raise ValueError(f"{source.id}: more than one line: {error}") from error
        return f"refused at fetch: {error}"
    return ""


def logged(folder: Path) -> dict[str, str]:
    """The last line of each log with a traceback, by the job's name."""
    found = {}
    for path in sorted(folder.rglob("*.log")):
        text = path.read_text("utf-8", "replace")
        if "Traceback" in text:
            found[str(path.relative_to(folder))] = text.strip().splitlines()[-1]
    return found


def said_of(source: str, said: Mapping[str, str]) -> str:
    """What the job says that refused a source; "" if none did."""
    for job, line in said.items():
        if f"{source}:" in line or f"/{source}/" in line:
            return f"refused in {job.removesuffix('.log')}: {line[:140]}"
    return ""


@contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Fetch in this process as in one with these variables."""
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
