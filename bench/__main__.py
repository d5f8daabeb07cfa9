"""`python -m bench`: all comparisons, or those that are named."""

from __future__ import annotations

import argparse
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from bench import (
    contexts,
    extraction,
    fairness,
    probes,
    reading,
    report,
    scoring,
    table5,
    training,
    weat,
)
from bench.comparison import Outcome, measure
from bench.peers import ROOT, NoPeer
from bench.workplace import Workplace

MODULES = {"table5": table5, "weat": weat, "reading": reading, "training": training}
MODULES |= {"probes": probes, "contexts": contexts, "extraction": extraction, "scoring": scoring}
MODULES |= {"fairness": fairness}
RESULT = ROOT / "results/bench/bench.csv"


def main() -> int:
    """Measure, print the table and write it; 1 where two sides differ in their numbers."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("modules", nargs="*", metavar="module", help=f"any of {', '.join(MODULES)}")
    parser.add_argument("--rounds", type=int, default=7, help="each side this often (default: 7)")
    parser.add_argument(
        "--seconds",
        type=float,
        default=20,
        help="after which a comparison begins no further round (default: 20; all take 15 minutes)",
    )
    options = parser.parse_args()
    if unknown := set(options.modules) - set(MODULES):
        parser.error(f"no such module: {', '.join(sorted(unknown))}")

    circumstances = {"machine": report.machine(), "versions": report.ours()}
    print(f"{circumstances['machine']}\n{circumstances['versions']}", file=sys.stderr)
    outcomes: list[Outcome] = []
    started = perf_counter()

    def say(line: str) -> None:
        minutes, seconds = divmod(round(perf_counter() - started), 60)
        print(f"{minutes:2d}:{seconds:02d}  {line}", file=sys.stderr, flush=True)

    chosen = options.modules or MODULES
    with TemporaryDirectory() as folder, closing(Workplace(Path(folder))) as workplace:
        for number, name in enumerate(chosen, 1):
            say(f"{name} ({number} of {len(chosen)}): making what is measured")
            for comparison in MODULES[name].comparisons(workplace):
                beside = f", beside {comparison.peer_name}" if comparison.peer else ""
                say(f"{comparison.name}: {comparison.what}{beside}")
                try:
                    outcome = measure(comparison, options.rounds, options.seconds)
                except NoPeer as reason:
                    alone = replace(comparison, peer=None, note=str(reason))
                    outcome = measure(alone, options.rounds, options.seconds)
                say(f"{comparison.name}: {told(outcome)}")
                outcomes.append(outcome)
        circumstances["peer_versions"] = workplace.versions()
    rows = [report.row(outcome) for outcome in outcomes]
    report.write(RESULT, rows, circumstances)
    print(report.table(rows))
    where = RESULT.relative_to(ROOT)
    print(f"at most {options.rounds} rounds, medians (least-most): {where}")
    print("one thread, where no cores or processes are named")
    return 0 if all(outcome.agrees for outcome in outcomes) else 1


def told(outcome: Outcome) -> str:
    """Return what came out, in a few words."""
    n = len(outcome.ours)
    rounds = f"{n} rounds" if n > 1 else "one round"
    if not outcome.agrees:
        return "the numbers differ"
    if outcome.ratio is None:
        return f"{median(outcome.ours):,.0f} ms, {rounds}"
    bar = outcome.comparison.bar
    return f"{outcome.ratio:.3g} times as fast, {rounds}" + (f" (bar: {bar})" if bar else "")


sys.exit(main())
