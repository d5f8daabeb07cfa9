"""Whether a short form of StereoSet, or items chosen for a model, would give the same ss."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from socialbias.papers.stereoset.items import LIKELIHOOD, SHORT
from socialbias.papers.stereoset.pairs import decisions
from socialbias.papers.stereoset.psychometrics import HEADS, PREDICTIONS
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.stats.decisions import means_by_term
from socialbias.stats.item_response import correlations
from socialbias.stats.sequential import order_of_items

Array = NDArray[np.float64]
SHARE, DRAWS = 0.1, 200  # of the items in a short form, and how many forms


def summarise(job: Job) -> Iterator[dict]:
    """Yield the nine language models of the paper, on the development split, by task."""
    if PREDICTIONS not in job:
        return
    scores = job.table(PREDICTIONS)
    scores = scores[(scores["scheme"] == LIKELIHOOD) & scores["row"].isin(HEADS)]
    for short, task in SHORT.items():
        decided = decisions(scores[scores["task"] == task])["ss"][list(HEADS)]
        terms = decided.index.get_level_values("target").tolist()
        y = decided.to_numpy()
        phi = correlations(y)
        np.fill_diagonal(phi, np.nan)
        random, regression = errors_of_short_forms(y, terms)
        facts = {"n": len(y), "n_unit": "items"}
        points = facts | {"unit": "percentage points"}
        for k, row in enumerate(decided.columns):
            yield value(row, f"phi@{short}", np.nanmean(phi[k]), unit="phi", **facts)
            yield value(row, f"random@{short}", 100 * random[k], **points)
            yield value(row, f"regression@{short}", 100 * regression[k], **points)
        yield value("models", f"phi@{short}", np.nanmean(phi), unit="phi", **facts)
        for column, each in (("random", random), ("regression", regression)):
            together = np.sqrt(np.mean(each**2))
            yield value("models", f"{column}@{short}", 100 * together, **points)
        spread = means_by_term(y, terms)[0].mean(axis=0).std(ddof=1)
        yield value("models", f"spread@{short}", 100 * spread, **points)


def errors_of_short_forms(decided: Array, terms: list[str]) -> tuple[Array, Array]:
    """Return root mean square errors of each model's ss by a tenth of the items, from that by all.

    The first (m,) are by the decisions of these items. The others are with a regression of all
    items' decisions on those of the other models, which gives what the form leaves out. It is
    fitted on all items: no short form and no adaptive choice of items can know more.
    """
    n, m = decided.shape
    predicted = np.empty((n, m))
    for k in range(m):
        others = np.column_stack([np.ones(n), np.delete(decided, k, axis=1)])
        predicted[:, k] = others @ np.linalg.lstsq(others, decided[:, k])[0]
    both = np.hstack([decided, decided - predicted])
    whole = means_by_term(both, terms)[0].mean(axis=0)
    errors = []
    for draw in range(DRAWS):
        form = order_of_items(terms, draw)[: round(SHARE * n)]
        by_term, _ = means_by_term(both[form], [terms[i] for i in form])
        errors.append(by_term.mean(axis=0) - whole)
    found = np.sqrt(np.mean(np.square(errors), axis=0))
    return found[:m], found[m:]
