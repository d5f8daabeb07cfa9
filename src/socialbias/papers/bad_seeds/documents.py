"""Which documents make a number? Its regression on how often a bootstrap drew each document.

Models are trained on bootstrap replicates of a sample of documents, and each gives a measure. With
R replicates and D documents, D far above R, the coefficients are not determined: ridge spreads
what R - 1 contrasts say over all documents, and the order of documents is mostly noise (a
document's correlation with the measure has a standard error of about 1/sqrt(R): with 20
replicates, .22, among thousands of documents). So the sample is small, the fit comes with its
error on replicates left out and a permutation test, and models trained anew without the top
documents, or without random ones, show whether they matter. Least squares on a few *groups* of
documents is determined, and the sharper question.

A small sample lacks some seeds, and another replicate of it others: only the seeds that every model
has are measured, so that all numbers are of one set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from socialbias.corpora.documents import Document
from socialbias.corpora.prepared import Corpus
from socialbias.corpora.shards import INDEX, read_selected
from socialbias.embeddings.options import TRAINING, Options
from socialbias.embeddings.train import bootstrap, train
from socialbias.embeddings.vectors import WordVectors
from socialbias.papers.bad_seeds.inputs import SeedSet, fewest, read_sets, seed_sets, too_few
from socialbias.papers.bad_seeds.pairs import (
    ON_PAIRS,
    ON_WORDS,
    SCALES,
    Pair,
    measured,
    whole_pairs,
)
from socialbias.papers.inputs import concat
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.stats.intervals import percentile
from socialbias.stats.seeding import generator
from socialbias.stats.similarity import Array

PREPARED, TEXTS = "prepared/wikitext", "documents/wikitext"
CORPUS = "wikitext"  # its documents are long and have titles
FEWEST_REPLICATES = 3
MAX_DOCUMENTS = 5  # documents on each side
REMOVED = 0.1  # of the words, in each training without some documents
REPLICATES_A_GROUP = 4  # so that least squares on groups is well determined
DRAWS = 199  # shuffles of the permutation test
# By name in `pairs.measured`, what is regressed: print's measures of a pair (section 6) but WEAT's
# statistic, since a small sample of articles hardly has its attributes, `good` and `bad`.
MEASURES = {"coherence": "coherence", "explained": "explained variance"}
UNITS = {label: SCALES[name][0] for name, label in MEASURES.items()}
FITS = {"fit": "left-out R2", "groups": "left-out R2@groups"}
FITTED = ["row", "kind", "place", "document", "number", "p_value", "n", "n_unit"]
COLUMNS = [*FITTED, "seeds", "seeds_of"]
Trainer = Callable[[NDArray[np.int64]], dict[str, float]]
Each = Callable[[str, Trainer, Sequence[NDArray[np.int64]]], list[dict[str, float]]]


def influences(counts: ArrayLike, measures: ArrayLike, ridge: float = 1.0) -> Array:
    """Return the change of a measure (R,) for one more copy of each document (R, D)."""
    from sklearn.linear_model import Ridge  # here: it takes a second, and drawing needs none

    x, y = np.asarray(counts, float), np.asarray(measures, float)
    x = x - x.mean(axis=0)
    model = Ridge(alpha=ridge * (x**2).sum() / len(x), fit_intercept=False)
    return model.fit(x, y - y.mean()).coef_


def left_out_r2(
    counts: ArrayLike, measures: ArrayLike, ridge: float, draws: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Return how much of a measure the other replicates predict, and the p-value of that.

    Below 0 is worse than a mean. The p-value is under measures shuffled over the replicates; the
    observed order counts among the draws: (1 + at least as good) / (1 + draws).
    """
    x, y = np.asarray(counts, float), np.asarray(measures, float)
    errors = _left_out_errors(x @ x.T, ridge)
    orders = np.column_stack([y, *(rng.permutation(y) for _ in range(draws))])
    observed, *null = _r2(errors, orders)
    p_value = float((1 + (np.array(null) >= observed - 1e-12).sum()) / (1 + draws))
    return float(_r2(errors, y[:, None])[0]), p_value


