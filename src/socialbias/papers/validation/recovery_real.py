"""Recovery in real language: pseudo-words in the place of nouns of a real text.

Generated sentences have no syntax, no topics and no other words for people. Here the text is real,
and only associations are planted: a pseudo-word stands where a noun stood, in sentences that name
one group, so often the one and so often the other as is planted for it. Of the nouns in such a
sentence it takes the place of the one nearest to a word of the group. It also stands in sentences
that name both groups, and in ones that name none. All else is as people wrote it: a document that
names women once does so often, and has a topic.

Words of groups are those of the paper's appendix, which has pronouns in all cases. The base share
is that of the text: of its sentences that name one group, those that name the first. A target
without an association follows it, as nouns do on average. The truth of a target is its planted
share: each of its sentences with one group is drawn with it, whatever the text.

Corpora are parts of the text without a document in common; trainings are as in `recovery_corpora`,
whose evidence this has.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from socialbias.corpora.contexts import kept_sentences
from socialbias.corpora.prepared import Corpus
from socialbias.papers.validation.planted_corpus import Planted
from socialbias.papers.validation.planted_design import Design
from socialbias.papers.validation.recovery import COLUMNS
from socialbias.papers.validation.recovery_corpora import Unit, in_parts, one_training
from socialbias.pipeline.job import Job
from socialbias.stats.seeding import generator

NAME = "real"  # by which parts are drawn
MIN_OCCURRENCES = 5  # occurrences of a word of a group in every part
USED = 0.8  # of the sentences of the scarcest kind, the share that gets a pseudo-word
SCARCE = 10  # mentions of a target on average, of which fewer tell nothing
BOTH, NEITHER = 2, 3  # what a sentence names, beside one group or the other

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class InText(Design):
    """What is planted into a real text: fewer targets, as few of its sentences name both groups."""

    direct: int = 8
    second_order: int = 0  # attributes cannot be found in a real text
    null: int = 8
    frequency_range: float = 3.0
    two_groups: float = 0.05
    named: tuple[tuple[str, ...], ...] = ()  # the words of both groups

    @property
    def groups(self) -> dict[str, list[str]]:
        """The words of each group, by the group's name."""
        return {f"group {g}": list(words) for g, words in enumerate(self.named)}


@dataclass(frozen=True)
class Text:
    """A real text, or some of its documents, as far as planting asks."""

    words: tuple[str, ...]  # v words by id
    tokens: Ints  # (n,) ids
    sentences: Ints  # (s + 1,) offsets into tokens
    documents: Ints  # (d + 1,) offsets into sentences
    group: Ints  # (v,) the group of each word, -1 of none
    noun: NDArray[np.bool_]  # (v,) whether a word is a noun that may be replaced

    @classmethod
    def of(cls, corpus: Corpus, nouns: Iterable[str], named: Sequence[Sequence[str]]) -> Text:
        """Return a whole corpus."""
        index = {word: i for i, word in enumerate(corpus.words)}
        group, noun = np.full(len(index), -1), np.zeros(len(index), bool)
        noun[[index[word] for word in nouns if word in index]] = True
        for g, words in enumerate(named):
            group[[index[word] for word in words if word in index]] = g
        documents = np.searchsorted(corpus.sentences, corpus.documents)
        noun &= group < 0
        tokens = corpus.tokens.astype(np.int64)
        return cls(corpus.words, tokens, corpus.sentences, documents, group, noun)

    def part(self, documents: Ints) -> Text:
        """Return these documents, in this order."""
        spans = [range(*self.documents[[d, d + 1]]) for d in documents]
        rows = np.concatenate([np.arange(span.start, span.stop) for span in spans])
        lengths = np.diff(self.sentences)[rows]
        tokens = np.concatenate(
            [self.tokens[slice(*self.sentences[[s.start, s.stop]])] for s in spans]
        )
        return replace(
            self,
            tokens=tokens,
            sentences=np.concatenate([[0], np.cumsum(lengths)]),
            documents=np.concatenate([[0], np.cumsum([len(span) for span in spans])]),
        )

    def pools(self) -> list[Ints]:
        """Sentences that name the first group alone, the second, both, none.

        They have a noun, and are neither too short nor too long for the text measure.
        """
        first, second = (self._having(self.group == g) for g in range(2))
        named = np.array([NEITHER, 0, 1, BOTH])[first + 2 * second]
        offsets = self.sentences[self.documents]
        corpus = Corpus((), np.array([]), self.tokens, offsets, self.sentences, report={})
        usable = np.zeros(len(named), bool)
        usable[kept_sentences(corpus).numbers] = True
        usable &= self._having(self.noun) > 0
        return [np.flatnonzero(usable & (named == pool)) for pool in range(4)]

    def _having(self, wanted: NDArray[np.bool_]) -> Ints:
        """Return whether each sentence has any of these words, as 0 and 1."""
        number = np.concatenate([[0], np.cumsum(wanted[self.tokens])])
        return (np.diff(number[self.sentences]) > 0).astype(np.int64)

    def nouns_near(self, sentences: Ints, rng: np.random.Generator) -> Ints:
        """Return the noun of each sentence that is nearest to a word of a group; of equals any."""
        chosen = np.isin(np.arange(len(self.sentences) - 1), sentences)
        inside = np.repeat(chosen, np.diff(self.sentences))
        places = np.flatnonzero(inside & self.noun[self.tokens])
        named = np.flatnonzero(inside & (self.group[self.tokens] >= 0))
        row_of = partial(np.searchsorted, self.sentences, side="right")
        far = len(self.tokens)
        away = np.full(len(places), far)
        after = np.searchsorted(named, places)
        for neighbour in (after - 1, after):
            known = (neighbour >= 0) & (neighbour < len(named))
            at = named[neighbour[known]]
            same = row_of(at) == row_of(places[known])
            away[known] = np.minimum(away[known], np.where(same, np.abs(at - places[known]), far))
        order = np.lexsort([rng.random(len(places)), away, row_of(places)])
        rows = row_of(places[order])
        return places[order][np.r_[True, rows[1:] != rows[:-1]]]


