"""Table 8: the ensemble by domain, and for terms that print calls most and least biased."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from socialbias.measures.stereoset import CANDIDATES, of_one_term, term_scores
from socialbias.papers.stereoset.items import DEVELOPMENT, LIKELIHOOD, TEST
from socialbias.papers.stereoset.model_tables import cells, record, scores_of, unit_of
from socialbias.pipeline.job import Job
from socialbias.reporting.values import exact

TERMS = {  # in the paper's order: the most biased, the least biased
    "gender": ("mother", "grandfather"),
    "profession": ("software developer", "producer"),
    "race": ("african", "crimean"),
    "religion": ("bible", "muslim"),
}


def summarise(job: Job) -> Iterator[dict]:
    """Yield the scores of domains and of named terms, and the terms' places in their domain."""
    for row, split, scores in scores_of(job, LIKELIHOOD):
        if row != "ensemble":
            continue
        for domain, part in scores.groupby("domain"):
            yield from cells(job, part, domain if split == TEST else f"{domain} {DEVELOPMENT}")
            if split != DEVELOPMENT:
                continue
            names = part["target"].str.lower()  # as print has them
            by_term = term_scores(part[list(CANDIDATES)], names.tolist())
            distances = np.abs(by_term.ss - 50)
            for term in TERMS[domain]:
                term_row, own = f"{domain} {term}", part[names == term]
                fields = unit_of(own) | {"n": len(own), "n_unit": "items"}
                for name, score in of_one_term(own[list(CANDIDATES)], job.seed, term).items():
                    yield record(term_row, name, score, **fields)
                fields |= {"n": len(by_term.terms), "n_unit": "terms", "unit": "terms"}
                distance = distances[by_term.terms.index(term)]
                yield exact(term_row, "farther", (distances > distance).sum(), **fields)
                yield exact(term_row, "nearer", (distances < distance).sum(), **fields)
