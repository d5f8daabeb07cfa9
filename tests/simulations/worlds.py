"""Worlds of every kind of verdict and interval that the artefacts use; `kinds.csv` names them.

Each takes a generator, how much data there are, and the true number. Where a kind has a function in
the library, its world calls it as the artefacts do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import betaincinv, expit, ndtri
from scipy.stats import wasserstein_distance

from socialbias.embeddings.vectors import WordVectors
from socialbias.measurement.instruments import instrument
from socialbias.measurement.vectors import VectorBias
from socialbias.measures.fairness import fairness_draws, predictions
from socialbias.measures.fairness.data import Predictions
from socialbias.measures.weat import effect_size, resampled_effect_sizes
from socialbias.papers import evidence
from socialbias.papers.bad_seeds.figure3 import over_shuffles
from socialbias.papers.bad_seeds.inputs import over_models
from socialbias.papers.evidence import Evidence
from socialbias.papers.fairness.metrics import corrected
from socialbias.papers.trustworthy import table3, table4, table5
from socialbias.papers.trustworthy.directed import Directed, directed, same_contexts
from socialbias.papers.trustworthy.table3 import by_draw
from socialbias.papers.trustworthy.table4 import _rules
from socialbias.papers.trustworthy.table8 import _cell as over_lists
from socialbias.papers.validation.placebo import change_draws
from socialbias.reporting.compare import judge_number, rank_correlation
from socialbias.reporting.statements import FAILS, HOLDS, OPEN
from socialbias.stats.agreement import fleiss_kappa
from socialbias.stats.correlation import (
    midranks,
    paired_spearman,
    rowwise_pearson,
    rowwise_spearman,
    spearman_test,
)
from socialbias.stats.draws import (
    as_many,
    permutations,
    resamples,
)
from socialbias.stats.heterogeneity import between
from socialbias.stats.intervals import two_sided_p
from socialbias.stats.multiplicity import combined_p, holm, max_t
from socialbias.stats.reliability import Reliability
from tests.records import summarised
from tests.simulations.simulate import Number, Outcome

LEVEL = 0.95
Array = NDArray[np.float64]
GENDER = ("female", "male")


def of(record: Mapping, truth: float = np.nan) -> Number:
    """A record of values as a number of a world."""
    ends = (record.get("ci_low", np.nan), record.get("ci_high", np.nan))
    return Number(record["value"], record["draws"], *ends, truth)


def replicated(rng: Generator, k: int, truths: Sequence[float]) -> Array:
    """Measures (m, k) in k replicates of one corpus; noise of the measures correlates at .5."""
    m = len(truths)
    common, own = rng.standard_normal((1, k + 1)), rng.standard_normal((m, k + 1))
    noise = np.sqrt(0.5) * (common + own)
    return np.asarray(truths)[:, None] + noise[:, :1] + noise[:, 1:]


def modelled(rng: Generator, k: int, truths: Sequence[float]) -> dict[str, Number]:
    """Numbers a, b, c, ... over models."""
    rows = replicated(rng, k, truths)
    return {
        name: of(over_models(row, LEVEL), truth)
        for name, row, truth in zip("abcdefgh", rows, truths, strict=False)
    }


def one_of_models(rng: Generator, n: int, truth: float) -> dict[str, Number]:
    return modelled(rng, n, [truth])


def two_of_models(rng: Generator, n: int, truth: float) -> dict[str, Number]:
    return modelled(rng, n, [truth, 0.0])


def one_or_other(rng: Generator, n: int, truth: float) -> dict[str, Number]:
    return modelled(rng, n, [truth, truth])


def two_reaches(rng: Generator, n: int, truth: float) -> dict[str, Number]:
    """Four numbers between 0 and what is asked for, and four between 0 and 6."""
    return modelled(rng, n, [*np.linspace(0, truth, 4), *np.linspace(0, 6, 4)])


def eight_of_models(rng: Generator, n: int, truth: float, sure: int) -> dict[str, Number]:
    """Eight numbers, of which the first are far above 0 and the others what is asked for."""
    return modelled(rng, n, [20.0] * sure + [truth] * (8 - sure))


ONE, OTHER = (f"[value(n) for n in {list(names)}]" for names in ("abcd", "efgh"))


# How much numbers differ, beyond noise.
def heterogeneous(rng: Generator, n: int, truth: float, sets: int, others: int = 0) -> dict:
    """The deviation of seed sets over n models; of others too, whose deviation is 2."""
    found = {}
    for name, s, deviation in (("a", sets, truth), ("b", others, 2.0)):
        if s:
            truths = deviation * rng.standard_normal(s)
            grid = between(replicated(rng, n, truths), f"simulated {name}")
            found[name] = Number(grid.value, grid.draws, grid.low, grid.high, deviation)
    return found


def normal(rng: Generator, n: int, correlations: Array) -> Array:
    """(k, n) normal numbers with these correlations."""
    return np.linalg.cholesky(correlations) @ rng.standard_normal((len(correlations), n))


def pearson_of(rho: float) -> float:
    """Pearson's correlation of normal numbers of which Spearman's is rho."""
    return float(2 * np.sin(np.pi * rho / 6))


def spearman_of(x: Array, y: Array, rho: float) -> Number:
    found = paired_spearman(x, y, [f"unit {i}" for i in range(len(x))], LEVEL, 1)
    return Number(found.value, found.draws, found.low, found.high, rho)


def correlated(rng: Generator, n: int, truth: float) -> dict[str, Number]:
    r = pearson_of(truth)
    x, y = normal(rng, n, np.array([[1, r], [r, 1]]))
    return {"a": spearman_of(x, y, truth)}


def two_correlated(rng: Generator, n: int, truth: float) -> dict[str, Number]:
    """Two measures' correlations with the same third thing; the measures correlate at .7."""
    rhos = 0.45 + truth / 2, 0.45 - truth / 2
    r, s = map(pearson_of, rhos)
    x, y, z = normal(rng, n, np.array([[1, 0.7, r], [0.7, 1, s], [r, s, 1]]))
    return {"a": spearman_of(x, z, rhos[0]), "b": spearman_of(y, z, rhos[1])}


