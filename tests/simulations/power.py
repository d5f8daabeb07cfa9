"""How often a gap of a group is found, by terms of a group: `resources/power_curves.csv`.

`python -m tests.simulations.power` writes it, in about five minutes. The world is that of the kind
`gaps of groups`: four groups in 40 templates, one of which leans.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from scipy.special import ndtri

from socialbias.seeding import generator
from tests.paths import RESOURCES
from tests.simulations.kinds import SPREAD, of_metric, said_of_groups

CURVES = RESOURCES / "power_curves.csv"
TERMS = (3, 5, 10, 20, 40)  # of a group
GAPS = (0.02, 0.04, 0.06, 0.08, 0.11, 0.15, 0.2)
RUNS = 600


def share_found(gap: float, n: int, runs: int, rng: np.random.Generator) -> float:
    """How often the interval of one group's equality gap leaves out 0."""
    lean = SPREAD * np.sqrt(2) * ndtri(0.5 + gap)
    found = 0
    for _ in range(runs):
        number = of_metric(said_of_groups(rng, n, [lean, 0.0, 0.0, 0.0]), "PosAvgEG", "0")
        found += number.low > 0 or number.high < 0
    return found / runs


def write(path: Path = CURVES) -> None:
    """The table: gap, terms, power and its standard error."""
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["measure", "n", "bias", "power", "error"])
        for n in TERMS:
            for gap in GAPS:
                power = share_found(gap, n, RUNS, generator(11, "power", n, f"{gap}"))
                error = np.sqrt(power * (1 - power) / RUNS)
                rows.writerow(["posavgeg", n, gap, f"{power:.4f}", f"{error:.4f}"])


if __name__ == "__main__":
    write()
