"""How many entities recognisers find, by the GDP of a country and the gender of a name."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pandas as pd

from socialbias.papers.fairness.figure3 import RECOGNISERS
from socialbias.papers.fairness.terms import NAMES, NATIONALITY
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.stats.draws import resampled_mean, widened
from socialbias.stats.intervals import percentile

# By attribute: what fills the templates, the class of entity.
FILLERS = {NATIONALITY: ("country", "LOC"), NAMES: ("name", "PER")}
COLUMNS = {"recall": ("found", "gold"), "probability": ("probability", "one")}  # sums, by column
UNITS = {"recall": "share", "probability": "probability"}


def of_groups(counts: pd.DataFrame, variant: str, seed: int) -> list[dict]:
    """Return recall of entities and the probability of the term's class, by group."""
    records = []
    for (group, part), (name, columns) in product(counts.groupby("group"), COLUMNS.items()):
        tables = [
            part.assign(one=1.0).pivot_table(column, "source", "term", aggfunc="sum", fill_value=0)
            for column in columns
        ]
        above, below = (table.to_numpy(float) for table in tables)
        number, (sources, terms) = float(above.sum() / below.sum()), above.shape
        # Templates are resampled alike for all groups, so that draws of groups pair.
        templates = [f"template {source}" for source in tables[0].index]
        by_template = resampled_mean(np.eye(sources), templates, seed)
        by_term = resampled_mean(np.eye(terms), list(tables[0].columns), seed)
        sums = [((by_template @ x) * by_term).sum(axis=1) for x in (above, below)]
        draws = np.clip(widened(sums[0] / sums[1], number, sources, terms), 0, 1)
        facts = {"n": terms, "n_of": terms, "n_unit": "terms", "unit": UNITS[name]}
        facts |= {"interval": percentile(draws), "draws": draws}
        records.append(value(str(group), f"{name}@{variant}", number, **facts))
    return records


def summarise(job: Job) -> Iterator[dict]:
    """Yield all cells whose recogniser is at hand, and whose countries or names."""
    for variant, evidence in {**RECOGNISERS, "plain": "evidence/fairness/entities_plain"}.items():
        if evidence not in job:
            continue
        table = job.table(evidence)
        for attribute, (word_class, kind) in FILLERS.items():
            chosen = table[
                (table["attribute"] == attribute)
                & (table["class"] == kind)
                & (table["word_class"] == word_class)
            ]
            yield from of_groups(chosen, variant, job.seed)
