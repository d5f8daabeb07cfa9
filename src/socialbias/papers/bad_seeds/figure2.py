"""Figure 2: one corpus against another, with six sets of seeds for the same concept."""

from __future__ import annotations

import numpy as np
import pandas as pd

from socialbias.measurement.reliability import with_retest
from socialbias.papers.bad_seeds.inputs import (
    between_sets,
    read_corpora,
    read_sets,
    records_of,
    seed_sets,
)
from socialbias.pipeline.job import Job
from socialbias.stats.similarity import cosine_matrix, unit_rows

MAX_SET = 30  # "sets of under 30 words"
CORPORA = ("goodreads-romance", "goodreads-history-biography")
DIFFERENCE = "difference"
BETWEEN = "between sets"  # the row of what the sets differ by
SHARED = ["n", "n_of", "axis", "axis_of"]  # by all words of a set in a model
COLUMNS = ["row", "corpus", "model", "word", "cosine", "cosine_unit", *SHARED]
# By variant of a column: of which cosines it is which average over the seeds.
AVERAGES = {"": ("cosine", "median"), "@mean": ("cosine", "mean")}
AVERAGES |= {"@unit": ("cosine_unit", "median")}


def measure(job: Job) -> pd.DataFrame:
    """Return the cosine of every seed with the averaged unpleasantness vector, in every model."""
    corpora, lists, sets = read_corpora(job), job.word_lists("bad_seeds"), seed_sets(read_sets(job))
    chosen = {row: sets[row].words for row in lists["figure2"] if row in sets}
    models = [model for name in CORPORA if name in corpora for model in corpora[name].models]
    common = set.intersection(*(set(model.words) for model in models)) if models else set()
    short = {row: words for row, words in chosen.items() if len(words) < MAX_SET}
    rows = []
    for name, corpus in corpora.items():
        for i, model in enumerate(corpus.models):
            usable = common if name in CORPORA else model.index
            words = [word for word in lists["unpleasantness"] if word in usable]
            if not words:
                continue
            vectors = model.rows(words)
            # The authors' notebook averages vectors as they are and scales the mean, on whose
            # length no cosine depends; beside it the mean of vectors of unit length.
            axes = np.stack([vectors.mean(axis=0), unit_rows(vectors).mean(axis=0)])
            for row, seeds in short.items():
                distinct = list(dict.fromkeys(seeds))
                known = [word for word in distinct if word in usable]
                counts = (len(known), len(distinct), len(words), len(lists["unpleasantness"]))
                cosines = cosine_matrix(model.rows(known), axes) if known else []
                rows += [
                    (row, name, i, word, *both, *counts)
                    for word, both in zip(known, cosines, strict=True)
                ]
    return pd.DataFrame(rows, columns=COLUMNS)


def summarise(job: Job) -> list[dict]:
    """Return Figure 2's cells, a row for each set.

    Numbers are medians over the seeds, the lines of print's boxes, averaged over the bootstraps; a
    `difference` is first corpus less second, replicate by replicate. The row `between sets` is how
    much the sets differ beyond noise (`inputs.between_sets`).
    """
    table, level = job.table("evidence/bad_seeds/figure2"), job.level
    groups = table.groupby(["row", "corpus", "model"])
    columns = {mark: groups[cosines].agg(how) for mark, (cosines, how) in AVERAGES.items()}
    summary = pd.DataFrame(columns).join(groups[SHARED].first()).reset_index()
    first, second = (summary[summary["corpus"] == name] for name in CORPORA)
    both = first.merge(second, on=["row", "model"], suffixes=("", "_second"))
    for mark in AVERAGES:
        both[mark] -= both[f"{mark}_second"]
    difference = both[summary.columns].assign(corpus=DIFFERENCE)
    summary = pd.concat([summary, difference]).sort_values("row", kind="stable")
    records = []
    for (row, name), cells in summary.groupby(["row", "corpus"], sort=False):
        bounds = (-2.0, 2.0) if name == DIFFERENCE else (-1.0, 1.0)
        axis = f"{cells['axis'].min():.0f} of {cells['axis_of'].max():.0f} words of unpleasantness"
        for mark in AVERAGES:
            for record in records_of(row, f"{name}{mark}", cells, mark, level, "cosine", bounds):
                note = "; ".join(filter(None, (record["note"], axis)))
                records.append(record | {"note": note})
    for name, part in summary.groupby("corpus", sort=False):
        for mark in AVERAGES if name in (*CORPORA, DIFFERENCE) else ():
            records += between_sets(BETWEEN, f"{name}{mark}", part, mark, "cosine")
    return with_retest(records, level)
