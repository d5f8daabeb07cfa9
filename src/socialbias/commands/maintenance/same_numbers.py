"""`make same-numbers`: whether the code as it is makes the numbers of a finished run.

Every artefact's values are made again, without Snakemake, from the evidence that the run has kept,
by the functions that the rules call. The seven files of each artefact are compared with the run's
byte for byte, and what differs is listed cell by cell. Nothing is written into the run's folder.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from graphlib import TopologicalSorter
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

import socialbias.system.one_thread  # noqa: F401, before any numerical library
from socialbias.config.checks import without_removed
from socialbias.errors import UserError, nearest
from socialbias.files.paths import resources
from socialbias.pipeline.inputs import OF_ARTEFACT
from socialbias.pipeline.labels import labelled, values_settings
from socialbias.pipeline.plan import Plan
from socialbias.pipeline.setup import plan_of, raw_setup
from socialbias.reporting.crate import write_crate
from socialbias.reporting.make_values import make_evidence, make_values, silent
from socialbias.reporting.page.job import write_again
from socialbias.reporting.record import last_run, read_record
from socialbias.reporting.values import KEY, read_csv, read_values
from socialbias.reporting.write_artefact import check_complete
from socialbias.sources.verified import FOLDER
from socialbias.system.piping import reader_may_leave
from socialbias.system.processes import in_processes

VALUES = OF_ARTEFACT["values"]
KINDS = (*OF_ARTEFACT.values(), "comparison.csv", "columns.csv", "csv", "tex", "html")


class Difference(NamedTuple):
    """One thing in which an artefact differs."""

    kind: str  # the file that differs, one of `KINDS`; "" for the artefact as a whole
    line: str  # what differs, for a person


def plan_of_run(folder: Path) -> Plan:
    """Return the plan of a finished run, with the configuration that the run has recorded."""
    record = read_record(folder)
    plan = plan_of(raw_setup(without_removed(record.config)), record.command)
    for role, recorded in record.inputs.items():
        if role not in plan.bindings:  # what read it was removed since
            continue
        bound = plan.manifest(role) if plan.bound(role) else "none"
        if bound != recorded["manifest"]:
            raise UserError(
                f"{folder}: {role} was read from {recorded['manifest']} in this run, and would now "
                f"be read from {bound}: bring back its `data` folder, and set SOCIALBIAS_MIRROR as "
                "it was then"
            )
    return plan


def steps_again(plan: Plan, targets: Sequence[str], sources: bool) -> dict[str, list[str]]:
    """Return what is made again, by name of input, each with what it waits for."""
    artefacts = plan.declarations.artefacts
    reads = {_values_of(plan, target): artefacts[target].values.reads for target in targets}
    pending = [name for names in reads.values() for name in names] if sources else []
    while pending:
        name = pending.pop()
        if name.startswith("evidence/") and name not in reads and plan.available(name):
            reads[name] = plan.step(name.partition("/")[2]).reads
            pending += reads[name]
    made_by = {name: name for name in reads} | {
        name.replace("values/", "draws/", 1): name for name in reads if name.startswith("values/")
    }
    return {
        name: [made_by[other] for other in others if other in made_by]
        for name, others in reads.items()
    }


def make_again(plan: Plan, name: str, made: Path) -> str:
    """Make evidence or values again."""
    rest = name.partition("/")[2]
    output = made / Path(plan.file(name)).relative_to(plan.run)
    output.parent.mkdir(parents=True, exist_ok=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if name.startswith("evidence/"):
                step = plan.step(rest)
                inputs = _renewed(plan.inputs_of(step), plan.run, made)
                make_evidence(inputs, plan.settings_of(step), output, silent)
            else:
                target = plan.declared(rest).target
                inputs = _renewed(plan.values_inputs(target), plan.run, made)
                make_values(inputs, values_settings(plan, target), output, silent)
    except Exception as error:
        traceback.print_exc()
        return f"could not be made: {type(error).__name__}: {error}"
    return ""


def _renewed(inputs: Mapping[str, Sequence[str]], run: Path, made: Path) -> dict[str, list[str]]:
    """Return the files of a job's inputs, those that were made again in place of the run's."""

    def newest(path: str) -> str:
        again = made / Path(path).relative_to(run) if Path(path).is_relative_to(run) else None
        return str(again) if again and again.is_file() else path

    return {name: [newest(path) for path in paths] for name, paths in inputs.items()}


def same_numbers(
    folder: Path, only: Sequence[str] = (), sources: bool = False, cores: int = 1
) -> dict[str, list[Difference]]:
    """Make the values of a finished run again, and compare them with the run's."""
    plan = plan_of_run(folder)
    known = list(plan.declarations.artefacts)
    if wrong := [name for name in only if name not in known]:
        raise UserError(f"no artefact is called {wrong[0]!r}{nearest(wrong[0], known)}")
    targets = list(only) or known
    waits = steps_again(plan, targets, sources)
    failed: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as temporary:
        made, order = Path(temporary), TopologicalSorter(waits)
        order.prepare()
        while order.is_active():
            ready = order.get_ready()
            problems = in_processes(lambda name: make_again(plan, name, made), ready, cores)
            failed |= {name: why for name, why in zip(ready, problems, strict=True) if why}
            order.done(*ready)
        different = {
            target: _differing(plan, target, made, failed.pop(_values_of(plan, target), ""))
            for target in targets
        }
    if not only:
        files = [path.relative_to(plan.run) for path in plan.run.glob(f"*/*.{VALUES}")]
        of_run = ["_".join(path.parts).removesuffix(f".{VALUES}") for path in files]
        gone = [name for name in of_run if name not in known]
        different |= {name: [Difference("", "is gone")] for name in gone}
    return different | {name: [Difference("", reason)] for name, reason in failed.items()}


