"""`measure` in real vectors: how often words without a bias are found, and words with one.

Vectors are GloVe's 50,000 most frequent words, and 13,000 of Google News. Targets without a bias
are random words, or topics: a word and its nearest neighbours, which contain no group word and no
near neighbour of one. Occupations have none between unrelated groups: random words, or topics.
Those with a bias are the occupations with 70 % of women or more in Winogender's labour statistics;
for a contrast they are set beside those with 20 % or fewer.

`python -m tests.simulations.occupations` writes `occupations.csv`, which docs/error-rates.md
shows.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.random import Generator

from socialbias.embeddings.readers import read_word_vectors, words_in_order
from socialbias.embeddings.vectors import WordVectors
from socialbias.embeddings.words.lists import WordLists, lists
from socialbias.measurement.instruments import instrument
from socialbias.measurement.random_words import Baseline, choose_baseline
from socialbias.measurement.topics import TOPICS, answers, contrast
from socialbias.measurement.vectors import VectorBias
from socialbias.measures.placebo import are_near
from socialbias.sources.manifest import parsed
from socialbias.stats.seeding import generator
from socialbias.stats.similarity import unit_rows
from tests.paths import DATA

TABLE = Path(__file__).with_name("occupations.csv")
SOURCES = {"GloVe": "glove-6b-50d", "Google News": "googlenews-wefe-13k"}
WORDS, AXES, LEVEL, SEED = 50_000, 20, 0.05, 5
WOMEN, MEN = 70, 20  # per cent


@cache
def vectors(name: str) -> WordVectors:
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


@cache
def occupations() -> dict[str, float]:
    """The share of women by occupation, in per cent."""
    path = DATA / "winogender-occupations" / "occupations-stats.tsv"
    if not path.is_file():
        pytest.skip("the data folder has no winogender-occupations: run the quickstart")
    with path.open(encoding="utf-8") as file:
        rows = csv.DictReader(file, delimiter="\t")
        return {row["occupation"]: float(row["bls_pct_female"]) for row in rows}


@dataclass(frozen=True)
class Space:
    """Some vectors with groups, and the words of which targets without a bias are made."""

    name: str
    groups: WordLists

    @cached_property
    def known(self) -> list[list[str]]:
        return [vectors(self.name).known(words) for words in self.groups.words.values()]

    @cached_property
    def eligible(self) -> list[str]:
        """Words as `measure` draws them, far from group words."""
        every = vectors(self.name)
        drawn = self.beside(every.words, every.words[:: len(every.words) // 50], len(every.words))
        return drawn.words

    def beside(self, vocabulary: Sequence[str], targets: Sequence[str], number: int) -> Baseline:
        """Return the random words that `measure` sets beside some targets."""
        targets = WordLists("t", "targets", {"": tuple(targets)})
        drawn = choose_baseline(
            vocabulary, self.groups, targets, None, SEED, number=number, by_target=False
        )
        every = vectors(self.name)
        near = are_near(every.rows(drawn.words), [every.rows(words) for words in self.known])
        words = [word for word, is_near in zip(drawn.words, near, strict=True) if not is_near]
        return Baseline(drawn.name, words, True, drawn.kinds)

    @cached_property
    def _units(self) -> np.ndarray:
        rows = vectors(self.name).rows(self.eligible)
        return unit_rows(rows - rows.mean(axis=0))

    def random(self, rng: Generator, n: int) -> list[str]:
        return [self.eligible[i] for i in rng.choice(len(self.eligible), n, replace=False)]

    def topic(self, rng: Generator, n: int) -> list[str]:
        nearest = np.argsort(-(self._units @ self._units[rng.integers(len(self.eligible))]))
        return [self.eligible[i] for i in nearest[:n]]

    def asked(self, targets: Sequence[str], number: int = 10_000) -> dict[str, float]:
        """Return the p-value of each question, NaN where too few topics are as coherent."""
        every = vectors(self.name)
        random = self.beside(every.words, targets, number)
        measure = instrument("position", len(self.known))
        bias = VectorBias(every, targets, self.known, measure, random=random)
        rng = generator(SEED, "topics", *targets)
        topics, besides = bias.topics(targets, random.words, rng)
        found = answers(bias.values, bias.biases(random.words), topics, measure, besides)
        return {each.question: each.p_value for each in found if each.among == TOPICS}

    def contrasted(self, first: Sequence[str], second: Sequence[str]) -> dict[str, float]:
        every = vectors(self.name)
        random = self.beside(every.words, [*first, *second], 10_000)
        measure = instrument("position", len(self.known))
        bias = VectorBias(every, [*first, *second], self.known, measure, random=random)
        values = np.split(bias.values, [len(first)])
        return {"contrast": contrast(*values, generator(SEED, "contrast", *first)).p_value}


@cache
def gender(name: str) -> Space:
    return Space(name, lists()["gender"])


@cache
def unrelated(name: str, k: int, axis: int) -> Space:
    """Two topics of k words as groups."""
    rng, every = generator(SEED, "axis", k, axis), gender(name)
    groups = {"a": tuple(every.topic(rng, k)), "b": tuple(every.topic(rng, k))}
    return Space(name, WordLists("g", "groups", groups))


def of_gender(name: str, least: float, most: float) -> list[str]:
    known = vectors(name).known(occupations())
    return [word for word in known if least <= occupations()[word] <= most]


def cases() -> Iterator[tuple[str, str, int, Callable[[Generator], dict[str, float]]]]:
    """Yield vectors, what the targets are, how many, and what one world gives."""
    for name in SOURCES:
        for n in (5, 12, 30):
            yield (
                name,
                "random words",
                n,
                lambda rng, s=name, n=n: gender(s).asked(gender(s).random(rng, n)),
            )
            yield (
                name,
                "topics",
                n,
                lambda rng, s=name, n=n: gender(s).asked(gender(s).topic(rng, n)),
            )
            for k in (8, 20):
                yield (
                    name,
                    f"occupations between topics of {k}",
                    n,
                    lambda rng, s=name, n=n, k=k: unrelated(s, k, int(rng.integers(AXES))).asked(
                        rng.choice(vectors(s).known(occupations()), n, replace=False)
                    ),
                )
        for n in (5, 8, 12):
            yield (
                name,
                "occupations of women",
                n,
                lambda rng, s=name, n=n: gender(s).asked(
                    rng.choice(of_gender(s, WOMEN, 100), n, replace=False)
                ),
            )
        yield (
            name,
            "occupations of men",
            8,
            lambda rng, s=name: gender(s).asked(rng.choice(of_gender(s, 0, MEN), 8, replace=False)),
        )
        yield (
            name,
            "occupations of women and of men",
            8,
            lambda rng, s=name: gender(s).contrasted(
                *(
                    rng.choice(of_gender(s, *of), 8, replace=False)
                    for of in ((WOMEN, 100), (0, MEN))
                )
            ),
        )


def rates(worlds: int) -> Iterator[dict]:
    """Yield how often each question is answered at .05, over so many worlds."""
    for name, targets, n, world in cases():
        rng = generator(SEED, name, targets, n)
        table = pd.DataFrame([world(rng) for _ in range(worlds)])
        for question in table:
            found = float((table[question] <= LEVEL).mean())
            about = {"vectors": name, "targets": targets, "n": n, "worlds": worlds}
            yield about | {"question": question, "found": found}


if __name__ == "__main__":
    rows = []
    for row in rates(int(sys.argv[1])):
        rows.append(row)
        print(*row.values(), flush=True)
        pd.DataFrame(rows).round(4).to_csv(TABLE, index=False, lineterminator="\n")
