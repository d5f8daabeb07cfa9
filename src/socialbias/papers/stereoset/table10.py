"""Table 10: how far annotators agree about the stereotypes of each target term."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import pandas as pd

from socialbias.measures.datasets.stereoset import GOLD, LABELS
from socialbias.papers.stereoset.items import DOMAINS, ITEMS, SPLITS
from socialbias.pipeline.job import Job
from socialbias.reporting.values import exact, read_published, value
from socialbias.stats.intervals import student

VALIDATORS = 5  # of every sentence
HALF_A_DIGIT = 0.005 + 1e-9  # of the printed numbers
MIN_SHARE = (3 / VALIDATORS) ** 2  # of an item that was kept: three validators agree (section 4.3)
NOT_RELEASED = "no item of this term is in the released data"
PRINTED = "published/stereoset_table10"


def row_of(target: str) -> str:
    """Return the row of a target term: print has lower case, and a typographic apostrophe."""
    return target.lower().replace("'", "\N{RIGHT SINGLE QUOTATION MARK}")


def of_items(sentences: pd.DataFrame) -> pd.DataFrame:
    """Return how far the annotators of each stereotype agree.

    Print does not say what its agreement is. The sum of the squared shares of three labels,
    stereotype, anti-stereotype and unrelated, reproduces it: the fourth label, related, is left out
    of the sum but not of the five. Beside it stands what is usual, the share of pairs of annotators
    who gave the same label of the four (Fleiss 1971, of one item).
    """
    stereotypes = sentences[sentences["gold"] == GOLD[0]]
    labels = np.stack(stereotypes["labels"].map(list).to_numpy())
    counts = np.stack([(labels == label).sum(axis=1) for label in LABELS], axis=1)
    kept = counts[:, : len(GOLD)]
    return pd.DataFrame(
        {
            "row": stereotypes["target"].map(row_of).to_numpy(),
            "domain": stereotypes["domain"].to_numpy(),
            "agreement": (kept**2).sum(axis=1) / VALIDATORS**2,
            "pairs": (counts * (counts - 1)).sum(axis=1) / (VALIDATORS * (VALIDATORS - 1)),
        }
    )


def fewest_further(agreements: np.ndarray, printed: float) -> int:
    """Return how many more items a term must have had, at least, for its printed agreement.

    An earlier state of the data, from which items were only taken since, had these items and
    others. Each other one had an agreement from `LEAST` to 1.
    """
    total, further = float(np.sum(agreements)), 0
    while True:
        items = len(agreements) + further
        lowest, highest = (total + further * MIN_SHARE) / items, (total + further) / items
        if lowest <= printed + HALF_A_DIGIT and highest >= printed - HALF_A_DIGIT:
            return further
        further += 1


def values(sentences: pd.DataFrame, printed: Mapping[str, float]) -> Iterator[dict]:
    """Table 10's cells, of every term that print or the data have, and of each domain.

    Every released item was counted, so that agreement and items do not vary; the share of pairs has
    Student's interval over the items of the term.
    """
    terms = []
    for row, part in of_items(sentences).groupby("row", sort=False):
        agreements = part["agreement"].to_numpy()
        further = fewest_further(agreements, printed[row]) if row in printed else 0
        n, pairs, ends = len(part), part["pairs"].to_numpy(), {}
        terms.append((part["domain"].iloc[0], row, n, further))
        if n > 1:
            half = student(0.95, n - 1) * float(pairs.std(ddof=1)) / math.sqrt(n)
            ends = {"interval": np.clip([pairs.mean() - half, pairs.mean() + half], 0, 1)}
        counts = {"n": n, "n_of": n, "n_unit": "items"}
        yield exact(row, "agreement", float(agreements.mean()), unit="agreement", **counts)
        yield value(row, "pairs", float(pairs.mean()), unit="share of pairs", **ends, **counts)
        yield exact(row, "items", n, unit="items", **counts)
        yield value(row, "further", float(further), unit="items", **counts)
    if set(sentences["split"]) == set(SPLITS):
        table = pd.DataFrame(terms, columns=["domain", "row", "items", "further"])
        yield from totals(table)
        for row in sorted(set(printed) - set(table["row"])):
            yield exact(row, "items", 0, unit="items")
            for column in ("agreement", "pairs", "further"):
                yield value(row, column, math.nan, note=NOT_RELEASED)


def totals(terms: pd.DataFrame) -> Iterator[dict]:
    """Items, further items and terms as printed, of each domain and of all."""
    parts = {f"Total {domain}": terms[terms["domain"] == domain] for domain in DOMAINS}
    for row, part in {**parts, "Total": terms}.items():
        counts = {"n": len(part), "n_of": len(part), "n_unit": "target terms"}
        as_printed = (part["further"] == 0).sum()
        yield exact(row, "items", part["items"].sum(), unit="items", **counts)
        yield exact(row, "further", part["further"].sum(), unit="items", **counts)
        yield exact(row, "as_printed", as_printed, unit="terms", **counts)


def summarise(job: Job) -> Iterable[dict]:
    """Return all cells of the terms whose split is at hand."""
    if ITEMS not in job:
        return []
    printed = read_published(job.path(PRINTED)).set_index("row")["value"].astype(float)
    return values(job.table(ITEMS), printed.to_dict())
