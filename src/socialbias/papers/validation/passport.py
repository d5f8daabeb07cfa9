"""The passport: what is known of every measure, collected from the artefacts of the run.

Only how far a measure depends on a choice is measured here (`COMPUTED`): the other numbers are
those of the artefacts named in `resources/passports.yaml`, with their intervals. A cell without a
number says why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from socialbias.measures.passport import FIELDS
from socialbias.pipeline.job import Job
from socialbias.reporting.passports import COMPUTED as IN_PASSPORT
from socialbias.reporting.passports import Place, Places, read_places
from socialbias.reporting.values import read_values, value
from socialbias.stats.correlation import spearman
from socialbias.stats.seeding import generator

FACTS = "facts/passports"
TABLE5, TABLE4 = "evidence/trustworthy/table5", "evidence/bad_seeds/table4"
LISTS = ("contemporary-gender@released-code", "contemporary-gender@appendix")
LENGTHS = {"coherence": "coherence", "set similarity": "similarity"}  # beside each, its `_unit`
COPIED = ("n", "n_of", "n_unit", "weak")
FEWEST = 8  # things that are ordered
Tables = Mapping[str, pd.DataFrame]  # values by `<paper>/<artefact>`


def over_lists(job: Job, measure: str, tables: Tables) -> dict:
    """Rank correlation of the biases of professions by the first word list and by the second."""
    if TABLE5 not in job:
        return {}
    rows, cells = (
        table[(table["row"] == measure) & table["column"].isin(LISTS)]
        for table in (job.table(TABLE5), tables["trustworthy/table5"])
    )
    if rows["column"].nunique() < len(LISTS):
        return {}
    grid = rows.pivot(index="unit", columns="column", values="bias")[list(LISTS)]
    return _correlated(job, measure, grid, cells, "professions")


def over_lengths(job: Job, measure: str, tables: Tables) -> dict:
    """Rank correlation of seed pairs' means over models, of vectors as they are and unit length."""
    if TABLE4 not in job:
        return {}
    table, name = job.table(TABLE4), LENGTHS[measure]
    rows = table[table["kind"] == "gathered"]
    grid = rows.groupby("row")[[name, f"{name}_unit"]].mean()
    cells = tables["bad_seeds/table4"]
    columns = [measure, f"{measure}@unit"]
    cells = cells[cells["row"].isin(grid.index) & cells["column"].isin(columns)]
    return _correlated(job, measure, grid, cells, "pairs of seed sets")


COMPUTED: dict[str, Callable[[Job, str, Tables], dict]] = {
    "lists": over_lists,
    "lengths": over_lengths,
}


def _correlated(job: Job, measure: str, grid: pd.DataFrame, cells: pd.DataFrame, unit: str) -> dict:
    """Return a rank correlation of two columns, made of cells of the run, as a value.

    {} of too few.
    """
    known = grid.dropna()
    if len(known) < FEWEST:
        return {}
    rng = generator(job.seed, "passport", measure)
    rho = spearman(*known.to_numpy(float).T, job.replicates, job.level, rng)
    numbers = {"value": rho.value, "ci_low": rho.low, "ci_high": rho.high}
    counts = {"n": len(known), "n_of": len(grid), "n_unit": unit}
    made_of = cells[cells["value"].notna()]
    return numbers | counts | {"unit": "correlation with the default", "made_of": made_of}


def copied(table: pd.DataFrame, place: Place) -> dict:
    """Return a number of another artefact as a value, or {"note": why there is none}."""
    cells = table[table["column"] == place.column]
    if place.row != "*":
        cells = cells[cells["row"] == place.row]
    known = cells[cells["value"].notna() & cells[place.field].notna()]
    if known.empty:
        unknown = f"the run's {place.artefact} has no such number"
        return {"note": next(filter(None, cells["note"]), unknown)}
    first = known.iloc[0]
    fields = {name: first[name] for name in (*COPIED, "unit")}
    fields |= {"value": float(known[place.field].median()), "made_of": known}
    if len(known) > 1:
        fields |= {"n": len(known), "n_of": len(cells), "n_unit": "rows", "weak": ""}
    if place.field == "value" and place.row != "*":
        fields |= {name: first[name] for name in ("ci_low", "ci_high", "p_value")}
    if place.field == "p_value":
        fields["unit"] = "p-value"
    return fields


def cell(job: Job, passport: Places, field: str, tables: Tables) -> dict:
    """Return one cell of the passport."""
    measure, place = passport.measure, passport.cells[field]
    if isinstance(place, str):
        return value(measure.name, field, np.nan, note=place)
    if place.artefact == IN_PASSPORT:
        fields = COMPUTED[place.row](job, measure.key, tables)
        fields = fields or {"note": "the run has too few numbers in both settings"}
        source = f"computed of both settings ({place.row})"
    else:
        for copy in place.places():
            fields, source = copied(tables[copy.artefact], copy), str(copy)
            if "value" in fields:
                break
    if "value" not in fields:
        return value(measure.name, field, np.nan, note=f"{source}: {fields['note']}")
    number = fields.pop("value")
    # The smallest detectable number is a column of its own here.
    return value(measure.name, field, number, **fields, detectable=np.nan, note=source)


def summarise(job: Job) -> list[dict]:
    """Return all cells."""
    passports = read_places(job.path(FACTS))
    tables = {name: read_values(job.path(f"values/{name}")) for name in job.below("values/")}
    return [cell(job, passport, field, tables) for passport in passports for field in FIELDS]
