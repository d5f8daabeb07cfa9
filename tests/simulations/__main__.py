"""Simulates everything, or what is named: `figures.csv` and `looks.csv`.

Names are those of kinds, and `sequential`.
"""

import sys

import pandas as pd

from tests.simulations.kinds import KINDS
from tests.simulations.looks import LOOKS, looks_figures
from tests.simulations.report import FIGURES, read_figures
from tests.simulations.simulate import figures

if __name__ == "__main__":
    before = read_figures() if FIGURES.exists() else pd.DataFrame({"kind": []})
    parts = dict(list(before[before["kind"].isin(list(KINDS))].groupby("kind")))
    for name in sys.argv[1:] or [*KINDS, "sequential"]:
        if name == "sequential":
            looks_figures().to_csv(LOOKS, index=False, lineterminator="\n")
            continue
        parts[name] = figures(KINDS[name]).round(4)
        print(name, flush=True)
        table = pd.concat([parts[kind] for kind in KINDS if kind in parts], ignore_index=True)
        table.to_csv(FIGURES, index=False, lineterminator="\n")
