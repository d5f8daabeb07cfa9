"""Numbers as they are once their provenance is derived, for tests of what reads them."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from socialbias.pipeline.job import Job
from socialbias.reporting import values
from socialbias.reporting.values import NO_INPUT


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


class InMemory(Job):
    """A job whose tables are in memory."""

    def table(self, name: str) -> pd.DataFrame:
        return self.path(name)


def job_with(inputs: dict, **settings) -> Job:
    """Return a job with these inputs by name: tables, or paths of files."""
    settings = {"seed": 1, "intervals.level": 0.95, "intervals.replicates": 50} | settings
    return InMemory({name: [item] for name, item in inputs.items()}, settings, print)


def summarised(artefact, inputs: pd.DataFrame | dict, **settings) -> list[dict]:
    """Return the records that a module, or a function called like the artefact, makes of evidence.

    The evidence is a table, or several inputs by name.
    """
    summarise, name = getattr(artefact, "summarise", artefact), artefact.__name__
    if summarise is artefact:
        name = f"{artefact.__module__.rpartition('.')[0]}.{name}"
    if not isinstance(inputs, dict):
        inputs = {"/".join(["evidence", *name.split(".")[-2:]]): inputs}
    return list(summarise(job_with(inputs, **settings)))