def _differing(plan: Plan, target: str, made: Path, failure: str) -> list[Difference]:
    """Return what differs in an artefact, also where its fidelity is not that of its inputs."""
    if failure:
        return [Difference("", failure)]
    place = Path(_values_of(plan, target)).relative_to("values")
    different = list(differences(plan.run / place, made / place))
    try:
        values = read_values(made / f"{place}.{VALUES}")
        check_complete({target: plan.expected(target)}, {target: values})
    except UserError as error:
        different += [Difference("", line) for line in str(error).splitlines()]
    return different


def _values_of(plan: Plan, target: str) -> str:
    """Return the input that the values of an artefact are."""
    declared = plan.declarations.artefacts[target]
    return f"values/{declared.paper}/{declared.artefact}"


def differences(was: Path, now: Path) -> Iterator[Difference]:
    """Compare the files of an artefact byte for byte, and find the cells in which they differ."""
    for kind in KINDS:
        old, new = (path.with_name(f"{path.name}.{kind}") for path in (was, now))
        if not old.exists():
            yield Difference(kind, "this file is new")
        elif old.read_bytes() != new.read_bytes():
            find = _cells if kind.endswith("csv") else _first_line
            lines = ["other draws"] if kind.endswith(".parquet") else [*find(old, new)]
            for line in lines or ["other bytes, though all cells are the same"]:
                yield Difference(kind, line)


def _cells(old: Path, new: Path) -> Iterator[str]:
    """Yield the cells in which two CSV files differ, and once each field or row that one lacks."""
    was, now = read_csv(old), read_csv(new)
    yield from _only_in_one(*([f"field {name!r}" for name in table] for table in (was, now)))
    keys = [name for name in KEY if name in was and name in now]
    common = [name for name in was if name in now and name not in keys]
    was, now = ({_key(row, keys): row for row in t.to_dict("records")} for t in (was, now))
    yield from _only_in_one([*was], [*now])
    for where in (key for key in was if key in now):
        for name in common:
            before, after = was[where][name], now[where][name]
            if before != after:
                yield f"{where}: {name} was {before!r}, is {after!r}"


