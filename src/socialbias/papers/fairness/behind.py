"""The sentences behind the fairness metrics of sentiment, as the pages show them."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from socialbias.papers.fairness.metrics import LABELS, POSITIVE
from socialbias.papers.fairness.suites import KEPT, SUITES
from socialbias.papers.fairness.terms import NAMES
from socialbias.papers.inputs import by_turns
from socialbias.pipeline.job import Job
from socialbias.reporting.page.items import Items

SENTIMENT = "evidence/fairness/sentiment_binary"
MAX_SENTENCES = 8  # sentences of a group


def groups(job: Job) -> Iterator[Items]:
    """Return sentences of each group of each attribute, over its templates, and their scores."""
    if SUITES not in job or SENTIMENT not in job:
        return
    suites = job.table(SUITES).drop_duplicates(KEPT)[[*KEPT, "text"]]
    scored = job.table(SENTIMENT).merge(suites, on=KEPT, validate="many_to_one")
    for (attribute, group), sentences in scored.groupby(["attribute", "group"], sort=False):
        short = "names" if attribute == NAMES else attribute
        shown = by_turns(sentences, ["kind", "source"], MAX_SENTENCES).sort_index()
        columns = {
            "term": shown["term"],
            "sentence": shown["text"],
            "label": shown["label"].map(LABELS.__getitem__),
            "positive": shown[POSITIVE].map("{:.2f}".format),
        }
        yield Items(
            keys=(f"{attribute} {group}", f"{short} {group}", f"{short} all", attribute),
            title=f"{attribute}: {group}",
            note=f"{min(MAX_SENTENCES, len(sentences))} of {len(sentences):,} sentences, and how "
            "probable the binary classifier finds it that each is positive.",
            table=pd.DataFrame(columns),
        )
