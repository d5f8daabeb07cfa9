"""How many entities recognisers find, by the GDP of a country and the gender of a name."""

from __future__ import annotations

import numpy as np
import pandas as pd

from socialbias.papers.fairness.figure3 import RECOGNISERS
from socialbias.papers.fairness.terms import NAMES, NATIONALITY
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.stats.draws import resampled_mean, widened
from socialbias.stats.intervals import percentile

PLAIN = "evidence/fairness/entities_plain"
# By attribute: what fills the templates, the class of entity.
ASKED = {
    NATIONALITY: ("country", "LOC"),
    NAMES: ("name", "PER"),
}
COLUMNS = {"recall": ("found", "gold"), "probability": ("probability", "one")}  # sums, by column
UNITS = {"recall": "share", "probability": "probability"}


def of_groups(counts: pd.DataFrame, seed: int) -> list[dict]:
    """The share of entities that are found, and how probable the class is for the term, by group.

    Args:
        counts: As `entities.measure` gives them, of one attribute, class and word class.
        seed: The configuration's seed.
    """
    return [
        _ratio(str(group), column, part.assign(one=1.0), over, seed)
        for group, part in counts.groupby("group")
        for column, over in COLUMNS.items()
    ]


def _ratio(group: str, column: str, part: pd.DataFrame, over: tuple[str, str], seed: int) -> dict:
    """A sum over another one, with templates and terms resampled."""
    tables = [
        part.pivot_table(name, "source", "term", aggfunc="sum", fill_value=0) for name in over
    ]
    above, below = (table.to_numpy(float) for table in tables)
    number, (sources, terms) = float(above.sum() / below.sum()), above.shape
    # Templates are resampled alike for all groups, so that draws of groups pair.
    templates = [f"template {source}" for source in tables[0].index]
    by_template = resampled_mean(np.eye(sources), templates, seed)
    by_term = resampled_mean(np.eye(terms), list(tables[0].columns), seed)
    sums = [((by_template @ x) * by_term).sum(axis=1) for x in (above, below)]
    draws = np.clip(widened(sums[0] / sums[1], number, sources, terms), 0, 1)
    said = {"n": terms, "n_of": terms, "n_unit": "terms", "unit": UNITS[column]}
    return value(group, column, number, interval=percentile(draws), draws=draws, **said)


def summarise(job: Job) -> list[dict]:
    """All cells whose recogniser is at hand, and whose countries or names."""
    records = []
    for variant, evidence in (RECOGNISERS | {"plain": PLAIN}).items():
        if evidence not in job:
            continue
        table = job.table(evidence)
        for attribute, (word_class, kind) in ASKED.items():
            chosen = table[
                (table["attribute"] == attribute)
                & (table["class"] == kind)
                & (table["word_class"] == word_class)
            ]
            for record in of_groups(chosen, job.seed):
                column = {"column": f"{record['column']}@{variant}"}
                records.append(record | column)
    return records
