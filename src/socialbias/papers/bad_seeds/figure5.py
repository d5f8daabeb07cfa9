"""Figure 5: sets that are alike are harder to tell apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from scipy import stats

from socialbias.artefacts.values import value
from socialbias.papers.bad_seeds.generated import generated_sets, in_pairs
from socialbias.papers.bad_seeds.inputs import (
    Input,
    SeedSet,
    concat,
    joined,
    over_models,
    records_of,
)
from socialbias.papers.bad_seeds.pairs import measured
from socialbias.seeding import generator
from socialbias.sources.registry import worst_fidelity

CORPUS = "wikitext"  # of print
# Names in the rows of resources/published/bad_seeds_figure5.csv.
LABELS = {"wikitext": "WikiText", "nyt": "NYT", "goodreads-romance": "Goodreads romance"}
LABELS |= {"goodreads-history-biography": "Goodreads history and biography"}
PARTS_OF_SPEECH = {"noun": "nouns", "verb": "verbs", "adjective": "adjectives"}
# Print correlates set similarity with explained variance, and says the others behave alike.
TRENDS = {
    "explained": "pearson_r set similarity vs explained variance",
    "coherence": "pearson_r set similarity vs coherence",
    "weat_size": "pearson_r set similarity vs WEAT",
}
FEWEST_PAIRS = 10  # generated pairs that a correlation must rest on
COLUMNS = ["row", "kind", "pair", "model", "similarity", "explained", "coherence", "weat"]
COLUMNS += ["effect_size", "n", "n_of", "sources", "fidelity"]


def generated_row(corpus: str, pos: str) -> str:
    """The row of the generated pairs of a corpus and a part of speech."""
    return f"generated {PARTS_OF_SPEECH[pos]}, {LABELS.get(corpus, corpus)}, frequency-controlled"


def evidence(
    corpora: Mapping[str, Input],
    lists: Mapping,
    sets: Mapping[str, SeedSet],
    source: str,
    parts_of_speech: Sequence[str],
    band: tuple[float, float],
    pairs: int,
    seed: int,
) -> pd.DataFrame:
    """Set similarity, explained variance, coherence and WEAT of generated and gathered pairs.

    Args:
        corpora: By name; those without counts and tags have gathered pairs alone.
        lists: `resources/word_lists/bad_seeds.yaml`: `highlighted_pairs`, `gathered_pairs`.
        sets: Seed sets by id; pairs of which a set is not here are left out.
        source: Source of the sets.
        parts_of_speech: Keys of `PARTS_OF_SPEECH`.
        band: Fewest and most occurrences of generated seeds.
        pairs: Generated pairs a model; each model has its own (section 6).
        seed: The configuration's seed.

    Returns:
        Columns `row`, `kind` (`generated`, `gathered`, `highlighted`), `pair`, `model`,
        `similarity`, `explained`, `coherence`, `weat` (the statistic), `effect_size`, `n`, `n_of`
        (distinct seeds of the weaker set), `sources`, `fidelity`. Gathered pairs are measured in
        `wikitext`, the corpus of print.
    """
    parts = []
    for name, corpus in corpora.items():
        for pos in parts_of_speech:
            parts.append(_generated(name, corpus, pos, band, pairs, seed))
    if CORPUS in corpora:
        named = {
            ("highlighted", e["row"], e["row"]): (e["first"], e["second"])
            for e in lists["highlighted_pairs"]
        }
        named |= {
            ("gathered", "gathered", f"{a} | {b}"): (a, b) for a, b in lists["gathered_pairs"]
        }
        parts.append(_gathered(corpora[CORPUS], named, sets, source))
    return concat(parts, COLUMNS)


def _generated(
    name: str, corpus: Input, pos: str, band: tuple[float, float], pairs: int, seed: int
) -> pd.DataFrame:
    """Pairs that each model of a corpus generates, measured in it."""
    data, row, parts = corpus.data, generated_row(name, pos), []
    for i, model in enumerate(data.models):
        rng = generator(seed, "figure5", name, pos, i)
        made = in_pairs(generated_sets(model, data.counts, data.tags, pos, band, 2 * pairs, rng))
        words = [f"{' '.join(a)} | {' '.join(b)}" for a, b in made]
        parts.append(measured(model, made).assign(pair=words, model=i))
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)
    said = {"row": row, "kind": "generated", "sources": corpus.source}
    return table.assign(**said, fidelity=corpus.fidelity)[COLUMNS]


def _gathered(
    corpus: Input,
    named: Mapping[tuple[str, str, str], tuple[str, str]],
    sets: Mapping[str, SeedSet],
    source: str,
) -> pd.DataFrame:
    """Published pairs measured in every model of a corpus."""
    here = {key: ids for key, ids in named.items() if set(ids) <= sets.keys()}
    words = [tuple(sets[name].words for name in ids) for ids in here.values()]
    fidelity = [
        worst_fidelity([corpus.fidelity, *(sets[name].fidelity for name in ids)])
        for ids in here.values()
    ]
    parts = []
    for i, model in enumerate(corpus.data.models):
        part = measured(model, words).assign(fidelity=fidelity, model=i)
        part[["kind", "row", "pair"]] = list(here)
        parts.append(part)
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)
    return table.assign(sources=joined([corpus.source, source]))[COLUMNS]


def values(table: pd.DataFrame, level: float) -> list[dict]:
    """Figure 5's cells.

    Rows of generated pairs, and `gathered`: Pearson's correlation of set similarity with each
    measure (WEAT's statistic in absolute value: which set comes first is arbitrary), in each
    model, averaged over the models; the p-value is the median of theirs, two-sided, over pairs.
    Rows of the highlighted pairs: `set similarity`, `explained variance`, `coherence`.
    """
    records = []
    table = table.assign(weat_size=table["weat"].astype(float).abs())
    for (row, kind), cells in table.groupby(["row", "kind"]):
        if kind == "highlighted":
            for name, column, unit, bounds in (
                ("similarity", "set similarity", "cosine", (-1, 1)),
                ("explained", "explained variance", "share of variance", (0, 1)),
                ("coherence", "coherence", "share of the vocabulary", (0, 1)),
            ):
                records += records_of(row, column, cells, name, level, unit, bounds)
            continue
        for name, column in TRENDS.items():
            records += _trend(row, column, cells, name, level)
    return records


def _trend(row: str, column: str, cells: pd.DataFrame, name: str, level: float) -> list[dict]:
    """A correlation with set similarity; [] where too few pairs have both numbers."""
    correlations, p_values, sizes = [], [], []
    cells = cells.dropna(subset=["similarity", name])
    for _, part in cells.groupby("model"):
        x, y = part["similarity"].astype(float), part[name].astype(float)
        if len(part) < FEWEST_PAIRS or np.ptp(x) == 0 or np.ptp(y) == 0:
            continue
        result = stats.pearsonr(x, y)
        correlations.append(result.statistic)
        p_values.append(result.pvalue)
        sizes.append(len(part))
    if not correlations:
        return []
    mean, low, high = over_models(correlations, level, -1.0, 1.0)
    return [
        value(
            row,
            column,
            mean,
            ci_low=low,
            ci_high=high,
            p_value=float(np.median(p_values)),
            n=min(sizes),
            n_unit="pairs",
            unit="Pearson's r",
            sources=joined(cells["sources"]),
            fidelity=worst_fidelity(cells["fidelity"].unique().tolist()),
        )
    ]
