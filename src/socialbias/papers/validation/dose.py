"""Dose and response: whether the gender bias of professions grows with an encoder's layers.

All layers have the same professions, so that what these differ by cancels out (`stats.trend`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from socialbias.measures.similarity import Array
from socialbias.papers.evidence import estimated
from socialbias.papers.trustworthy.inputs import read_employment
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.stats.trend import FEWEST, trend

EVIDENCE = "evidence/validation/dose_layers"


@dataclass(frozen=True)
class Grid:
    """Numbers of professions by layers."""

    row: str  # of the artefact
    numbers: Array  # (n, k)
    professions: Sequence[str]  # n names
    doses: Array  # k shares of the depth, from 0 to 1
    labels: Sequence[str]  # k names of the layers
    unit: str  # what the numbers are


def by_layer(table: pd.DataFrame, census: pd.DataFrame | None) -> Iterator[Grid]:
    """Differences of cosines of professions, by layer.

    Their size and, standardised in each layer, their product with employment, whose mean is the
    correlation of both.
    """
    bias = table.pivot(index="unit", columns="level", values="bias").dropna()
    layers = table.drop_duplicates("level").sort_values("level")
    # An encoder of twelve layers and one of six are alike by the share of their depth.
    doses = layers["level"].to_numpy() / layers["level"].max()
    levels = {"doses": doses, "labels": list(layers["row"])}
    sizes = bias.abs().to_numpy()
    names = {"professions": list(bias.index), "unit": "absolute difference of cosines"}
    yield Grid("layers size", sizes, **names, **levels)
    if census is not None:
        women = census["female"].reindex(bias.index).dropna()
        known = bias.loc[women.index]
        aligned = _standardised(known.to_numpy()) * _standardised(women.to_numpy())[:, None]
        names = {"professions": list(known.index), "unit": "Pearson's r"}
        yield Grid("layers employment", aligned, **names, **levels)


def _standardised(numbers: Array) -> Array:
    """Numbers (n, ...) less their means over the first axis, over their standard deviations."""
    spread = numbers.std(axis=0)
    return (numbers - numbers.mean(axis=0)) / np.where(spread > 0, spread, 1)


def records(grid: Grid, seed: int, level: float) -> list[dict]:
    """Return the cells of a row: each layer, slope and order."""
    result = trend(grid.numbers, grid.doses, grid.professions, seed, level)
    if result is None:
        note = f"too few: {len(grid.professions)} professions at all levels, fewer than {FEWEST}"
        return [value(grid.row, "slope", np.nan, note=note)]
    counts = {"n": result.units, "n_unit": "professions"}
    cells = []
    for i, (mean, label) in enumerate(zip(result.levels, grid.labels, strict=True), 1):
        fields = estimated(mean) | counts | {"unit": grid.unit, "note": label}
        del fields["p_value"]
        cells.append(value(grid.row, f"level {i}", mean.value, **fields))
    for column, mean, unit in (
        ("slope", result.slope, "slope over all layers"),
        ("order", result.order, "Spearman's rho"),
    ):
        cells.append(value(grid.row, column, mean.value, unit=unit, **estimated(mean), **counts))
    return cells


def summarise(job: Job) -> Iterator[dict]:
    """Yield all cells."""
    if EVIDENCE in job:
        census = read_employment(job, job.settings["trustworthy.census_year"]).get("gender")
        for grid in by_layer(job.table(EVIDENCE), census):
            yield from records(grid, job.seed, job.level)
