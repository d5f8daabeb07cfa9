"""Table 8: the ensemble by domain, and for terms that print calls most and least biased."""

from __future__ import annotations

import numpy as np
import pandas as pd

from socialbias.measures.stereoset import CANDIDATES, TermScores, of_one_term, summary, term_scores
from socialbias.papers.stereoset.items import DEVELOPMENT, LIKELIHOOD, TEST
from socialbias.papers.stereoset.model_tables import about, record, scores_of
from socialbias.pipeline.job import Job
from socialbias.reporting.values import exact

TERMS = {  # in the paper's order: the most biased, the least biased
    "gender": ("mother", "grandfather"),
    "profession": ("software developer", "producer"),
    "race": ("african", "crimean"),
    "religion": ("bible", "muslim"),
}


def summarise(job: Job) -> list[dict]:
    """All rows."""
    records = []
    for row, split, scores in scores_of(job, LIKELIHOOD):
        if row != "ensemble":
            continue
        for domain, part in scores.groupby("domain"):
            records += _of_domain(part, domain, split, job.seed)
            if split == DEVELOPMENT:
                records += _of_terms(part, domain, job.seed)
    return records


def _of_domain(scores: pd.DataFrame, domain: str, split: str, seed: int) -> list[dict]:
    """A domain's scores, both tasks together."""
    by_term = term_scores(scores[list(CANDIDATES)], scores["target"].tolist())
    row = domain if split == TEST else f"{domain} {DEVELOPMENT}"
    fields = about(scores) | {"n": len(by_term.terms), "n_unit": "terms"}
    return [record(row, name, s, **fields) for name, s in summary(by_term, seed).items()]


def _of_terms(scores: pd.DataFrame, domain: str, seed: int) -> list[dict]:
    """The scores of the terms that print names, and their places among the domain's terms."""
    names = scores["target"].str.lower()  # as print has them
    by_term = term_scores(scores[list(CANDIDATES)], names.tolist())
    records = []
    for term in TERMS[domain]:
        own = scores[names == term]
        fields = about(own) | {"n": len(own), "n_unit": "items"}
        found = of_one_term(own[list(CANDIDATES)], seed, term)
        records += [record(f"{domain} {term}", name, s, **fields) for name, s in found.items()]
        fields |= {"n": len(by_term.terms), "n_unit": "terms", "unit": "terms"}
        for name, number in _places(by_term, term).items():
            records.append(exact(f"{domain} {term}", name, number, **fields))
    return records


def _places(by_term: TermScores, term: str) -> dict[str, int]:
    """How many terms have an ss farther from 50 than this one's, and how many one nearer."""
    distance = np.abs(by_term.ss - 50)
    own = distance[by_term.terms.index(term)]
    return {"farther": int((distance > own).sum()), "nearer": int((distance < own).sum())}
