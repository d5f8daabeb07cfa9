"""Table 4: the identity terms of some groups of gender."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from socialbias.papers.fairness.reading import kept_terms, provenance_of, read_terms
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value

ATTRIBUTE = "gender"


def found_of(printed: Sequence[str], kept: pd.DataFrame) -> int:
    """How many printed terms, such as `woman` or `female (adj)`, are among those that are kept.

    Args:
        printed: Terms of one group, with the part of speech in brackets where print gives it.
        kept: Terms of the group, with `term` and `word_class`.
    """
    with_class = kept["term"] + " (" + kept["word_class"] + ")"
    return len(set(printed) & {*kept["term"], *with_class})


def summarise(job: Job) -> list[dict]:
    """All cells."""
    table = kept_terms(read_terms(job))
    table = table[table["attribute"] == ATTRIBUTE]
    about = {"unit": "terms", "n_unit": "terms", **provenance_of(job, ATTRIBUTE)}
    records = []
    for group, printed in job.word_lists("fairness")["table4"].items():
        kept = table[table["group"] == group]
        for column, number in (("terms", len(kept)), ("in_print", found_of(printed, kept))):
            counted = {"n": number, "n_of": len(printed) if column == "in_print" else number}
            exact = float(number)
            records.append(value(group, column, exact, draws=exact, **counted, **about))
    return records
