"""`python -m tests.rehearsal`: the paper run on small files of the real formats, step by step.

Without a network after fetching, twice, with checks of every cell; then the light run and a part of
the workstation run, or all of it with `--all`. Texts have a record without a text, and one less
than is expected where they have many.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from tests.paths import REPOSITORY
from tests.rehearsal import checks
from tests.rehearsal.generate import config_of, generate
from tests.rehearsal.hosts import Hosts
from tests.rehearsal.stage import (
    BY_HAND,
    BY_HAND_FOLDER,
    MIRRORED,
    Stage,
    has_namespaces,
)

# Made again with other --cores, and compared byte by byte.
SAMPLE = ("trustworthy_table3", "bad_seeds_table4", "fairness_table3", "stereoset_table2")
# Made by the workstation run: of its own texts, and of encoders that are not fine-tuned.
OF_WORKSTATION = ("bad_seeds_table2", "stereoset_table6", "trustworthy_helm")

NOT_COPIED = shutil.ignore_patterns("results", ".snakemake")


class Failed(SystemExit):
    """A step that did not do what it should."""


def main() -> None:
    """Run the steps, and say what each took."""
    parser = argparse.ArgumentParser(description="The paper run, rehearsed on small files.")
    parser.add_argument("folder", nargs="?", type=Path, default=REPOSITORY / "build/rehearsal")
    parser.add_argument("--all", action="store_true", help="all of the workstation run")
    options = parser.parse_args()
    folder = options.folder.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    counts = step("every source, generated", partial(generate, folder / "origin"))
    stage = Stage(folder / "checkout", folder / "origin", counts)
    rehearse(stage, OF_WORKSTATION if not options.all else ())


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


def rehearse(stage: Stage, of_workstation: Sequence[str]) -> None:
    """The undamaged rehearsal.

    Args:
        stage: Of the paper run.
        of_workstation: Targets of the workstation run; all of them by default.
    """
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
    step("the light run", lambda: another(stage, "light", ()))
    step("the workstation run", lambda: another(stage, "workstation", of_workstation))


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
    for name, place in places.items():
        said = (stage.path / f"logs/fetch/{name}.log").read_text("utf-8")
        if f"from {place}" not in said:
            raise Failed(f"{name} came from elsewhere than {place}: {said}")
    counted = (stage.path / "logs/fetch/goodreads-romance.log").read_text("utf-8")
    if "close enough" not in counted:
        raise Failed(f"goodreads-romance: a record less than is expected is not told: {counted}")
    if (stage.path / "resources/sources.lock").exists():
        raise Failed("the lock is in the checkout")
    locked = (stage.path / "fetched/sources.lock").read_text("utf-8")
    for name, source in stage.sources.items():
        for file in source.files:
            fetched = (stage.path / "fetched" / name / file.name).exists()
            known = f'"{name}/{file.name}"' in locked
            if fetched and known != (file.sha256 == "unknown"):
                raise Failed(f"{name}: {file.name}: the lock has it, or has it not: {known}")


def branched(stage: Stage, path: Path, lacking: Sequence[str] = ()) -> Stage:
    """A copy of a stage without its results and some sources."""
    shutil.copytree(stage.path, path, symlinks=True, ignore=NOT_COPIED)
    for name in lacking:
        shutil.rmtree(path / "fetched" / name, ignore_errors=True)
    return stage.moved(path)


def another(stage: Stage, name: str, targets: Sequence[str]) -> None:
    """The workstation or light run, or some of its targets."""
    other = branched(stage, stage.path.with_name(name))
    other.name = name
    hosts = Hosts(other.path)
    hosts.publish(other.served(), other.origin)
    with hosts:
        done(other.snakemake("--until", "fetch", cores=8, network=hosts.environment))
    done(other.snakemake("--dry-run"))
    done(other.snakemake(*targets))
    inputs = config_of(other.name).inputs.model_dump()
    lacking = [f"inputs.{role}" for role, names in inputs.items() if not names]
    lacking += ["fairness.recognisers", "trustworthy.recovery"]
    check_cells(other, [*lacking, *BY_HAND], page=not targets)


def check_cells(stage: Stage, lacking: Sequence[str] = (), *, page: bool = True) -> None:
    """Every cell is filled, or empty for a reason that is kept."""
    found = checks.cells(stage.results)
    print(f"  {checks.summary(found)}")
    if wrong := checks.problems(found, lacking):
        raise Failed("\n".join([*wrong[:40], f"{len(wrong)} problems"]))
    said = stage.results / "complete.txt"
    if page and not (stage.results / "index.html").exists():
        raise Failed(f"no page, {said}")


def same_bytes(stage: Stage) -> None:
    """Make a sample of the artefacts again, with one core, and compare their bytes."""
    other = stage.path.with_name("one-core")
    second = branched(stage, other)
    done(second.snakemake(*SAMPLE, cores=1))
    compared = 0
    for path in sorted(second.results.glob("*/*.values.csv")):
        first = stage.path / path.relative_to(other)
        if path.read_bytes() != first.read_bytes():
            raise Failed(f"{path.relative_to(other)} differs between one core and two")
        compared += 1
    if compared < len(SAMPLE):
        raise Failed(f"{compared} tables of values instead of {len(SAMPLE)}")


if __name__ == "__main__":
    main()
