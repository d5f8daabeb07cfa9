"""`measure` in real texts: how often words without a bias are found, and occupations of women.

Texts are WikiText-2 and 12,500 film reviews, as the quickstart prepares them. Targets without a
bias are random words with 20 contexts or more, or topics: a word and its nearest neighbours. All
are compared as `measure` compares them; what worlds have in common is computed once.

`python -m tests.simulations.texts CORPORA WORLDS` writes `texts.csv`, which docs/error-rates.md
shows, from the folder `results/quickstart/corpora`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.random import Generator

from socialbias.corpora.prepared import Corpus
from socialbias.embeddings.words.lists import lists
from socialbias.measurement.random_words import IN_TEXTS, NAMES
from socialbias.measurement.texts import (
    FEWEST_CONTEXTS,
    GroupShares,
    contexts_with_groups,
    in_as_many_contexts,
    window_of,
)
from socialbias.measurement.topics import TOPICS, ControlSets, answers, enough_alike
from socialbias.measures.placebo import MIN_LETTERS, SETS, as_frequent
from socialbias.measures.registry import MEASURES
from socialbias.stats.seeding import generator
from tests.simulations.occupations import LEVEL, NO_SETS, SEED, WOMEN, occupations

TABLE = Path(__file__).with_name("texts.csv")
TEXTS = {"WikiText-2": "wikitext", "film reviews": "goodreads_romance"}


class Text:
    """A text with two groups: the contexts of all frequent words, and how alike these are."""

    def __init__(self, corpus: Corpus):
        groups = lists()["gender"]
        own = {word.lower() for word in (*groups.all, *lists()[NAMES].all)}
        words = [
            word
            for word in corpus.words[: corpus.bound(FEWEST_CONTEXTS // 2)]
            if word.isalpha() and word.islower() and len(word) >= MIN_LETTERS and word not in own
        ]
        [table] = contexts_with_groups(corpus, [groups], words, window_of(corpus), "")
        counts = GroupShares(*table, [*words, "every"], 0.95)
        often = [
            word
            for word, n in zip(counts.names, counts.shares.n.tolist(), strict=True)
            if n >= FEWEST_CONTEXTS and word != "every"
        ]
        counts = counts.only(often)
        ranks = {word: i for i, word in enumerate(corpus.words)}
        self.words, self.contexts = counts.names, counts.shares.n
        self._values = counts.shares.share[:, 0] - 0.5
        self._ranks = np.array([ranks[word] for word in self.words])
        profiles = counts.profiles().astype(np.float32)
        self._cosines = profiles @ profiles.T
        np.fill_diagonal(self._cosines, 1)
        order = (np.argsort(-row).astype(np.uint16) for row in self._cosines)
        self._nearest = np.stack(list(order))

    def topic(self, rng: Generator, n: int) -> np.ndarray:
        return self._nearest[rng.integers(len(self.words)), :n].astype(int)

    def asked(self, targets: np.ndarray, rng: Generator) -> dict[str, float]:
        """Return the p-value of each question, NaN where too few topics are as coherent."""
        free = np.setdiff1d(np.arange(len(self.words)), targets)
        ranks = np.sort(self._ranks[targets])
        drawn = as_frequent(self._ranks[free], ranks, IN_TEXTS, rng)
        words = np.sort(np.searchsorted(self._ranks, drawn)[:IN_TEXTS])
        words = words[in_as_many_contexts(self.contexts[words], self.contexts[targets], rng)]
        wanted = float(_cohesion(self._cosines[np.ix_(targets, targets)]))
        topics, found = self._topics(words, wanted, len(targets), rng)
        controls = ControlSets(topics, NO_SETS, (wanted, found))
        found = answers(self._values[targets], self._values[words], controls, MEASURES["directed"])
        return {each.question: each.p_value for each in found if each.among == TOPICS}

    def _topics(self, words: np.ndarray, wanted: float, n: int, rng: Generator):
        """Return topics of words as `neighbouring_sets` makes them."""
        there = np.zeros(len(self.words), bool)
        there[words] = True
        place = np.cumsum(there) - 1  # of a word among these, which are in order
        order = self._nearest[rng.choice(words, SETS)]
        nearest = order[there[order]].reshape(SETS, -1)
        sets, coherence = np.zeros((SETS, n), int), np.full(SETS, np.inf)
        for rank in [1, *(1 + 2**i for i in range(32) if 2**i + n <= len(words))]:
            at = np.c_[nearest[:, 0], nearest[:, rank : rank + n - 1]]
            found = _cohesion(self._cosines[at[:, :, None], at[:, None, :]])
            better = np.abs(found - wanted) < np.abs(coherence - wanted)
            sets[better], coherence[better] = place[at[better]], found[better]
        return enough_alike(sets, coherence, wanted)


def _cohesion(cosines: np.ndarray) -> np.ndarray:
    n = cosines.shape[-1]
    return (cosines.sum(axis=(-2, -1)) - n) / (n * (n - 1))


def worlds(text: Text, name: str, number: int) -> Iterator[dict]:
    """Yield p-values of random words, of topics, and of occupations of women."""
    women = [word for word, share in occupations().items() if share >= WOMEN]
    known, rng = np.flatnonzero(np.isin(text.words, women)), generator(SEED, name)
    for _ in range(number):
        for n in (5, 12, 30):
            random = rng.choice(len(text.words), n, replace=False)
            yield {"targets": "random words", "n": n} | text.asked(random, rng)
            yield {"targets": "topics", "n": n} | text.asked(text.topic(rng, n), rng)
        if len(known) > 5:
            drawn = rng.choice(known, 5, replace=False)
            yield {"targets": "occupations of women", "n": 5} | text.asked(drawn, rng)


def rates(corpora: Path, name: str, number: int) -> Iterator[dict]:
    """Yield how often each question is answered at .05 in the worlds of a text."""
    text = Text(Corpus.load(corpora / TEXTS[name] / "prepared"))
    return counted(name, pd.DataFrame(worlds(text, name, number)))


def counted(name: str, found: pd.DataFrame) -> Iterator[dict]:
    for (kind, n), table in found.groupby(["targets", "n"], sort=False):
        for question in table.columns[2:]:
            p = table[question].dropna()
            row = {"vectors": name, "groups": "women and men, 8 words", "targets": kind}
            row |= {"n": n, "question": question, "worlds": len(p)}
            yield row | {"found": int((p <= LEVEL).sum())}


if __name__ == "__main__":
    folder, number = sys.argv[1:]
    rows = [row for name in TEXTS for row in rates(Path(folder), name, int(number))]
    pd.DataFrame(rows).to_csv(TABLE, index=False, lineterminator="\n")
