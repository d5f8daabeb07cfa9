"""`measure` in real vectors: how often words without a bias are found, and words with one.

Vectors are GloVe's 50,000 most frequent words, and 13,000 of Google News; and those of two models,
as `measure` reads them. Targets without a bias
are random words, or topics: a word and its nearest neighbours. None of them is a group word or a
near neighbour of one. Occupations have no bias between groups that are unrelated topics. Those with
a bias are the occupations with 70 % of women or more in Winogender's labour statistics; for a
contrast they are set beside those with 20 % or fewer.

A world costs milliseconds, since what worlds of a `Space` have in common is computed once: its
random words, the positions of all words, and the neighbours of all seeds of topics.

`python -m tests.simulations.occupations WITH WITHOUT BETWEEN [NAME ...]` writes the rows of some or
all vectors to `occupations.csv`, which docs/error-rates.md shows.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.random import Generator

from socialbias.commands.measure_model import model_vectors, words_of_several_pieces
from socialbias.commands.subjects import open_subject
from socialbias.embeddings.readers import read_word_vectors, words_in_order
from socialbias.embeddings.static_models import whole_words
from socialbias.embeddings.vectors import WordVectors
from socialbias.embeddings.words.lists import WordLists, lists
from socialbias.measurement.instruments import instrument
from socialbias.measurement.random_words import Baseline, choose_baseline
from socialbias.measurement.topics import (
    TOPICS,
    ControlSets,
    answers,
    contrast,
    enough_alike,
)
from socialbias.measurement.vectors import VectorBias
from socialbias.measures.placebo import NEAR_SDS, SETS, are_near, cohesion
from socialbias.models.loading import tokenizer_of
from socialbias.models.tokenizers import pieces
from socialbias.sources.manifest import parsed
from socialbias.stats.seeding import generator
from socialbias.stats.similarity import unit_rows
from tests.paths import DATA

TABLE = Path(__file__).with_name("occupations.csv")
SOURCES = {"GloVe": "glove-6b-50d", "Google News": "googlenews-wefe-13k"}
MODELS = {"MiniLM": "all-minilm-l6-v2", "SmolLM2": "smollm2/unpacked"}
RANDOM_WORDS = {"MiniLM": 2000, "SmolLM2": 1700}  # of a kind, as many as `measure` takes
PIECES = 4000  # words of a model that are one piece, evenly spread over its vocabulary
WORDS, LEVEL, SEED = 50_000, 0.05, 5
SEEDS = 1000  # of topics: each world chooses 500 of them
SPLITS = 4  # of a vocabulary into words of targets, a third, and random words
WOMEN, MEN = 70, 20  # per cent
NO_SETS = np.empty((0, 1), int)


@cache
def vectors(name: str) -> WordVectors:
    if name in MODELS:
        return of_model(name)
    folder = DATA / SOURCES[name]
    if not (folder / "manifest.json").is_file():
        pytest.skip(f"the data folder has no {SOURCES[name]}: run the quickstart")
    manifest = parsed(folder / "manifest.json")
    words = []
    for word in words_in_order(folder, manifest):
        words.append(word)
        if len(words) == WORDS:
            break
    return read_word_vectors(folder, manifest, words).only(words)


def of_model(name: str) -> WordVectors:
    folder = DATA / MODELS[name]
    if not (folder / "config.json").is_file():
        pytest.skip(f"the data folder has no {MODELS[name]}: run the quickstart")
    tokenizer = tokenizer_of(folder)
    words = [w for w in whole_words(tokenizer.get_vocab()) if w == w.lower() and len(w) > 2]
    words = words[:: len(words) // PIECES + 1]
    words += [*words_of_several_pieces(tokenizer), *occupations(), *lists()["gender"].all]
    return model_vectors(open_subject(folder), list(dict.fromkeys(words)))[0]


def kinds_of(name: str) -> dict[str, int]:
    """Whether words of a model have several pieces; all other vectors' are of one kind."""
    words = vectors(name).words
    if name not in MODELS:
        return dict.fromkeys(words, 1)
    return {w: min(n, 2) for w, n in pieces(tokenizer_of(DATA / MODELS[name]), words).items()}


