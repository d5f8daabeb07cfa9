"""Figure 5: sets that are alike are harder to tell apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from socialbias.embeddings.vectors import WordVectors
from socialbias.papers.bad_seeds.inputs import (
    PRETRAINED,
    Corpus,
    SeedSet,
    by_model,
    mean_over_models,
    read_corpora,
    read_sets,
    records_of,
    seed_sets,
    sign_p,
    with_enough_seeds,
)
from socialbias.papers.bad_seeds.pairs import (
    NEIGHBOURS,
    SCALES,
    Band,
    aligned,
    band_of,
    generated_pairs,
    measured,
    resting_on,
)
from socialbias.papers.inputs import concat
from socialbias.pipeline.job import Job
from socialbias.stats.seeding import generator

CORPUS = "wikitext"  # of print
# Names in the rows of resources/published/bad_seeds_figure5.csv.
LABELS = {"wikitext": "WikiText", "nyt": "NYT", "goodreads-romance": "Goodreads romance"}
LABELS |= {"goodreads-history-biography": "Goodreads history and biography", "glove": "GloVe"}
PARTS_OF_SPEECH = {"noun": "nouns", "verb": "verbs", "adjective": "adjectives"}
# Print correlates set similarity with explained variance, and says the others behave alike.
TRENDS = {
    "explained": "pearson_r set similarity vs explained variance",
    "coherence": "pearson_r set similarity vs coherence",
    "weat_size": "pearson_r set similarity vs WEAT",
}
EXPLAINED = "explained variance"
HIGHLIGHTED = {"similarity": "set similarity", "explained": EXPLAINED, "coherence": "coherence"}
FEWEST_PAIRS = 10  # generated pairs that a correlation needs
# Beside print: its row in vectors that are random, and gathered pairs cut to as many whole pairs as
# generated ones have, since a first component explains the more the fewer pairs there are.
PLACEBO = "generated nouns, random vectors, frequency-controlled"
DRAWS = 20  # of generated pairs, in random vectors and in pretrained ones
CUT = "gathered, first five words"
SIZE = 1 + NEIGHBOURS  # words of a generated set
ABOVE = "explained variance above generated"
ALIKE = 10  # generated pairs of about equal similarity that a gathered one is compared with
COLUMNS = ["row", "kind", "pair", "model", "similarity", "similarity_unit", "explained"]
COLUMNS += ["coherence", "coherence_unit", "weat_means", "effect_size"]
COLUMNS += ["n", "n_of", "pairs", "pairs_of"]
# By variant of a column, what replaces measures of set means.
VARIANTS = {"": {}, "@unit": {"similarity": "similarity_unit", "coherence": "coherence_unit"}}


def generated_row(corpus: str, pos: str) -> str:
    """Return the row of the generated pairs of a corpus and a part of speech."""
    return f"generated {PARTS_OF_SPEECH[pos]}, {LABELS.get(corpus, corpus)}, frequency-controlled"


def measure(job: Job) -> pd.DataFrame:
    """Return similarity, explained variance, coherence and WEAT of pairs, in every corpus."""
    corpora, seed = read_corpora(job), job.seed
    band, pairs = band_of(job), job.settings["bad_seeds.generated_pairs"]
    parts = [
        _generated(generated_row(name, pos), corpus, pos, band, pairs, (seed, "figure5", name, pos))
        for name, corpus in corpora.items()
        for pos in PARTS_OF_SPEECH
    ]
    if CORPUS in corpora:
        models = corpora[CORPUS].models
        for draw in range(DRAWS if models else 0):  # the placebo, measured in the random vectors
            like, key = models[draw % len(models)], f"placebo {draw}"
            random = generator(seed, "figure5", "placebo", draw).standard_normal(like.matrix.shape)
            vectors = WordVectors(like.words, random.astype(np.float32))
            args = (replace(corpora[CORPUS], models=(vectors,)), "noun", band, pairs)
            part = _generated(PLACEBO, *args, (seed, "figure5", key, "noun"))
            parts.append(part.assign(kind="placebo", model=draw))
        for name in PRETRAINED:
            if name in corpora:
                # Pretrained vectors have neither counts nor parts of speech: nouns are those of
                # the corpus of print, drawn repeatedly.
                lent = replace(corpora[CORPUS], models=corpora[name].models * DRAWS)
                args = (lent, "noun", band, pairs, (seed, "figure5", name, "noun"))
                parts.append(_generated(generated_row(name, "noun"), *args))
        sets = seed_sets(read_sets(job))
        parts.append(_gathered(corpora[CORPUS], job.word_lists("bad_seeds"), sets))
    return concat(parts, COLUMNS)


def _generated(
    row: str, corpus: Corpus, pos: str, band: Band, pairs: int, seed: tuple
) -> pd.DataFrame:
    """Pairs that each model of a corpus generates, measured in it."""
    parts = []
    for i, model in enumerate(corpus.models):
        sets = generated_pairs(model, corpus, pos, band, pairs, generator(*seed, i))
        words = [f"{' '.join(first)} | {' '.join(second)}" for first, second in sets]
        labels = {"row": row, "kind": "generated", "pair": words, "model": i}
        parts.append(measured(model, sets).assign(**labels))
    return concat(parts, COLUMNS)


def _gathered(corpus: Corpus, lists: Mapping, sets: Mapping[str, SeedSet]) -> pd.DataFrame:
    """Return published pairs in each model of a corpus, and gathered ones cut to `SIZE` pairs."""
    rows = [
        ("highlighted", entry["row"], entry["row"], entry["first"], entry["second"])
        for entry in lists["highlighted_pairs"]
    ]
    gathered = [("gathered", f"{a} | {b}", a, b) for a, b in lists["gathered_pairs"]]
    rows += [(kind, row, *rest) for row in ("gathered", CUT) for kind, *rest in gathered]
    parts = []
    for i, model in enumerate(corpus.models):
        labels, pairs = [], []
        for kind, row, pair, first, second in rows:
            if not {first, second} <= sets.keys():
                continue
            words = sets[first].listed, sets[second].listed
            if row == CUT:
                # Words are chosen by what the model has: with fewer of them than in a generated
                # pair, the first component would explain more for that alone.
                words = tuple(side[:SIZE] for side in aligned(model, *words))
            if row != CUT or len(words[0]) == SIZE:
                labels.append((kind, row, pair))
                pairs.append(words)
        part = measured(model, pairs).assign(model=i)
        part[["kind", "row", "pair"]] = np.array(labels, dtype=object).reshape(-1, 3)
        parts.append(part)
    return concat(parts, COLUMNS)


def summarise(job: Job) -> Iterator[dict]:
    """Yield Figure 5's cells.

    Correlations are averaged over the models, and their p-values are over the models, since pairs
    share words. Of WEAT it is the difference of the mean associations in absolute value: which set
    comes first is arbitrary, and the statistic, a difference of sums, grows with the sets. Pairs
    with too few seeds count in none of these.
    """
    table, level = job.table("evidence/bad_seeds/figure5"), job.level
    table = table.assign(weat_size=table["weat_means"].astype(float).abs())
    for mark, replaced in VARIANTS.items():
        part = table.assign(**{name: table[by] for name, by in replaced.items()})
        for (row, kind), cells in part.groupby(["row", "kind"]):
            if kind != "highlighted":
                for name, column in TRENDS.items():
                    yield from _trend(row, f"{column}{mark}", cells, name, level)
                continue
            for name, column in HIGHLIGHTED.items():
                if not mark or name in replaced:  # without a set mean the number is the same
                    scale, counted = SCALES[name], resting_on(cells, name)
                    yield from records_of(row, f"{column}{mark}", counted, name, level, *scale)
    generated = table[table["row"] == generated_row(CORPUS, "noun")]
    for row, cells in table[table["kind"] == "gathered"].groupby("row"):
        gaps = {
            model: above_generated(part, generated[generated["model"] == model])
            for model, part in cells.groupby("model")
        }
        means = {model: (part.mean(), len(part)) for model, part in gaps.items() if len(part)}
        yield from _mean(row, ABOVE, means, cells, level, unit="share of variance")


def judged(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return the pairs that have a similarity and a measure, and enough seeds for both."""
    pairs = table.dropna(subset=["similarity", name])
    for needed in ("similarity", name):
        enough = with_enough_seeds(resting_on(pairs, needed)).index
        pairs = pairs.loc[enough]
    return pairs


