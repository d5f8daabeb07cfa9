"""Figure 4: the words at both ends of the first component, for ordered, random, shuffled pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

import numpy as np
import pandas as pd

from socialbias.embeddings.vectors import WordVectors
from socialbias.measurement.reliability import with_retest
from socialbias.measures.coherence import coherence, coherences
from socialbias.measures.pca_bias import explained_variances, pca_bias, shuffles
from socialbias.papers.bad_seeds.figure3 import of_random_words, row_in, share_above
from socialbias.papers.bad_seeds.inputs import Corpus, known, read_corpora, records_of, rows_of
from socialbias.papers.bad_seeds.pairs import aligned, whole_pairs
from socialbias.papers.evidence import Evidence
from socialbias.pipeline.job import Job
from socialbias.reporting.values import read_csv
from socialbias.stats.seeding import generator
from socialbias.stats.similarity import Array, unit_rows

PANELS = ("figure4a", "figure4b", "figure4c")
ORDERED = PANELS[0]
THRESHOLD = 100  # occurrences from which on a word is ranked (caption)
MAX_WORDS = 5  # words at each end
PLACES = [f"top {i}" for i in range(1, MAX_WORDS + 1)]
PLACES += [f"bottom {i}" for i in range(MAX_WORDS, 0, -1)]


def measure(job: Job) -> pd.DataFrame:
    """Return cosines of words with the first component of each panel, and what it explains."""
    pairs, draws = job.word_lists("bad_seeds")["pairs"], job.settings["bad_seeds.shuffles"]
    printed = read_csv(job.path("published/bad_seeds_figure4")).groupby("row")["column"].agg(list)
    seed, result = job.seed, Evidence()
    for (corpus_name, corpus), name in product(read_corpora(job).items(), PANELS):
        entry, directions, facts = pairs[name], {}, {}
        row, sides = row_in(entry["row"], corpus_name), (entry["first"], entry["second"])
        rng = generator(seed, "figure4", name)
        own = pairs["figure4a"] if name == "figure4c" else entry
        for i, model in enumerate(corpus.models):
            first, second = (model.rows(words) for words in aligned(model, *sides))
            pca = pca_bias(first, second) if len(first) > 1 else None
            if pca is None or np.isnan(pca.direction).any():
                continue
            directions[i] = pca.direction
            n, n_of = whole_pairs(model, *sides).values()
            facts[i] = {"model": i, "n": n, "n_of": n_of}
            unit = unit_rows(np.asarray(model.matrix))
            scores = unit @ pca.direction.astype(unit.dtype)
            lists = [rows_of(model, known(model, own[side])) for side in ("first", "second")]
            numbers = {"explained": pca.explained[0], "coherence": coherence(scores, *lists)}
            numbers |= _drawn(model, corpus, row, first, second, draws, rng)
            for kind, number in numbers.items():
                result.add(row, kind, {"unit": [""], "number": number}, **facts[i])
            if name == ORDERED:
                orders = shuffles(len(first), len(second), draws, generator(seed, "figure4", row))
                of_orders = [pca_bias(first, second[order]).direction for order in orders]
                numbers = coherences(unit, np.stack(of_orders), [tuple(lists)] * draws)
                units = {"unit": [str(draw) for draw in range(draws)], "number": numbers}
                result.add(row, "coherence-shuffled", units, **facts[i])
            words = known(model, printed.get(row, ()))
            cosines = scores[rows_of(model, words)].astype(float)
            result.add(row, "cosine", {"unit": words, "number": cosines}, **facts[i])
        for i, words, cosines in _ranked(corpus, directions):
            result.add(row, "ranked", {"unit": words, "number": cosines}, **facts[i])
    return result.table()


def _drawn(
    model: WordVectors,
    corpus: Corpus,
    row: str,
    first: Array,
    second: Array,
    draws: int,
    rng: np.random.Generator,
) -> dict[str, float]:
    """Component 0's mean share over shuffles or random lists, for the panels that have them."""
    if row.startswith("c "):
        orders = shuffles(len(first), len(second), draws, rng)
        return {"explained-shuffled": explained_variances(first, second, orders)[:, 0].mean()}
    if not row.startswith("b "):
        return {}
    random = of_random_words(model, corpus, len(first), draws, rng)
    return {"explained-random": random[:, 0].mean()} if len(random) else {}


def _ranked(
    corpus: Corpus, directions: Mapping[int, Array]
) -> Iterator[tuple[int, list[str], Array]]:
    """Yield the words at both ends by mean cosine, with their cosines in each model."""
    if not directions:
        return
    models = [corpus.models[i] for i in directions]
    common = set.intersection(*(set(model.words) for model in models))
    least = THRESHOLD if corpus.counts else 0
    words = [w for w in models[0].words if w in common and corpus.counts.get(w, 0) >= least]
    if len(words) < 2 * MAX_WORDS:
        return
    cosines = np.stack(
        [
            unit_rows(np.asarray(model.matrix[rows_of(model, words)], dtype=np.float64)) @ direction
            for model, direction in zip(models, directions.values(), strict=True)
        ]
    )
    order = np.argsort(-cosines.mean(axis=0), kind="stable")
    ends = [*order[:MAX_WORDS], *order[-MAX_WORDS:]]
    for i, in_model in zip(directions, cosines, strict=True):
        yield i, [words[j] for j in ends], in_model[ends]


# Kinds with one number a panel and model, from 0 to 1: the column and its unit.
SINGLE = {
    "explained": ("explained variance", "share of variance"),
    "explained-shuffled": ("explained variance@shuffled", "share of variance"),
    "explained-random": ("explained variance@random", "share of variance"),
    "coherence": ("coherence", "share of the vocabulary"),
    "coherence-shuffled": ("coherence@shuffled", "share of the vocabulary"),
}
MORE_COHERENT = "shuffles more coherent"


def summarise(job: Job) -> list[dict]:
    """Return Figure 4's cells, a row for each panel.

    The columns `top 1` to `top 5` and `bottom 5` to `bottom 1`, the lowest, have our words, which
    stand in `note`; every printed word is a column of its own.
    """
    table, level = job.table("evidence/bad_seeds/figure4"), job.level
    records, kinds = [], dict(iter(table.groupby(["row", "column"])))
    for (row, kind), units in kinds.items():
        if kind == "coherence-shuffled":
            original = kinds[row, "coherence"]
            records += share_above(row, MORE_COHERENT, original, units, "number", level)
        if kind in SINGLE:
            column, unit = SINGLE[kind]
            records += records_of(row, column, units, "number", level, unit, (0, 1))
            continue
        words = []
        for word, part in units.groupby("unit"):
            words += records_of(row, word, part, "number", level, "cosine", (-1, 1))
        if kind == "ranked":  # the places are the columns, the words stand in the notes
            words.sort(key=lambda record: (-record["value"], record["column"]))
            for place, word in zip(PLACES, words, strict=True):
                word["note"] = "; ".join(filter(None, (word["column"], word["note"])))
                word["column"] = place
        records += words
    return with_retest(records, level, by="row")
