"""A run that is killed again and again, and resumed each time: the same bytes, and nothing left.

    python -m tests.kill_anywhere FOLDER --kills 100 --seed 0

One copy of the repository in FOLDER, with the small quickstart of the tests, runs undisturbed. In
the other the run is killed (-9) at random moments: Snakemake alone, so that its jobs live on; one
process of a job; or the whole group. It is resumed as a person would do it, by `--unlock` and the
same command. When it gets to its end, all that it has made is compared with what the undisturbed
run made, and it begins anew until there have been as many kills as asked for; the last run is let
through to its end.
"""

import argparse
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from tests.conftest import BY_PIP, Checkout, copy_repository
from tests.paths import REPOSITORY

MADE = ("data", "results", "resources")  # folders in which a run writes what is compared
COMPARED = ("*.csv", "*.parquet", "*.npy", "*.svg", "*.bib")  # others say when they were written
# Names of what is not finished; and of locks.
UNFINISHED = ("*.part", "*.part.*", "*.parts", "*.tmp", ".*.tmp.*", "*.new", ".fetching-*")
UNFINISHED += (".*.lock",)
KINDS = ("process", "job", "group")
PATIENCE = 1200  # seconds without a kill after which a run hangs
GRACE = 10  # seconds in which what outlived Snakemake may end


def main(arguments: list[str] | None = None) -> int:
    """Kill, resume and compare; 1 where anything differs or is left."""
    options = parsed(arguments)
    folder = options.folder.resolve()  # runs start in it, with the library of their own copy
    folder.mkdir(parents=True)
    undisturbed, killed = (prepared(folder / name) for name in ("undisturbed", "killed"))
    begun = time.monotonic()
    assert started(undisturbed).wait() == 0, report_of(undisturbed)
    took = time.monotonic() - begun
    wanted = contents(undisturbed.path)
    print(f"undisturbed: {len(wanted)} files in {took:.0f} s", flush=True)
    span = options.span or max(5.0, took / 4)
    found = disturbed(killed, wanted, options.kills, random.Random(options.seed), span)
    print("\n".join(found["differs"] + found["orphans"] + found["leftovers"]))
    kinds = ", ".join(f"{kind} {found['kills'][kind]}" for kind in KINDS)
    print(
        f"{found['kills'].total()} kills ({kinds}) in {found['runs']} runs: "
        f"{len(found['differs'])} files differ, {len(found['orphans'])} orphans, "
        f"{len(found['leftovers'])} leftovers"
    )
    return int(any(found[what] for what in ("differs", "orphans", "leftovers")))


def parsed(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="is made, and kept")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="of the moments and of what is killed")
    parser.add_argument("--span", type=float, help="seconds to a kill, at most")
    return parser.parse_args(arguments)


def prepared(folder: Path) -> Checkout:
    """A copy in which nothing has run; what is downloaded is there, but not fetched from it."""
    folder.mkdir()
    packages = REPOSITORY / "data/packages"
    if not packages.is_dir():
        sys.exit("there are no packages in data/, to be fetched from: `make quickstart` first")
    copy = copy_repository(folder, packages)
    shutil.move(folder / "data", folder / "packages")
    (folder / "data").mkdir()
    shutil.move(folder / "packages", folder / "data")
    return copy


def disturbed(
    copy: Checkout, wanted: dict[str, str], kills: int, chance: random.Random, span: float
) -> dict:
    """Kill a run so many times, and resume it until it is done."""
    done: Counter[str] = Counter()
    found = {"kills": done, "runs": 0, "differs": [], "orphans": [], "leftovers": []}
    while True:
        code = through(copy, kills, chance, span, done)
        if code is None:  # killed
            assert copy.quickstart("--unlock").returncode == 0
        elif code:
            # A job of it was killed, or has seen what an orphan was still writing.
            assert done, report_of(copy)
            found["failed"] = found.get("failed", 0) + 1
            assert found["failed"] <= kills, report_of(copy)
        else:
            found["runs"] += 1
            found["differs"] += differences(wanted, contents(copy.path))
            found["orphans"] += orphans(copy.path)
            found["leftovers"] += leftovers(copy.path)
            print(f"run {found['runs']}: done after {done.total()} kills", flush=True)
            if done.total() >= kills:
                return found
            for name in ("results/quickstart", "logs", "benchmarks", ".snakemake"):
                shutil.rmtree(copy.path / name)
            for name in BY_PIP:
                shutil.rmtree(copy.path / "data" / name)


