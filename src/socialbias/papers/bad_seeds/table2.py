"""Table 2, corpus statistics."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from socialbias.papers.bad_seeds.inputs import Corpus, read_corpora
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value

MINIMUM_COUNT = 10  # sections 3 and 6
COLUMNS = ["row", "documents", "words", "vocabulary", "frequent_words", "frequent_vocabulary"]


def evidence(corpora: Mapping[str, Corpus], minimum: int = MINIMUM_COUNT) -> pd.DataFrame:
    """Documents, words and distinct words of each corpus, before and after the rare ones go.

    Args:
        corpora: Corpora by name, with the counts of all words; those without are left out.
        minimum: Occurrences from which on a word is kept.

    Returns:
        Columns `row` (the corpus), `documents`, `words`, `vocabulary` (of all words),
        `frequent_words`, `frequent_vocabulary` (of those that occur often enough).
    """
    rows = []
    for name, corpus in corpora.items():
        counts = pd.Series(dict(corpus.counts), dtype="int64")
        if counts.empty:
            continue
        frequent = counts[counts >= minimum]
        sizes = (corpus.documents, counts.sum(), len(counts), frequent.sum(), len(frequent))
        rows.append((name, *map(int, sizes)))
    return pd.DataFrame(rows, columns=COLUMNS)


def values(table: pd.DataFrame) -> list[dict]:
    """Table 2's cells.

    Print says that words under 10 occurrences are dropped, but its vocabularies are too large to
    come after that: the plain columns count all words, `@frequent` those that are kept.
    """
    records = []
    for cell in table.to_dict("records"):
        words, kept = cell["words"], cell["frequent_words"]
        numbers = [
            ("documents", cell["documents"], "documents"),
            ("words", words, "words"),
            ("words@frequent", kept, "words"),
            ("vocabulary", cell["vocabulary"], "distinct words"),
            ("vocabulary@frequent", cell["frequent_vocabulary"], "distinct words"),
        ]
        if cell["documents"]:
            length, mean = "mean_document_length", 1 / cell["documents"]
            numbers.append((length, words * mean, "words a document"))
            numbers.append((f"{length}@frequent", kept * mean, "words a document"))
        records += [value(cell["row"], c, float(x), unit=unit) for c, x, unit in numbers]
    return records


def measure(job: Job) -> pd.DataFrame:
    """The evidence of every corpus that is available."""
    return evidence(read_corpora(job), job.settings["bad_seeds.min_count"])


def summarise(job: Job) -> list[dict]:
    """All cells."""
    return values(job.table("evidence/bad_seeds/table2"))
