"""The corpus or the seeds? A WEAT-style number over bootstraps of the corpus and over seed sets.

Beyond the paper: for one concept, every published seed set gives a number in every bootstrapped
model. How much of their spread is between seed sets, how much between bootstraps of the corpus?
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product

import numpy as np
import pandas as pd

from socialbias.embeddings.vectors import WordVectors
from socialbias.measurement.reliability import with_retest
from socialbias.measures.weat import association, effect_size
from socialbias.papers.bad_seeds.inputs import (
    BAD,
    DDOF,
    GOOD,
    between_sets,
    fewest,
    known,
    read_corpora,
    read_sets,
    records_of,
    seed_sets,
)
from socialbias.papers.evidence import Evidence
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.stats.heterogeneity import between

SEEDS = "sd over seed sets"
LEAN, EFFECT = "mean cosine to good minus bad", "standard deviations"


def measure(job: Job) -> pd.DataFrame:
    """Return the measure of every alternative of every concept in every model."""
    result, sets = Evidence(), seed_sets(read_sets(job))
    concepts = job.word_lists("bad_seeds")["alternatives"].items()
    for (name, corpus), (concept, alternatives) in product(read_corpora(job).items(), concepts):
        for ids in alternatives:
            if not set(ids) <= sets.keys():
                continue
            words = [sets[i].words for i in ids]
            numbers = pd.DataFrame([fewest(model, *words) for model in corpus.models])
            numbers["unit"] = range(len(numbers))
            numbers["measure"] = [bias_of(model, words) for model in corpus.models]
            scale = LEAN if len(ids) == 1 else EFFECT
            facts = {"concept": concept, "corpus": name, "scale": scale}
            result.add(f"{concept}, {name}", " | ".join(ids), numbers, **facts)
    return result.table()


def bias_of(model: WordVectors, sets: Sequence[Sequence[str]]) -> float:
    """Return the mean association of one set with `GOOD`, or WEAT's effect size of two sets."""
    words = [known(model, part) for part in (*sets, GOOD, BAD)]
    if not all(words):
        return float("nan")
    *targets, a, b = map(model.rows, words)
    scores = [association(target, a, b) for target in targets]
    return float(scores[0].mean()) if len(scores) == 1 else effect_size(*scores, DDOF)


def summarise(job: Job) -> list[dict]:
    """Return the spread's cells, a row for each concept and corpus.

    The standard deviation between the sets is freed of what the bootstraps add to it
    (`inputs.between_sets`). Alternatives with too few seeds have a number of their own, marked as
    such, but no part in the others: the rest of a set is another set.
    """
    table, level = job.table("evidence/bad_seeds/spread"), job.level
    records, table = [], table.rename(columns={"unit": "model"})
    for row, cells in table.groupby("row"):
        unit = cells["scale"].iloc[0]
        kept = []
        for alternative, part in cells.groupby("column"):
            cell = records_of(row, alternative, part, "measure", level, unit)
            records += cell
            kept += [alternative for record in cell if not record["note"]]
        sound = cells[cells["column"].isin(kept)]
        grid = sound.pivot_table(index="column", columns="model", values="measure")
        counts = {"n": len(grid), "n_of": cells["column"].nunique(), "n_unit": "seed sets"}
        for column, number in components(grid.to_numpy()).items():
            kind = "share" if column in ("share from seeds", "same sign") else unit
            if not np.isnan(number):
                records.append(value(row, column, number, unit=kind, **counts))
        by_set = sound.assign(row=sound["column"])
        records += between_sets(row, SEEDS, by_set, "measure", unit)
    return with_retest(records, level, by="row")


def components(grid: np.ndarray) -> dict[str, float]:
    """Return the spread of numbers (sets, models), NaN if missing, over sets and bootstraps."""
    result = dict.fromkeys(("sd over corpora", "share from seeds"), float("nan"))
    if len(grid) < 2:
        return result
    means = np.nanmean(grid, axis=1)
    same = [first == second for first, second in combinations(np.sign(means), 2)]
    result["same sign"], result["reach of seed sets"] = float(np.mean(same)), float(np.ptp(means))
    freedom = (~np.isnan(grid)).sum() - len(grid)
    if not freedom:
        return result
    corpus = float(np.nansum((grid - means[:, None]) ** 2, axis=1).sum() / freedom)
    result["sd over corpora"] = corpus**0.5
    whole = grid[:, ~np.isnan(grid).any(axis=0)]
    if whole.shape[1] > 1:
        seeds = between(whole, "share from seeds").value ** 2
        if corpus + seeds > 0:
            result["share from seeds"] = seeds / (corpus + seeds)
    return result
