"""The passport: what is known of every measure, collected from the artefacts of the run.

Nothing is measured here but how far a measure depends on a choice (`COMPUTED`): its numbers are
those of the artefacts named in `resources/measures.yaml`, with their intervals. Where one cannot
be had, the cell says why.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from socialbias import measure_facts
from socialbias.measure_facts import Measure, Place, read_measures
from socialbias.papers.inputs import joined
from socialbias.pipeline.job import Job
from socialbias.reporting.values import NO_INPUT, read_values, value
from socialbias.seeding import generator
from socialbias.sources.fidelity import worst_fidelity
from socialbias.stats.correlation import spearman

FACTS = "facts/measures"
TABLE5, TABLE4 = "evidence/trustworthy/table5", "evidence/bad_seeds/table4"
LISTS = ("contemporary-gender@released-code", "contemporary-gender@appendix")
LENGTHS = {"coherence": "coherence", "set similarity": "similarity"}  # beside each, its `_unit`
COPIED = ("n", "n_of", "n_unit", "weak", "sources", "fidelity")
FEWEST = 8  # things that are ordered
UNKNOWN = "the run's {artefact} has no such number"


def over_lists(job: Job, called: str) -> dict:
    """Rank correlation of the biases of professions by one list of words and by the other."""
    table = job.table(TABLE5) if TABLE5 in job else pd.DataFrame(columns=["row", "column"])
    rows = table[(table["row"] == called) & table["column"].isin(LISTS)]
    grid = rows.pivot(index="profession", columns="column", values="bias") if len(rows) else rows
    if any(name not in grid for name in LISTS):
        return {}
    return _ordered(job, grid[list(LISTS)], rows, "professions", called)


def over_lengths(job: Job, called: str) -> dict:
    """Rank correlation of seed pairs' means over models, of vectors as they are and unit length."""
    if TABLE4 not in job:
        return {}
    table, name = job.table(TABLE4), LENGTHS[called]
    rows = table[table["kind"] == "gathered"]
    grid = rows.groupby("row")[[name, f"{name}_unit"]].mean()
    return _ordered(job, grid, rows, "pairs of seed sets", called)


COMPUTED: dict[str, Callable[[Job, str], dict]] = {"lists": over_lists, "lengths": over_lengths}


def _ordered(job: Job, grid: pd.DataFrame, rows: pd.DataFrame, unit: str, called: str) -> dict:
    """A rank correlation of two columns as a value, {} of too few."""
    known = grid.dropna()
    if len(known) < FEWEST:
        return {}
    rng = generator(job.seed, "passport", called)
    rho = spearman(*known.to_numpy(float).T, job.replicates, job.level, rng)
    return {
        "value": rho.value,
        "ci_low": rho.low,
        "ci_high": rho.high,
        "n": len(known),
        "n_of": len(grid),
        "n_unit": unit,
        "unit": "correlation with the default",
        "sources": joined(rows["sources"].unique()),
        "fidelity": worst_fidelity(list(rows["fidelity"].unique())),
    }


def copied(table: pd.DataFrame, place: Place) -> dict:
    """A number of another artefact as a value, or {"note": why there is none}.

    Args:
        table: Its values.
        place: Which of them; of a row `*` the median over rows, without an interval.
    """
    cells = table[table["column"] == place.column]
    if place.row != "*":
        cells = cells[cells["row"] == place.row]
    known = cells[cells["value"].notna() & cells[place.field].notna()]
    if known.empty:
        notes = [note for note in cells["note"].unique() if note]
        return {"note": notes[0] if notes else UNKNOWN.format(artefact=place.artefact)}
    first = known.iloc[0]
    found = {name: first[name] for name in COPIED}
    found |= {"value": float(known[place.field].median()), "unit": first["unit"]}
    if len(known) > 1:
        found |= {"n": len(known), "n_of": len(cells), "n_unit": "rows", "weak": ""}
        found["sources"] = joined(known["sources"].unique())
        found["fidelity"] = worst_fidelity(list(known["fidelity"].unique()))
    if place.field == "value" and place.row != "*":
        found |= {name: first[name] for name in ("ci_low", "ci_high", "p_value")}
    if place.field == "p_value":
        found["unit"] = "p-value"
    return found


def cell(job: Job, measure: Measure, field: str, tables: dict[str, pd.DataFrame]) -> dict:
    """One cell of the passport."""
    place = measure.passport[field]
    if isinstance(place, str):
        return _empty(measure, field, place)
    if place.artefact == measure_facts.COMPUTED:
        found = COMPUTED[place.row](job, measure.called)
        found = found or {"note": "the run has too few numbers in both settings"}
        said = f"computed of both settings ({place.row})"
    else:
        for each in place.places():
            found, said = copied(tables[each.artefact], each), str(each)
            if "value" in found:
                break
    if "value" not in found:
        return _empty(measure, field, f"{said}: {found['note']}")
    number = found.pop("value")
    # What could be found is a column of its own here.
    return value(measure.name, field, number, **found, detectable=np.nan, note=said)


def _empty(measure: Measure, field: str, why: str) -> dict:
    return value(measure.name, field, np.nan, fidelity=NO_INPUT, note=why)


def summarise(job: Job) -> list[dict]:
    """All cells."""
    measures = read_measures(job.path(FACTS))
    tables = {name: read_values(job.path(f"values/{name}")) for name in job.below("values/")}
    return [
        cell(job, measure, field, tables)
        for measure in measures.values()
        for field in measure_facts.FIELDS
    ]