def _mean(
    row: str,
    column: str,
    by_model: Mapping[int, tuple[float, int]],
    cells: pd.DataFrame,
    level: float,
    **fields,
) -> list[dict]:
    """Return the mean over models of numbers with their counts of pairs; [] without any."""
    if not by_model:
        return []
    numbers = [by_model.get(i, (np.nan,))[0] for i in range(int(cells["model"].max()) + 1)]
    fields |= {"n": min(pairs for _, pairs in by_model.values()), "n_unit": "pairs"}
    return mean_over_models(row, column, numbers, level, bounds=(-1, 1), **fields)


def above_generated(gathered: pd.DataFrame, generated: pd.DataFrame) -> np.ndarray:
    """Return what gathered pairs explain above generated ones as coherent, in one model."""
    pool, pairs = judged(generated, "explained"), judged(gathered, "explained")
    if len(pool) < FEWEST_PAIRS:
        return np.empty(0)
    x, y = pool["similarity"].to_numpy(float), pool["explained"].to_numpy(float)
    pairs = pairs[pairs["similarity"].astype(float).between(x.min(), x.max())]
    gaps = np.abs(pairs["similarity"].to_numpy(float)[:, None] - x)
    nearest = np.argsort(gaps, axis=1, kind="stable")[:, :ALIKE]
    return pairs["explained"].to_numpy(float) - y[nearest].mean(axis=1)


