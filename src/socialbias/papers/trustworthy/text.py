"""Bias in text, automated: how often each target occurs with each group, by document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from socialbias.corpora.contexts import (
    Contexts,
    contexts_of,
    count_windows,
    match_blocks,
)
from socialbias.corpora.prepared import Corpus
from socialbias.measures.datasets.census import GENDER
from socialbias.measures.text import exclusive
from socialbias.papers.trustworthy.inputs import (
    EVERY,
    census_words,
    contexts_options,
    gender_lists,
    text_targets,
)
from socialbias.pipeline.job import Job
from socialbias.stats.clustered import counts_in_clusters

LENGTHS = (1, 2, 3, 4, 5)  # sentences of a context (Table 4)
DEFAULT_LENGTH = 3  # section 4.1
NEITHER = "neither"
COLUMNS = ["variant", "n", "target", "document", *GENDER, NEITHER, "corpus_documents"]


def evidence(
    corpus: Corpus,
    targets: Sequence[str],
    gender_lists: Mapping[str, Mapping[str, Sequence[str]]],
    *,
    shortest: int,
    longest: int,
    windows: int,
    keep_last: bool = True,
) -> pd.DataFrame:
    """Contexts of each target by document and group (section 4.1)."""
    parts = []
    for variant, lists in gender_lists.items():
        groups = {group: lists[group] for group in GENDER}
        words = {target: [target] for target in targets}
        words[EVERY] = [word for group in groups.values() for word in group]
        blocks = match_blocks(corpus, words, groups, shortest=shortest, longest=longest)
        left = dict.fromkeys(LENGTHS, windows or np.inf)
        for block in blocks:
            for n in [n for n in LENGTHS if left[n] > 0]:
                limit = None if left[n] == np.inf else left[n]
                contexts = contexts_of(block, n, keep_last=keep_last, limit=limit)
                parts.append(by_document(contexts, list(words)).assign(variant=variant, n=n))
                left[n] -= count_windows(block, n, keep_last=keep_last)
            if max(left.values()) <= 0:
                break
    return pd.concat(parts, ignore_index=True).assign(corpus_documents=corpus.size)[COLUMNS]


def by_document(contexts: Contexts, targets: Sequence[str]) -> pd.DataFrame:
    """Contexts with one of two groups, and with neither, for each target and document."""
    labels = exclusive(contexts.masks, len(GENDER))
    labels[labels < 0] = len(GENDER)
    rows = counts_in_clusters(labels, contexts.targets, contexts.documents, 1 + len(GENDER))
    table = pd.DataFrame(rows[0].astype(np.int32), columns=[*GENDER, NEITHER])
    return table.assign(target=np.array(targets, object)[rows[1]], document=rows[2])


def measure(job: Job) -> pd.DataFrame:
    """Return the evidence of the one text among a job's inputs."""
    [name] = job.below("prepared/")
    table = evidence(
        Corpus.load(job.path(f"prepared/{name}").parent),
        [
            *text_targets(job.word_lists("trustworthy"), census_words(job)),
            *job.word_lists("controls")["nouns"],
        ],
        gender_lists(job),
        **contexts_options(job),
    )
    job.say(f"{table['target'].nunique()} targets in {table['document'].nunique():,} documents")
    return table
