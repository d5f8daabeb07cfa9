"""Tables 1 and 2: what corpora have, by word and as a whole.

Print shows the words of Table 1 alone. Their numbers here say what they would weigh in a
measurement: their share of a set, and of all occurrences of the set in a corpus.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from socialbias.papers.bad_seeds.inputs import Corpus, read_corpora, too_few
from socialbias.papers.evidence import Evidence, cells
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value


def measure_table1(job: Job) -> pd.DataFrame:
    """Return each word of the four sets, and each highlighted one, with its count by corpus."""
    result = Evidence()
    counted = {name: corpus for name, corpus in read_corpora(job).items() if corpus.counts}
    for entry in job.word_lists("bad_seeds")["sets"]:
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


def table1(job: Job) -> Iterator[dict]:
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


COLUMNS = ["row", "documents", "words", "vocabulary", "frequent_words", "frequent_vocabulary"]


def measure_table2(job: Job) -> pd.DataFrame:
    """Return each corpus's documents, words and distinct words, also without the rare ones."""
    rows = []
    for name, corpus in read_corpora(job).items():
        counts = pd.Series(dict(corpus.counts), dtype="int64")
        if counts.empty:
            continue
        frequent = counts[counts >= job.settings["bad_seeds.min_count"]]
        sizes = (corpus.documents, counts.sum(), len(counts), frequent.sum(), len(frequent))
        rows.append((name, *map(int, sizes)))
    return pd.DataFrame(rows, columns=COLUMNS)


def table2(job: Job) -> Iterator[dict]:
    """Yield Table 2's cells.

    Print says that words under 10 occurrences are dropped, but its vocabularies are too large to
    come after that: the plain columns count all words, `@frequent` those that are kept.
    """
    table = job.table("evidence/bad_seeds/table2")
    for cell in table.to_dict("records"):
        row, documents = cell["row"], cell["documents"]
        yield value(row, "documents", float(documents), unit="documents")
        for mark, prefix in (("", ""), ("@frequent", "frequent_")):
            words, distinct = float(cell[f"{prefix}words"]), float(cell[f"{prefix}vocabulary"])
            yield value(row, f"words{mark}", words, unit="words")
            yield value(row, f"vocabulary{mark}", distinct, unit="distinct words")
            if documents:
                length = words * (1 / documents)
                column = f"mean_document_length{mark}"
                yield value(row, column, length, unit="words a document")
