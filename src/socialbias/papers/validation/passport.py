"""The passport: what is known of every measure, collected from the artefacts of the run.

Nothing is measured here but how far a measure depends on a choice (`COMPUTED`): its numbers are
those of the artefacts named in `resources/passports.yaml`, with their intervals. Where one cannot
be had, the cell says why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from socialbias.measures.registry import Measure
from socialbias.pipeline.job import Job
from socialbias.reporting.passports import COMPUTED as IN_PASSPORT
from socialbias.reporting.passports import FIELDS, Passport, Place, read_passports
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
UNKNOWN = "the run's {artefact} has no such number"


def over_lists(job: Job, called: str, tables: Tables) -> dict:
    """Rank correlation of the biases of professions by one list of words and by the other."""
    table = job.table(TABLE5) if TABLE5 in job else pd.DataFrame(columns=["row", "column"])
    rows = table[(table["row"] == called) & table["column"].isin(LISTS)]
    grid = rows.pivot(index="unit", columns="column", values="bias") if len(rows) else rows
    if any(name not in grid for name in LISTS):
        return {}
    shown = tables["trustworthy/table5"]
    of = shown[(shown["row"] == called) & shown["column"].isin(LISTS)]
    return _ordered(job, grid[list(LISTS)], of, "professions", called)


def over_lengths(job: Job, called: str, tables: Tables) -> dict:
    """Rank correlation of seed pairs' means over models, of vectors as they are and unit length."""
    if TABLE4 not in job:
        return {}
    table, name = job.table(TABLE4), LENGTHS[called]
    rows = table[table["kind"] == "gathered"]
    grid = rows.groupby("row")[[name, f"{name}_unit"]].mean()
    shown = tables["bad_seeds/table4"]
    of = shown[shown["row"].isin(grid.index) & shown["column"].isin([called, f"{called}@unit"])]
    return _ordered(job, grid, of, "pairs of seed sets", called)


COMPUTED: dict[str, Callable[[Job, str, Tables], dict]] = {
    "lists": over_lists,
    "lengths": over_lengths,
}


def _ordered(job: Job, grid: pd.DataFrame, of: pd.DataFrame, unit: str, called: str) -> dict:
    """A rank correlation of two columns as a value, made of some of the run's; {} of too few."""
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
        "made_of": of[of["value"].notna()],
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
    found["made_of"] = known
    if len(known) > 1:
        found |= {"n": len(known), "n_of": len(cells), "n_unit": "rows", "weak": ""}
    if place.field == "value" and place.row != "*":
        found |= {name: first[name] for name in ("ci_low", "ci_high", "p_value")}
    if place.field == "p_value":
        found["unit"] = "p-value"
    return found


def cell(job: Job, passport: Passport, field: str, tables: Tables) -> dict:
    """One cell of the passport."""
    measure, place = passport.measure, passport.cells[field]
    if isinstance(place, str):
        return _empty(measure, field, place)
    if place.artefact == IN_PASSPORT:
        found = COMPUTED[place.row](job, measure.key, tables)
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
    return value(measure.name, field, np.nan, note=why)


def summarise(job: Job) -> list[dict]:
    """All cells."""
    passports = read_passports(job.path(FACTS))
    tables = {name: read_values(job.path(f"values/{name}")) for name in job.below("values/")}
    return [cell(job, passport, field, tables) for passport in passports for field in FIELDS]