@cache
def occupations() -> dict[str, float]:
    """The share of women by occupation, in per cent."""
    path = DATA / "winogender-occupations" / "occupations-stats.tsv"
    if not path.is_file():
        pytest.skip("the data folder has no winogender-occupations: run the quickstart")
    with path.open(encoding="utf-8") as file:
        rows = csv.DictReader(file, delimiter="\t")
        return {row["occupation"]: float(row["bls_pct_female"]) for row in rows}


def random_words(name: str, groups: WordLists, targets: Sequence[str], number: int) -> Baseline:
    """Return random words as `measure` draws them for targets, far from words of the groups."""
    every, known = vectors(name), WordLists("t", "targets", {"": tuple(targets)})
    kinds, drawn = kinds_of(name), []
    for kind in sorted({*kinds.values()}):
        words = [word for word in every.words if kinds[word] == kind]
        how = {"number": number, "by_target": False}
        drawn.append(choose_baseline(words, groups, known, None, SEED, **how))
    words = [word for each in drawn for word in each.words]
    near = are_near(every.rows(words), [every.rows(words) for words in known_of(name, groups)])
    words = [word for word, is_near in zip(words, near, strict=True) if not is_near]
    return Baseline(drawn[0].name, words, True, kinds if name in MODELS else drawn[0].kinds)


def known_of(name: str, groups: WordLists) -> list[list[str]]:
    return [vectors(name).known(words) for words in groups.words.values()]


class Neighbours:
    """The words nearest to some seeds, from which topics of any size and coherence are made."""

    def __init__(self, words: np.ndarray, rng: Generator, seeds: int):
        """Sort words (m, d) by their cosines with each seed."""
        self._words = words.astype(np.float32)
        of = rng.choice(len(words), min(seeds, len(words)), replace=False)
        cosines = self._words[of] @ self._words.T
        cosines[np.arange(len(of)), of] = np.inf
        order = (np.argsort(-each).astype(np.uint16) for each in cosines)
        self._nearest = np.stack(list(order))
        self._coherence: dict[int, tuple[list[int], np.ndarray]] = {}

    def topics(
        self, wanted: float, n: int, rng: Generator, far: np.ndarray
    ) -> tuple[np.ndarray, float]:
        """Return topics of far words as `neighbouring_sets` makes them, of 500 of the seeds."""
        if n not in self._coherence:
            ranks = [1, *(1 + 2**i for i in range(16) if 2**i + n <= len(self._words))]
            found = [
                [float(cohesion(self._words[self._at(near, rank, n)])) for rank in ranks]
                for near in self._nearest
            ]
            self._coherence[n] = ranks, np.array(found)
        ranks, coherence = self._coherence[n]
        chosen = rng.permutation(np.flatnonzero(far[self._nearest[:, 0]]))[:SETS]
        best = np.abs(coherence[chosen] - wanted).argmin(axis=1)
        nearest = (row[far[row]] for row in self._nearest[chosen])
        sets = [self._at(row, ranks[j], n) for row, j in zip(nearest, best, strict=True)]
        found = cohesion(self._words[np.array(sets)])
        return enough_alike(np.array(sets), found, wanted)

    def _at(self, nearest: np.ndarray, rank: int, n: int) -> np.ndarray:
        return np.append(nearest[0], nearest[rank : rank + n - 1])


