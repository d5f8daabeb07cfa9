"""Figure 1: metrics of sentiment by attribute, of the positive class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from socialbias.papers.fairness.heat import Panel, by_variant, heat_maps
from socialbias.papers.fairness.metrics import (
    ABOVE,
    CORRECTED,
    KEPT,
    METRICS_EVIDENCE,
    ORDER,
    POSITIVE,
    PUBLISHED,
    Cell,
    largest_of,
    of_cells,
    records_of,
    summed_up,
)
from socialbias.papers.fairness.models import SECOND
from socialbias.pipeline.job import Job
from socialbias.reporting.drawing import Drawing
from socialbias.reporting.values import exact, value
from socialbias.stats.correlation import rowwise_spearman, spearman_test
from socialbias.stats.draws import permutations
from socialbias.stats.intervals import percentile

TASKS = {"binary": "two classes", "three": "three classes"}
TWO_VERSIONS = ("FPED", "FNED", "Disparity Score")
ROWS = {
    name + "*" * (version == CORRECTED): Cell(
        name, version, "" if name.startswith("Pert") else POSITIVE
    )
    for name in KEPT
    for version in (PUBLISHED, CORRECTED)
    if version == PUBLISHED or name in TWO_VERSIONS
}
# Of two versions the corrected one is summed up: the other grows with the number of groups.
SUMMED = [row for row in ROWS if f"{row}*" not in ROWS]
Cells = Mapping[tuple[str, str], Mapping[str, Mapping]]  # by task and attribute, by row


def summarise(job: Job) -> list[dict]:
    """Return all metrics of all attributes, with their nulls."""
    if METRICS_EVIDENCE not in job:
        return []
    cells, records = cells_of(job.table(METRICS_EVIDENCE)), []
    for (task, attribute), shown in cells.items():
        for name, row in shown.items():
            records += records_of(row, name, f"{attribute}@{task}")
        records += summary(cells, task, attribute, job.level)
    return records


def cells_of(table: pd.DataFrame) -> Cells:
    """Return the rows of evidence that the cells show."""
    parts = table.groupby(["task", "attribute"], sort=False)
    return {key: of_cells(rows, ROWS) for key, rows in parts}


def summary(cells: Cells, task: str, attribute: str, level: float) -> list[dict]:
    """Return the mean over metrics of one attribute, and the same above the null (`summed_up`)."""
    shown = {name: row for name, row in cells[task, attribute].items() if name in SUMMED}
    return summed_up(shown, largest_of(cells.values()), f"{attribute}@{task}", level)


def draw(drawing: Drawing) -> Figure:
    """Return one heat map for each task, and beside them the means, above the null."""
    columns, values = list(drawing.artefact.columns), by_variant(drawing)
    rows = [row for row in drawing.artefact.rows if row not in (ORDER, ABOVE)]
    panels = [
        Panel(title, values[values["variant"] == task], [*rows, ORDER, ABOVE], columns)
        for task, title in TASKS.items()
    ]
    return heat_maps(drawing, panels)


# -- encoders --------------------------------------------------------------------------------------
# Whether a second encoder orders the attributes as the first does: footnote 6 saw similar trends
# with Electra, and leaves a detailed comparison of models for later.

Array = NDArray[np.float64]
COLUMNS = {ORDER: "", ABOVE: "_above"}  # behind the names of columns, by row of Figure 1
FIRST_OF, SECOND_OF, ALL = "first", "second", "order"
CHANCE = 0.975  # of orders at random have a smaller correlation than the cell says
RHO = "Spearman's rho"
LEAST = 3  # attributes that can be ordered


def summarise_encoders(job: Job) -> Iterator[dict]:
    """Yield all cells; none unless both encoders are there."""
    names = {FIRST_OF: METRICS_EVIDENCE, SECOND_OF: f"{METRICS_EVIDENCE}{SECOND}"}
    if not all(name in job for name in names.values()):
        return
    cells = {name: cells_of(job.table(evidence)) for name, evidence in names.items()}
    both = [key for key in cells[FIRST_OF] if key in cells[SECOND_OF]]
    for task in dict.fromkeys(task for task, _ in both):
        attributes = [attribute for of, attribute in both if of == task]
        means = [
            record | {"row": attribute, "column": f"{name}{COLUMNS[record['row']]}@{task}"}
            for name, shown in cells.items()
            for attribute in attributes
            for record in summary(shown, task, attribute, job.level)
        ]
        yield from means
        if len(attributes) < LEAST:
            continue
        by_cell = {(record["row"], record["column"]): record for record in means}
        for suffix in COLUMNS.values():
            numbers, draws = [], []
            for name in (FIRST_OF, SECOND_OF):
                cells_of_one = [by_cell[row, f"{name}{suffix}@{task}"] for row in attributes]
                numbers.append(np.array([cell["value"] for cell in cells_of_one]))
                draws.append(np.column_stack([cell["draws"] for cell in cells_of_one]))
            rho, chance = agreement(numbers, draws, attributes, job)
            yield value(ALL, f"rho{suffix}@{task}", **rho, unit=RHO)
        yield exact(ALL, f"chance@{task}", chance, unit=RHO)


def agreement(
    numbers: list[Array], draws: list[Array], attributes: list[str], job: Job
) -> tuple[dict, float]:
    """Return Spearman's rho of two orders of n attributes, and what chance gives.

    Each encoder has its numbers, (n,), and its draws, (draws, n): over the same samples of
    templates and terms.
    """
    first, second = numbers
    rho, p = spearman_test(first, second)
    sampled, orders = rowwise_spearman(*draws), permutations(attributes, job.seed)
    dealt = rowwise_spearman(draws[0], np.take_along_axis(draws[1], orders, axis=1))
    chance = rowwise_spearman(np.broadcast_to(first, orders.shape), second[orders])
    n = len(attributes)
    fields = {"number": rho, "p_value": p, "draws": sampled, "null": dealt}
    fields |= {"interval": percentile(sampled, job.level)}
    fields |= {"n": n, "n_of": n, "n_unit": "attributes"}
    return fields, float(np.nanquantile(chance, CHANCE))
