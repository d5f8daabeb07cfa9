"""What the artefacts of this paper read: corpora with bootstrapped vectors, and seed sets.

Also what they share: which seeds a model has, and how numbers of several models become one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from socialbias.corpora import prepared as prepared_corpus
from socialbias.embeddings.vectors import WordVectors
from socialbias.measures.datasets.seeds import read_seeds
from socialbias.papers.evidence import estimated
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.sources.manifest import only_file, read_manifest
from socialbias.stats.draws import over_replicates
from socialbias.stats.heterogeneity import between
from socialbias.stats.intervals import student, two_sided_p

# Models that are not trained here: as a corpus is called, the vectors.
PRETRAINED = {"google-news": "vectors/seeds/word2vec", "glove": "vectors/seeds/glove"}
FEWEST_SEEDS = 3  # distinct words that a set must have in the vocabulary (issue 5, part 4)
SMALLEST_SHARE = 0.5  # of a set that must be in the vocabulary
GOOD, BAD = ("good",), ("bad",)  # the attributes of WEAT (section 6)
DDOF = 1  # of the effect size: the sample's standard deviation. The paper reports none


@dataclass(frozen=True)
class Corpus:
    """A corpus, as far as this paper measures it."""

    # Word vectors, one a bootstrap sample of the documents; the same replicate of two corpora
    # stands at the same place. A pretrained model is one of its own.
    models: tuple[WordVectors, ...] = ()
    # How often each word occurs in the whole corpus; empty for a pretrained model.
    counts: Mapping[str, int] = field(default_factory=dict)
    # The most frequent part of speech of each word, in the names of `corpora.tagging`.
    tags: Mapping[str, str] = field(default_factory=dict)
    documents: int = 0  # documents in the corpus


@dataclass(frozen=True)
class SeedSet:
    """One seed set, ready to look up."""

    # Its words in lower case, in the order of publication, with "" in place of what is no unigram:
    # partners of two paired lists stand at the same place. A word may stand twice.
    listed: tuple[str, ...]
    category: str = ""  # what its words mean, as its publication says, such as `definitional male`

    @property
    def words(self) -> tuple[str, ...]:
        """The unigrams alone."""
        return unigrams(self.listed)


def printed_sets(lists: Mapping) -> pd.DataFrame:
    """Return the sets that the paper prints as a table like the gathered one, marked `printed`."""
    table = pd.DataFrame(lists["sets"]).rename(columns={"words": "seeds"})
    for column in ("source_categories", "seeds"):
        table[column] = table[column].map(tuple)
    return table.assign(documented=True, printed=True)


def seed_sets(table: pd.DataFrame) -> dict[str, SeedSet]:
    """Seed sets by id."""
    sets = zip(table["id"], table["seeds"], table["category"], strict=True)
    return {name: SeedSet(in_places(seeds), category) for name, seeds, category in sets if seeds}


def unigrams(words: Iterable[str]) -> tuple[str, ...]:
    """Return the single words in lower case, as the paper does, which leaves bigrams out."""
    return tuple(filter(None, in_places(words)))


def in_places(words: Iterable[str]) -> tuple[str, ...]:
    """Return each word in lower case, a bigram as "": one that is dropped moves no partner."""
    clean = (word.strip().lower() for word in words)
    return tuple("" if {" ", "_"} & set(word) else word for word in clean)


def known(model: WordVectors, words: Iterable[str]) -> list[str]:
    """Those of the words that have a vector, repeats kept: they weigh in means and ranks."""
    return [word for word in words if word in model.index]


def rows_of(model: WordVectors, words: Iterable[str]) -> list[int]:
    """Return the rows of words that all have a vector."""
    return [model.index[word] for word in words]


def fewest(model: WordVectors, *sets: Sequence[str]) -> dict[str, int]:
    """Return how many distinct seeds of the weakest set are known: `n` of `n_of`.

    The weakest set is the one with the smallest share of its words in the vocabulary, and among
    equals the shortest: a pair with one empty set must not look half full.
    """
    distinct = [set(words) - {""} for words in sets]
    counts = [(len(words & model.index.keys()), len(words)) for words in distinct]
    n, n_of = min(counts, key=lambda pair: (pair[0] / max(pair[1], 1), pair[0]))
    return {"n": n, "n_of": n_of}


def too_few(n: float, n_of: float) -> str:
    """Return why a number has too few seeds to be judged; "" if it has enough."""
    if n < FEWEST_SEEDS:
        return f"too few: {n:.0f} seeds, fewer than {FEWEST_SEEDS}"
    if n < SMALLEST_SHARE * n_of:
        return f"too few: {n:.0f} of {n_of:.0f} seeds, less than half"
    return ""


def with_enough_seeds(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of evidence with enough of their seeds: the rest of a set is another set."""
    few = [too_few(*counts) for counts in zip(table["n"], table["n_of"], strict=True)]
    return table[np.array([not reason for reason in few], bool)]


def over_models(
    numbers: Iterable[float], level: float, low: float = -np.inf, high: float = np.inf
) -> dict[str, float | NDArray[np.float64]]:
    """Return one number from those of bootstrapped models, with an interval over corpora."""
    array = np.asarray(list(numbers), dtype=float)
    known = array[~np.isnan(array)]
    k, mean = len(known), float(known.mean()) if len(known) else np.nan
    fields = {"value": mean, "replicates": array, "ci_low": np.nan, "ci_high": np.nan}
    if k > 1:
        reach = student(level, k - 1) * known.std(ddof=1) * np.sqrt(1 + 1 / k)
        fields |= {"ci_low": max(low, mean - reach), "ci_high": min(high, mean + reach)}
    return fields | {"draws": np.clip(over_replicates(array), low, high)}