def mentions(design: InText, pools: Sequence[Ints]) -> tuple[int, NDArray[np.float64]]:
    """Return how often all targets fit into a text, and each one's chances of sentences."""
    table = design.targets
    planted = table[["planted 0", "planted 1"]].to_numpy() * design.one_group
    rest = [design.two_groups, 1 - design.one_group - design.two_groups]
    chances = np.column_stack([planted, np.tile(rest, (len(table), 1))])
    demand = (table["weight"] / table["weight"].sum()).to_numpy() @ chances
    sizes = np.array([len(pool) for pool in pools])
    return int(USED * (sizes / demand).min()), chances


def plant(text: Text, design: InText, rng: np.random.Generator) -> Corpus:
    """Return the text with pseudo-words in the place of nouns, prepared."""
    table, pools = design.targets, text.pools()
    count, chances = mentions(design, pools)
    number = rng.multinomial(count, table["weight"] / table["weight"].sum())
    wanted = np.array([rng.multinomial(n, p) for n, p in zip(number, chances, strict=True)])
    tokens = text.tokens.copy()
    for pool, of_target in zip(pools, wanted.T, strict=True):
        targets = rng.permutation(np.repeat(np.arange(len(table)), of_target))[: len(pool)]
        rows = np.sort(rng.choice(pool, len(targets), replace=False))
        tokens[text.nouns_near(rows, rng)] = len(text.words) + targets
    words = (*text.words, *table["target"])
    return Planted(words, tokens, text.sentences, text.documents, np.array([])).prepared()


def measure(job: Job) -> pd.DataFrame:
    """Text and all measures of vectors, on all parts and trainings; empty for too small a text."""
    number = job.settings["trustworthy.recovery.corpora"]
    tokens = job.settings["trustworthy.recovery.corpus_tokens"]
    corpus = Corpus.load(job.path("prepared/wikitext").parent)
    tags = job.table("tags/wikitext")
    lists = job.word_lists("trustworthy")["gender"]["appendix"]
    parts = corpus.parts(number, tokens, generator(job.seed, "recovery", NAME))
    # The words of both groups: pairs of which every part has both often enough.
    included = (np.isin(np.arange(corpus.size), part) for part in parts)
    often = np.min([corpus.counts_in(which) for which in included], axis=0) >= MIN_OCCURRENCES
    known = {corpus.words[i] for i in np.flatnonzero(often)}
    pairs = [pair for pair in zip(*lists.values(), strict=True) if known.issuperset(pair)]
    named = tuple(zip(*pairs, strict=True)) if pairs else ((), ())
    whole = Text.of(corpus, tags.loc[tags["tag"] == "noun", "word"], named)
    first, second = (len(pool) + 1 for pool in whole.pools()[:2])  # neither share is 0
    share = first / (first + second)
    design = InText(base=(share, 1 - share), named=named, avoided=frozenset(corpus.words))
    fewest = 0
    if len(named[0]) > 1:  # an empty part has no word of a group
        fewest = min(mentions(design, whole.part(part).pools())[0] for part in parts)
    if fewest < SCARCE * len(design.targets):
        job.say(f"real text: {fewest} mentions are too few: take fewer or larger corpora")
        return pd.DataFrame(columns=[*COLUMNS, "corpus", "training"])

    def measured(unit: Unit) -> pd.DataFrame:
        rng = generator(job.seed, "recovery", NAME, unit[0])
        reordered = design.reordered(rng)
        planted = plant(whole.part(parts[unit[0]]), reordered, rng)
        return one_training(job, reordered, planted, NAME, unit)

    return in_parts(job, measured)
