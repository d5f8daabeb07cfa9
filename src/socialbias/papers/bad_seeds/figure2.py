"""Figure 2: one corpus against another, with six sets of seeds for the same concept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from socialbias.embeddings.vectors import WordVectors
from socialbias.measures.similarity import Array, cosine_matrix, unit_rows
from socialbias.papers.bad_seeds.inputs import (
    Corpus,
    SeedSet,
    between_sets,
    read_corpora,
    read_sets,
    records_of,
    seed_sets,
)
from socialbias.papers.reliability import with_retest
from socialbias.pipeline.job import Job

LONGEST = 30  # "sets of under 30 words"
CORPORA = ("goodreads-romance", "goodreads-history-biography")
DIFFERENCE = "difference"
BETWEEN = "between sets"  # the row of what the sets differ by
COLUMNS = ["row", "corpus", "model", "word", "cosine", "cosine_unit", "n", "n_of", "axis"]
COLUMNS += ["axis_of"]
# By variant of a column: of which cosines it is which average over the seeds.
AVERAGES = {"": ("cosine", "median"), "@mean": ("cosine", "mean")}
AVERAGES |= {"@unit": ("cosine_unit", "median")}
SHARED = ("n", "n_of", "axis", "axis_of")  # by all words of a set in a model


def evidence(
    corpora: Mapping[str, Corpus],
    sets: Mapping[str, SeedSet],
    unpleasantness: Sequence[str],
    compared: Sequence[str] = CORPORA,
) -> pd.DataFrame:
    """The cosine of every seed with the averaged unpleasantness vector, in every model.

    Args:
        corpora: By name. Those in `compared` are measured on the words that all their models
            have, seeds and unpleasantness alike: else each would have an axis of its own. Any
            other, such as a pretrained model, is measured on its own words.
        sets: Seed sets by id; those of 30 words or more are left out.
        unpleasantness: Words whose vectors are averaged.
        compared: The two corpora of print.

    Returns:
        Columns `row` (the set), `corpus`, `model`, `word`, `cosine`, `cosine_unit` (with the mean
        of vectors scaled to unit length), `n`, `n_of` (distinct seeds), `axis`, `axis_of` (words of
        unpleasantness). A word counts once however often it is listed. A
        model without any of the unpleasantness words is left out.
    """
    together = [corpora[name] for name in compared if name in corpora]
    vocabularies = [set(model.words) for corpus in together for model in corpus.models]
    common = set.intersection(*vocabularies) if vocabularies else set()
    rows = []
    for name, corpus in corpora.items():
        for i, model in enumerate(corpus.models):
            usable = common if name in compared else model.index
            words = [word for word in unpleasantness if word in usable]
            if not words:
                continue
            axes = np.vstack([unpleasant_vector(model, words, unit) for unit in (False, True)])
            for row, seeds in sets.items():
                if len(seeds.words) >= LONGEST:
                    continue
                distinct = list(dict.fromkeys(seeds.words))
                here = [word for word in distinct if word in usable]
                counts = (len(here), len(distinct), len(words), len(unpleasantness))
                cosines = cosine_matrix(model.rows(here), axes) if here else []
                rows += [
                    (row, name, i, word, *both, *counts)
                    for word, both in zip(here, cosines, strict=True)
                ]
    return pd.DataFrame(rows, columns=COLUMNS)


def unpleasant_vector(model: WordVectors, words: Sequence[str], unit: bool = False) -> Array:
    """The mean of the words' vectors, (1, d).

    The authors' notebook averages them as they are and scales the mean, on whose length no cosine
    depends; `unit` scales each of them first.
    """
    vectors = model.rows(words)
    return (unit_rows(vectors) if unit else vectors).mean(axis=0, keepdims=True)


def values(table: pd.DataFrame, level: float, compared: Sequence[str] = CORPORA) -> list[dict]:
    """Figure 2's cells, a row for each set.

    Columns: each corpus (the median over the seeds, the line of print's boxes; `@mean` the mean;
    `@unit` the median, with an axis of unit vectors), averaged over the bootstraps; and
    `difference`, first corpus less second, replicate by replicate. Intervals are over the
    bootstraps of the corpus. The row `between sets` is how much the sets differ beyond noise
    (`inputs.between_sets`). The notes say how many words of unpleasantness stand behind the axis.
    """
    records = []
    groups = table.groupby(["row", "corpus", "model"])
    columns = {mark: groups[cosines].agg(how) for mark, (cosines, how) in AVERAGES.items()}
    columns |= {name: groups[name].first() for name in SHARED}
    summary = pd.DataFrame(columns).reset_index()
    for row, cells in summary.groupby("row"):
        by_corpus = {name: part.set_index("model") for name, part in cells.groupby("corpus")}
        if set(compared) <= by_corpus.keys():
            by_corpus[DIFFERENCE] = _difference(*(by_corpus[name] for name in compared))
        for name, part in by_corpus.items():
            for mark in AVERAGES:
                bound = 2.0 if name == DIFFERENCE else 1.0
                column = f"{name}{mark}"
                found = records_of(row, column, part, mark, level, "cosine", (-bound, bound))
                records += [_with_axis(record, part) for record in found]
    return records + _between(summary, compared)


def _between(summary: pd.DataFrame, compared: Sequence[str]) -> list[dict]:
    """How much the sets differ beyond noise: in each compared corpus, and in the difference."""
    parts = {name: part for name, part in summary.groupby("corpus") if name in compared}
    if set(compared) <= parts.keys():
        indexed = [parts[name].set_index(["row", "model"]) for name in compared]
        parts[DIFFERENCE] = _difference(*indexed).reset_index()
    return [
        record
        for name, part in parts.items()
        for mark in AVERAGES
        for record in between_sets(BETWEEN, f"{name}{mark}", part, mark, "cosine")
    ]


def _with_axis(record: dict, cells: pd.DataFrame) -> dict:
    """The record, with what its axis rests on in the note: of the models, the one with fewest."""
    axis = f"{cells['axis'].min():.0f} of {cells['axis_of'].max():.0f} words of unpleasantness"
    return record | {"note": "; ".join(filter(None, (record["note"], axis)))}


def _difference(first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    """One corpus less the other, for the replicates that both have."""
    both = first.join(second.add_suffix("_other"), how="inner")
    result = both[["n", "n_of", "axis", "axis_of"]].copy()
    for mark in AVERAGES:
        result[mark] = both[mark] - both[f"{mark}_other"]
    return result


def measure(job: Job) -> pd.DataFrame:
    """The evidence, in every corpus that is available."""
    lists, sets = job.word_lists("bad_seeds"), seed_sets(read_sets(job))
    chosen = {name: sets[name] for name in lists["figure2"] if name in sets}
    return evidence(read_corpora(job), chosen, lists["unpleasantness"])


def summarise(job: Job) -> list[dict]:
    """All cells."""
    records = values(job.table("evidence/bad_seeds/figure2"), job.level)
    return with_retest(records, job.level)