def of_shuffles(rng: Generator, n: int, truth: float) -> dict[str, Number]:
    """The share of n random shuffles in which something is true of the fraction `truth` of all."""
    share = rng.binomial(n, truth) / n
    fields = over_shuffles("a", share, n, LEVEL)
    return {"a": Number(share, fields["draws"], fields["ci_low"], fields["ci_high"], truth)}


def text_of(rng: Generator, truths: Sequence[float], n: int) -> Directed:
    """Shares less one half of targets in n documents, of one to six contexts each.

    Documents differ, and in each all targets lean the same way from what they are in truth.
    """
    parts, lean = [], rng.uniform(size=n)
    for name, truth in zip("ab", truths, strict=False):
        mean = truth + 0.5
        size = 1 + rng.binomial(5, 0.3, n)
        women = rng.binomial(size, betaincinv(4 * mean, 4 * (1 - mean), lean))
        about = {"target": name, "document": np.arange(n)}
        parts.append(pd.DataFrame(about | {"female": women, "male": size - women}))
    return directed(pd.concat(parts, ignore_index=True), LEVEL, "text")


def in_text(rng: Generator, n: int, truths: Sequence[float]) -> dict[str, Number]:
    """Targets that share their documents."""
    found = text_of(rng, truths, n)
    ends = zip(found.observed, found.drawn.T, found.low, found.high, truths, strict=True)
    return {name: Number(*numbers) for name, numbers in zip("ab", ends, strict=False)}


def shared(rng: Generator, n: int, truth: float) -> dict[str, Number]:
    return in_text(rng, n, [truth])


def two_shared(rng: Generator, n: int, truth: float) -> dict[str, Number]:
    return in_text(rng, n, [truth, 0.1])


def same_seen(rng: Generator, n: int, truth: float) -> dict[str, Number]:
    """By how much a probe gives more contexts to women than are about them: three a document.

    It takes a fifth of women's contexts for men's, and as many the other way, or more by the truth.
    """
    documents = np.repeat(np.arange(n), 3)
    women = rng.uniform(size=3 * n) < np.repeat(rng.beta(2.4, 1.6, n), 3)
    errs = rng.uniform(size=3 * n) < np.where(women, 0.2, 0.3 + truth / 0.4)
    sides = []
    for labels in (women ^ errs, women):
        counts = {"female": np.bincount(documents, labels), "male": np.bincount(documents, ~labels)}
        table = pd.DataFrame({"target": "a", "document": np.arange(n)} | counts)
        sides.append(directed(table, LEVEL, "text"))
    found = same_contexts(*sides, LEVEL)
    return {"a": Number(found.value[0], found.draws[:, 0], found.low[0], found.high[0], truth)}


