"""Figure 3: explained variance of ordered and of shuffled pairs of seeds."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from socialbias.embeddings.vectors import WordVectors
from socialbias.measurement.reliability import with_retest
from socialbias.measures.pca_bias import explained_variances, shuffles
from socialbias.papers.bad_seeds.inputs import (
    PRETRAINED,
    Corpus,
    SeedSet,
    in_places,
    read_corpora,
    read_sets,
    records_of,
    seed_sets,
    unigrams,
)
from socialbias.papers.bad_seeds.pairs import aligned, whole_pairs
from socialbias.papers.evidence import Evidence
from socialbias.pipeline.job import Job
from socialbias.stats.clustered import share_draws, wilson
from socialbias.stats.intervals import student
from socialbias.stats.seeding import generator

PANELS = ("figure3a", "figure3b", "figure3c")
ORIGINAL, SHUFFLED, AS_PRINTED, RANDOM = "original", "shuffled", "printed-shuffle", "random"
COMPONENTS = 10  # print shows ten, or as many as there are pairs
RANDOM_COUNT = 100  # occurrences from which on a word may be drawn; the threshold of Figure 4
CORPUS = "nyt"  # of print; its rows carry no name of a corpus


def panels(lists: Mapping, sets: Mapping[str, SeedSet]) -> list[dict]:
    """Return the pairings to measure: those of the figure, and those of section 8 without one."""
    entries = [lists["pairs"][name] for name in PANELS]
    result = [
        entry | {"shuffled": (entry["shuffled"]["first"], entry["shuffled"]["second"])}
        for entry in entries
    ]
    for entry in lists["extra_pairs"]:
        if {entry["first"], entry["second"]} <= sets.keys():
            words = {side: sets[entry[side]].listed for side in ("first", "second")}
            result.append(entry | words | {"shuffled": None})
    return result


def measure(job: Job) -> pd.DataFrame:
    """Return the explained variance of every component, by pairing and model."""
    pairings = panels(job.word_lists("bad_seeds"), seed_sets(read_sets(job)))
    draws, result = job.settings["bad_seeds.shuffles"], Evidence()
    for name, corpus in read_corpora(job).items():
        for panel in pairings:
            row = row_in(panel["row"], name)
            for i, model in enumerate(corpus.models):
                n_of = whole_pairs(model, *_in_order(panel))["pairs_of"]
                rng = generator(job.seed, "figure3", row)
                for setting, explained in _settings(model, corpus, panel, draws, rng).items():
                    draw, component = map(np.ravel, np.indices(explained.shape))
                    numbers = {"unit": component + 1, "draw": draw, "explained": explained.ravel()}
                    counts = {"n": explained.shape[1], "n_of": n_of}
                    result.add(row, setting, numbers, model=i, **counts)
    return result.table()


def row_in(row: str, corpus: str) -> str:
    """Return the row of some pairs in a corpus or a pretrained model."""
    return row if corpus == CORPUS else f"{row}, {corpus}"


def _in_order(panel: Mapping) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the two lists as they are paired."""
    return in_places(panel["first"]), in_places(panel["second"])


