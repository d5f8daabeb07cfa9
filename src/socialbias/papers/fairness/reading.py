"""What artefacts of this paper read in common: terms and suites."""

from __future__ import annotations

import pandas as pd

from socialbias.pipeline.job import Job

TERMS, SUITES = "evidence/fairness/terms", "evidence/fairness/suites"


def read_terms(job: Job) -> pd.DataFrame:
    """All terms, those that are left out with a `reason` (`terms.measure`)."""
    return job.table(TERMS)


def read_suites(job: Job, attribute: str | None = None) -> pd.DataFrame:
    """The filled templates of one attribute, or of all (`suites.measure`)."""
    filters = None if attribute is None else [("attribute", "==", attribute)]
    return pd.read_parquet(job.path(SUITES), filters=filters)
