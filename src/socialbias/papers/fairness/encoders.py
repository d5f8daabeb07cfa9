"""Whether a second encoder orders the attributes as the first does.

Czarnowska, Vyas and Shah 2021 (footnote 6) saw similar trends with Electra, and leave a detailed
comparison of models for later.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from socialbias.papers.fairness.figure1 import Cells, cells_of, summary
from socialbias.papers.fairness.metrics import ABOVE, METRICS_EVIDENCE, ORDER, about
from socialbias.papers.fairness.models import ENCODERS, SECOND
from socialbias.papers.inputs import joined
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.stats.correlation import rowwise_spearman, spearman_test
from socialbias.stats.draws import permutations

Array = NDArray[np.float64]
COLUMNS = {ORDER: "", ABOVE: "_above"}  # behind the names of columns, by row of Figure 1
FIRST_OF, SECOND_OF, ALL = "first", "second", "order"
CHANCE = 0.975  # of orders at random have a smaller correlation than the cell says
LEAST = 3  # attributes that can be ordered


def summarise(job: Job) -> list[dict]:
    """All cells; none unless both encoders are there."""
    names = {FIRST_OF: METRICS_EVIDENCE, SECOND_OF: f"{METRICS_EVIDENCE}{SECOND}"}
    if not all(name in job for name in names.values()):
        return []
    kept = {name: cells_of(job.table(evidence)) for name, evidence in names.items()}
    both = [key for key in kept[FIRST_OF] if key in kept[SECOND_OF]]
    records = []
    for task in dict.fromkeys(task for task, _ in both):
        attributes = [attribute for of, attribute in both if of == task]
        sums = {
            name: [_summed(job, name, cells, task, attribute) for attribute in attributes]
            for name, cells in kept.items()
        }
        records += [r for of_encoder in sums.values() for pair in of_encoder for r in pair.values()]
        if len(attributes) >= LEAST:
            records += _compared(job, sums, attributes, task)
    return records


def _summed(job: Job, name: str, cells: Cells, task: str, attribute: str) -> dict[str, dict]:
    """The means of one encoder, by row of Figure 1."""
    encoder = ENCODERS[SECOND if name == SECOND_OF else ""]
    said = about(job, task, attribute, encoder) | {"fidelity": "substitute"}
    found = {r["row"]: r for r in summary(cells, task, attribute, job.level, said)}
    return {
        row: found[row] | {"row": attribute, "column": f"{name}{suffix}@{task}"}
        for row, suffix in COLUMNS.items()
    }


def _compared(job: Job, sums: dict, attributes: list[str], task: str) -> list[dict]:
    """How the two orders agree."""
    sources = joined(pair[ORDER]["sources"] for name in sums for pair in sums[name])
    said = {"sources": sources, "fidelity": "substitute", "unit": "Spearman's rho"}
    records, chance = [], np.nan
    for row, suffix in COLUMNS.items():
        cells = [[pair[row] for pair in sums[name]] for name in (FIRST_OF, SECOND_OF)]
        numbers = [np.array([cell["value"] for cell in of]) for of in cells]
        draws = [np.column_stack([cell["draws"] for cell in of]) for of in cells]
        found, chance = agreement(numbers, draws, attributes, job)
        records.append(value(ALL, f"rho{suffix}@{task}", **found, **said))
    return [*records, value(ALL, f"chance@{task}", chance, draws=chance, **said)]


def agreement(
    numbers: list[Array], draws: list[Array], attributes: list[str], job: Job
) -> tuple[dict, float]:
    """Spearman's rho of two orders of attributes, and what chance gives.

    Args:
        numbers: (n,) of each encoder.
        draws: (draws, n) of each encoder, over the same samples of templates and terms.
        attributes: n names.
        job: Its seed and level.

    Returns:
        The correlation as `value` takes it, with draws under orders at random beside its own; and
        the correlation that `CHANCE` of these do not exceed.
    """
    first, second = numbers
    rho, p = spearman_test(first, second)
    sampled, orders = rowwise_spearman(*draws), permutations(attributes, job.seed)
    dealt = rowwise_spearman(draws[0], np.take_along_axis(draws[1], orders, axis=1))
    chance = rowwise_spearman(np.broadcast_to(first, orders.shape), second[orders])
    low, high = np.nanquantile(sampled, [(1 - job.level) / 2, (1 + job.level) / 2])
    n = len(attributes)
    found = {"number": rho, "p_value": p, "ci_low": float(low), "ci_high": float(high)}
    found |= {"draws": sampled, "null": dealt, "n": n, "n_of": n, "n_unit": "attributes"}
    return found, float(np.nanquantile(chance, CHANCE))