def _left_out_errors(products: Array, ridge: float) -> Array:
    """Return the matrix from measures to the errors of predicting each by the others, (R, R)."""
    n = len(products)
    errors, contrasts = np.eye(n), np.eye(n - 1) - 1 / (n - 1)
    for i in range(n):
        rest = np.arange(n) != i
        known = products[np.ix_(rest, rest)]
        # What the replicate left out has in common with each of the others, both centred.
        common = contrasts @ (products[rest, i] - known.mean(axis=1))
        centred = contrasts @ known @ contrasts
        penalty = ridge * np.trace(centred) / (n - 1)
        # Centring takes one dimension out: the pseudo-inverse leaves it alone.
        inverse = np.linalg.pinv(centred + penalty * contrasts, rcond=1e-10)
        errors[i, rest] -= common @ inverse @ contrasts + 1 / (n - 1)  # beside their mean
    return errors


def _r2(errors: Array, measures: Array) -> Array:
    """R2 of each column of measures (R, k), from the matrix of their errors; NaN where flat."""
    n = len(measures)
    spread = ((measures - measures.mean(axis=0)) ** 2).sum(axis=0) * (n / (n - 1)) ** 2
    missed = ((errors @ measures) ** 2).sum(axis=0)
    return 1 - np.divide(missed, spread, out=np.full(len(spread), np.nan), where=spread > 0)


def top_documents(coefficients: ArrayLike, names: Sequence[str], top: int) -> pd.DataFrame:
    """Return the documents that raise and that lower a measure most."""
    numbers = np.asarray(coefficients, dtype=float)
    parts = []
    for side, sign in (("raises", 1), ("lowers", -1)):
        order = np.argsort(-sign * numbers, kind="stable")[:top]
        order = order[sign * numbers[order] > 0]
        part = {"document": [names[i] for i in order], "influence": numbers[order], "side": side}
        parts.append(pd.DataFrame(part))
    return pd.concat(parts, ignore_index=True)