def _trend(row: str, column: str, cells: pd.DataFrame, name: str, level: float) -> list[dict]:
    """Return a correlation with set similarity; [] where too few pairs have both."""
    cells = judged(cells, name)
    by_model = {}
    for model, part in cells.groupby("model"):
        x, y = part["similarity"].astype(float), part[name].astype(float)
        if len(part) >= FEWEST_PAIRS and np.ptp(x) > 0 and np.ptp(y) > 0:
            by_model[model] = np.corrcoef(x, y)[0, 1], len(part)
    fields = {"p_value": sign_p(r for r, _ in by_model.values()), "unit": "Pearson's r"}
    if (cells["kind"] == "placebo").all():
        fields["weak"] = ""  # random vectors are weak on purpose
    return _mean(row, column, by_model, cells, level, **fields)


PAIRS = 40  # generated pairs a model and setting
BANDS = ((10, 30), (30, 100), (100, 1000))  # occurrences
SIZES = (2, 3, SIZE, 10, 20)  # words of a set
MEASURES = ("coherence", "explained", "similarity")
FACTOR_COLUMNS = ["row", "vectors", "model", *MEASURES, "pairs"]


def measure_factors(job: Job) -> pd.DataFrame:
    """Return medians over the pairs that each model generates under each setting."""
    corpus, band, rows = read_corpora(job).get(CORPUS, Corpus()), band_of(job), []
    # By row: part of speech, band and size. Print states no band: that of Figure 5 is ours.
    settings = {f"frequency {low} to {high}": ("noun", (low, high), SIZE) for low, high in BANDS}
    settings |= {f"pos {pos}": (pos, band, SIZE) for pos in PARTS_OF_SPEECH}
    settings |= {f"size {size}": ("noun", band, size) for size in SIZES}
    for i, model in enumerate(corpus.models):
        noise = generator(job.seed, "factors", i).standard_normal(model.matrix.shape)
        for vectors in ("", "random"):
            used = WordVectors(model.words, noise.astype(np.float32)) if vectors else model
            for row, (pos, within, size) in settings.items():
                rng = generator(job.seed, "factors", "pairs", i)  # alike settings, alike pairs
                pairs = generated_pairs(used, corpus, pos, within, PAIRS, rng, size - 1)
                if len(pairs) >= FEWEST_PAIRS:
                    medians = measured(used, pairs)[[*MEASURES]].median().to_dict()
                    cell = {"row": row, "vectors": vectors, "model": i, "pairs": len(pairs)}
                    rows.append(cell | medians)
    return pd.DataFrame(rows, columns=FACTOR_COLUMNS)


def summarise_factors(job: Job) -> Iterator[dict]:
    """Yield the cells: means over the models, with intervals over the same."""
    if "evidence/bad_seeds/factors" not in job:
        return
    table, level = job.table("evidence/bad_seeds/factors"), job.level
    for (row, vectors), cells in table.groupby(["row", "vectors"]):
        counts = {"n": int(cells["pairs"].min()), "n_unit": "pairs"}
        for name in MEASURES:
            column, numbers = f"{name}@{vectors}" if vectors else name, by_model(cells, name)
            yield from mean_over_models(row, column, numbers, level, *SCALES[name], **counts)
