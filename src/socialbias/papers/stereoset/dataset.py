"""What the tables about StereoSet itself read: its items."""

from __future__ import annotations

import pandas as pd

from socialbias.papers.stereoset.items import SPLITS
from socialbias.pipeline.job import Job

ITEMS = "evidence/stereoset/items"
DOMAINS = ("gender", "profession", "race", "religion")


def read_sentences(job: Job, columns: list[str]) -> pd.DataFrame | None:
    """Return some columns of all candidate sentences at hand (`items.measure`), or None."""
    if ITEMS not in job:
        return None
    return pd.read_parquet(job.path(ITEMS), columns=list(dict.fromkeys(["split", *columns])))


def read_all(job: Job, columns: list[str]) -> pd.DataFrame | None:
    """As `read_sentences`; None unless both splits are at hand."""
    table = read_sentences(job, columns)
    return table if table is not None and set(table["split"]) == set(SPLITS) else None