def by_rule(rng: Generator, n: int, truth: float) -> dict[str, Number]:
    """Recall of a rule and its precision, two contexts a document."""
    size = 2 * n
    kinds = np.array([*GENDER, "none"])
    human = rng.choice(3, size, p=[0.4, 0.3, 0.3])
    right = rng.uniform(size=size) < np.repeat(rng.beta(8 * truth, 8 * (1 - truth), n), 2)
    automated = np.where(right, human, (human + rng.integers(1, 3, size)) % 3)
    own = {"document": np.repeat(np.arange(n), 2), "human": kinds[human]}
    own |= {"automated": kinds[automated], "mentioned": kinds[automated]}
    records = {(r["row"], r["column"]): r for r in _rules(pd.DataFrame(own), "x", LEVEL)}
    if len(records) < 8:
        return {}  # a group is in no context
    precision = 0.4 * truth / (0.4 * truth + 0.6 * (1 - truth) / 2)
    return {
        "recall": of(records["recall female", "exclusive@x"], truth),
        "precision": of(records["precision female", "exclusive@x"], precision),
    }


RANKS = {  # Spearman's correlation of these ranks with 0 to 7
    0.762: (1, 3, 0, 2, 4, 7, 5, 6),
    0.381: (3, 5, 0, 2, 7, 1, 4, 6),
    0.976: (1, 0, 2, 3, 4, 5, 6, 7),
}


def by_people(rng: Generator, n: int, truth: float) -> dict[str, Number]:
    """Bias of eight targets by people and by a rule, in n documents of two contexts each."""
    [(rho, ranks)] = [pair for pair in RANKS.items() if abs(pair[0] - truth) < 0.01]
    parts = []
    for i, other in enumerate(ranks):
        labels = {}
        for side, place in (("human", i), ("automated", other)):
            share = 0.1 + 0.8 * place / 7
            chance = np.repeat(rng.beta(4 * share, 4 * (1 - share), n), 2)
            labels[side] = np.where(rng.uniform(size=2 * n) < chance, *GENDER)
        about = {"target": f"target {i}", "document": np.repeat(np.arange(n), 2)}
        parts.append(pd.DataFrame(about | labels))
    table = pd.concat(parts, ignore_index=True)
    table = table.assign(variant="x", n=1)
    settings = {"intervals.replicates": 300, "intervals.level": LEVEL}
    records = summarised(table4, {table4.CONTEXTS: table}, **settings)
    return {"a": of(next(r for r in records if r["column"] == "spearman_rho@x"), rho)}


def annotated(rng: Generator, n: int, truth: float) -> dict[str, Number]:
    """Kappa of three annotators who see the same label or guess."""
    names, chances = np.array(["x", "y", "z"]), [0.5, 0.3, 0.2]
    seen = rng.choice(3, n, p=chances)[:, None]
    labels = np.where(
        rng.uniform(size=(n, 3)) < np.sqrt(truth), seen, rng.choice(3, (n, 3), p=chances)
    )
    table = pd.DataFrame(
        {
            "item": np.repeat(np.arange(n), 3),
            "annotator": np.tile(np.arange(3), n),
            "label": names[labels.ravel()],
        }
    )
    found = fleiss_kappa(table, names, 300, LEVEL, rng)
    return {"a": Number(found.value, as_many(found.draws), found.low, found.high, truth)}


def mean_over(rng: Generator, n: int, truth: float) -> dict[str, Number]:
    """Means over targets: of skewed numbers, and of the same targets before it."""
    before = rng.gamma(4, 0.5, n)
    after = truth + before + rng.standard_normal(n)
    targets = [f"target {i}" for i in range(n)]
    return {
        name: of(evidence.mean_over("", "", numbers, targets, LEVEL, 1), mean)
        for name, numbers, mean in (("before", before, 2.0), ("after", after, 2.0 + truth))
    }