def mean_over_models(
    row: str,
    column: str,
    numbers: Iterable[float],
    level: float,
    unit: str,
    bounds: tuple[float, float] = (-np.inf, np.inf),
    **fields,
) -> list[dict]:
    """Return the record of a mean over models (`over_models`), in a list; [] without a number."""
    fields = over_models(numbers, level, *bounds) | fields
    mean = fields.pop("value")
    return [] if np.isnan(mean) else [value(row, column, mean, unit=unit, **fields)]


def counted_in_part(cells: pd.DataFrame) -> str:
    """Return why a count of seed sets cannot be judged; "" where all sets are there."""
    return "counted in the sets that the paper prints alone" * bool(cells["printed"].iloc[0])


def sign_p(numbers: Iterable[float]) -> float:
    """Return the two-sided p-value of a mean over models being 0; NaN with fewer than two."""
    known = np.asarray([number for number in numbers if not np.isnan(number)], dtype=float)
    k = len(known)
    if k < 2 or np.ptp(known) == 0:
        return np.nan
    return two_sided_p(known.mean() / (known.std(ddof=1) * np.sqrt(1 + 1 / k)), k - 1)


def records_of(
    row: str,
    column: str,
    cells: pd.DataFrame,
    name: str,
    level: float,
    unit: str,
    bounds: tuple[float, float] = (-np.inf, np.inf),
) -> list[dict]:
    """Return the value of evidence with a row for each model: a list of one record, or of none."""
    n, n_of = cells["n"].min(), cells["n_of"].max()
    fields = {"n": n, "n_of": n_of, "n_unit": "seeds", "note": too_few(n, n_of)}
    if fields["note"]:
        fields["replicates"] = np.nan  # the rest of a set is another set
    return mean_over_models(row, column, by_model(cells, name), level, unit, bounds, **fields)


def between_sets(row: str, column: str, cells: pd.DataFrame, name: str, unit: str) -> list[dict]:
    """Return how much seed sets differ beyond the noise of the corpus: one record, or none.

    The standard deviation of `stats.heterogeneity.between`. Whether one set's number differs from 0
    and another's does not is another question: that may be so without any difference between them.
    """
    grid = with_enough_seeds(cells).pivot_table(index="row", columns="model", values=name).dropna()
    if min(grid.shape) < 2:
        return []
    result = between(grid.to_numpy(), f"{row} {column}")
    counts = {"n": len(grid), "n_of": cells["row"].nunique(), "n_unit": "seed sets"}
    return [value(row, column, result.value, unit=unit, **estimated(result), **counts)]


def by_model(cells: pd.DataFrame, name: str) -> pd.Series:
    """Return a column of numbers in the order of the models, NaN for a model that has none."""
    numbers = cells.groupby("model")[name].mean()  # small vocabularies repeat a word
    return numbers.reindex(range(int(numbers.index.max()) + 1))


def read_corpus(
    models: Sequence[Path], prepared: Path | None = None, tags: Path | None = None
) -> Corpus:
    """Return a corpus from what preparing, training and tagging wrote."""
    vectors = tuple(WordVectors.load(folder) for folder in models)
    if prepared is None:
        return Corpus(vectors)
    corpus = prepared_corpus.Corpus.load(prepared)
    counts = dict(zip(corpus.words, corpus.counts.tolist(), strict=True))
    by_word = pd.read_parquet(tags).set_index("word")["tag"].to_dict() if tags else {}
    return Corpus(vectors, counts, by_word, corpus.size)


def read_corpora(job: Job) -> dict[str, Corpus]:
    """Return the corpora among a job's inputs, by name with `-` for `_`."""
    corpora = {}
    for corpus in (name for name in job.below("corpus/") if "/" not in name):
        name = f"corpus/{corpus}"
        models = [path.parent for path in job.files[f"{name}/models"]]
        tags = job.path(f"{name}/tags") if f"{name}/tags" in job else None
        corpora[corpus.replace("_", "-")] = read_corpus(models, job.path(name).parent, tags)
    for corpus in job.below("prepared/"):
        folder = job.path(f"prepared/{corpus}").parent
        corpora[corpus.replace("_", "-")] = read_corpus([], folder)
    for name, vectors in PRETRAINED.items():
        if vectors in job:
            corpora[name] = read_corpus([job.path(vectors) / "seeds"])
    return corpora


def read_sets(job: Job, role: str = "gathered_seeds") -> pd.DataFrame:
    """Return the gathered seed sets, or without them those that the paper prints."""
    if role not in job:
        return printed_sets(job.word_lists("bad_seeds"))
    folder, manifest = read_manifest(job.path(role))
    return read_seeds(only_file(folder, manifest))


def seed_words(lists: Mapping, sets: Mapping[str, SeedSet]) -> list[str]:
    """Return what a pretrained model is asked for: every seed that may be measured in it."""
    words = [lists["unpleasantness"], *(seeds.listed for seeds in sets.values())]
    words += [entry["words"] for entry in lists["sets"]]
    for pair in lists["pairs"].values():
        for order in (pair, pair.get("shuffled", {})):
            words += [order.get(side, ()) for side in ("first", "second")]
    return sorted(set().union(*map(unigrams, words)))


def read_versions(job: Job) -> dict[str, pd.DataFrame]:
    """Return the versions of the gathered seed sets: "" (the paper's) and, if there, `newest`."""
    versions = {"": read_sets(job)}
    if "gathered_seeds_newest" in job:
        versions["newest"] = read_sets(job, "gathered_seeds_newest")
    return versions
