"""Figure 1, the gathered seed sets: seeds in a set, and sets in a paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from socialbias.papers.bad_seeds.inputs import counted_in_part, read_versions
from socialbias.papers.evidence import Evidence
from socialbias.pipeline.job import Job
from socialbias.reporting.values import exact

QUANTILES = {"minimum": 0.0, "quartile 1": 0.25, "median": 0.5, "quartile 3": 0.75, "maximum": 1.0}


def evidence(versions: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the size of every set and the sets of every paper."""
    result = Evidence()
    for version, table in versions.items():
        seeds = table.set_index("id")["seeds"].map(len)
        papers = table.groupby("paper")["id"].size()
        for row, numbers in (("seeds per set", seeds), ("sets per paper", papers)):
            of_row = {"unit": numbers.index, "number": numbers.to_numpy()}
            result.add(row, version, of_row, printed="printed" in table)
    return result.table()


def measure(job: Job) -> pd.DataFrame:
    """Return the evidence in every version of the gathered sets that is available."""
    return evidence(read_versions(job))


def summarise(job: Job) -> Iterator[dict]:
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
