"""Figure 5: sets that are alike are harder to tell apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from socialbias.embeddings.vectors import WordVectors
from socialbias.papers.bad_seeds.generated import NEIGHBOURS, generated_sets, in_pairs
from socialbias.papers.bad_seeds.inputs import (
    Corpus,
    SeedSet,
    mean_over_models,
    read_corpora,
    read_sets,
    records_of,
    seed_sets,
    sign_p,
    too_few,
)
from socialbias.papers.bad_seeds.pairs import SCALES, Pair, aligned, measured, resting_on
from socialbias.papers.inputs import concat
from socialbias.pipeline.job import Job
from socialbias.stats.seeding import generator

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
EXPLAINED = "explained variance"
HIGHLIGHTED = {
    "similarity": "set similarity", "explained": EXPLAINED, "coherence": "coherence",
}  # fmt: skip
FEWEST_PAIRS = 10  # generated pairs that a correlation must rest on
# Beside print: its row in vectors that are random, and gathered pairs cut to as many whole pairs as
# generated ones have, since a first component explains the more the fewer pairs there are.
PLACEBO = "generated nouns, random vectors, frequency-controlled"
PLACEBOS = 20
CUT = "gathered, first five words"
SIZE = 1 + NEIGHBOURS  # words of a generated set
ABOVE = "explained variance above generated"
ALIKE = 10  # generated pairs of about equal similarity that a gathered one is held against
COLUMNS = ["row", "kind", "pair", "model", "similarity", "similarity_unit", "explained"]
COLUMNS += ["coherence", "coherence_unit", "weat_means", "effect_size", "n", "n_of", "pairs"]
COLUMNS += ["pairs_of"]
# By variant of a column, what stands in for measures that rest on set means.
VARIANTS = {"": {}, "@unit": {"similarity": "similarity_unit", "coherence": "coherence_unit"}}


def generated_row(corpus: str, pos: str) -> str:
    """The row of the generated pairs of a corpus and a part of speech."""
    return f"generated {PARTS_OF_SPEECH[pos]}, {LABELS.get(corpus, corpus)}, frequency-controlled"


def evidence(
    corpora: Mapping[str, Corpus],
    lists: Mapping,
    sets: Mapping[str, SeedSet],
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
        parts_of_speech: Keys of `PARTS_OF_SPEECH`.
        band: Fewest and most occurrences of generated seeds.
        pairs: Generated pairs a model; each model has its own (section 6).
        seed: The configuration's seed.

    Returns:
        Columns `row`, `kind` (`generated`, `placebo`, `gathered`, `highlighted`), `pair`, `model`,
        `similarity` and `coherence`, both again with `_unit` (of vectors of unit length),
        `explained`, `weat_means` (the difference of the mean associations), `effect_size`, `n`,
        `n_of` (distinct seeds of the weaker set), `pairs`, `pairs_of` (of words).
        Gathered pairs are measured in `wikitext`, the corpus of print, and again with
        the first five pairs of words that a model has, where it has as many. For the placebo,
        Gaussian vectors take the place of a model's, in generating and in measuring: `model` is
        then a draw.
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
        parts.append(_gathered(corpora[CORPUS], named, sets))
        cut = {
            ("gathered", CUT, pair): ids
            for (kind, _, pair), ids in named.items()
            if kind == "gathered"
        }
        parts.append(_gathered(corpora[CORPUS], cut, sets, SIZE))
    return concat(parts, COLUMNS)


def _generated(
    name: str, corpus: Corpus, pos: str, band: tuple[float, float], pairs: int, seed: int
) -> pd.DataFrame:
    """Pairs that each model of a corpus generates, measured in it."""
    row, parts = generated_row(name, pos), []
    for i, model in enumerate(corpus.models):
        rng = generator(seed, "figure5", name, pos, i)
        sets = generated_sets(model, corpus.counts, corpus.tags, pos, band, 2 * pairs, rng)
        made = in_pairs(sets)
        words = [f"{' '.join(a)} | {' '.join(b)}" for a, b in made]
        parts.append(measured(model, made).assign(pair=words, model=i))
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)
    return table.assign(row=row, kind="generated")[COLUMNS]


def _placebo(corpus: Corpus, band: tuple[float, float], pairs: int, seed: int) -> pd.DataFrame:
    """Pairs generated in Gaussian vectors of the models' words and dimensions, measured in them."""
    parts, models = [], corpus.models
    for draw in range(PLACEBOS if models else 0):
        like = models[draw % len(models)]
        random = generator(seed, "figure5", "placebo", draw).standard_normal(like.matrix.shape)
        model = WordVectors(like.words, random.astype(np.float32))
        alone = replace(corpus, models=(model,))
        part = _generated(f"placebo {draw}", alone, "noun", band, pairs, seed)
        parts.append(part.assign(row=PLACEBO, kind="placebo", model=draw))
    return concat(parts, COLUMNS)


