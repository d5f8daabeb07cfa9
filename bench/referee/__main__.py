"""`python -m bench.referee`: measure all worlds, or those of some kinds, by all tools."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np
import pandas as pd

from bench import report
from bench.peers import NoPeer
from bench.referee import ours, worlds
from bench.referee.doses import DOSES, MIDDLE, SEEDS
from bench.referee.table import FOLDER
from bench.referee.worlds import World
from bench.workplace import Workplace
from socialbias.files.atomic_write import write_text
from socialbias.reporting.values import write_csv
from socialbias.reporting.version import code_version

PEERS = {"people": "predictions", "terms": "predictions", "vectors": "wefe", "models": "lm_eval"}


def main() -> int:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(prog="python -m bench.referee", description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="kind", help=f"any of {', '.join(DOSES)}")
    most = max(null for _, null in SEEDS.values())
    parser.add_argument(
        "--seeds", type=int, default=most, help=f"at most N seeds (default: {most})"
    )
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder of the results")
    options = parser.parse_args()
    if unknown := set(options.kinds) - set(DOSES):
        parser.error(f"no such kind: {', '.join(sorted(unknown))}")
    measure(options.kinds or list(DOSES), options.seeds, options.out)
    return 0


def measure(kinds: list[str], seeds: int, out: Path) -> None:
    """Measure seed by seed, and write after each, so that a run that is stopped leaves results."""
    started, rows, failures = perf_counter(), [], {}
    facts = {
        "code": code_version(),
        "command": " ".join(["python -m bench.referee", *sys.argv[1:]]),
    }
    with TemporaryDirectory() as folder, closing(Workplace(Path(folder))) as workplace:
        for seed in range(seeds):
            for world in [world for kind in kinds for world in worlds.worlds(kind, seed)]:
                answers, why_not = of_world(world, Path(folder), workplace)
                if why_not:
                    failures[f"{world.kind}, {PEERS[world.kind]}"] = why_not
                where = {"kind": world.kind, "dose": world.dose, "seed": seed}
                rows += [where | row for row in answers]
            taken = (perf_counter() - started) / 60
            facts |= {"peers": workplace.versions(), "minutes": taken, "failures": failures}
            write(out, rows, facts)
            print(f"{taken:5.1f} min  {seed + 1} of {seeds} seeds", file=sys.stderr)


def of_world(world: World, folder: Path, workplace: Workplace) -> tuple[list[dict], str]:
    """Return the rows of a world, by this package and the peer, and why the peer failed.

    Peers' tests and intervals take seconds. They are made only where decisions are counted: at
    dose 0 and at the middle dose.
    """
    peer, why_not = workplace.peer(PEERS[world.kind])
    stem = folder / f"{world.kind}_{world.level}_{world.seed}"
    test = world.level in (0, MIDDLE)
    task = {"path": str(stem.with_suffix(".npz")), "test": test, "seed": world.seed}
    if world.kind == "vectors":
        design, vectors = worlds.vectors(world)
        sets = (*worlds.sides(design), *design.groups.values())
        np.savez(task["path"], **{k: vectors.rows(s) for k, s in zip("xyab", sets, strict=True)})
        rows, name = ours.of_vectors(vectors, design, world.seed), "metrics"
    elif world.kind == "models":
        design = worlds.model(world, stem)
        pairs = list(worlds.pairs(design, world.random("pairs")))
        items, theirs = worlds.write_pairs(pairs, stem.with_name(f"{stem.name}_pairs"))
        task = {"model": str(stem), "path": str(theirs), "seed": world.seed}
        rows, name = ours.of_model(stem, items, world.seed), "pairs"
    else:
        columns = worlds.predictions(world)
        np.savez(task["path"], **columns)
        rows, name = ours.of_predictions(columns, world.seed), "metrics"
    if peer:
        try:
            rows += peer.ask(name, **task).result
        except NoPeer as reason:
            why_not = str(reason)
    return rows, why_not


def write(out: Path, rows: list[dict], facts: dict) -> None:
    """Write the numbers, and what the run was.

    Of seeds with dose 0 alone, only numbers with an interval or a p-value are of use.
    """
    columns = ["kind", "dose", "seed", "tool", "measure", "value", "low", "high", "p", "seconds"]
    table = pd.DataFrame(rows)[columns].astype({"low": float, "high": float, "p": float})
    curve = table["seed"] < table["kind"].map(lambda kind: SEEDS[kind][0])
    table = table[curve | table["low"].notna() | table["p"].notna()]
    table["seconds"] = [float(f"{seconds:.2g}") for seconds in table["seconds"]]
    out.mkdir(parents=True, exist_ok=True)
    write_csv(table, out / "measured.csv")
    run = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "ours": report.ours(),
        "machine": report.machine(),
        **facts,
    }
    write_text(out / "run.json", json.dumps(run, indent=1) + "\n")


sys.exit(main())