def by_words(rng: Generator, n: int, truth: float) -> dict[str, Number]:
    """Bias of a target by the cosines with two lists, which are samples of what words there are."""
    d, target = 20, np.eye(20)[0]
    cosines = 0.3 * (1 + truth), 0.3 * (1 - truth)
    groups = []
    for i, cosine in enumerate(cosines):
        mean = cosine * target + np.sqrt(1 - cosine**2) * np.eye(d)[1 + i]
        groups.append(mean + rng.normal(0, 0.15, (n, d)))
    words = [[f"{group}{i}" for i in range(n)] for group in "ab"]
    vectors = WordVectors(("target", *words[0], *words[1]), np.vstack([target, *groups]))
    bias = VectorBias(vectors, ["target"], words, instrument("directed", 2))
    numbers = by_draw(bias.values[0], False, bias.samples(rng, 1000)[:, 0], np.zeros(1000, bool))
    result = Evidence()
    counts = {"n": 2 * n, "n_of": 2 * n, "n_unit": "group words"}
    result.add("target", "c", numbers, Reliability(*[np.nan] * 3, n, n), **counts)
    [record] = table3.values(result.table(), LEVEL)
    return {"a": of(record, truth / 2)}


def tested(rng: Generator, n: int, truth: float) -> dict[str, Number]:
    """WEAT's effect size of n words in each set, as it is over all words."""
    x, y = truth / 2 + rng.standard_normal(n), -truth / 2 + rng.standard_normal(n)
    draws = resampled_effect_sizes(x, y, 1, 1000, rng)
    low, high = np.quantile(draws, [0.025, 0.975])
    return {"a": Number(effect_size(x, y, 1), draws, low, high, truth / np.sqrt(1 + truth**2 / 4))}


def over_random_lists(rng: Generator, n: int, truth: float) -> dict[str, Number]:
    """The median of correlations over n random lists of words."""
    draws = np.tanh(np.arctanh(truth) + 0.4 * (rng.standard_exponential(n) - np.log(2)))
    record = over_lists("", "", draws, LEVEL, {})
    return {"a": Number(record["value"], record["draws"])}


TEMPLATES_OF_GROUPS = 40


def said_of_groups(rng: Generator, n: int, leans: Sequence[float]) -> Predictions:
    """Probabilities of a positive class, by groups of n terms that lean to one side."""
    t, k = TEMPLATES_OF_GROUPS, len(leans)
    logits = rng.normal(0, 1, (t, 1)) + np.repeat(leans, n) + rng.normal(0, 0.3, n * k)
    positive = 1 / (1 + np.exp(-logits - rng.normal(0, 0.2, logits.shape)))
    source, term = (part.ravel() for part in np.indices(positive.shape))
    probabilities = np.column_stack([1 - positive.ravel(), positive.ravel()])
    return predictions(
        source % 2, probabilities=probabilities, group=term // n, source=source, term=term
    )


def of_metric(data: Predictions, metric: str, group: str) -> Number:
    drawn = fairness_draws(data, [metric], seed=1, null_deals=0, classes=["1"])
    [found] = [each for each in drawn if each.row.group == group]
    row = found.row._asdict() | {"sampled": found.sampled}
    return Number(row["value"], corrected(row), row["low"], row["high"])


def leaning(rng: Generator, n: int, truth: float) -> dict[str, Number]:
    data = said_of_groups(rng, n, [truth, 0.0, 0.0, 0.0])
    return {"a": of_metric(data, "PosAvgEG", "0")}


def two_leaning(rng: Generator, n: int, truth: float) -> dict[str, Number]:
    """Two groups that lean to different sides, so that equal leans make equal gaps."""
    data = said_of_groups(rng, n, [truth, -0.8, 0.0, 0.0])
    return {name: of_metric(data, "AvgGF", group) for name, group in (("a", "0"), ("b", "1"))}


SPREAD = np.sqrt(1 + 0.3**2 + 0.2**2)  # of the logits of one group, as `said_of_groups` has them


@cache
def distance_of_six(lean: float) -> float:
    """AvgGF of six groups, two of which lean apart, in a world of 10,001 examples of each."""
    z = SPREAD * ndtri(np.linspace(0, 1, 10_003)[1:-1])
    groups = expit(np.array([lean, -lean, 0, 0, 0, 0])[:, None] + z)
    return float(np.mean([wasserstein_distance(group, groups.ravel()) for group in groups]))