def _gathered(
    corpus: Corpus,
    named: Mapping[tuple[str, str, str], tuple[str, str]],
    sets: Mapping[str, SeedSet],
    size: int | None = None,
) -> pd.DataFrame:
    """Published pairs, or of each its first so many whole pairs, in every model of a corpus."""
    here = {key: ids for key, ids in named.items() if set(ids) <= sets.keys()}
    parts = []
    for i, model in enumerate(corpus.models):
        words = {key: tuple(sets[name].listed for name in ids) for key, ids in here.items()}
        if size is not None:
            words = cut(model, words, size)
        part = measured(model, list(words.values())).assign(model=i)
        part[["kind", "row", "pair"]] = np.array(list(words), dtype=object).reshape(-1, 3)
        parts.append(part)
    return concat(parts, COLUMNS)


def cut(model: WordVectors, pairs: Mapping[tuple, Pair], size: int) -> dict[tuple, Pair]:
    """The first whole pairs of words of each pair of sets; without those that have fewer.

    Words are chosen by what the model has: with fewer of them than in a generated pair, the first
    component would explain more for that alone.

    Args:
        model: Word vectors.
        pairs: Words of both sets, by any key.
        size: Pairs of words that are taken.
    """
    whole = {key: aligned(model, *sides) for key, sides in pairs.items()}
    return {
        key: (first[:size], second[:size])
        for key, (first, second) in whole.items()
        if len(first) >= size
    }


def values(table: pd.DataFrame, level: float) -> list[dict]:
    """Figure 5's cells.

    Rows of generated pairs, the placebo and `gathered`: Pearson's correlation of set similarity
    with each measure, in each model, averaged over the models; the p-value is two-sided, over the
    models, since pairs share words. Of WEAT it is the difference of the mean associations in
    absolute value: which set comes first is arbitrary, and the statistic, a difference of sums,
    grows with the sets, whose sizes differ among gathered ones; for sets of one size, as generated
    ones are, the correlation is the statistic's. Rows of gathered pairs: also what they explain
    above generated nouns of about the same similarity. Pairs that rest on too few seeds count in
    none of these.
    Rows of the highlighted pairs: `set similarity`, `explained variance`, `coherence`. The variant
    `@unit` has set means of vectors of unit length.
    """
    table = table.assign(weat_size=table["weat_means"].astype(float).abs())
    records = []
    for mark, others in VARIANTS.items():
        part = table.assign(**{name: table[other] for name, other in others.items()})
        found = _of_all_rows(part, level)
        if mark:  # what has no set mean is the same
            found = [record for record in found if record["column"] != EXPLAINED]
        records += [record | {"column": record["column"] + mark} for record in found]
    generated = table[table["row"] == generated_row(CORPUS, "noun")]
    for row, cells in table[table["kind"] == "gathered"].groupby("row"):
        records += _above(row, cells, generated, level)
    return records


def _of_all_rows(table: pd.DataFrame, level: float) -> list[dict]:
    """The correlations with set similarity, and the numbers of the highlighted pairs."""
    records = []
    for (row, kind), cells in table.groupby(["row", "kind"]):
        if kind != "highlighted":
            for name, column in TRENDS.items():
                records += _trend(row, column, cells, name, level)
            continue
        for name, column in HIGHLIGHTED.items():
            records += records_of(row, column, resting_on(cells, name), name, level, *SCALES[name])
    return records


