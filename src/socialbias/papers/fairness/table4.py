"""Table 4: the identity terms of some groups of gender."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from socialbias.papers.fairness.suites import TERMS_EVIDENCE
from socialbias.papers.fairness.terms import kept
from socialbias.pipeline.job import Job
from socialbias.reporting.values import exact


def in_print(printed: Sequence[str], terms: pd.DataFrame) -> int:
    """Return how many printed terms, such as `female (adj)`, are among those kept."""
    with_class = terms["term"] + " (" + terms["word_class"] + ")"
    return len(set(printed) & {*terms["term"], *with_class})


def summarise(job: Job) -> Iterator[dict]:
    """Yield all cells; they are counts of all that there is, so that nothing varies."""
    table = kept(job.table(TERMS_EVIDENCE))
    table = table[table["attribute"] == "gender"]
    for group, printed in job.word_lists("fairness")["table4"].items():
        of_group = table[table["group"] == group]
        yield exact(group, "terms", len(of_group), unit="terms")
        yield exact(group, "in_print", in_print(printed, of_group), unit="terms")
