"""What artefacts of this paper read in common: terms and suites, with where each is from."""

from __future__ import annotations

import pandas as pd

from socialbias.papers.fairness.terms import NAMES, NATIONALITY
from socialbias.papers.inputs import joined
from socialbias.pipeline.job import Job
from socialbias.sources.fidelity import worst_fidelity

TERMS, SUITES = "evidence/fairness/terms", "evidence/fairness/suites"
PAIR = ("fairness_templates", "fairness_terms")
# The roles that the examples of an attribute rest on; `PAIR` where it is not here.
ROLES = {
    NATIONALITY: (*PAIR, "fairness_entities", "fairness_countries"),
    NAMES: ("fairness_entities", "fairness_names"),
}


def provenance_of(job: Job, attribute: str) -> dict[str, str]:
    """`sources` and `fidelity` of the examples of an attribute, as `reporting.values` takes them.

    Args:
        job: Its inputs name the roles of `PAIR` and `ROLES`.
        attribute: Such as `gender`.
    """
    parts = [part for role in ROLES.get(attribute, PAIR) for part in job.provenance.get(role, ())]
    sources, fidelities = zip(*parts, strict=True)
    return {"sources": joined(sources), "fidelity": worst_fidelity(fidelities)}


def read_terms(job: Job) -> pd.DataFrame:
    """All terms, those that are left out with a `reason` (`terms.measure`)."""
    return job.table(TERMS)


def read_suites(job: Job, attribute: str | None = None) -> pd.DataFrame:
    """The filled templates of one attribute, or of all (`suites.measure`)."""
    filters = None if attribute is None else [("attribute", "==", attribute)]
    return pd.read_parquet(job.path(SUITES), filters=filters)