class Space:
    """Some vectors with groups: words of which targets are made, and random words."""

    def __init__(self, name: str, groups: WordLists, targets: Sequence[str], seeds: int = SEEDS):
        every, self._measure = vectors(name), instrument("position", len(groups.words))
        random = random_words(name, groups, targets, RANDOM_WORDS.get(name, 10_000))
        self.targets = {word: i for i, word in enumerate(targets)}
        known = known_of(name, groups)
        bias = VectorBias(every, targets, known, self._measure, random=random)
        self._values, self._others = bias.values, bias.biases(random.words)
        self._units, words = bias.units(targets, random.words)
        rng = generator(SEED, "seeds", name, *groups.words, *targets[:3])
        self._neighbours, self._all = Neighbours(words, rng, seeds), np.ones(len(words), bool)

    def random(self, rng: Generator, n: int) -> list[str]:
        return rng.choice([*self.targets], n, replace=False).tolist()

    def topic(self, rng: Generator, n: int) -> list[str]:
        words, units = [*self.targets], self._units
        nearest = np.argsort(-(units @ units[rng.integers(len(units))]))
        return [words[i] for i in nearest[:n]]

    def asked(self, targets: Sequence[str], rng: Generator) -> dict[str, float]:
        """Return the p-value of each question, NaN where too few topics are as coherent."""
        at = [self.targets[word] for word in targets]
        wanted = float(cohesion(self._units[at]))
        topics, found = self._neighbours.topics(wanted, len(at), rng, self._all)
        controls = ControlSets(topics, NO_SETS, (wanted, found))
        found = answers(self._values[at], self._others, controls, self._measure)
        return {each.question: each.p_value for each in found if each.among == TOPICS}

    def contrasted(self, sides: Sequence[Sequence[str]], rng: Generator) -> dict[str, float]:
        values = [self._values[[self.targets[word] for word in words]] for words in sides]
        return {"contrast": contrast(*values, rng).p_value}


def groups_in_use() -> dict[str, WordLists]:
    packaged = lists()
    race = packaged["race"].words
    two = WordLists("race-two", "groups", {name: race[name] for name in ("white", "asian")})
    return {
        "women and men, 8 words": packaged["gender"],
        "women and men, 20 words": packaged["gender-appendix"],
        "two races, 20 words": two,
        "three races, 20 words": packaged["race"],
        "three religions, 5 words": packaged["religion"],
    }


UNRELATED = {
    "two topics, 8 words": (2, 8),
    "two topics, 20 words": (2, 20),
    "three topics, 8 words": (3, 8),
}


def of_gender(name: str, least: float, most: float) -> list[str]:
    known = vectors(name).known(occupations())
    return [word for word in known if least <= occupations()[word] <= most]


