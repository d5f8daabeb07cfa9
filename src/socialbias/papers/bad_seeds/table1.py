"""Table 1, examples of seeds: how much of a set do its questionable words make up?

Print shows the words alone. The numbers here say what they would weigh in a measurement: their
share of the set, and of all occurrences of the set in a corpus.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from socialbias.papers.bad_seeds.inputs import Corpus, read_corpora, too_few
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value

COLUMNS = ["row", "corpus", "word", "highlighted", "in_set", "count"]


def evidence(corpora: Mapping[str, Corpus], lists: Mapping) -> pd.DataFrame:
    """Every word of the four sets, and every highlighted one, with its count in each corpus.

    Args:
        corpora: Corpora by name; those without counts are left out.
        lists: `resources/word_lists/bad_seeds.yaml`.

    Returns:
        Columns `row` (the target concept in print), `corpus` ("" for the list itself), `word`,
        `highlighted`, `in_set` (bools), `count` (occurrences; 0 for the list itself).
    """
    rows = []
    counted = {name: corpus for name, corpus in corpora.items() if corpus.counts}
    for entry in lists["sets"]:
        if "highlighted" not in entry:
            continue
        words = dict.fromkeys([*entry["words"], *entry["highlighted"]])
        for name, corpus in {"": Corpus(), **counted}.items():
            for word in words:
                rows.append(
                    {
                        "row": entry["label"],
                        "corpus": name,
                        "word": word,
                        "highlighted": word in entry["highlighted"],
                        "in_set": word in entry["words"],
                        "count": corpus.counts.get(word, 0),
                    }
                )
    return pd.DataFrame(rows, columns=COLUMNS)


def values(table: pd.DataFrame) -> list[dict]:
    """Table 1's cells.

    Columns: `seeds` (distinct words of the set), `highlighted`, `highlighted in set`; and
    `share in <corpus>`: of the set's occurrences there, those of its highlighted words. No
    interval: the counts are of one corpus, not of a sample.
    """
    records = []
    for (row, corpus), cells in table.groupby(["row", "corpus"]):
        inside, marked = cells["in_set"], cells["highlighted"]
        if corpus == "":
            for column, words in (
                ("seeds", inside),
                ("highlighted", marked),
                ("highlighted in set", inside & marked),
            ):
                records.append(value(row, column, float(words.sum()), unit="words"))
            continue
        total = cells.loc[inside, "count"].sum()
        if total == 0:
            continue
        share = cells.loc[inside & marked, "count"].sum() / total
        n, n_of = int((cells.loc[inside, "count"] > 0).sum()), int(inside.sum())
        said = {"n": n, "n_of": n_of, "n_unit": "seeds", "note": too_few(n, n_of)}
        records.append(value(row, f"share in {corpus}", share, unit="share", **said))
    return records


def measure(job: Job) -> pd.DataFrame:
    """The evidence, in every corpus that is available."""
    return evidence(read_corpora(job), job.word_lists("bad_seeds"))


def summarise(job: Job) -> list[dict]:
    """All cells."""
    return values(job.table("evidence/bad_seeds/table1"))
