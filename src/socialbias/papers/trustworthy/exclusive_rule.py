"""Footnote 3: the exclusive rule against people's labels of coreference."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise, product

import numpy as np
import pandas as pd

from socialbias.measures.datasets.census import GENDER
from socialbias.measures.datasets.gap import read_gap
from socialbias.papers.trustworthy.inputs import gender_lists
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.sources.manifest import read_manifest
from socialbias.stats.clustered import shares_of_counts
from socialbias.stats.intervals import percentile
from socialbias.stats.seeding import generator

WINDOWS = {"1": 1, "3": 3, "passage": None}  # sentences; None is all of them
RULES = ("exclusive", "any-word")
# By row: what was right, out of what.
MEASURES = {
    "precision": ("hits", "given"),
    "recall": ("hits", "wanted"),
    "gender": ("hits", "given_wanted"),
}
# A sentence ends at a full stop, question or exclamation mark before a space and a capital.
ENDS = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]*[A-Z])")
COLUMNS = ["variant", "window", "rule", "passage", "hits", "given", "wanted", "given_wanted"]


def measure(job: Job) -> pd.DataFrame:
    """Contexts of the names by passage, and what the rules make of them, by each word list."""
    names, parts = read_gap(*read_manifest(job.path("coreference"))), []
    for variant, groups in gender_lists(job).items():
        words = [set(groups[group]) for group in GENDER]
        rows = []
        for passage, gender, refers, windows in _contexts(names, words):
            for window, contexts in windows.items():
                for present, rule in product(contexts, RULES):
                    given = sum(present) if rule == "any-word" else int(sum(present) == 1)
                    hit = refers and present[gender] and given > 0
                    counts = (int(hit), given, int(refers), given * refers)
                    rows.append((variant, window, rule, passage, *counts))
        table = pd.DataFrame(rows, columns=COLUMNS)
        parts.append(table.groupby(COLUMNS[:4], as_index=False, sort=False).sum())
    return pd.concat(parts, ignore_index=True)


def _contexts(names: pd.DataFrame, words: Sequence[set[str]]) -> Iterator[tuple]:
    """Yield the windows around each name, by label, as what occurs in each: (female, male).

    With them the passage, the number of the pronoun's gender, and whether it refers to the name.
    """
    for name in names.itertuples():
        bounds = [0, *(match.end() for match in ENDS.finditer(name.text)), len(name.text)]
        present = []
        for start, end in pairwise(bounds):
            tokens = set(re.findall(r"[a-z]+", name.text[start:end].lower()))
            present.append([not tokens.isdisjoint(group) for group in words])
        own = int(np.searchsorted(bounds, name.offset, side="right")) - 1
        occurs = np.array(present)
        windows = {}
        for label, n in WINDOWS.items():
            n = min(n or len(occurs), len(occurs))
            firsts = range(max(0, own - n + 1), min(own, len(occurs) - n) + 1)
            windows[label] = [tuple(occurs[i : i + n].any(axis=0)) for i in firsts]
        yield name.passage, GENDER.index(name.gender), name.refers, windows


def summarise(job: Job) -> Iterator[dict]:
    """Yield the cells, with intervals over passages."""
    if "evidence/trustworthy/exclusive_rule" not in job:
        return
    table, draws = job.table("evidence/trustworthy/exclusive_rule"), job.replicates
    n = table["passage"].nunique()
    # All cells share the resamples of passages, each of which has a row for every window and rule.
    times = generator(job.seed, "exclusive rule").multinomial(n, np.full(n, 1 / n), size=draws)
    for (variant, window), part in table.groupby(["variant", "window"]):
        sides = [part[part["rule"] == rule].set_index("passage").sort_index() for rule in RULES]
        for name, (right, of) in MEASURES.items():
            row, shares, drawn = f"{name} {window}", [], []
            for rule, side in zip(RULES, sides, strict=True):
                numbers = np.column_stack([side[right], side[of] - side[right]]).astype(float)
                share = shares_of_counts(numbers, np.zeros(len(numbers), int), 1, job.level)
                shares.append(share.share[0, 0])
                facts = {"interval": (share.low[0, 0], share.high[0, 0]), "unit": "share"}
                facts |= {"n": int(side[of].sum()), "n_unit": "contexts"}
                yield value(row, f"{rule}@{variant}", shares[-1], **facts)
                hits, out_of = (times @ side[key].to_numpy() for key in (right, of))
                none = np.full(draws, np.nan)
                drawn.append(np.divide(hits, out_of, out=none, where=out_of > 0))
            facts = {"interval": percentile(drawn[0] - drawn[1], job.level), "n": len(sides[0])}
            facts |= {"n_unit": "passages", "unit": "difference of shares"}
            yield value(row, f"difference@{variant}", shares[0] - shares[1], **facts)
