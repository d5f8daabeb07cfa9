"""Numbers as they are once their provenance is derived, for tests of what reads them."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from socialbias.reporting import values
from socialbias.reporting.values import NO_INPUT
from tests.worlds.jobs import summarised  # noqa: F401


def value(row: str, column: str, number: float, **others) -> dict:
    """A number as `reporting.values.value` makes it, with `fidelity` and `sources` if given."""
    derived = {name: others.pop(name) for name in values.DERIVED if name in others}
    return values.value(row, column, number, **others) | derived


def values_table(artefact: str, records: Sequence[dict], seed: int) -> pd.DataFrame:
    """A table of values; what says no fidelity is exact, or has no input."""
    kinds = ["exact", NO_INPUT]
    known = [{"fidelity": kinds[bool(np.isnan(record["value"]))]} | record for record in records]
    return values.values_table(artefact, known, seed)


def cell(row: str, column: str, reason: str = "", fidelity: str = "exact", **others) -> dict:
    """A cell as `Plan.cells` describes it; `whole` is its fidelity where nothing else is said."""
    known = {"sources": ["news"], "fidelity": fidelity, "whole": fidelity, "collects": False}
    return known | {"row": row, "column": column, "reason": reason, "below": []} | others
