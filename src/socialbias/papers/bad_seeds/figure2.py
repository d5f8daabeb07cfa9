"""Figure 2: one corpus against another, with six sets of seeds for the same concept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from socialbias.embeddings.vectors import WordVectors
from socialbias.measures.similarity import Array, cosine_matrix, unit_rows
from socialbias.papers.bad_seeds.inputs import (
    SeedSet,
    read_corpora,
    read_sets,
    records_of,
    seed_sets,
)
from socialbias.papers.inputs import Input, joined
from socialbias.pipeline.job import Job
from socialbias.sources.fidelity import worst_fidelity

LONGEST = 30  # "sets of under 30 words"
CORPORA = ("goodreads-romance", "goodreads-history-biography")
DIFFERENCE = "difference"
COLUMNS = ["row", "corpus", "model", "word", "cosine", "n", "n_of", "axis", "axis_of"]
COLUMNS += ["sources", "fidelity"]


def evidence(
    corpora: Mapping[str, Input],
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
        unpleasantness: Words whose length-normalised vectors are averaged.
        compared: The two corpora of print.

    Returns:
        Columns `row` (the set), `corpus`, `model`, `word`, `cosine`, `n`, `n_of` (distinct
        seeds), `axis`, `axis_of` (words of unpleasantness), `sources`, `fidelity`. A word counts
        once however often it is listed. A model without any of the unpleasantness words is left
        out.
    """
    together = [corpora[name] for name in compared if name in corpora]
    common = _common_words([model for corpus in together for model in corpus.data.models])
    rows = []
    for name, corpus in corpora.items():
        for i, model in enumerate(corpus.data.models):
            usable = common if name in compared else model.index
            words = [word for word in unpleasantness if word in usable]
            if not words:
                continue
            axis = unpleasant_vector(model, words)
            for row, seeds in sets.items():
                if len(seeds.words) >= LONGEST:
                    continue
                distinct = list(dict.fromkeys(seeds.words))
                here = [word for word in distinct if word in usable]
                counts = (len(here), len(distinct), len(words), len(unpleasantness))
                said = (corpus.source, worst_fidelity([corpus.fidelity, seeds.fidelity]))
                cosines = _cosines(model, here, axis)
                rows += [
                    (row, name, i, word, cosine, *counts, *said)
                    for word, cosine in zip(here, cosines, strict=True)
                ]
    return pd.DataFrame(rows, columns=COLUMNS)


def unpleasant_vector(model: WordVectors, words: Sequence[str]) -> Array:
    """The mean of the words' vectors, each scaled to unit length first, (1, d)."""
    return unit_rows(model.rows(words)).mean(axis=0, keepdims=True)


def _common_words(models: Sequence[WordVectors]) -> set[str]:
    return set.intersection(*(set(model.words) for model in models)) if models else set()


def _cosines(model: WordVectors, words: Sequence[str], axis: Array) -> Array:
    return cosine_matrix(model.rows(words), axis)[:, 0] if words else np.empty(0)


def values(table: pd.DataFrame, level: float, compared: Sequence[str] = CORPORA) -> list[dict]:
    """Figure 2's cells, a row for each set.

    Columns: each corpus (the median over the seeds, the line of print's boxes; `@mean` the mean),
    averaged over the bootstraps; and `difference`, first corpus less second, replicate by
    replicate. Intervals are over the bootstraps of the corpus. The notes say how many words of
    unpleasantness stand behind the axis.
    """
    records = []
    keys = ["row", "corpus", "model"]
    shared = dict.fromkeys(("n", "n_of", "axis", "axis_of", "sources", "fidelity"), "first")
    summary = table.groupby(keys).agg({"cosine": ["median", "mean"], **shared})
    summary.columns = ["median", "mean", *shared]
    summary = summary.reset_index()
    for row, cells in summary.groupby("row"):
        by_corpus = {name: part.set_index("model") for name, part in cells.groupby("corpus")}
        if set(compared) <= by_corpus.keys():
            by_corpus[DIFFERENCE] = _difference(*(by_corpus[name] for name in compared))
        for name, part in by_corpus.items():
            for how, mark in (("median", ""), ("mean", "@mean")):
                bound = 2.0 if name == DIFFERENCE else 1.0
                column = f"{name}{mark}"
                found = records_of(row, column, part, how, level, "cosine", (-bound, bound))
                records += [_with_axis(record, part) for record in found]
    return records


def _with_axis(record: dict, cells: pd.DataFrame) -> dict:
    """The record, with what its axis rests on in the note: of the models, the one with fewest."""
    axis = f"{cells['axis'].min():.0f} of {cells['axis_of'].max():.0f} words of unpleasantness"
    return record | {"note": "; ".join(filter(None, (record["note"], axis)))}


def _difference(first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    """One corpus less the other, for the replicates that both have."""
    both = first.join(second.add_suffix("_other"), how="inner")
    result = both[["n", "n_of", "axis", "axis_of"]].copy()
    for how in ("median", "mean"):
        result[how] = both[how] - both[f"{how}_other"]
    pairs = zip(both["sources"], both["sources_other"], strict=True)
    result["sources"] = [joined(pair) for pair in pairs]
    pairs = zip(both["fidelity"], both["fidelity_other"], strict=True)
    result["fidelity"] = [worst_fidelity(list(pair)) for pair in pairs]
    return result


def measure(job: Job) -> pd.DataFrame:
    """The evidence, in every corpus that is available."""
    lists, sets = job.word_lists("bad_seeds"), seed_sets(read_sets(job))
    chosen = {name: sets[name] for name in lists["figure2"] if name in sets}
    return evidence(read_corpora(job), chosen, lists["unpleasantness"])


def summarise(job: Job) -> list[dict]:
    """All cells."""
    return values(job.table("evidence/bad_seeds/figure2"), job.level)
