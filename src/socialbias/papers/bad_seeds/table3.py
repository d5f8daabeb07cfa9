"""Table 3, where seeds come from: papers by category of source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from socialbias.papers.bad_seeds.inputs import counted_in_part, read_versions
from socialbias.papers.evidence import Evidence
from socialbias.pipeline.job import Job
from socialbias.reporting.values import exact

# The released data's names of the categories, and print's.
CATEGORIES = {
    "corpus-derived": "corpus-derived",
    "prior-work": "re-used",
    "borrowed-from-social-sciences": "borrowed from social sciences",
    "curated": "curated",
    "lexical-resources": "adapted from lexical resources",
    "crowd-sourced": "crowd-sourced",
    "population-derived": "population-derived",
}
KINDS = "source_categories"


def evidence(versions: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the category of source of every seed set, one row for each that a set has."""
    result = Evidence()
    for version, table in versions.items():
        known = [[CATEGORIES[k] for k in kinds if k in CATEGORIES] for kinds in table[KINDS]]
        by_row = table.assign(row=[kinds or [""] for kinds in known]).explode("row").groupby("row")
        for row, part in by_row:
            numbers = {"unit": part["id"], "paper": part["paper"]}
            result.add(row, version, numbers, sets=len(table), printed="printed" in table)
    return result.table()


def measure(job: Job) -> pd.DataFrame:
    """Return the evidence in every version of the gathered sets that is available."""
    return evidence(read_versions(job))


def summarise(job: Job) -> Iterator[dict]:
    """Yield Table 3's cells: `papers_of_18`, papers with a set of the category, and `seed_sets`.

    A paper counts once for a category, however many of its sets have it; a paper or set with
    two categories counts in both. A category that no set has counts 0.
    """
    table = job.table("evidence/bad_seeds/table3")
    for version, cells in table.groupby("column"):
        mark = f"@{version}" if version else ""
        size = cells["sets"].iloc[0]
        fields = {"n": size, "n_of": size, "n_unit": "seed sets", "weak": counted_in_part(cells)}
        for row in CATEGORIES.values():
            part = cells[cells["row"] == row]
            papers, sets = part["paper"].nunique(), part["unit"].nunique()
            yield exact(row, f"papers_of_18{mark}", papers, unit="papers", **fields)
            yield exact(row, f"seed_sets{mark}", sets, unit="seed sets", **fields)