def _settings(
    model: WordVectors, corpus: Corpus, panel: dict, draws: int, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Explained variances of each setting, (draws, pairs)."""
    original = aligned(model, *_in_order(panel))
    if len(original[0]) < 2:
        return {}
    first = model.rows(original[0])
    # With a longer second list every shuffle leaves out other words of it.
    pool = [word for word in unigrams(panel["second"]) if word in model.index]
    orders = shuffles(len(first), len(pool), draws, rng)
    result = {
        ORIGINAL: explained_variances(first, model.rows(original[1]), [range(len(first))]),
        SHUFFLED: explained_variances(first, model.rows(pool), orders),
    }
    pairs = []
    if panel["shuffled"]:
        # A word whose partner in the original order has no vector is left out: the two orders are
        # to differ in how words are paired, not in the words.
        ordered = zip(*_in_order(panel), strict=False)
        broken = {word for pair in ordered if not {*pair} <= model.index.keys() for word in pair}
        printed = zip(*aligned(model, *map(in_places, panel["shuffled"])), strict=True)
        pairs = [pair for pair in printed if not broken & {*pair}]
    if len(pairs) >= 2:
        sides = [model.rows(words) for words in zip(*pairs, strict=True)]
        result[AS_PRINTED] = explained_variances(*sides, [range(len(pairs))])
    random = of_random_words(model, corpus, len(first), draws, rng)
    return result | ({RANDOM: random} if len(random) else {})


def of_random_words(
    model: WordVectors, corpus: Corpus, pairs: int, draws: int, rng: np.random.Generator
) -> np.ndarray:
    """Explained variances of pairs of random words (`random_words`), (draws, components)."""
    lists = random_words(model, corpus, 2 * pairs, draws, rng)
    sides = (np.split(np.asarray(model.matrix[rows], dtype=np.float64), 2) for rows in lists)
    variances = [explained_variances(*both, [range(pairs)]) for both in sides]
    return np.vstack(variances) if variances else np.empty((0, pairs))


def random_words(
    model: WordVectors, corpus: Corpus, words: int, draws: int, rng: np.random.Generator
) -> np.ndarray:
    """Rows of random words, each draw without repeats, (draws, words).

    Words under `RANDOM_COUNT` occurrences are left out where enough others remain and the corpus
    has counts. No draws where the vocabulary is too small.
    """
    frequent = [i for i, w in enumerate(model.words) if corpus.counts.get(w, 0) >= RANDOM_COUNT]
    pool = np.array(frequent if len(frequent) >= words else range(len(model.words)))
    if len(pool) < words or not words:
        return np.empty((0, words), dtype=int)
    return np.stack([rng.choice(pool, words, replace=False) for _ in range(draws)])


def summarise(job: Job) -> list[dict]:
    """Return Figure 3's cells: a row for each pairing.

    Numbers are means over draws, then over models, with an interval over the bootstraps of the
    corpus. All count seeds in pairs, of the shorter list. A pretrained model is one of its kind:
    its share alone has an interval, over shuffles.
    """
    table, level = job.table("evidence/bad_seeds/figure3"), job.level
    if table.empty:
        return []
    records, table = [], table[table["unit"] <= COMPONENTS]
    keys = ["row", "column", "unit"]
    averages = {"explained": "mean", "n": "first", "n_of": "first"}
    means = table.groupby([*keys, "model"]).agg(averages).reset_index()
    for (row, setting, component), cells in means.groupby(keys):
        column = f"component {component}@{setting}"
        mean = records_of(row, column, cells, "explained", level, "share of variance", (0, 1))
        records += mean
        if setting == ORIGINAL and component == 1 and len(cells) > 1:
            sd = {"column": "sd@original", "value": float(cells["explained"].std(ddof=1))}
            sd |= dict.fromkeys(("ci_low", "ci_high", "draws", "replicates"), np.nan)
            records.append(mean[0] | sd)
    column = "shuffles above original"
    for row, cells in table[table["unit"] == 1].groupby("row"):
        settings = (cells[cells["column"] == setting] for setting in (ORIGINAL, SHUFFLED))
        records += share_above(row, column, *settings, "explained", level)
    return with_retest(records, level)


def share_above(
    row: str, column: str, original: pd.DataFrame, shuffled: pd.DataFrame, name: str, level: float
) -> list[dict]:
    """Return the record of the share of shuffles whose number is above the original order's."""
    rows = []
    for own in original.to_dict("records"):
        gap = shuffled.loc[shuffled["model"] == own["model"], name] - own[name]
        share = ((gap > 1e-12).mean() + (gap > -1e-12).mean()) / 2
        rows.append((own["model"], share, own["n"], own["n_of"]))
    shares = pd.DataFrame(rows, columns=["model", "share", "n", "n_of"])
    found = records_of(row, column, shares, "share", level, "share", (0, 1))
    if row.endswith(tuple(f", {model}" for model in PRETRAINED)):
        return [one | over_shuffles(row, one["value"], len(shuffled), level) for one in found]
    return found


def over_shuffles(row: str, share: float, shuffled: int, level: float) -> dict:
    """Wilson's interval for a share of random shuffles, and draws, as fields of a record."""
    draws = share_draws([share], [shuffled], [shuffled - 1], [row])[:, 0]
    low, high = wilson(share, shuffled, student(level, shuffled - 1))
    return {"ci_low": float(low), "ci_high": float(high), "draws": draws}
