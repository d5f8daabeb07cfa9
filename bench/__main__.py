"""`python -m bench`: all comparisons, or those that are named."""

from __future__ import annotations

import argparse
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

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
    options = parser.parse_args()
    if unknown := set(options.modules) - set(MODULES):
        parser.error(f"no such module: {', '.join(sorted(unknown))}")

    circumstances = {"machine": report.machine(), "versions": report.ours()}
    print(f"{circumstances['machine']}\n{circumstances['versions']}", file=sys.stderr)
    outcomes: list[Outcome] = []
    with TemporaryDirectory() as folder, closing(Workplace(Path(folder))) as workplace:
        for name in options.modules or MODULES:
            for comparison in MODULES[name].comparisons(workplace):
                print(f"measuring {comparison.name}", file=sys.stderr)
                try:
                    outcome = measure(comparison, options.rounds)
                except NoPeer as reason:
                    alone = replace(comparison, peer=None, note=str(reason))
                    outcome = measure(alone, options.rounds)
                outcomes.append(outcome)
        circumstances["peer_versions"] = workplace.versions()
    rows = [report.row(outcome) for outcome in outcomes]
    report.write(RESULT, rows, circumstances)
    print(report.table(rows))
    print(f"one thread, {options.rounds} rounds, medians (least-most): {RESULT.relative_to(ROOT)}")
    return 0 if all(outcome.agrees for outcome in outcomes) else 1


sys.exit(main())
