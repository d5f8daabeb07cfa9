"""The items behind StereoSet's numbers, as the pages show them."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from socialbias.measures.datasets.stereoset import TASKS
from socialbias.measures.stereoset import CANDIDATES
from socialbias.papers.stereoset.items import LIKELIHOOD, PSEUDO, wide
from socialbias.pipeline.job import Job
from socialbias.reporting.page.items import Items

EVIDENCE = "evidence/stereoset/"
ITEMS = f"{EVIDENCE}items"
MAX_ITEMS = 5  # items on either side of a scorer, and of a term
SHORT = dict(zip(TASKS, ("intra", "inter"), strict=True))


def groups(job: Job) -> list[Items]:
    """Return the items that each scorer decides most clearly, and some items of each term."""
    if ITEMS not in job:
        return []
    items = job.table(ITEMS)
    texts = wide(items, "sentence")
    tables = [job.table(name) for name in job.files if name.startswith(EVIDENCE) and name != ITEMS]
    scorers = [shown for table in tables for shown in _of_scorers(table, texts)]
    return [*scorers, *_of_terms(items, texts)]


def _of_scorers(scores: pd.DataFrame, texts: pd.DataFrame) -> Iterator[Items]:
    """Yield the items of each scorer and task in a table, as `items.scored` gives them."""
    keys = ["split", "item"]
    joined = scores.merge(texts[[*keys, "context", *CANDIDATES]], on=keys, suffixes=("", " text"))
    for (row, scheme, task), own in joined.groupby(["row", "scheme", "task"], sort=False):
        schemes = [scheme] if scheme else [LIKELIHOOD, PSEUDO]
        names = [f"{scheme} {SHORT[task]} {row}" for scheme in schemes]
        names += [f"{scheme} {row}" for scheme in schemes]
        lead = own["stereotype"] - own["anti-stereotype"]
        order = lead.sort_values(ascending=False, kind="stable").index
        chosen = own.loc[order[:MAX_ITEMS].union(order[-MAX_ITEMS:], sort=False)]
        table = pd.DataFrame({"term": chosen["target"], "context": chosen["context"]})
        for name in CANDIDATES:
            numbers = chosen[name].map("{:.4g}".format)
            table[name] = chosen[f"{name} text"] + " (" + numbers + ")"
        yield Items(
            keys=tuple(names),
            title=", ".join(filter(None, (row, task, scheme))),
            note=f"The {MAX_ITEMS} items of {len(own):,} in which the stereotype's score is "
            f"farthest above the anti-stereotype's, and the {MAX_ITEMS} in which it is farthest "
            "below; the highest of the three scores is the scorer's choice.",
            table=table.assign(choice=chosen[list(CANDIDATES)].idxmax(axis=1)),
        )


def _of_terms(items: pd.DataFrame, texts: pd.DataFrame) -> Iterator[Items]:
    """Yield some items of each term, with the annotators that gave each sentence its label."""
    agreed = items.assign(
        agreed=[
            f"{sum(label == gold for label in labels)} of {len(labels)}"
            for gold, labels in zip(items["gold"], items["labels"], strict=True)
        ]
    )
    counts = wide(agreed, "agreed")
    for (domain, term), own in texts.groupby(["domain", "target"], sort=False):
        shown = own.iloc[:MAX_ITEMS]
        table = shown[["task", "context"]].copy()
        for name in CANDIDATES:
            table[name] = shown[name] + " (" + counts.loc[shown.index, name] + ")"
        yield Items(
            keys=(f"{domain} {term}", term),
            title=f"{term} ({domain})",
            note=f"The first {len(shown)} of {len(own)} items; in brackets how many annotators "
            "gave the sentence this label.",
            table=table,
        )
