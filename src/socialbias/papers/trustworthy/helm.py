"""Beside the text measure: HELM's variant of it, on the same texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from socialbias.corpora.prepared import Corpus
from socialbias.measurement.texts import FEWEST_CONTEXTS
from socialbias.measures.datasets.census import GENDER
from socialbias.measures.helm import cooccurrences
from socialbias.papers.evidence import correlation, mean_over
from socialbias.papers.trustworthy.directed import FEWEST_TARGETS, Directed, cells, directed
from socialbias.papers.trustworthy.inputs import (
    EVERY,
    census_words,
    first_gender_list,
    text_targets,
)
from socialbias.papers.trustworthy.text import DEFAULT_LENGTH
from socialbias.pipeline.job import Job
from socialbias.stats.correlation import paired_spearman

TEXTS = {"wikipedia": DEFAULT_LENGTH, "samples": 1}  # sentences of a context, as in the tables


def measure(job: Job) -> pd.DataFrame:
    """HELM's pairs by target and document, each group's divided by the length of its list."""
    [name] = job.below("prepared/")
    corpus = Corpus.load(job.path(f"prepared/{name}").parent)
    targets = text_targets(job.word_lists("trustworthy"), census_words(job))
    _, lists = first_gender_list(job)
    table = cooccurrences(corpus, targets, lists)
    for group in GENDER:
        table[group] = table[group] / len(lists[group])
    return table.assign(contexts=1, corpus_documents=corpus.size)


def values(
    text: str, ours: Directed | None, helms: Directed | None, targets: Sequence[str], job: Job
) -> list[dict]:
    """Return the cells of one text."""
    records, frequent = [], []
    for column, bias in ((text, ours), (f"{text}-helm", helms)):
        if bias is None:
            continue
        records += cells(column, bias.of(targets), job.level)
        words = [bias.targets[i] for i in np.flatnonzero(bias.n >= FEWEST_CONTEXTS)]
        frequent.append(set(words))
        if len(words) >= FEWEST_TARGETS:
            sizes = np.abs(bias.of(words).observed)
            units = {"n_unit": "professions", "unit": "total variation distance"}
            mean = mean_over("mean-size", column, sizes, words, job.level, job.seed, **units)
            records.append(mean)
    both = sorted(set.intersection(*frequent)) if len(frequent) == 2 else []
    if len(both) >= FEWEST_TARGETS:
        sides = (bias.of(both).observed for bias in (ours, helms))
        fit = paired_spearman(*sides, both, job.level, job.seed)
        records += correlation("rho", f"{text}-helm", fit, n_unit="professions")
    return records


def summarise(job: Job) -> Iterator[dict]:
    """Yield all cells."""
    targets = job.word_lists("trustworthy")["table3_targets"]
    nouns = job.word_lists("controls")["nouns"]
    variant, _ = first_gender_list(job)
    for text, n in TEXTS.items():
        biases = {}
        for kind in ("text", "helm"):
            name = f"evidence/trustworthy/{kind}_{text}"
            if name in job:
                table = job.table(name)
                if kind == "text":
                    table = table[(table["n"] == n) & (table["variant"] == variant)]
                    table = table[~table["target"].isin([EVERY, *nouns])]
                biases[kind] = directed(table, job.level, text)
        yield from values(text, biases.get("text"), biases.get("helm"), targets, job)