def _first_line(old: Path, new: Path) -> Iterator[str]:
    """Yield where two texts begin to differ."""
    was, now = ([*path.read_text("utf-8").splitlines(), None] for path in (old, new))
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(was, now, strict=False)))
    yield f"differs from line {same + 1} on"


def _key(row: Mapping[str, str], keys: Sequence[str]) -> str:
    """Return what a row of a table is of, for a person."""
    return ", ".join(f"{name} {row[name]!r}" for name in keys)


def _only_in_one(was: Sequence[str], now: Sequence[str]) -> Iterator[str]:
    yield from (f"{name} is gone" for name in was if name not in now)
    yield from (f"{name} is new" for name in now if name not in was)


def same_pages(folder: Path) -> Iterator[str]:
    """Write the pages and exports of a run again, elsewhere, and yield each file that differs."""
    plan = plan_of_run(folder)
    artefacts = plan.declarations.artefacts
    drawn = [a for target, a in artefacts.items() if plan.is_drawn(target)]
    pictures = [f"{plan.run}/{a.paper}/{a.artefact}.png" for a in drawn]
    inputs = plan.inputs_behind() | {"pictures": pictures, "models": plan.of_models()}
    settings = {
        "artefacts": [labelled(plan, target) for target in artefacts],
        "resources": str(resources()),
        "behind": {p: plan.settings_of(s) for p, s in plan.declarations.behind.items()},
    }
    with tempfile.TemporaryDirectory() as temporary:
        copy = Path(temporary) / folder.name
        # Checksums that the run has noted are not believed.
        kept = shutil.ignore_patterns(FOLDER)
        shutil.copytree(folder.absolute(), copy, copy_function=os.symlink, ignore=kept)

        write_again(copy / "index.html", inputs, settings, read_record(folder), silent)
        write_crate(copy)
        for path in sorted(copy.rglob("*")):
            if path.is_file() and not path.is_symlink():  # it was written again
                name = path.relative_to(copy).as_posix()
                if not (folder / name).is_file():
                    yield f"{name}: is missing"
                elif (folder / name).read_bytes() != path.read_bytes():
                    yield f"{name}: is not what the values give"


@reader_may_leave()
def main() -> int:
    """Print what differs; 1 where anything does."""
    parser = argparse.ArgumentParser(description="Make a finished run's values again and compare.")
    parser.add_argument(
        "folder", nargs="?", type=Path, help="results/NAME of a finished run (default: the last)"
    )
    parser.add_argument("--only", nargs="+", default=[], help="artefacts (default: all)")
    parser.add_argument(
        "--from",
        choices=["evidence", "sources"],
        default="evidence",
        dest="origin",
        help="what to begin with: the run's evidence, or what its evidence was made from",
    )
    parser.add_argument("--cores", type=int, default=1, help="processes (default: 1)")
    options = parser.parse_args()
    began = time.monotonic()
    try:
        folder = (options.folder or last_run()).absolute()
        os.chdir(folder.parents[1])  # paths of a run are seen from here
        different = same_numbers(
            Path(*folder.parts[-2:]), options.only, options.origin == "sources", options.cores
        )
    except (UserError, OSError) as error:
        sys.exit(f"same-numbers: {error}")
    other = {target: moved for target, moved in different.items() if moved}
    for target, moved in other.items():
        print(*(f"{target}{'.' * bool(d.kind)}{d.kind}: {d.line}" for d in moved), sep="\n")
    for target, moved in other.items():
        counts = Counter(difference.kind for difference in moved)
        print(f"{target}:", ", ".join(f"{n:,} in {kind or 'all'}" for kind, n in counts.items()))
    print(
        f"{len(different)} artefacts of {folder}, {time.monotonic() - began:.0f} s: "
        f"{len(different) - len(other)} are the same byte for byte, {len(other)} differ"
    )
    return int(bool(other))


if __name__ == "__main__":
    sys.exit(main())