def through(
    copy: Checkout, kills: int, chance: random.Random, span: float, done: Counter[str]
) -> int | None:
    """Start the run, and kill it or jobs of it; its exit code, None if it was killed."""
    process = started(copy)
    try:
        while True:
            wait = chance.uniform(0, span) if done.total() < kills else PATIENCE
            with suppress(subprocess.TimeoutExpired):
                return process.wait(wait)
            assert done.total() < kills, f"the run hangs: {report_of(copy)}"
            kind = chance.choice(KINDS)
            if kind == "job":
                if victims := sorted(set(group_of(process.pid)) - {process.pid}):
                    with suppress(ProcessLookupError):
                        os.kill(chance.choice(victims), signal.SIGKILL)
                    done[kind] += 1
                continue
            (os.killpg if kind == "group" else os.kill)(process.pid, signal.SIGKILL)
            process.wait()
            done[kind] += 1
            return None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


def started(copy: Checkout) -> subprocess.Popen:
    """The run, in a group of processes of its own."""
    with (copy.path / "report.txt").open("a") as report:
        return subprocess.Popen(
            copy.command("--cores", "2", "--profile", "profiles/quickstart"),
            cwd=copy.path,
            env=copy.environment(PIP_NO_INDEX="1"),
            stdout=report,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def report_of(copy: Checkout) -> str:
    return (copy.path / "report.txt").read_text("utf-8")[-5000:]


def processes() -> Iterator[tuple[int, Path]]:
    """Every living process by its id, and what the system tells of it."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            yield int(entry.name), entry


def group_of(leader: int) -> list[int]:
    """The processes of a group: Snakemake and its jobs, those of earlier runs not."""
    found = []
    for pid, _ in processes():
        with suppress(ProcessLookupError):
            if os.getpgid(pid) == leader:
                found.append(pid)
    return found


def orphans(folder: Path) -> list[str]:
    """Processes that are still at work in a folder, some seconds after its run has ended."""
    end = time.monotonic() + GRACE
    while (found := list(at_work(folder))) and time.monotonic() < end:
        time.sleep(0.5)
    return found


def at_work(folder: Path) -> Iterator[str]:
    for pid, entry in processes():
        with suppress(OSError):  # it has ended, or is another user's
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ")
            if (entry / "cwd").readlink().is_relative_to(
                folder
            ) or f"{folder}/".encode() in command:
                yield f"orphan: process {pid}: {command.decode(errors='replace')}"


def leftovers(folder: Path) -> list[str]:
    """Files that are not finished, and locks."""
    places = (*MADE, "logs")
    found = [path for top in places for name in UNFINISHED for path in (folder / top).rglob(name)]
    for state in ("locks", "incomplete"):
        found += [p for p in (folder / ".snakemake" / state).rglob("*") if p.is_file()]
    return [f"left over: {path.relative_to(folder)}" for path in sorted(set(found))]


def contents(folder: Path) -> dict[str, str]:
    """The digest of every table and figure that a run has made, by its path."""
    files = (path for top in MADE for name in COMPARED for path in (folder / top).rglob(name))
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(files)
    }


def differences(wanted: dict[str, str], got: dict[str, str]) -> list[str]:
    """Files that are missing, that should not be there, or that have other bytes."""
    return [
        f"differs: {name}" + " (missing)" * (name not in got) + " (added)" * (name not in wanted)
        for name in sorted(wanted.keys() | got.keys())
        if wanted.get(name) != got.get(name)
    ]


if __name__ == "__main__":
    sys.exit(main())
