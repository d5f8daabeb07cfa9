"""One form of evidence: a table of the numbers behind the cells of an artefact, unit by unit.

| column | content |
|---|---|
| row, column | the cell; one evidence may serve several columns of values |
| unit | what each number is of, such as a word, a document or a model |
| ... | the numbers of the unit, under names of the artefact's own |
| reliability, reliability_low, reliability_high | of the cell, where it has one |
| ... | facts of the cell, the same in all its rows, such as `n`, `n_of`, `n_unit` and `whole` |
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from socialbias.measurement.reliability import fields
from socialbias.reporting.values import value
from socialbias.stats.correlation import Estimate
from socialbias.stats.draws import resamples, widened
from socialbias.stats.intervals import percentile
from socialbias.stats.reliability import Reliability
from socialbias.stats.similarity import Array

CELL = ["column", "row"]
COUNTED = ("n", "n_of", "n_unit", "whole")
# Of an estimate, what goes into a value and what it is called there.
ESTIMATED = {"low": "ci_low", "high": "ci_high"}
ESTIMATED |= {name: name for name in ("p_value", "draws", "null", "detectable")}


class Evidence:
    """Collects evidence, cell by cell."""

    def __init__(self) -> None:
        self._cells: list[pd.DataFrame] = []

    def add(
        self,
        row: str,
        column: str,
        numbers: Mapping[str, Any] | pd.DataFrame,
        reliability: Reliability | None = None,
        **facts,
    ) -> None:
        """Add a cell, or part of one."""
        facts |= fields(reliability) if reliability else {}
        self._cells.append(pd.DataFrame(numbers).assign(row=row, column=column, **facts))

    def table(self) -> pd.DataFrame:
        """Return all cells in the order in which they were added; without any, no rows."""
        if not self._cells:
            return pd.DataFrame(columns=["row", "column", "unit"])
        return pd.concat(self._cells, ignore_index=True)


class Cell(NamedTuple):
    """A cell of evidence: its rows with all columns, and the first row, which has its facts."""

    row: str
    column: str
    units: pd.DataFrame
    facts: dict[str, Any]


def cells(table: pd.DataFrame) -> Iterator[Cell]:
    """Yield the cells of evidence, in the order of their columns, then rows."""
    for (column, row), units in table.groupby(CELL):
        yield Cell(row, column, units, units.iloc[0].to_dict())


def counted(facts: Mapping[str, Any]) -> dict[str, Any]:
    """`n`, `n_of`, `n_unit` and `whole`, where the facts have them, as fields of a value."""
    return {name: facts[name] for name in COUNTED if name in facts}


def estimated(estimate) -> dict[str, Any]:
    """Return an estimate's interval as fields of a value, with p-value and draws if any."""
    fields = {to: getattr(estimate, of, None) for of, to in ESTIMATED.items()}
    return {name: number for name, number in fields.items() if number is not None}


def correlation(row: str, column: str, fit: Estimate, **others) -> list[dict]:
    """Return a rank correlation as a value; [] where it is not defined."""
    if np.isnan(fit.value):
        return []
    others = {"n": fit.n, "unit": "Spearman's rho"} | others
    return [value(row, column, fit.value, **estimated(fit), **others)]


def mean_over(
    row: str, column: str, numbers: Array, units: Sequence[str], level: float, seed: int, **others
) -> dict:
    """Return the mean of numbers (n,) of named units, with a bootstrap over the units."""
    samples = numbers[resamples(units, seed)].mean(axis=1)
    draws = widened(samples, numbers.mean(), len(numbers))
    others = {"n": len(numbers), "draws": draws} | others
    return value(row, column, numbers.mean(), interval=percentile(draws, level), **others)
