"""Figure 3: explained variance of ordered and of shuffled pairs of seeds."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from socialbias.embeddings.vectors import WordVectors
from socialbias.measures.pca_bias import explained_variances, shuffles
from socialbias.papers.bad_seeds.inputs import (
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
from socialbias.papers.reliability import with_retest
from socialbias.pipeline.job import Job
from socialbias.stats.seeding import generator

PANELS = ("figure3a", "figure3b", "figure3c")
ORIGINAL, SHUFFLED, AS_PRINTED, RANDOM = "original", "shuffled", "printed-shuffle", "random"
COMPONENTS = 10  # print shows ten, or as many as there are pairs
RANDOM_COUNT = 100  # occurrences from which on a word may be drawn; the threshold of Figure 4
CORPUS = "nyt"  # of print; its rows carry no name of a corpus
RESTS_ON = ("n", "n_of")


def panels(lists: Mapping, sets: Mapping[str, SeedSet]) -> list[dict]:
    """The pairings to measure: those of the figure, and those of section 8 without a panel.

    Args:
        lists: `resources/word_lists/bad_seeds.yaml`.
        sets: Seed sets by id; an extra pairing of which one is not here is left out.

    Returns:
        For each `row`, `first`, `second` (words), `shuffled` (the two lists of print, or None).
    """
    found = []
    for name in PANELS:
        entry = lists["pairs"][name]
        shuffled = tuple(entry["shuffled"][side] for side in ("first", "second"))
        found.append(_panel(entry["row"], entry["first"], entry["second"], shuffled))
    for entry in lists["extra_pairs"]:
        if {entry["first"], entry["second"]} <= sets.keys():
            words = [sets[entry[side]].listed for side in ("first", "second")]
            found.append(_panel(entry["row"], *words, None))
    return found


def _panel(row, first, second, shuffled) -> dict:
    return {"row": row, "first": first, "second": second, "shuffled": shuffled}


def evidence(
    corpora: Mapping[str, Corpus], wanted: list[dict], draws: int, seed: int
) -> pd.DataFrame:
    """Explained variance of every component, by pairing and model.

    Args:
        corpora: By name; `nyt` is print's, another's name is added to its rows.
        wanted: From `panels`.
        draws: Shuffles, and random lists; the paper has one of each, 100 or more say something.
        seed: The configuration's seed. Models with the same words get the same draws.

    Returns:
        Evidence of the pairings, with settings as columns (`original`, `shuffled`,
        `printed-shuffle`, `random`) and components as units, from 1: `explained`, `model`, `draw`
        (0 where there is one only), `n`, `n_of` (pairs of words that the setting has, of those of
        the figure). Where
        one list is longer, its last words have no partner and are left out, except that a shuffle
        draws from all of it (print does not say what it does). A model with fewer than two pairs
        has no rows.
    """
    result = Evidence()
    for name, corpus in corpora.items():
        for panel in wanted:
            row = panel["row"] if name == CORPUS else f"{panel['row']}, {name}"
            for i, model in enumerate(corpus.models):
                asked = whole_pairs(model, *_in_order(panel))["pairs_of"]
                rng = generator(seed, "figure3", row)
                for setting, explained in _settings(model, corpus, panel, draws, rng).items():
                    draw, component = map(np.ravel, np.indices(explained.shape))
                    numbers = {"unit": component + 1, "draw": draw, "explained": explained.ravel()}
                    counts = {"n": explained.shape[1], "n_of": asked}
                    result.add(row, setting, numbers, model=i, **counts)
    return result.table()


def _in_order(panel: Mapping) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The two lists as they are paired."""
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
    found = {
        ORIGINAL: explained_variances(first, model.rows(original[1]), [range(len(first))]),
        SHUFFLED: explained_variances(first, model.rows(pool), orders),
    }
    random = random_words(model, corpus, 2 * len(first), draws, rng)
    if panel["shuffled"]:
        pairs = _as_printed(model, panel)
        if len(pairs) >= 2:
            sides = [model.rows(words) for words in zip(*pairs, strict=True)]
            found[AS_PRINTED] = explained_variances(*sides, [range(len(pairs))])
    if len(random):
        found[RANDOM] = np.vstack([_of_random(model, rows) for rows in random])
    return found


