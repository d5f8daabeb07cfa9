"""Texts behind numbers, for the pages."""

from __future__ import annotations

import pandas as pd

from socialbias.corpora.prepared import Corpus
from socialbias.measures.datasets.census import GENDER
from socialbias.papers.trustworthy.inputs import first_gender_list
from socialbias.papers.trustworthy.text import DEFAULT_LENGTH, NEITHER
from socialbias.pipeline.job import Job
from socialbias.reporting.page.items import Items

TEXT, CORPUS = "evidence/trustworthy/text_wikipedia", "prepared/wikipedia"
COLUMN = "text-automated"
MOST_SHOWN = 8  # documents of a target
AROUND = 15  # tokens shown on either side of a target


def shown_contexts(job: Job) -> list[Items]:
    """Return the first documents in which each profession of Table 3 occurs with one gender."""
    if TEXT not in job or CORPUS not in job:
        return []
    corpus = Corpus.load(job.path(CORPUS).parent)
    variant, _ = first_gender_list(job)
    wanted = job.word_lists("trustworthy")["table3_targets"]
    chosen = [("variant", "==", variant), ("n", "==", DEFAULT_LENGTH), ("target", "in", wanted)]
    counts = pd.read_parquet(job.path(TEXT), filters=chosen)
    items = []
    for target in wanted:
        own = counts[counts["target"] == target]
        if own.empty:
            continue
        gendered = own[own[list(GENDER)].sum(axis=1) > 0].sort_values("document")
        shown = gendered.iloc[:MOST_SHOWN]
        table = shown[["document", *GENDER, NEITHER]].astype(str)
        table["text"] = [_around(target, corpus.texts(number)) for number in shown["document"]]
        note = (
            f"The first {len(shown)} of the {len(gendered):,} documents with a context of one "
            f"gender alone, of {len(own):,} that have the word; contexts of {DEFAULT_LENGTH} "
            f"sentences with words of the list {variant}, by gender. Text: around the word's first "
            "mention."
        )
        items.append(Items((f"{COLUMN} {target}",), f"{target}, in text", note, table))
    return items


def _around(target: str, words: list[str]) -> str:
    """Return the words of a document around the first mention of a target."""
    at = words.index(target)
    shown = " ".join(words[max(0, at - AROUND) : at + AROUND + 1])
    return f"{'… ' * (at > AROUND)}{shown}{' …' * (at + AROUND + 1 < len(words))}"
