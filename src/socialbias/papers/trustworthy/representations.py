"""Words in their sentences: which are represented, for the reduction and for the probe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from socialbias.contextual.chosen import Choice
from socialbias.corpora.contexts import contexts_of, match
from socialbias.corpora.prepared import Corpus
from socialbias.datasets.census import GENDER
from socialbias.measures.text import exclusive

NEITHER = len(GENDER)  # the label of a sentence with words of no group, or of both
FEWEST = 20  # labelled sentences that a profession must have to be in the probe


@dataclass(frozen=True)
class Limits:
    """How many sentences are represented; 0 is all."""

    shortest: int  # tokens of a sentence
    longest: int
    documents: int  # the first ones
    per_word: int  # sentences of each word for the reduction, in a random sample
    per_target: int  # sentences of each target for the probe, in a random sample
    windows: int = 0  # sentences of these lengths that are looked at, the first ones
    last_window: bool = True  # whether the last of a document counts; the released code loses it


def choose(
    corpus: Corpus,
    targets: Sequence[str],
    professions: Sequence[str],
    gender_lists: Mapping[str, Mapping[str, Sequence[str]]],
    limits: Limits,
    rng: np.random.Generator,
    *,
    for_probe_alone: bool = False,
    probed_professions: bool = True,
) -> Choice:
    """Choose sentences for the reduction and for the probe (section 4.3)."""
    if limits.documents:
        corpus = replace(corpus, documents=corpus.documents[: limits.documents + 1])
    group_words = {w for lists in gender_lists.values() for group in lists.values() for w in group}
    candidates = list(dict.fromkeys([*targets, *sorted(professions), *sorted(group_words)]))
    table = _mentions(corpus, candidates, gender_lists, limits)
    # Professions with at least 20 sentences that have a label by the first of the lists.
    first = next(name for name in table.columns if name.startswith("label@"))
    labelled = table.loc[table[first] != NEITHER, "word"].value_counts()
    further = sorted(set(professions) - set(targets))
    measured = [*targets, *(word for word in further if labelled.get(word, 0) >= FEWEST)]
    words = [*measured, *sorted(group_words - set(measured))]
    table = table[table["word"].isin(words)]
    # Where each row is among those of its word in a random order, from 0. Nothing is left out
    # before: the examples must be the same.
    order = rng.permutation(len(table))
    place = table.iloc[order].groupby("word").cumcount().reindex(table.index)
    probed = measured if probed_professions else list(targets)
    in_probe = table["word"].isin(probed) & (place < limits.per_target)
    in_reduction = (place < (limits.per_word or np.inf)) & (not for_probe_alone)
    mentions = table[in_probe | in_reduction]
    examples = table[in_probe].rename(columns={"word": "target"})
    if for_probe_alone:
        words = probed
    # A probe learns from the first documents of a target, and a corpus may be sorted.
    documents = np.unique(examples["document"])
    place = pd.Series(rng.permutation(len(documents)), documents)
    order = [examples["sentence"], examples["document"].map(place), examples["target"]]
    examples = examples.iloc[np.lexsort(order)].reset_index(drop=True)
    return Choice(tuple(words), mentions[["sentence", "document", "word"]], examples)


def _mentions(
    corpus: Corpus,
    words: Sequence[str],
    gender_lists: Mapping[str, Mapping[str, Sequence[str]]],
    limits: Limits,
) -> pd.DataFrame:
    """Return each word of each sentence: `sentence`, `document`, `word`, labels by variant."""
    lengths = {"shortest": limits.shortest, "longest": limits.longest, "max_window": 1}
    labels = {}
    for variant, lists in gender_lists.items():
        groups = {group: lists[group] for group in GENDER}
        matches = match(corpus, {word: [word] for word in words}, groups, **lengths)
        label = exclusive(matches.masks, len(GENDER))
        labels[f"label@{variant}"] = np.where(label < 0, NEITHER, label)
    contexts = contexts_of(matches, 1, keep_last=limits.last_window, limit=limits.windows or None)
    table = pd.DataFrame({"sentence": matches.sentences.numbers[contexts.firsts]})
    table["document"] = contexts.documents
    table["word"] = np.array(words, object)[contexts.targets]
    return table.assign(**{name: label[contexts.firsts] for name, label in labels.items()})
