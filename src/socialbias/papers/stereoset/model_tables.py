"""Tables 4 to 7: language modelling, stereotype and idealized CAT score of each model."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from socialbias.datasets.stereoset import TASKS
from socialbias.measures.stereoset import CANDIDATES, Score, summary, term_scores
from socialbias.papers.inputs import provenance
from socialbias.papers.stereoset.items import LIKELIHOOD, PSEUDO, SPLITS
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.sources.fidelity import worst_fidelity

EVIDENCE = "evidence/stereoset/"
SHORT = dict(zip(("intra", "inter"), TASKS, strict=True))


def table4(job: Job) -> list[dict]:
    """Likelihood scoring, both tasks together."""
    return overall(job, LIKELIHOOD)


def table5(job: Job) -> list[dict]:
    """Pseudo-likelihood scoring, both tasks together."""
    return overall(job, PSEUDO)


def table6(job: Job) -> list[dict]:
    """Likelihood scoring, task by task."""
    return by_task(job, LIKELIHOOD)


def table7(job: Job) -> list[dict]:
    """Pseudo-likelihood scoring, task by task."""
    return by_task(job, PSEUDO)


def overall(job: Job, scheme: str) -> list[dict]:
    """Scores over both tasks: a term's are over the items of both (the released code)."""
    records = []
    for row, split, part in scores_of(job, scheme):
        if set(part["task"]) == set(TASKS):
            records += cells(job, part, row, split)
    return records


def by_task(job: Job, scheme: str) -> list[dict]:
    """Scores of each task."""
    records = []
    for row, split, part in scores_of(job, scheme):
        for short, task in SHORT.items():
            of_task = part[part["task"] == task]
            if len(of_task):
                records += cells(job, of_task, f"{short} {row}", split)
    return records


def scores_of(job: Job, scheme: str) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Row, split and scores of each model by one scheme, with where they are from.

    Of several sources of a row's scores in a split and task, such as released and recomputed ones,
    the released ones stand: recomputed ones are compared with them elsewhere.
    """
    tables = [
        job.table(f"{EVIDENCE}{name}").assign(evidence=f"{EVIDENCE}{name}")
        for name in sorted(job.below(EVIDENCE), key=lambda name: name != "predictions")
    ]
    scores = pd.concat(tables, ignore_index=True)
    scores = scores[scores["scheme"].isin([scheme, ""])]
    scores = scores.drop_duplicates(["row", "split", "item"])
    for (row, split), part in scores.groupby(["row", "split"], sort=False):
        yield row, split, part


def cells(job: Job, scores: pd.DataFrame, row: str, split: str) -> list[dict]:
    """The three numbers of one row.

    Args:
        job: With the provenance of the evidence.
        scores: Of the row's items.
        row: The row.
        split: The variant.
    """
    by_term = term_scores(scores[list(CANDIDATES)], scores["target"].tolist())
    about = about_scores(job, scores, split)
    return [
        record(row, f"{name}@{split}", score, n=len(by_term.terms), n_unit="terms", **about)
        for name, score in summary(by_term, job.seed).items()
    ]


def about_scores(job: Job, scores: pd.DataFrame, split: str) -> dict:
    """What the numbers of some scores are of, and where the scores are from.

    Those of the development split stand in for the test split's, which print has.
    """
    behind = [provenance(job, name) for name in scores["evidence"].unique()]
    fidelities = [fidelity for _, fidelity in behind]
    if split == "development":
        fidelities.append("substitute")
    return {
        "fidelity": worst_fidelity(fidelities),
        "sources": ";".join(dict.fromkeys(s for text, _ in behind for s in text.split(";"))),
        "unit": "percent",
        "note": f"{len(scores):,} items",
    }


def record(row: str, column: str, score: Score, **about) -> dict:
    """One number with its interval and draws."""
    return value(
        row, column, score.value, ci_low=score.low, ci_high=score.high, draws=score.draws, **about
    )


def splits_of(job: Job) -> list[str]:
    """The splits whose items a job has."""
    return [split for split, role in SPLITS.items() if role in job]
