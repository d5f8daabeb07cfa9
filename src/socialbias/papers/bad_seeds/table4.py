"""Table 4, pairs of seed sets by coherence: gathered ones in WikiText, generated ones in news."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from socialbias.measurement.reliability import with_retest
from socialbias.papers.bad_seeds.inputs import (
    Corpus,
    mean_over_models,
    read_corpora,
    read_sets,
    records_of,
    seed_sets,
    unigrams,
)
from socialbias.papers.bad_seeds.pairs import (
    SCALES,
    Pair,
    band_of,
    generated_pairs,
    measured,
    resting_on,
)
from socialbias.papers.inputs import concat
from socialbias.pipeline.job import Job
from socialbias.stats.multiplicity import combined_p
from socialbias.stats.seeding import generator

GATHERED_IN, GENERATED_IN = "wikitext", "nyt"  # the corpora of print
MAX_PAIRS = 3  # pairs that print shows at each end
MEASURES = {
    "coherence": "coherence",
    "coherence_unit": "coherence@unit",
    "coherence_pca": "coherence@pca",
    "similarity": "set similarity",
    "similarity_unit": "set similarity@unit",
    "explained": "explained variance",
    "effect_size": "WEAT effect size",
}
COLUMNS = ["row", "kind", "words", "model", *MEASURES, "p_value", "n", "n_of", "pairs", "pairs_of"]


def pair_key(first: str, second: str) -> str:
    """Return the row of a pair, as in `resources/published/bad_seeds_table4.csv`."""
    return f"{first} | {second}"


def measure(job: Job) -> pd.DataFrame:
    """Return coherence and the other measures of every pair, in every bootstrapped model."""
    corpora, lists, sets = read_corpora(job), job.word_lists("bad_seeds"), seed_sets(read_sets(job))
    parts = []
    if GATHERED_IN in corpora:
        named = {
            pair_key(*ids): tuple(sets[name].listed for name in ids)
            for ids in lists["gathered_pairs"]
            if {*ids} <= sets.keys()
        }
        parts.append(_in_all(corpora[GATHERED_IN], named, "gathered", job.seed))
    if GENERATED_IN in corpora:
        corpus = corpora[GENERATED_IN]
        shown = [(pair["first"], pair["second"]) for pair in lists["generated"]]
        named = {pair_key(*map(" ".join, pair)): pair for pair in shown}
        parts.append(_in_all(corpus, named, "printed", job.seed))
        if corpus.models:
            rng = generator(job.seed, "table4", GENERATED_IN, "noun")
            kind = ("noun", band_of(job), job.settings["bad_seeds.generated_pairs"])
            generated = generated_pairs(corpus.models[0], corpus, *kind, rng)
            ours = {f"{i:04d}": pair for i, pair in enumerate(generated)}
            parts.append(_in_all(corpus, ours, "generated", job.seed))
    return concat(parts, COLUMNS)


def _in_all(corpus: Corpus, named: Mapping[str, Pair], kind: str, seed: int) -> pd.DataFrame:
    """Return the pairs measured in every model of a corpus."""
    parts = []
    for i, model in enumerate(corpus.models):
        part = measured(model, list(named.values()), generator(seed, "table4", kind, i))
        words = [pair_key(*(" ".join(unigrams(side)) for side in pair)) for pair in named.values()]
        parts.append(part.assign(row=list(named), kind=kind, words=words, model=i))
    return concat(parts, COLUMNS)


def summarise(job: Job) -> Iterator[dict]:
    """Yield Table 4's cells.

    Rows `generated 1` to `generated 6` are our own most and least coherent pairs, with their words
    in `note`. Numbers are means over the models; those of the PCA method count seeds in whole
    pairs.
    """
    table, level = job.table("evidence/bad_seeds/table4"), job.level
    for _, part in table[table["kind"] != "generated"].groupby("kind"):
        rows = [r for row, cells in part.groupby("row") for r in _row(row, cells, level)]
        yield from with_retest(rows, level)  # of pairs in one corpus
    ours = table[table["kind"] == "generated"]
    ranked = ours.groupby("row")["coherence"].mean().sort_values(ascending=False, kind="stable")
    ranked = ranked.dropna()
    if len(ranked) >= 2 * MAX_PAIRS:
        shown = [*ranked.index[:MAX_PAIRS], *ranked.index[-MAX_PAIRS:]]
        for i, name in enumerate(shown, 1):
            cells = ours[ours["row"] == name]
            words = cells["words"].iloc[0]
            for record in _row(f"generated {i}", cells, level):
                note = "; ".join(filter(None, (words, record["note"])))
                yield record | {"note": note}
    medians = ours.groupby("model")[list(MEASURES)].median()
    counts = {"n": ours["row"].nunique(), "n_unit": "pairs"}
    for name, column in MEASURES.items():
        scale, numbers = SCALES[name], medians[name]
        yield from mean_over_models("generated all", column, numbers, level, *scale, **counts)


def _row(row: str, cells: pd.DataFrame, level: float) -> list[dict]:
    """Return all measures of one pair."""
    records = []
    for name, column in MEASURES.items():
        records += records_of(row, column, resting_on(cells, name), name, level, *SCALES[name])
    p_value = combined_p(cells["p_value"], cells["effect_size"])
    tested = MEASURES["effect_size"]
    return [r | {"p_value": p_value} if r["column"] == tested else r for r in records]
