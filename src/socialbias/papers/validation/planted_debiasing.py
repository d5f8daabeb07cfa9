"""Table 7 where the bias is known: what each method leaves of a planted one.

The methods are Table 7's, on vectors that were trained on a planted corpus. They get half of the
words of each group, in pairs, and are measured with the same words and with the rest: in the very
words from which a bias was removed, hard debiasing leaves none by construction.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from socialbias.embeddings.vectors import WordVectors
from socialbias.papers.trustworthy.table7 import Method, debiased
from socialbias.papers.validation.planted_design import DIRECT, NULL, Design
from socialbias.papers.validation.recovery import DIRECTED, marked, mean_over_corpora
from socialbias.stats.correlation import spearman_rho

ORIGINAL = "original"
# By state of the vectors, whether debiasing is soft, and whether with means in place of sums.
METHODS = {"hard": (False, False), "soft": (True, False), "soft-means": (True, True)}
OWN, OTHER = "own", "other"  # words of the groups: those that the method gets, or the rest
# Measures, and what they are without a bias.
MEASURES = {"divdist": 0.5, "weat": 0.0}
DEBIASED = "debiased"
TINY = 1e-9  # biases that are smaller are 0: arithmetic leaves as much
UNITS = {"rank": "Spearman's rho", "above": "mean size above controls"}
SIZE = "mean size"


def evidence(vectors: WordVectors, design: Design) -> pd.DataFrame:
    """Biases of all targets before and after each method."""
    table = design.targets
    half = design.group_words // 2
    groups = list(design.groups.values())
    lists = {OWN: [words[:half] for words in groups], OTHER: [words[half:] for words in groups]}
    pairs, targets = list(zip(*lists[OWN], strict=True)), {"targets": list(table["target"])}
    members_of_groups = [word for words in groups for word in words]
    spaces = {ORIGINAL: vectors}
    for name, (soft, means) in METHODS.items():
        method = Method(name, pairs, pairs, members_of_groups, soft, lists, targets)
        spaces[name] = debiased(vectors, method, means)
    truth = table[["target", "kind"]].assign(truth=table["truth 0"], share=False)
    parts = []
    for state, space in spaces.items():
        rows = space.rows(list(table["target"]))
        for words, members in lists.items():
            matrices = [space.rows(group) for group in members]
            for name, nothing in MEASURES.items():
                measured = DIRECTED[name](rows, matrices) - nothing
                part = truth.assign(state=state, words=words, measure=name, measured=measured)
                parts.append(part)
    return pd.concat(parts, ignore_index=True)


def values(biases: pd.DataFrame, level: float, seed: int) -> Iterator[dict]:
    """Yield the measured biases of targets, on average over corpora, with intervals over corpora.

    Sizes are those of direct targets and of controls, which have no association: direct ones less
    controls are 0 if debiasing takes them to the same level. The rank correlation of a direct
    target's bias with what was planted is 0 if nothing is left to see.
    """
    for (words, measure), table in biases.groupby(["words", "measure"], sort=False):
        before = _numbers(table[table["state"] == ORIGINAL])
        for method in METHODS:
            after = _numbers(table[table["state"] == method])
            columns = {
                ORIGINAL: before[DIRECT],
                DEBIASED: after[DIRECT],
                f"controls-{ORIGINAL}": before[NULL],
                f"controls-{DEBIASED}": after[NULL],
                f"above-{DEBIASED}": after[DIRECT] - after[NULL],
                f"rank-{ORIGINAL}": before["rank"],
                f"rank-{DEBIASED}": after["rank"],
            }
            for column, by_corpus in columns.items():
                cell = f"{method} {words}", f"{column}@{measure}"
                unit = UNITS.get(column.partition("-")[0], SIZE)
                mean = mean_over_corpora(*cell, by_corpus, unit, level, seed)
                yield from (marked(record, table, trains=True) for record in mean)


def _numbers(table: pd.DataFrame) -> pd.DataFrame:
    """Return by corpus, on average over its trainings: mean sizes by kind of targets, and `rank`.

    `rank` is the rank correlation of measured with planted biases; NaN where all are 0.
    """
    measured = table["measured"].where(table["measured"].abs() > TINY, 0.0)
    table = table.assign(measured=measured, size=measured.abs())
    units = ["corpus", "training"]
    numbers = table.groupby([*units, "kind"])["size"].mean().unstack("kind")
    direct = table[table["kind"] == DIRECT].groupby(units)[["truth", "measured"]]
    numbers["rank"] = direct.apply(lambda rows: spearman_rho(*rows.to_numpy(float).T))
    return numbers.groupby("corpus").mean()