def without_bias(name: str, groups: str, worlds: int) -> Iterator[dict]:
    """Yield p-values of random words and of topics; each split of the vocabulary has a share."""
    chosen, every = groups_in_use()[groups], vectors(name)
    eligible = random_words(name, chosen, every.words[:: len(every.words) // 50], len(every.words))
    for split in range(SPLITS):
        rng = generator(SEED, name, groups, split)
        own = rng.permutation(eligible.words)[: len(eligible.words) // 3].tolist()
        space = Space(name, chosen, own)
        for n in (5, 12, 30):
            for _ in range(worlds // SPLITS):
                made = {"random words": space.random(rng, n), "topics": space.topic(rng, n)}
                for kind, words in made.items():
                    yield {"targets": kind, "n": n} | space.asked(words, rng)


class Axes:
    """Occupations and random words, whose positions on any axis take a product of matrices."""

    def __init__(self, name: str, targets: Sequence[str]):
        gender = groups_in_use()["women and men, 8 words"]
        random = random_words(name, gender, targets, 10_000)
        rows = vectors(name).rows([*random.words, *targets])
        self.many, self._rows = len(random.words), rows - rows[: len(random.words)].mean(axis=0)
        self._units = unit_rows(self._rows)
        self._kinds = np.array([random.kinds.get(w, 0) for w in (*random.words, *targets)])
        words = self._units[: self.many]
        self._neighbours = Neighbours(words, generator(SEED, "seeds", name), SEEDS)

    def topic(self, rng: Generator, n: int) -> np.ndarray:
        """Return the places of a random word and its nearest neighbours."""
        words = self._units[: self.many]
        return np.argsort(-(words @ words[rng.integers(self.many)]))[:n]

    def near(self, groups: Sequence[np.ndarray]) -> np.ndarray:
        """Return which words are near a word of the groups, as `are_near` does."""
        cosines = self._units @ self._units[np.concatenate(groups)].T
        words = cosines[: self.many]
        return (cosines > words.mean(axis=0) + NEAR_SDS * words.std(axis=0)).any(axis=1)

    def asked(
        self, groups: Sequence[np.ndarray], sets: Sequence[np.ndarray], rng: Generator
    ) -> Iterator[dict[str, float]]:
        """Yield the p-value of each question for each set of targets, as `Space.asked` does."""
        means, far = np.stack([self._rows[at].mean(axis=0) for at in groups]), ~self.near(groups)
        span = np.linalg.svd(means - means.mean(axis=0), full_matrices=False)[2][: len(means) - 1]
        cosines, values = self._units @ span.T, np.empty(len(self._units))
        for kind in np.unique(self._kinds):
            at = self._kinds == kind
            random = cosines[: self.many][(at & far)[: self.many]]
            apart = cosines[at] - random.mean(axis=0)
            within = np.linalg.inv(np.atleast_2d(np.cov(random.T)))
            values[at] = np.sqrt(np.einsum("ni,ij,nj->n", apart, within, apart))
            if len(groups) == 2:
                values[at] *= np.sign(apart[:, 0])
        place = np.cumsum(far) - 1
        others, measure = values[: self.many][far[: self.many]], instrument("position", len(groups))
        for targets in sets:
            wanted = float(cohesion(self._units[targets]))
            topics, found = self._neighbours.topics(wanted, len(targets), rng, far[: self.many])
            controls = ControlSets(place[topics], NO_SETS, (wanted, found))
            asked = answers(values[targets], others, controls, measure)
            yield {each.question: each.p_value for each in asked if each.among == TOPICS}


def between_topics(name: str, groups: str, worlds: int) -> Iterator[dict]:
    """Yield p-values of occupations, each world between other unrelated topics.

    Occupations that are near a word of these are left out, as random words near it are: where
    all are near *tycoon*, they have a bias.
    """
    known, (many, size) = vectors(name).known(occupations()), UNRELATED[groups]
    axes, rng = Axes(name, known), generator(SEED, name, groups)
    for _ in range(worlds):
        made = [axes.topic(rng, size) for _ in range(many)]
        far = axes.many + np.flatnonzero(~axes.near(made)[axes.many :])
        sets = [rng.choice(far, n, replace=False) for n in (5, 12, 30) if n <= len(far)]
        for targets, found in zip(sets, axes.asked(made, sets, rng), strict=True):
            yield {"targets": "occupations", "n": len(targets)} | found


def with_bias(name: str, worlds: int) -> Iterator[dict]:
    """Yield p-values of occupations of women and of men between women and men."""
    women, men = of_gender(name, WOMEN, 100), of_gender(name, 0, MEN)
    gender = groups_in_use()["women and men, 8 words"]
    space, rng = Space(name, gender, vectors(name).known(occupations())), generator(SEED, name)
    for _ in range(worlds):
        for kind, words in (("occupations of women", women), ("occupations of men", men)):
            for n in (5, 8, min(12, len(words))):
                drawn = rng.choice(words, n, replace=False).tolist()
                yield {"targets": kind, "n": n} | space.asked(drawn, rng)
        sides = [rng.choice(words, 8, replace=False).tolist() for words in (women, men)]
        yield {"targets": "occupations of women, and of men", "n": 8} | space.contrasted(sides, rng)


def rates(with_: int, without: int, between: int, names: Sequence[str]) -> Iterator[dict]:
    """Yield how often each question is answered at .05, in so many worlds of each kind."""
    for name in names:
        some = 1 if name in MODELS else None  # of the groups
        parts = [("women and men, 8 words", with_bias(name, with_))]
        parts += [(key, without_bias(name, key, without)) for key in [*groups_in_use()][:some]]
        parts += [(key, between_topics(name, key, between)) for key in [*UNRELATED][:some]]
        for groups, found in parts:
            for (kind, n), table in pd.DataFrame(found).groupby(["targets", "n"], sort=False):
                for question in table.columns[2:]:
                    p = table[question].dropna()
                    if len(p):
                        yield {
                            "vectors": name,
                            "groups": groups,
                            "targets": kind,
                            "n": n,
                            "question": question,
                            "worlds": len(p),
                            "found": int((p <= LEVEL).sum()),
                        }


if __name__ == "__main__":
    names = sys.argv[4:] or [*SOURCES, *MODELS]
    before = pd.read_csv(TABLE)
    rows = before[~before["vectors"].isin(names)].to_dict("records")
    for row in rates(*map(int, sys.argv[1:4]), names):
        rows.append(row)
        print(*row.values(), flush=True)
        pd.DataFrame(rows).to_csv(TABLE, index=False, lineterminator="\n")
