"""Simulates everything, or the kinds that are named: `figures.csv` and `docs/error-rates.md`."""

import sys

import pandas as pd

from tests.simulations.kinds import KINDS
from tests.simulations.report import FIGURES, PAGE, page, read_figures
from tests.simulations.simulate import figures

if __name__ == "__main__":
    before = read_figures() if FIGURES.exists() else pd.DataFrame({"kind": []})
    parts = dict(list(before[before["kind"].isin(list(KINDS))].groupby("kind")))
    for name in sys.argv[1:] or KINDS:
        parts[name] = figures(KINDS[name]).round(4)
        print(name, flush=True)
        table = pd.concat([parts[kind] for kind in KINDS if kind in parts], ignore_index=True)
        table.to_csv(FIGURES, index=False, lineterminator="\n")
    PAGE.write_text(page(table), encoding="utf-8")
