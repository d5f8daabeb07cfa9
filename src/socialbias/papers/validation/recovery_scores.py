"""Recovery of planted gaps: metrics of fairness on predictions, StereoSet's scores on choices.

A world has two groups of identity terms in templates, of which the first leans by a planted number
of logits, or a scorer that prefers stereotypes and meaning with planted chances. Nothing is
trained: what is tested are the measures and their tests, not models.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from socialbias.measures.fairness import METRICS, fairness_draws, predictions
from socialbias.measures.fairness.data import Predictions
from socialbias.measures.fairness.table import RATIOS
from socialbias.measures.stereoset import idealized_cat_score, summary, term_scores
from socialbias.papers.validation.recovery import SIGNIFICANT, share_flagged, slope_and_rank
from socialbias.pipeline.job import Job
from socialbias.stats.seeding import generator

WORLDS = 80  # with a planted gap, and as many without
TERMS, TEMPLATES = 6, 40  # of each group, and in all
MAX_LOGIT = 1.0  # logits
DEALS = 59  # of terms to groups: p-values are sixtieths
OF_TEMPLATES, OF_TERMS, OF_NOISE = 1.0, 0.3, 0.2  # standard deviations of logits
STEREOTYPES, ITEMS = 20, 27  # terms, and items of each
NULL, PLANTED = "null", "planted"


def predicted(lean: float, rng: np.random.Generator) -> Predictions:
    """Predictions of a positive class in one world."""
    groups = np.repeat([0, 1], TERMS)
    logits = OF_TEMPLATES * rng.standard_normal((TEMPLATES, 1)) + lean * (groups == 0)
    logits = logits + OF_TERMS * rng.standard_normal(2 * TERMS)
    positive = 1 / (1 + np.exp(-logits - OF_NOISE * rng.standard_normal(logits.shape)))
    source, term = (part.ravel() for part in np.indices(positive.shape))
    chances = np.column_stack([1 - positive.ravel(), positive.ravel()])
    columns = {"group": groups[term], "source": source, "term": term}
    return predictions(source % 2, probabilities=chances, **columns)


def of_predictions(seed: int) -> Iterator[dict]:
    """Yield each metric in each world, as rows of `values`' table."""
    rng = generator(seed, "recovery", "predictions")
    options = {"seed": seed, "classes": ["1"], "bootstraps": 0, "null_deals": DEALS}
    for kind in (NULL, PLANTED):
        for lean in (rng.uniform(-MAX_LOGIT, MAX_LOGIT, WORLDS) * (kind == PLANTED)).tolist():
            for row in (draws.row for draws in fairness_draws(predicted(lean, rng), **options)):
                metric = METRICS[row.metric]
                ratio = metric.d in RATIOS
                # A metric of all groups, or of the first if it has none of all.
                scalar = (metric.scalar and not ratio) or not metric.many
                if row.version != "published" or row.group != ("" if scalar else "0"):
                    continue
                with np.errstate(divide="ignore"):
                    number = np.log(row.value) if ratio else row.value
                yield {
                    "measure": row.metric,
                    "kind": kind,
                    "planted": lean if metric.signed or ratio else abs(lean),
                    "measured": number if np.isfinite(number) else np.nan,
                    "flagged": row.p_value <= SIGNIFICANT if np.isfinite(row.p_value) else np.nan,
                }


def of_choices(seed: int) -> Iterator[dict]:
    """StereoSet's scores of a scorer with planted chances, as rows of `values`' table."""
    rng = generator(seed, "recovery", "choices")
    terms = [f"term {i}" for i in range(STEREOTYPES) for _ in range(ITEMS)]
    for kind in (NULL, PLANTED):
        for _ in range(WORLDS):
            ss = rng.uniform(35, 65) if kind == PLANTED else 50.0
            lms = rng.uniform(60, 100) if kind == PLANTED else 50.0
            first = rng.random(len(terms)) < ss / 100
            rated = np.where(rng.random((len(terms), 1)) < lms / 100, [1.0, 2.0], [-2.0, -1.0])
            rated = np.where(first[:, None], rated[:, ::-1], rated)
            scores = np.column_stack([rated, np.zeros(len(terms))])
            result = summary(term_scores(scores, terms), seed)
            truth = {"ss": ss, "lms": lms, "icat": float(idealized_cat_score(lms, ss))}
            for name, planted in truth.items():
                score = result[name]
                flagged = np.nan if name == "icat" else not score.low <= 50 <= score.high
                row = {"measure": name, "kind": kind, "planted": planted}
                yield row | {"measured": score.value, "flagged": flagged}


def summarise(job: Job) -> Iterator[dict]:
    """Slope and rank correlation of measured on planted, and how often tests alarm."""
    measured = pd.DataFrame([*of_predictions(job.seed), *of_choices(job.seed)])
    for measure, table in measured.groupby("measure", sort=False):
        rng = generator(job.seed, "recovery", "scores", measure)
        with_gap = table[table["kind"] == PLANTED].dropna(subset=["measured"])
        if len(with_gap) < 3:
            continue
        x, y = (with_gap[name].to_numpy(float) for name in (PLANTED, "measured"))
        yield from slope_and_rank(measure, "", x, y, job, rng, "worlds")
        for kind in (NULL, PLANTED):
            flags = table.loc[table["kind"] == kind, "flagged"]
            yield from share_flagged(measure, f"alarms@{kind}", flags, "worlds", job.level)
