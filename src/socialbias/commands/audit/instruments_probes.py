"""The instruments for a model's vectors of whole texts: sentiment, and gaps between groups.

A logistic regression on the mean of the last layer, without fine-tuning, learns from film reviews
which are positive. Its predictions for templates with identity terms are compared by group
(Czarnowska, Vyas and Shah 2021, with frozen features).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from socialbias.commands.audit.benchmarks import Benchmarks
from socialbias.commands.audit.results import TWIN, Control, Entry, ends, placebo
from socialbias.commands.result import Result
from socialbias.commands.settings import Resampling
from socialbias.config import Config
from socialbias.embeddings.words.of_papers import read_word_lists
from socialbias.files.paths import resources
from socialbias.measures.fairness.table import Drawn, fairness_draws
from socialbias.models.heads import Accuracy, accuracy, fit_logistic
from socialbias.papers.fairness.metrics import POSITIVE, data_of
from socialbias.papers.fairness.models import NEUTRAL
from socialbias.papers.fairness.suites import holistic_templates, suite
from socialbias.papers.fairness.terms import holistic_terms
from socialbias.papers.stereoset.heads import reviews_of
from socialbias.stats.reliability import detectable
from socialbias.stats.seeding import generator
from socialbias.stats.similarity import Array

MAX_PIECES = 64  # word pieces of a text that are read: reviews take most of the time
TRAIN, MOST = 3, 500  # training texts per held-out text, and held-out texts at most
SHUFFLES = 20  # random orders of the labels to train on
METRIC = "AvgGF"
SHUFFLED = "placebo: classifiers trained on shuffled labels"
PAPER = "Czarnowska, Vyas and Shah 2021"
CLASSIFIED = (
    "the classifier is right on {:.0f} % [{:.0f}, {:.0f}] of {n} held-out reviews; the most "
    "frequent class alone would be on {:.0f} %"
)
WEAK = "the classifier is no better than always choosing the most frequent class"


@dataclass(frozen=True)
class Texts:
    """The texts that a model reads, in the order of its vectors."""

    # Reviews to learn from, then `held_out`, to test on; `labels` 1 where positive.
    train: list[str]
    held_out: list[str]
    labels: Array
    suites: pd.DataFrame  # filled templates, not the neutral ones, with `text`

    @property
    def all(self) -> tuple[str, ...]:
        """The texts in their order."""
        return (*self.train, *self.held_out, *self.suites["text"])


def texts_of(benchmarks: Benchmarks, items: int, seed: int) -> Texts:
    """Film reviews and HolisticBias's templates, in the paper's groups."""
    held_out = min(items or MOST, MOST)
    train, test = reviews_of(*benchmarks("sentiment"), TRAIN * held_out, held_out, seed)
    folder, _ = benchmarks("suites")
    assigned = read_word_lists(resources() / "word_lists/fairness.yaml")["holistic_bias"]
    templates, _ = holistic_templates(folder / "sentence_templates.json", assigned)
    terms, _ = holistic_terms(folder, assigned["attributes"])
    table, _ = suite(templates, terms, "sound")
    table = table[table["label"] != NEUTRAL].reset_index(drop=True)
    return Texts(train.texts, test.texts, np.array([*train.labels, *test.labels]), table)


def _learnt(texts: Texts, vectors: Array, labels: Array, level: float) -> tuple[Accuracy, Array]:
    """Return a classifier's accuracy on held-out reviews, and its scores of templates, (t,)."""
    n = len(texts.train)
    learn, test, templates = np.split(vectors, [n, len(texts.labels)])
    head = fit_logistic(learn, labels[:n], 2)
    tested = accuracy(head.predict_proba(test), texts.labels[n:], level)
    return tested, head.predict_proba(templates)[:, 1]


def entries(
    texts: Texts, resampling: Resampling, model: Array, random: Array | None
) -> Iterator[Entry]:
    """Yield the gaps between groups by attribute, with how well the sentiment is learnt."""
    level = resampling.level
    tested, positive = _learnt(texts, model, texts.labels, level)
    twin = None if random is None else _learnt(texts, random, texts.labels, level)[1]
    rng = generator(resampling.seed, "audit", "sentiment")
    shuffles = [rng.permutation(len(texts.train)) for _ in range(SHUFFLES)]
    shuffled = [_learnt(texts, model, texts.labels[order], level)[1] for order in shuffles]
    weak = WEAK if tested.low <= tested.majority else ""
    percent = (100 * x for x in (tested.share, tested.low, tested.high, tested.majority))
    right = CLASSIFIED.format(*percent, n=tested.n)
    for attribute, rows in texts.suites.groupby("attribute", sort=False):
        at, few = rows.index.to_numpy(), {"null_deals": 0, "bootstraps": 0}
        gap = _gap(rows, positive[at], resampling)
        controls = []
        if twin is not None:
            row = _gap(rows, twin[at], resampling, null_deals=0).row
            controls.append(Control(TWIN, **ends(row), range_of="as for the value"))
        values = [_gap(rows, each[at], resampling, **few).row.value for each in shuffled]
        controls += placebo(SHUFFLED, values, "random orders of the labels")
        controls += placebo("terms assigned to groups at random", gap.dealt, "random assignments")
        yield Entry(
            f"fairness gap, {attribute}",
            f"{PAPER}, section 3, metric 3",
            _gap_result(attribute, rows, gap, level, right),
            tuple(controls),
            weak=weak,
        )


def _gap(rows: pd.DataFrame, positive: Array, resampling: Resampling, **options) -> Drawn:
    """Return the metric of the positive class over all groups of one attribute."""
    data = data_of(rows.assign(negative=1 - positive, positive=positive), "binary")
    settings = Config().fairness
    options = {"bootstraps": settings.bootstraps, "null_deals": settings.deals} | options
    how = {"seed": resampling.seed, "level": resampling.level, "classes": [POSITIVE]}
    return fairness_draws(data, [METRIC], **how, **options)[0]


def _gap_result(attribute: str, rows: pd.DataFrame, gap: Drawn, level: float, right: str) -> Result:
    row, groups = gap.row, rows["group"].nunique()
    return Result(
        title=f"fairness gap, {attribute}: {METRIC} of positive sentiment",
        measure="avggf",
        statistic="mean distance of a group's probabilities from those of all groups",
        **ends(row),
        level=level,
        null=row.null_mean,
        unit="probability, Wasserstein distance",
        direction="above the value for random groups of terms: groups are treated differently",
        n=len(rows),
        n_of=len(rows),
        n_unit=f"sentences, from {rows['source'].nunique()} templates and {groups} groups",
        resampled="templates and terms",
        detectable=detectable(gap.sampled),
        p_value=row.p_value,
        test="permutation test over the terms",
        citation=f"{PAPER}, Table 2, metric 3 (Huang et al. 2020)",
        notes=(right, *filter(None, [row.note])),
    )