def six_apart(rng: Generator, n: int, truth: float) -> dict[str, Number]:
    """AvgGF of six groups, two of which lean apart by twice the truth."""
    found = of_metric(said_of_groups(rng, n, [truth, -truth, 0, 0, 0, 0]), "AvgGF", "")
    return {"a": replace(found, truth=distance_of_six(truth))}


def over_decades(rng: Generator, n: int, truth: float, trend: float) -> dict[str, Number]:
    """Bias in vectors and in employment, whose shocks in a decade correlate; both have a trend."""
    shocks = normal(rng, n, np.array([[1, truth], [truth, 1]]))
    series = trend * np.arange(n) + shocks
    professions = np.repeat([f"p{i}" for i in range(57)], n)
    noise = rng.normal(0, 1, (2, 57, 1)) + rng.normal(0, 1, (2, 57, n))
    bias, employment = (series[:, None] + noise).reshape(2, -1)
    table = pd.DataFrame({"unit": professions, "decade": np.tile(np.arange(n), 57)})
    table = table.assign(bias=bias, employment_bias=employment, negative=False, column="c")
    table = table.assign(row="r", n_of=n, reliability=np.nan)
    [record] = table5.diachronic_values(table, LEVEL, 1)
    changes = [np.diff(side.reshape(57, n).mean(axis=0)) for side in (bias, employment)]
    sampled = resamples([str(year) for year in range(1, n)], 1)
    drawn = rowwise_spearman(*(change[sampled] for change in changes))
    rho = float(rowwise_spearman(*(change[None] for change in changes))[0])
    return {"levels": of(record), "changes": Number(rho, change_draws(drawn, rho, n - 1))}


# Many tests at once: `holds` where any is significant at .05.
def first_found(adjusted: Array, effects: Array) -> Outcome:
    """The direction of the first significant of several tests."""
    found = np.flatnonzero(adjusted <= 0.05)
    if not len(found):
        return OPEN, np.nan
    return (HOLDS if effects[found[0]] > 0 else FAILS), np.nan


def family(rng: Generator, n: int, truth: float, how: str) -> Outcome:
    """Eight measures that correlate at .7, the first with the outcome too."""
    r, m = pearson_of(truth), 8
    correlations = np.full((m + 1, m + 1), 0.7)
    correlations[-1], correlations[:, -1] = 0.7 * r, 0.7 * r
    correlations[0, -1] = correlations[-1, 0] = r
    np.fill_diagonal(correlations, 1)
    *measures, outcome = normal(rng, n, correlations)
    found = [spearman_test(x, outcome) for x in measures]
    rhos, p_values = np.array(found).T
    if how == "holm":
        return first_found(holm(p_values), rhos)
    orders = permutations([f"unit {i}" for i in range(n)], 1)
    ranks = midranks(outcome)[orders]
    null = [rowwise_pearson(np.broadcast_to(midranks(x), orders.shape), ranks) for x in measures]
    return first_found(max_t(rhos, np.column_stack(null)), rhos)


def combined(rng: Generator, n: int, truth: float) -> Outcome:
    """A test in n models, whose statistics correlate at .7."""
    z = truth + np.sqrt(0.7) * rng.standard_normal() + np.sqrt(0.3) * rng.standard_normal(n)
    p_value = combined_p([two_sided_p(one, 1e6) for one in z], z)
    return first_found(np.array([p_value]), z[:1])


# Against print: `holds` is equal, within or agrees, `fails` is outside or contradicts.
def cell(rng: Generator, n: int, truth: float) -> Outcome:
    """A cell whose true number is 0 in a column with range 1; print is off by `truth`."""
    found = over_models(rng.normal(0, 0.02) + rng.normal(0, 0.02, n), LEVEL)
    verdict, _ = judge_number(
        found["value"], found["ci_low"], found["ci_high"], f"{truth:.2f}", 1.0
    )
    return {"outside": FAILS, "open": OPEN}.get(verdict, HOLDS), np.nan


def column(rng: Generator, n: int, truth: float) -> Outcome:
    """A column of n rows around 0, and print."""
    ours, printed = normal(rng, n, np.array([[1, truth], [truth, 1]]))
    found = rank_correlation(ours, printed.round(3))
    return {"agrees": HOLDS, "contradicts": FAILS}.get(found["verdict"], OPEN), np.nan