def sampled(corpus: Corpus, words: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the numbers of random documents with `words` words in all, in the corpus's order."""
    if not words:
        return np.arange(corpus.size)
    return np.sort(_first(rng.permutation(corpus.size), np.diff(corpus.documents), words))


def name_of(document: Document) -> str:
    """Return a document's title without WikiText's marks, or its id."""
    title = document.metadata.get("title") or document.id
    return title.replace(" @-@ ", "-").replace(" @,@ ", ",").replace(" @.@ ", ".")


def _first(order: NDArray[np.int64], lengths: ArrayLike, words: float) -> NDArray[np.int64]:
    """Return the first documents of an order, up to the one that reaches this number of words."""
    reached = np.cumsum(np.asarray(lengths)[order])
    return order[: np.searchsorted(reached, words) + 1]


def pairs_of(lists: Mapping, sets: Mapping[str, SeedSet]) -> dict[str, Pair]:
    """Return the pairs of seed sets to measure, by name; without pairs with a missing set."""
    return {
        name: (sets[first].listed, sets[second].listed)
        for name, (first, second) in lists["documents"].items()
        if {first, second} <= sets.keys()
    }


def in_every_training(
    corpus: Corpus,
    chosen: NDArray[np.int64],
    taken: ArrayLike,
    pairs: Mapping[str, Pair],
    least: int,
) -> WordVectors:
    """Return the seeds that every training will have in its vocabulary, by their counts."""
    seeds = {word for sides in pairs.values() for side in sides for word in side}
    words = [(i, word) for i, word in enumerate(corpus.words) if word in seeds]
    ids = [i for i, _ in words]
    counts = [np.bincount(corpus.document(i), minlength=len(corpus.words))[ids] for i in chosen]
    enough = (np.asarray(taken) @ np.stack(counts) >= least).all(axis=0)
    kept = tuple(word for (_, word), keep in zip(words, enough, strict=True) if keep)
    return WordVectors(kept, np.empty((len(kept), 0), np.float32))


def only(pairs: Mapping[str, Pair], vocabulary: WordVectors) -> dict[str, Pair]:
    """Return the pairs with "" in place of every word that is not in the vocabulary."""
    return {
        name: tuple(tuple(w if w in vocabulary.index else "" for w in side) for side in sides)
        for name, sides in pairs.items()
    }


def seeds_of(pairs: Mapping[str, Pair], vocabulary: WordVectors) -> dict[str, tuple[int, int]]:
    """Return by row how many seeds (of the weaker set, or in whole pairs) are known."""
    by_row = {}
    for pair, sides in pairs.items():
        counts = fewest(vocabulary, *sides) | whole_pairs(vocabulary, *sides)
        for name, label in MEASURES.items():
            n, n_of = ON_PAIRS.get(name, ON_WORDS)
            by_row[f"{pair}, {label}"] = counts[n], counts[n_of]
    return by_row


def measures_of(model: WordVectors, pairs: Mapping[str, Pair]) -> dict[str, float]:
    """Return the measures to regress, by row: `<pair>, <measure>`.

    NaN where the model lacks a word, other than "": the number would be of another set.
    """
    table = measured(model, list(pairs.values()))
    whole = [{*first, *second} - {""} <= model.index.keys() for first, second in pairs.values()]
    return {
        f"{pair}, {label}": float(number) if complete else float("nan")
        for name, label in MEASURES.items()
        for pair, number, complete in zip(pairs, table[name], whole, strict=True)
    }


def random_removals(
    lengths: ArrayLike, removals: int, rng: np.random.Generator
) -> list[NDArray[np.int64]]:
    """Return the documents that each random removal takes: a tenth of the words."""
    orders = [rng.permutation(len(lengths)) for _ in range(removals)]
    return [_first(order, lengths, REMOVED * np.sum(lengths)) for order in orders]


def validate(
    trainer: Trainer,
    coefficients: Mapping[str, ArrayLike],
    lengths: ArrayLike,
    removals: Sequence[NDArray[np.int64]],
    each: Each,
) -> pd.DataFrame:
    """Train anew without the documents that raise each measure most, and without random ones."""
    documents = np.arange(len(lengths))
    orders = [np.argsort(-np.asarray(numbers), kind="stable") for numbers in coefficients.values()]
    tops = [_first(order, lengths, REMOVED * np.sum(lengths)) for order in orders]
    gone = [documents[:0], *removals, *tops]
    trained = each("removals", trainer, [np.setdiff1d(documents, part) for part in gone])
    complete, *without = zip(trained, map(len, gone), strict=True)
    random, without_top = without[: len(removals)], without[len(removals) :]
    rows = []
    for row, top in zip(coefficients, without_top, strict=True):
        kinds = [("all", 0, complete), ("without top", 0, top)]
        kinds += [("without random", draw, removal) for draw, removal in enumerate(random)]
        rows += [(row, kind, draw, numbers[row], n) for kind, draw, (numbers, n) in kinds]
    table = pd.DataFrame(rows, columns=["row", "kind", "draw", "measure", "documents"])
    table["change"] = table["measure"] - table["row"].map(complete[0])
    p_values = {}
    for row, part in table[table["kind"] != "all"].groupby("row"):
        lowered = part.loc[part["kind"] == "without top", "change"].item()
        # The share of removals, that of the top included, that lower the measure as much.
        share = (part["change"].dropna() <= lowered + 1e-12).mean()
        p_values[row] = np.nan if np.isnan(lowered) else float(share)
    top = table["kind"] == "without top"
    return table.assign(p_value=table["row"].map(p_values).where(top))


def evidence(
    corpus: Corpus,
    chosen: NDArray[np.int64],
    names: Sequence[str],
    pairs: Mapping[str, Pair],
    options: Options,
    replicates: int,
    removals: int,
    seed: int,
    each: Each,
) -> pd.DataFrame:
    """Train on bootstrap replicates of a sample of documents, regress, and train without some."""
    lengths = np.diff(corpus.documents)[chosen]
    training_seed = int(generator(seed, "documents", "training").integers(2**31))

    drawn = [bootstrap(len(chosen), seed, "documents", i) for i in range(replicates)]
    counts = np.stack([np.bincount(draw, minlength=len(chosen)) for draw in drawn])
    gone = random_removals(lengths, removals, generator(seed, "documents", "removals"))
    kept = [np.isin(np.arange(len(chosen)), part, invert=True) for part in [[], *gone]]
    taken = np.vstack([counts, *kept])
    vocabulary = in_every_training(corpus, chosen, taken, pairs, options.min_count)
    sound = only(pairs, vocabulary)

    def trainer(documents: NDArray[np.int64]) -> dict[str, float]:
        model = train(corpus, chosen[documents], options, training_seed, name="sample")
        return measures_of(model.vectors, sound)

    measures = pd.DataFrame(each("replicates", trainer, drawn))
    fits, coefficients = regressions(measures, counts, names, seed)
    again = validate(trainer, coefficients, lengths, gone, each)
    again = again[again["kind"] != "all"].dropna(subset=["change"])
    again = again.assign(place=again["draw"] + 1, document="", n_unit="documents")
    again = again.rename(columns={"change": "number", "documents": "n"})
    table = concat([fits, again], FITTED)
    seeds = table["row"].map(seeds_of(pairs, vocabulary))
    table[["seeds", "seeds_of"]] = np.array(seeds.tolist(), dtype=int).reshape(-1, 2)
    return table


def regressions(
    measures: pd.DataFrame, counts: ArrayLike, names: Sequence[str], seed: int
) -> tuple[pd.DataFrame, dict[str, Array]]:
    """Return the fit and the top documents of each measure."""
    rows, coefficients = [], {}
    for row in measures:
        known = measures[row].notna().to_numpy()
        x, y = np.asarray(counts)[known], measures[row].to_numpy(float)[known]
        if len(y) <= max(FEWEST_REPLICATES, len(known) // 2 - 1) or np.ptp(y) == 0:
            continue
        rng, count = generator(seed, "documents", row), (len(y), "bootstraps")
        # Counts of groups of neighbouring documents, so few that least squares is well determined.
        n_groups = max(1, min(len(x) // REPLICATES_A_GROUP, x.shape[1]))
        parts = np.array_split(x, n_groups, axis=1)
        groups = np.stack([part.sum(axis=1) for part in parts], axis=1)
        for kind, columns, ridge in (("fit", x, 1.0), ("groups", groups, 0.0)):
            fit = left_out_r2(columns, y, ridge, DRAWS, rng)
            rows.append((row, kind, 1, "", *fit, *count))
        coefficients[row] = influences(x, y)
        for side, part in top_documents(coefficients[row], names, MAX_DOCUMENTS).groupby("side"):
            both = enumerate(zip(part["document"], part["influence"], strict=True), 1)
            rows += [(row, side, i, name, number, np.nan, *count) for i, (name, number) in both]
    return pd.DataFrame(rows, columns=FITTED), coefficients


def measure(job: Job) -> pd.DataFrame:
    """Return the evidence: models of a sample, and of it without some of its documents."""
    corpus = Corpus.load(job.path(PREPARED).parent)
    sets, lists = read_sets(job), job.word_lists("bad_seeds")
    sizes = job.settings["bad_seeds.documents"]
    options = {key: sizes.get(key, job.settings.get(f"bad_seeds.{key}")) for key in TRAINING}
    rng = generator(job.seed, "documents", "sample")
    chosen = sampled(corpus, sizes["words"], rng)
    texts = read_selected(job.path(TEXTS) / INDEX, chosen.tolist())
    return evidence(
        corpus,
        chosen,
        [name_of(text) for _, text in texts],
        pairs_of(lists, seed_sets(sets)),
        Options(**options),
        sizes["replicates"],
        sizes["removals"],
        job.seed,
        job.each,
    )


def summarise(job: Job) -> Iterator[dict]:
    """Yield the cells of the regression on documents, a row for each pair and measure.

    Only `without random`, the mean change without random documents, has an interval, the quantiles
    that hold a share `level` of the changes: one regression uses all bootstraps.
    """
    if "evidence/bad_seeds/documents" not in job:
        return
    table, level = job.table("evidence/bad_seeds/documents"), job.level
    for (row, kind), part in table.groupby(["row", "kind"], sort=False):
        unit = "share of variance" if kind in FITS else UNITS[row.rpartition(", ")[2]]
        n, n_of = part[["seeds", "seeds_of"]].iloc[0]
        seeds = too_few(n, n_of) or f"{n} of {n_of} seeds"
        if kind == "without random":
            fields = {"n": len(part), "n_unit": "removals", "note": seeds, "unit": unit}
            ends = percentile(part["number"], level)
            yield value(row, kind, part["number"].mean(), interval=ends, **fields)
            continue
        for cell in part.to_dict("records"):
            fields = {key: cell[key] for key in ("p_value", "n", "n_unit")}
            place = f" {cell['place']}" if kind in ("raises", "lowers") else ""
            column = FITS.get(kind, f"{kind}{place}")
            note = "; ".join(filter(None, (cell["document"], seeds)))
            yield value(row, column, cell["number"], unit=unit, note=note, **fields)
