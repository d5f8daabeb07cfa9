"""Figure 5: sets that are alike are harder to tell apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy import stats

from socialbias.artefacts.values import value
from socialbias.embeddings.vectors import WordVectors
from socialbias.papers.bad_seeds.generated import NEIGHBOURS, generated_sets, in_pairs
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
# Beside print: its row in vectors that are random, and gathered pairs cut to the size of
# generated ones, since a first component explains the more the fewer pairs there are.
PLACEBO = "generated nouns, random vectors, frequency-controlled"
PLACEBOS = 20
CUT = "gathered, first five words"
SIZE = 1 + NEIGHBOURS  # words of a generated set
ABOVE = "explained variance above generated"
ALIKE = 10  # generated pairs of about equal similarity that a gathered one is held against
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
        Columns `row`, `kind` (`generated`, `placebo`, `gathered`, `highlighted`), `pair`, `model`,
        `similarity`, `explained`, `coherence`, `weat` (the statistic), `effect_size`, `n`, `n_of`
        (distinct seeds of the weaker set), `sources`, `fidelity`. Gathered pairs are measured in
        `wikitext`, the corpus of print, and again with the first five words of each set. For the
        placebo, Gaussian vectors take the place of a model's, in generating and in measuring:
        `model` is then a draw.
    """
    parts = []
    for name, corpus in corpora.items():
        for pos in parts_of_speech:
            parts.append(_generated(name, corpus, pos, band, pairs, seed))
    if CORPUS in corpora:
        parts.append(_placebo(corpora[CORPUS], band, pairs, seed))
        named = {
            ("highlighted", e["row"], e["row"]): (e["first"], e["second"])
            for e in lists["highlighted_pairs"]
        }
        named |= {
            ("gathered", "gathered", f"{a} | {b}"): (a, b) for a, b in lists["gathered_pairs"]
        }
        parts.append(_gathered(corpora[CORPUS], named, sets, source))
        cut = {
            ("gathered", CUT, pair): ids
            for (kind, _, pair), ids in named.items()
            if kind == "gathered"
        }
        parts.append(_gathered(corpora[CORPUS], cut, sets, source, SIZE))
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


def _placebo(corpus: Input, band: tuple[float, float], pairs: int, seed: int) -> pd.DataFrame:
    """Pairs generated in Gaussian vectors of the models' words and dimensions, measured in them."""
    parts, models = [], corpus.data.models
    for draw in range(PLACEBOS if models else 0):
        like = models[draw % len(models)]
        random = generator(seed, "figure5", "placebo", draw).standard_normal(like.matrix.shape)
        model = WordVectors(like.words, random.astype(np.float32))
        alone = replace(corpus, data=replace(corpus.data, models=(model,)))
        part = _generated(f"placebo {draw}", alone, "noun", band, pairs, seed)
        parts.append(part.assign(row=PLACEBO, kind="placebo", model=draw))
    return concat(parts, COLUMNS)


def _gathered(
    corpus: Input,
    named: Mapping[tuple[str, str, str], tuple[str, str]],
    sets: Mapping[str, SeedSet],
    source: str,
    most: int | None = None,
) -> pd.DataFrame:
    """Published pairs, or so many words of each set at most, in every model of a corpus."""
    here = {key: ids for key, ids in named.items() if set(ids) <= sets.keys()}
    words = [tuple(sets[name].words[:most] for name in ids) for ids in here.values()]
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

    Rows of generated pairs, the placebo and `gathered`: Pearson's correlation of set similarity
    with each measure (WEAT's statistic in absolute value: which set comes first is arbitrary), in
    each model, averaged over the models; the p-value is the median of theirs, two-sided, over
    pairs. Rows of gathered pairs: also what they explain above generated nouns of about the same
    similarity. Rows of the highlighted pairs: `set similarity`, `explained variance`, `coherence`.
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
        if kind == "gathered":
            generated = table[table["row"] == generated_row(CORPUS, "noun")]
            records += _above(row, cells, generated, level)
    return records


def _above(row: str, gathered: pd.DataFrame, generated: pd.DataFrame, level: float) -> list[dict]:
    """What gathered pairs explain above generated ones, over the models."""
    means, sizes = [], []
    for model, cells in gathered.groupby("model"):
        gaps = above_generated(cells, generated[generated["model"] == model])
        if len(gaps):
            means.append(gaps.mean())
            sizes.append(len(gaps))
    if not means:
        return []
    mean, low, high = over_models(means, level, -1.0, 1.0)
    said = {"n": min(sizes), "n_unit": "pairs", "unit": "share of variance"}
    said |= {"sources": joined([*gathered["sources"], *generated["sources"]])}
    said |= {"fidelity": worst_fidelity([*gathered["fidelity"], *generated["fidelity"]])}
    return [value(row, ABOVE, mean, ci_low=low, ci_high=high, **said)]


def above_generated(gathered: pd.DataFrame, generated: pd.DataFrame) -> np.ndarray:
    """What gathered pairs explain above generated ones of about equal similarity, in one model.

    Args:
        gathered: `similarity` and `explained` of gathered pairs.
        generated: Of generated pairs. A gathered pair is held against the mean of the ten nearest
            in similarity; one that is more or less similar than all of them is left out.

    Returns:
        A difference for each gathered pair that is held against others.
    """
    pool = generated.dropna(subset=["similarity", "explained"])
    pairs = gathered.dropna(subset=["similarity", "explained"])
    if len(pool) < FEWEST_PAIRS:
        return np.empty(0)
    x, y = pool["similarity"].to_numpy(float), pool["explained"].to_numpy(float)
    pairs = pairs[pairs["similarity"].astype(float).between(x.min(), x.max())]
    gaps = np.abs(pairs["similarity"].to_numpy(float)[:, None] - x)
    nearest = np.argsort(gaps, axis=1, kind="stable")[:, :ALIKE]
    return pairs["explained"].to_numpy(float) - y[nearest].mean(axis=1)


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
