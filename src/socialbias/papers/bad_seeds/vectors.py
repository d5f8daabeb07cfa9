"""How good the trained vectors are: analogies and similarity, over the bootstraps of a corpus."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from socialbias.papers.bad_seeds.inputs import mean_over_models
from socialbias.pipeline.job import Job

# By kind of test: unit of the number, what it rests on, and the least that it can be.
KINDS = {
    "analogies": ("accuracy", "questions", 0.0),
    "similarity": ("Spearman's rho", "pairs of words", -1.0),
}


def summarise(job: Job) -> Iterator[dict]:
    """Yield the cells: the mean of each test over the bootstraps of each corpus."""
    for corpus in job.below("checks/"):
        tables = map(pd.read_parquet, job.files[f"checks/{corpus}"])
        table = pd.concat(tables, ignore_index=True)
        for (kind, name), cells in table.groupby(["kind", "set"]):
            unit, counted, least = KINDS[kind]
            row = corpus.replace("_", "-")
            numbers = cells.sort_values("replicate")["value"]
            counts = {"n": cells["known"].min(), "n_of": cells["of"].max(), "n_unit": counted}
            yield from mean_over_models(row, name, numbers, job.level, unit, (least, 1), **counts)