def _as_printed(model: WordVectors, panel: Mapping) -> list[tuple[str, str]]:
    """The pairs of print's own shuffle, of words that count in the original order too.

    A word whose partner there has no vector is left out: the two orders are to differ in how words
    are paired, not in the words.
    """
    ordered = zip(*_in_order(panel), strict=False)
    broken = {word for pair in ordered if not {*pair} <= model.index.keys() for word in pair}
    pairs = zip(*aligned(model, *map(in_places, panel["shuffled"])), strict=True)
    return [pair for pair in pairs if not broken & {*pair}]


def _of_random(model: WordVectors, rows: np.ndarray) -> np.ndarray:
    first, second = np.split(np.asarray(model.matrix[rows], dtype=np.float64), 2)
    return explained_variances(first, second, [range(len(first))])


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


def values(table: pd.DataFrame, level: float) -> list[dict]:
    """Figure 3's cells: a row for each pairing.

    Columns: `component k@setting` for the first ten components: mean over draws, then over
    models, with an interval over the bootstraps of the corpus; and for the first component
    `sd@original`, its standard deviation over the models (print's error bars), and
    `shuffles above original`, the share of shuffles that explain more than the original order.
    All count seeds in pairs, of the shorter list.
    """
    if table.empty:
        return []
    records = []
    table = table[table["unit"] <= COMPONENTS]
    said = dict.fromkeys(RESTS_ON, "first")
    keys = ["row", "column", "unit"]
    means = table.groupby([*keys, "model"]).agg({"explained": "mean", **said}).reset_index()
    for (row, setting, component), cells in means.groupby(keys):
        column = f"component {component}@{setting}"
        unit = "share of variance"
        records += records_of(row, column, cells, "explained", level, unit, (0, 1))
        if setting == ORIGINAL and component == 1 and len(cells) > 1:
            fields = records_of(row, "sd", cells, "explained", level, unit)[0]
            sd = float(cells["explained"].std(ddof=1))
            nothing = dict.fromkeys(("ci_low", "ci_high", "draws", "replicates"), np.nan)
            records.append(fields | {"column": "sd@original", "value": sd} | nothing)
    first = table[table["unit"] == 1]
    for row, cells in first.groupby("row"):
        shares = shares_above(cells)
        records += records_of(
            row, "shuffles above original", shares, "share", level, "share", (0, 1)
        )
    return records


def shares_above(cells: pd.DataFrame) -> pd.DataFrame:
    """For each model, the share of shuffles whose first component explains more than the original.

    Args:
        cells: Evidence of the first component of one row.

    Returns:
        Columns `model`, `share`, `n`, `n_of`. A shuffle that ties counts
        half: the original order is one of the shuffles that may be drawn.
    """
    rows = []
    for model, part in cells.groupby("model"):
        original = part[part["column"] == ORIGINAL]
        drawn = part.loc[part["column"] == SHUFFLED, "explained"]
        if original.empty or drawn.empty:
            continue
        (said,) = original.to_dict("records")
        gap = drawn - said["explained"]
        share = ((gap > 1e-12).mean() + (gap > -1e-12).mean()) / 2
        rows.append({"model": model, "share": share, **{k: said[k] for k in RESTS_ON}})
    return pd.DataFrame(rows, columns=["model", "share", *RESTS_ON])


def measure(job: Job) -> pd.DataFrame:
    """The evidence, in every corpus that is available."""
    sets = read_sets(job)
    wanted = panels(job.word_lists("bad_seeds"), seed_sets(sets))
    return evidence(read_corpora(job), wanted, job.settings["bad_seeds.shuffles"], job.seed)


def summarise(job: Job) -> list[dict]:
    """All cells."""
    records = values(job.table("evidence/bad_seeds/figure3"), job.level)
    return with_retest(records, job.level)
