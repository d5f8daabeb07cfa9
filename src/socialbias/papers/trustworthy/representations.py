"""Words in their sentences: which are represented, for the reduction and for the probe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from socialbias.contextual.reduction import Sentence
from socialbias.corpora.contexts import contexts_of, match
from socialbias.corpora.prepared import Corpus
from socialbias.corpora.raw import raw_sentences
from socialbias.datasets.census import GENDER
from socialbias.files.atomic_write import aside, write_text
from socialbias.measures.text import exclusive

NEITHER = len(GENDER)  # the label of a sentence with words of no group, or of both
CHOSEN = "chosen.txt"
FEWEST = 20  # labelled sentences that a profession must have to be asked about


@dataclass(frozen=True)
class Limits:
    """How many sentences are represented.

    Attributes:
        shortest, longest: Tokens of a sentence.
        documents: The documents that are looked at, the first ones; 0 is all.
        per_word: Sentences of each word for the reduction, in a random sample; 0 is all.
        per_target: Sentences of each target for the probe, in a random sample.
        windows: Sentences of these lengths that are looked at, the first ones; 0 is all.
        last_window: Whether the last one of a document counts; the released code loses it.
    """

    shortest: int
    longest: int
    documents: int
    per_word: int
    per_target: int
    windows: int = 0
    last_window: bool = True


@dataclass(frozen=True)
class Choice:
    """Sentences that a model reads, and the words in them that count.

    Attributes:
        words: n words that get a vector: targets, then group words.
        mentions: Columns `sentence` (its number in the corpus), `document`, `word` (its number).
        examples: Rows of `mentions` that a probe is given, with the column `target`, and for each
            variant of the word lists `label@<variant>`: 0 for female, 1 for male, 2 for neither.
            The rows of a target stand together, its documents in random order.
    """

    words: tuple[str, ...]
    mentions: pd.DataFrame
    examples: pd.DataFrame

    def save(self, folder: Path) -> None:
        """Write `chosen.txt` (the words), `mentions.parquet` and `examples.parquet`."""
        write_text(folder / CHOSEN, "".join(f"{word}\n" for word in self.words))
        for name in ("mentions", "examples"):
            with aside(folder / f"{name}.parquet") as path:
                getattr(self, name).to_parquet(path)

    @classmethod
    def load(cls, folder: Path) -> Choice:
        """Read what `save` wrote."""
        words = (folder / CHOSEN).read_text("utf-8").splitlines()
        tables = [pd.read_parquet(folder / f"{name}.parquet") for name in ("mentions", "examples")]
        return cls(tuple(words), *tables)

    def shard(self, number: int, of: int) -> Choice:
        """The mentions in one of several parts of the documents, with about as many sentences each.

        Args:
            number: From 0.
            of: How many parts; all together have every mention once.
        """
        sentences, first = np.unique(self.mentions["sentence"], return_index=True)
        owners = self.mentions["document"].to_numpy()[first]
        bounds = np.arange(of + 1) * len(sentences) // of
        # To the first sentence of a document: all of it is in one part.
        starts = np.searchsorted(owners, owners[bounds[1:-1]]) if len(sentences) else bounds[1:-1]
        low, high = np.r_[0, starts, len(sentences)][number : number + 2]
        return replace(
            self, mentions=self.mentions[self.mentions["sentence"].isin(sentences[low:high])]
        )


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
    """Choose sentences for the reduction and for the probe (section 4.3).

    Args:
        corpus: A prepared corpus.
        targets: Words that the probe is asked about, however rare they are.
        professions: Further ones, where at least 20 sentences have a label.
        gender_lists: By variant, the words for `female` and `male`.
        limits: How many.
        rng: Source of randomness.
        for_probe_alone: Whether only the sentences of the probe are wanted; its examples are the
            same either way.
        probed_professions: Whether the probe is asked about the professions too.
    """
    if limits.documents:
        corpus = replace(corpus, documents=corpus.documents[: limits.documents + 1])
    group_words = {w for lists in gender_lists.values() for group in lists.values() for w in group}
    candidates = list(dict.fromkeys([*targets, *sorted(professions), *sorted(group_words)]))
    table = _mentions(corpus, candidates, gender_lists, limits)
    asked = [*targets, *_frequent(table, set(professions) - set(targets))]
    words = [*asked, *sorted(group_words - set(asked))]
    table = table[table["word"].isin(words)]
    place = _random_place(table, rng)  # before anything is left out: the examples must be the same
    probed = asked if probed_professions else list(targets)
    in_probe = table["word"].isin(probed) & (place < limits.per_target)
    in_reduction = (place < (limits.per_word or np.inf)) & (not for_probe_alone)
    mentions = table[in_probe | in_reduction]
    examples = table[in_probe].rename(columns={"word": "target"})
    if for_probe_alone:
        words = probed
    return Choice(
        tuple(words), mentions[["sentence", "document", "word"]], _documents_shuffled(examples, rng)
    )


def _mentions(
    corpus: Corpus,
    words: Sequence[str],
    gender_lists: Mapping[str, Mapping[str, Sequence[str]]],
    limits: Limits,
) -> pd.DataFrame:
    """Every word of every sentence: `sentence`, `document`, `word`, and the labels by variant."""
    lengths = {"shortest": limits.shortest, "longest": limits.longest, "max_window": 1}
    labels = {}
    for variant, lists in gender_lists.items():
        groups = {group: lists[group] for group in GENDER}
        found = match(corpus, {word: [word] for word in words}, groups, **lengths)
        label = exclusive(found.masks, len(GENDER))
        labels[f"label@{variant}"] = np.where(label < 0, NEITHER, label)
    contexts = contexts_of(found, 1, keep_last=limits.last_window, limit=limits.windows or None)
    table = pd.DataFrame({"sentence": found.sentences.numbers[contexts.firsts]})
    table["document"] = contexts.documents
    table["word"] = np.array(words, object)[contexts.targets]
    return table.assign(**{name: label[contexts.firsts] for name, label in labels.items()})


def _frequent(table: pd.DataFrame, professions: set[str]) -> list[str]:
    """The professions with at least 20 sentences that have a label by the first of the lists."""
    first = next(name for name in table.columns if name.startswith("label@"))
    counts = table.loc[table[first] != NEITHER, "word"].value_counts()
    return sorted(word for word in professions if counts.get(word, 0) >= FEWEST)


def _random_place(table: pd.DataFrame, rng: np.random.Generator) -> pd.Series:
    """Where each row stands among those of its word, from 0, in a random order."""
    order = rng.permutation(len(table))
    return table.iloc[order].groupby("word").cumcount().reindex(table.index)


def _documents_shuffled(examples: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """The rows of each target with its documents in random order, each document's together.

    A probe learns from the first documents of a target, and a corpus may be sorted.
    """
    documents = np.unique(examples["document"])
    place = pd.Series(rng.permutation(len(documents)), documents)
    order = [examples["sentence"], examples["document"].map(place), examples["target"]]
    return examples.iloc[np.lexsort(order)].reset_index(drop=True)


def sentences(
    corpus: Corpus, index: Path, choice: Choice, *, as_tokens: bool
) -> Iterator[Sentence]:
    """The sentences that a model reads, with the words in them that count.

    Args:
        corpus: The prepared corpus.
        index: The index of the shards that it was prepared from.
        choice: Which sentences.
        as_tokens: Tokens in lower case with blanks between them, for a model that was trained on
            these; otherwise as written.

    Yields:
        Each sentence once, in the order of the corpus, each word with all its places.
    """
    numbers = {word: i for i, word in enumerate(choice.words)}
    ids = {corpus_id: numbers[w] for corpus_id, w in enumerate(corpus.words) if w in numbers}
    # As arrays by sentence: a set for each would take ten times the memory, for millions of them.
    table = choice.mentions.sort_values("sentence")
    mentioned = table["word"].map(numbers).to_numpy()
    different, starts = np.unique(table["sentence"], return_index=True)
    source = _tokens(corpus, different) if as_tokens else _raw(corpus, index, different)
    bounds = pairwise(chain(starts, [len(mentioned)]))
    for (number, document, text, spans), (start, end) in zip(source, bounds, strict=True):
        wanted = set(mentioned[start:end].tolist())
        first, last = corpus.sentences[number : number + 2]
        found = [ids.get(token) for token in corpus.tokens[first:last].tolist()]
        here = [i for i, word in enumerate(found) if word in wanted]
        words = [found[i] for i in here]
        yield Sentence(document, text, words, [spans[i] for i in here], number)


def _raw(corpus: Corpus, index: Path, numbers: NDArray[np.int64]) -> Iterator[tuple]:
    for raw in raw_sentences(index, corpus, numbers):
        yield raw.number, raw.document, raw.text, raw.spans


def _tokens(corpus: Corpus, numbers: NDArray[np.int64]) -> Iterator[tuple]:
    owners = np.searchsorted(corpus.documents, corpus.sentences[numbers], side="right") - 1
    for number, document in zip(map(int, numbers), map(int, owners), strict=True):
        first, last = corpus.sentences[number : number + 2]
        tokens = [corpus.words[i] for i in corpus.tokens[first:last]]
        ends = np.cumsum([len(token) + 1 for token in tokens]) - 1
        spans = [(end - len(token), end) for end, token in zip(ends.tolist(), tokens, strict=True)]
        yield number, document, " ".join(tokens), spans
