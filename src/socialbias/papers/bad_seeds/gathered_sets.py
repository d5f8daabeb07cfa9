"""Figure 1 and Table 3: the gathered seed sets, by size, paper and source."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from socialbias.papers.bad_seeds.inputs import counted_in_part, read_versions
from socialbias.papers.evidence import Evidence
from socialbias.pipeline.job import Job
from socialbias.reporting.values import exact

QUANTILES = {"minimum": 0.0, "quartile 1": 0.25, "median": 0.5, "quartile 3": 0.75, "maximum": 1.0}


def measure_figure1(job: Job) -> pd.DataFrame:
    """Return the size of every set and the sets of every paper."""
    result = Evidence()
    for version, table in read_versions(job).items():
        seeds = table.set_index("id")["seeds"].map(len)
        papers = table.groupby("paper")["id"].size()
        for row, numbers in (("seeds per set", seeds), ("sets per paper", papers)):
            of_row = {"unit": numbers.index, "number": numbers.to_numpy()}
            result.add(row, version, of_row, printed="printed" in table)
    return result.table()


def figure1(job: Job) -> Iterator[dict]:
    """Yield Figure 1's cells.

    Row `all`: `maximum_seeds_per_set`, `seed_sets`, `papers`, as printed, and `undocumented`, the
    sets without seeds. Rows `seeds per set` (of documented sets) and `sets per paper`: quartiles,
    interpolated linearly as in a box plot.
    """
    table = job.table("evidence/bad_seeds/figure1")
    for version, cells in table.groupby("column"):
        mark = f"@{version}" if version else ""
        fields = {"weak": counted_in_part(cells)}
        seeds = cells.loc[cells["row"] == "seeds per set", "number"]
        papers = cells.loc[cells["row"] == "sets per paper", "number"]
        counts = {
            "maximum_seeds_per_set": (seeds.max(), "seeds"),
            "seed_sets": (len(seeds), "seed sets"),
            "papers": (len(papers), "papers"),
            "undocumented": ((seeds == 0).sum(), "seed sets"),
        }
        yield from (
            exact("all", f"{column}{mark}", count, unit=unit, **fields)
            for column, (count, unit) in counts.items()
        )
        for row, numbers in (("seeds per set", seeds[seeds > 0]), ("sets per paper", papers)):
            for column, q in QUANTILES.items():
                quantile = numbers.quantile(q)
                yield exact(row, f"{column}{mark}", quantile, unit=row, **fields)


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


def measure_table3(job: Job) -> pd.DataFrame:
    """Return the category of source of every seed set, one row for each that a set has."""
    result = Evidence()
    for version, table in read_versions(job).items():
        known = [[CATEGORIES[k] for k in kinds if k in CATEGORIES] for kinds in table[KINDS]]
        by_row = table.assign(row=[kinds or [""] for kinds in known]).explode("row").groupby("row")
        for row, part in by_row:
            numbers = {"unit": part["id"], "paper": part["paper"]}
            result.add(row, version, numbers, sets=len(table), printed="printed" in table)
    return result.table()


def table3(job: Job) -> Iterator[dict]:
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
