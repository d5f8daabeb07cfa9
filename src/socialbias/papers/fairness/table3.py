"""Table 3: the groups of each sensitive attribute, and how many terms they have."""

from __future__ import annotations

import pandas as pd

from socialbias.papers.fairness.suites import SUITES, TERMS_EVIDENCE
from socialbias.papers.fairness.terms import kept
from socialbias.pipeline.job import Job
from socialbias.reporting.values import exact


def counts(terms: pd.DataFrame, suite: pd.DataFrame) -> dict[str, tuple[int, str]]:
    """Return the numbers of one attribute with their units, by column.

    A country with its adjective counts as one term, and so does a term in two word classes.
    """
    used = kept(terms)
    by_group = used.drop_duplicates(["group", "unit"]).groupby("group").size()
    filling = len(suite.drop_duplicates(["group", "unit"]))
    # A country without an adjective is kept, though its adjective is not.
    gone = terms[terms["reason"] != ""]
    left = set(zip(gone["term"], gone["place"], strict=True))
    left -= set(zip(used["term"], used["place"], strict=True))
    return {
        "groups": (len(by_group), "groups"),
        "terms": (int(by_group.sum()), "terms"),
        "filling": (filling, "terms"),
        "left_out": (len(left), "terms"),
        "single": (int((by_group == 1).sum()), "groups"),
    }


def summarise(job: Job) -> list[dict]:
    """Return all cells; they are counts of all that there is, so that nothing varies."""
    suites, records = job.table(SUITES), []
    for attribute, part in job.table(TERMS_EVIDENCE).groupby("attribute", sort=False):
        numbers = counts(part, suites[suites["attribute"] == attribute])
        records += [
            exact(attribute, column, number, unit=unit)
            for column, (number, unit) in numbers.items()
        ]
    return records