def judged(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """The pairs that have a similarity and a measure, and enough seeds for both."""
    found = table.dropna(subset=["similarity", name])
    for measure in ("similarity", name):
        rested = resting_on(found, measure)
        enough = [not too_few(*counts) for counts in zip(rested["n"], rested["n_of"], strict=True)]
        found = found[np.array(enough, dtype=bool)]
    return found


def _above(row: str, gathered: pd.DataFrame, generated: pd.DataFrame, level: float) -> list[dict]:
    """What gathered pairs explain above generated ones, over the models."""
    found = {}
    for model, cells in gathered.groupby("model"):
        gaps = above_generated(cells, generated[generated["model"] == model])
        if len(gaps):
            found[model] = gaps.mean(), len(gaps)
    return _mean(row, ABOVE, gathered, found, level, unit="share of variance")


def _mean(
    row: str, column: str, cells: pd.DataFrame, found: dict[int, tuple[float, int]],
    level: float, **said,
) -> list[dict]:  # fmt: skip
    """The mean over models of numbers that each rest on so many pairs; [] without any."""
    if not found:
        return []
    numbers = [found.get(i, (np.nan,))[0] for i in range(int(cells["model"].max()) + 1)]
    said |= {"n": min(pairs for _, pairs in found.values()), "n_unit": "pairs"}
    return mean_over_models(row, column, numbers, level, bounds=(-1, 1), **said)


def above_generated(gathered: pd.DataFrame, generated: pd.DataFrame) -> np.ndarray:
    """What gathered pairs explain above generated ones of about equal similarity, in one model.

    Args:
        gathered: `similarity` and `explained` of gathered pairs, with what they rest on.
        generated: Of generated pairs. A gathered pair is held against the mean of the ten nearest
            in similarity; one that is more or less similar than all of them is left out, and so is
            one that rests on too few seeds.

    Returns:
        A difference for each gathered pair that is held against others.
    """
    pool, pairs = judged(generated, "explained"), judged(gathered, "explained")
    if len(pool) < FEWEST_PAIRS:
        return np.empty(0)
    x, y = pool["similarity"].to_numpy(float), pool["explained"].to_numpy(float)
    pairs = pairs[pairs["similarity"].astype(float).between(x.min(), x.max())]
    gaps = np.abs(pairs["similarity"].to_numpy(float)[:, None] - x)
    nearest = np.argsort(gaps, axis=1, kind="stable")[:, :ALIKE]
    return pairs["explained"].to_numpy(float) - y[nearest].mean(axis=1)


def _trend(row: str, column: str, cells: pd.DataFrame, name: str, level: float) -> list[dict]:
    """A correlation with set similarity; [] where too few pairs have both numbers, and seeds."""
    cells = judged(cells, name)
    found = {}
    for model, part in cells.groupby("model"):
        x, y = part["similarity"].astype(float), part[name].astype(float)
        if len(part) < FEWEST_PAIRS or np.ptp(x) == 0 or np.ptp(y) == 0:
            continue
        found[model] = np.corrcoef(x, y)[0, 1], len(part)
    said = {"p_value": sign_p(r for r, _ in found.values()), "unit": "Pearson's r"}
    if (cells["kind"] == "placebo").all():
        said["weak"] = ""  # vectors that are to know nothing are none too weak
    return _mean(row, column, cells, found, level, **said)


def measure(job: Job) -> pd.DataFrame:
    """The evidence, in every corpus that is available."""
    return evidence(
        read_corpora(job),
        job.word_lists("bad_seeds"),
        seed_sets(read_sets(job)),
        ["noun", "verb", "adjective"],
        (job.settings["bad_seeds.rarest"], job.settings["bad_seeds.commonest"]),
        job.settings["bad_seeds.generated_pairs"],
        job.seed,
    )


def summarise(job: Job) -> list[dict]:
    """All cells."""
    return values(job.table("evidence/bad_seeds/figure5"), job.level)
