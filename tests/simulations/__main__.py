"""Simulates everything and writes `figures.csv` and `docs/error-rates.md`."""

import sys

import pandas as pd

from tests.simulations.kinds import KINDS
from tests.simulations.report import FIGURES, PAGE, page, read_figures, table_of

if __name__ == "__main__":
    # Some kinds alone, by name; the others stay as they are.
    asked = {name: KINDS[name] for name in sys.argv[1:]} or KINDS
    table = table_of(asked)
    if asked is not KINDS:
        table = pd.concat([read_figures().query("kind not in @asked"), table])
        order = table["kind"].map(list(KINDS).index)
        table = table.iloc[order.argsort(kind="stable")]
    table.to_csv(FIGURES, index=False, lineterminator="\n")
    PAGE.write_text(page(table), encoding="utf-8")
