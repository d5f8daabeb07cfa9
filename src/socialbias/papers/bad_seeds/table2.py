"""Table 2, corpus statistics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from socialbias.papers.bad_seeds.inputs import Corpus, read_corpora
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value

COLUMNS = ["row", "documents", "words", "vocabulary", "frequent_words", "frequent_vocabulary"]


def evidence(corpora: Mapping[str, Corpus], minimum: int) -> pd.DataFrame:
    """Documents, words and distinct words of each corpus, before and after the rare ones go."""
    rows = []
    for name, corpus in corpora.items():
        counts = pd.Series(dict(corpus.counts), dtype="int64")
        if counts.empty:
            continue
        frequent = counts[counts >= minimum]
        sizes = (corpus.documents, counts.sum(), len(counts), frequent.sum(), len(frequent))
        rows.append((name, *map(int, sizes)))
    return pd.DataFrame(rows, columns=COLUMNS)


def measure(job: Job) -> pd.DataFrame:
    """Return the evidence of every corpus that is available."""
    return evidence(read_corpora(job), job.settings["bad_seeds.min_count"])


def summarise(job: Job) -> Iterator[dict]:
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
