"""`python -m tests.rehearsal`: the paper run on small files of the real formats, step by step.

Without a network after fetching, twice, with checks of every cell; `--all` goes on with what is
missing, damaged or blocked (`variants`).
"""

from __future__ import annotations

import argparse
import resource
import shutil
import subprocess
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.paths import REPOSITORY
from tests.rehearsal import checks, variants
from tests.rehearsal.generate import generate
from tests.rehearsal.hosts import Hosts
from tests.rehearsal.stage import (
    BY_HAND,
    BY_HAND_FOLDER,
    BY_KAGGLE,
    MIRRORED,
    Stage,
    has_namespaces,
)

# Made again with other --cores, and compared byte by byte.
SAMPLE = ("trustworthy_table3", "bad_seeds_table4", "fairness_table3", "stereoset_table2")


NOT_COPIED = shutil.ignore_patterns("results", ".snakemake")


class Failed(SystemExit):
    """A step that did not do what it should."""


def main() -> None:
    """Run the steps, and say what each took."""
    parser = argparse.ArgumentParser(description="The paper run, rehearsed on small files.")
    parser.add_argument("folder", nargs="?", type=Path, default=REPOSITORY / "build/rehearsal")
    parser.add_argument("--all", action="store_true", help="variants, damage and blocked hosts too")
    options = parser.parse_args()
    folder = options.folder.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    counts = step("every source, generated", partial(generate, folder / "origin"))
    stage = Stage(folder / "checkout", folder / "origin", counts)
    rehearse(stage)
    if options.all:
        variants.rehearse(stage, folder, step)


def step(name: str, run: Callable):
    """Run a step and print how long it took, in seconds of wall and of CPU."""
    before, began = _cpu(), time.monotonic()
    print(f"{name} ...", flush=True)
    result = run()
    print(f"{name}: {time.monotonic() - began:.0f} s, {_cpu() - before:.0f} of CPU", flush=True)
    return result


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def rehearse(stage: Stage) -> None:
    """The undamaged rehearsal."""
    hosts = Hosts(stage.path)
    hosts.publish(stage.served(), stage.origin)
    with hosts:
        network = hosts.environment
        step("plan", lambda: done(stage.module("socialbias.pipeline.preview", network=network)))
        look = step(
            "doctor",
            lambda: done(stage.module("socialbias.pipeline.doctor", "--look", network=network)),
        )
        if bad := [
            line for line in look.splitlines() if "answers" in line or "has no such" in line
        ]:
            raise Failed(f"doctor: a host has not what it should: {bad[0]}")
        step(
            "fetching", lambda: done(stage.snakemake("--until", "fetch", cores=8, network=network))
        )
    check_fetched(stage)
    how = "a network namespace without a route" if has_namespaces() else "a guard of sockets"
    step(f"the rest, in {how}", lambda: done(stage.snakemake()))
    check_cells(stage)
    again = step("once more: nothing to do", lambda: done(stage.snakemake("--dry-run")))
    if "Nothing to be done" not in again:
        raise Failed(f"a second run would run jobs:\n{again[-2000:]}")
    step("a sample with one core", lambda: same_bytes(stage))


def done(result: subprocess.CompletedProcess) -> str:
    """What a command said.

    Raises:
        Failed: it failed.
    """
    said = result.stdout + result.stderr
    if result.returncode:
        raise Failed(f"exit code {result.returncode}\n{said[-6000:]}")
    return said


def check_fetched(stage: Stage) -> None:
    """Each source came from where it should, and the lock is with the data.

    In the lock is only what upstream has no checksum of.
    """
    places = dict.fromkeys(MIRRORED, "the mirror") | dict.fromkeys(BY_HAND, str(BY_HAND_FOLDER))
    for name, place in (places | {BY_KAGGLE: "kaggle://"}).items():
        said = (stage.path / f"logs/fetch/{name}.log").read_text("utf-8")
        if f"from {place}" not in said:
            raise Failed(f"{name} came from elsewhere than {place}: {said}")
    if (stage.path / "resources/sources.lock").exists():
        raise Failed("the lock is in the checkout")
    locked = (stage.path / "fetched/sources.lock").read_text("utf-8")
    for name, source in stage.sources.items():
        for file in source.files:
            fetched = (stage.path / "fetched" / name / file.name).exists()
            known = f'"{name}/{file.name}"' in locked
            if fetched and known != (file.sha256 == "unknown"):
                raise Failed(f"{name}: {file.name}: the lock has it, or has it not: {known}")


def check_cells(stage: Stage) -> None:
    """Every cell is filled, or empty for a reason that is kept."""
    found = checks.cells(stage.path / "results/paper")
    print(f"  {checks.summary(found)}")
    if wrong := checks.problems(found):
        raise Failed("\n".join([*wrong[:40], f"{len(wrong)} problems"]))
    said = stage.path / "results/paper/complete.txt"
    if not (stage.path / "results/paper/index.html").exists():
        raise Failed(f"no page, {said}")


def same_bytes(stage: Stage) -> None:
    """Make a sample of the artefacts again, with one core, and compare their bytes."""
    other = stage.path.with_name("one-core")
    shutil.copytree(stage.path, other, symlinks=True, ignore=NOT_COPIED)
    second = stage.moved(other)
    done(second.snakemake(*SAMPLE, cores=1))
    compared = 0
    for path in sorted((other / "results/paper").glob("*/*.values.csv")):
        first = stage.path / path.relative_to(other)
        if path.read_bytes() != first.read_bytes():
            raise Failed(f"{path.relative_to(other)} differs between one core and two")
        compared += 1
    if compared < len(SAMPLE):
        raise Failed(f"{compared} tables of values instead of {len(SAMPLE)}")


if __name__ == "__main__":
    main()
