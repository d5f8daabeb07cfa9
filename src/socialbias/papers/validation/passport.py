"""The passport: what is known of every measure, collected from the artefacts of the run.

Only how far a measure depends on a choice is measured here (`COMPUTED`): the other numbers are
those of the artefacts named in `resources/passports.yaml`, with their intervals. A cell without a
number says why.
"""

from __future__ import annotations

from collections.abc import Mapping

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
COMPUTED = ("lists", "lengths")  # choices of two settings each
LISTS = ("contemporary-gender@released-code", "contemporary-gender@appendix")
LENGTHS = {"coherence": "coherence", "set similarity": "similarity"}  # beside each, its `_unit`
COPIED = ("n", "n_of", "n_unit", "weak")
MIN_ORDERED = 8  # things that are ordered
Tables = Mapping[str, pd.DataFrame]  # values by `<paper>/<artefact>`


def correlated(job: Job, choice: str, measure: str, tables: Tables) -> dict:
    """Return the rank correlation of a measure's numbers in two settings, as a value; {} of few.

    Of `lists`, the biases of professions by the first word list and by the second; of `lengths`,
    seed pairs' means over models, of vectors as they are and of unit length.
    """
    if choice == "lists" and TABLE5 in job and len(job.table(TABLE5)):
        rows, cells = (
            table[(table["row"] == measure) & table["column"].isin(LISTS)]
            for table in (job.table(TABLE5), tables["trustworthy/table5"])
        )
        grid = rows.pivot(index="unit", columns="column", values="bias")
        grid, unit = grid.reindex(columns=list(LISTS)), "professions"
    elif choice == "lengths" and TABLE4 in job and len(job.table(TABLE4)):
        table, name = job.table(TABLE4), LENGTHS[measure]
        gathered = table[table["kind"] == "gathered"].groupby("row")
        grid, unit = gathered[[name, f"{name}_unit"]].mean(), "pairs of seed sets"
        cells, columns = tables["bad_seeds/table4"], [measure, f"{measure}@unit"]
        cells = cells[cells["row"].isin(grid.index) & cells["column"].isin(columns)]
    else:
        return {}
    known = grid.dropna()
    if len(known) < MIN_ORDERED:
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
        return value(measure.row, field, np.nan, note=place)
    if place.artefact == IN_PASSPORT:
        fields = correlated(job, place.row, measure.key, tables)
        fields = fields or {"note": "the run has too few numbers in both settings"}
        source = f"computed of both settings ({place.row})"
    else:
        fields, source = copied(tables[place.artefact], place), str(place)
    if "value" not in fields:
        return value(measure.row, field, np.nan, note=f"{source}: {fields['note']}")
    number = fields.pop("value")
    # The smallest detectable number is a column of its own here.
    return value(measure.row, field, number, **fields, detectable=np.nan, note=source)


def summarise(job: Job) -> list[dict]:
    """Return all cells."""
    passports = read_places(job.path(FACTS))
    tables = {name: read_values(job.path(f"values/{name}")) for name in job.below("values/")}
    return [cell(job, passport, field, tables) for passport in passports for field in FIELDS]
