"""Table 1, examples of seeds: how much of a set do its questionable words make up?

Print shows the words alone. The numbers here say what they would weigh in a measurement: their
share of the set, and of all occurrences of the set in a corpus.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from socialbias.papers.bad_seeds.inputs import Corpus, read_corpora, too_few
from socialbias.papers.evidence import Evidence, cells
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value


def evidence(corpora: Mapping[str, Corpus], lists: Mapping) -> pd.DataFrame:
    """Return each word of the four sets, and each highlighted one, with its count by corpus."""
    result = Evidence()
    counted = {name: corpus for name, corpus in corpora.items() if corpus.counts}
    for entry in lists["sets"]:
        if "highlighted" not in entry:
            continue
        words = list(dict.fromkeys([*entry["words"], *entry["highlighted"]]))
        marks = {
            "unit": words,
            "highlighted": [word in entry["highlighted"] for word in words],
            "in_set": [word in entry["words"] for word in words],
        }
        for name, corpus in {"": Corpus(), **counted}.items():
            count = [corpus.counts.get(word, 0) for word in words]
            result.add(entry["label"], name, marks | {"count": count})
    return result.table()


def measure(job: Job) -> pd.DataFrame:
    """Return the evidence, in every corpus that is available."""
    return evidence(read_corpora(job), job.word_lists("bad_seeds"))


def summarise(job: Job) -> Iterator[dict]:
    """Yield Table 1's cells.

    Columns: `seeds` (distinct words of the set), `highlighted`, `highlighted in set`; and
    `share in <corpus>`: of the set's occurrences there, those of its highlighted words. No
    interval: the counts are of one corpus, not of a sample.
    """
    table = job.table("evidence/bad_seeds/table1")
    for row, corpus, words, _ in cells(table):
        inside, marked = words["in_set"], words["highlighted"]
        if corpus == "":
            of_set = {"seeds": inside, "highlighted": marked, "highlighted in set": inside & marked}
            for column, chosen in of_set.items():
                yield value(row, column, float(chosen.sum()), unit="words")
            continue
        total = words.loc[inside, "count"].sum()
        if total == 0:
            continue
        share = words.loc[inside & marked, "count"].sum() / total
        n, n_of = int((words.loc[inside, "count"] > 0).sum()), int(inside.sum())
        counts = {"n": n, "n_of": n_of, "n_unit": "seeds", "note": too_few(n, n_of)}
        yield value(row, f"share in {corpus}", share, unit="share", **counts)
