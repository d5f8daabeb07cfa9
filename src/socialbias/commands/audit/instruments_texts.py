"""The instruments for a corpus."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np

from socialbias.commands.audit import instruments_vectors
from socialbias.commands.audit.benchmarks import Benchmarks, printed_numbers
from socialbias.commands.audit.instruments_vectors import EIGHT, GROUPS, PLACEBOS, TARGETS
from socialbias.commands.audit.results import Control, Entry, Outcomes, Step, placebo
from socialbias.commands.measure_corpus import Scan
from socialbias.commands.measure_subject import title_of
from socialbias.commands.settings import Question, Resampling
from socialbias.commands.subjects import Subject
from socialbias.corpora.prepared import Corpus
from socialbias.embeddings.words.lists import WordLists, lists
from socialbias.errors import UserError
from socialbias.measurement.instruments import OF_TEXTS, instrument
from socialbias.measurement.texts import counts_of_lists, mean_of_counts
from socialbias.measures.registry import Measure
from socialbias.stats.matching import matched_lists
from socialbias.stats.seeding import generator
from socialbias.stats.similarity import Array

CONTROLS = {
    "placebo": "placebo lists: words as frequent as the group words",
    "dealt": "shuffled labels: group words assigned at random",
}


def steps(
    corpus: Corpus, subject: Subject, resampling: Resampling, benchmarks: Benchmarks
) -> Iterator[Step]:
    """Yield the steps for a corpus: bias in its contexts."""
    audit = _OfTexts(corpus, subject, resampling, benchmarks)
    for words, name in [(EIGHT, "directed"), *((TARGETS, name) for name in OF_TEXTS)]:
        yield Step(f"{name} bias, {words}", partial(audit.bias, words, name))


@dataclass
class _OfTexts:
    """The instruments of one corpus."""

    corpus: Corpus
    subject: Subject
    resampling: Resampling
    benchmarks: Benchmarks
    groups: WordLists = field(default_factory=lambda: lists()[GROUPS])

    def bias(self, targets: str, name: str) -> Outcomes:
        """Yield the bias of some targets in their contexts."""
        chosen, words = instrument(name, 2), lists()[targets]
        against = self._shares_of_women if chosen.signed else {}
        question = replace(self._scan.question, against=against)
        result, _ = self._scan.result(words, chosen, question)
        result = replace(result, title=title_of(chosen, result.n, self.groups, self.subject))
        marks = printed_numbers("trustworthy_table3", "(.*, text.*)") if targets == EIGHT else ()
        paper = "Bommasani and Liang 2022, " + ("Table 3" if marks else "section 3")
        controls = tuple(c for kind in CONTROLS for c in self._control(kind, words, chosen))
        yield Entry(f"{name} bias, {targets}", paper, result, controls, marks)

    @cached_property
    def _shares_of_women(self) -> dict[str, float]:
        """Return the share of women in each profession; none without the census."""
        try:
            return instruments_vectors.employment_of(self.benchmarks)["female"].to_dict()
        except (UserError, ModuleNotFoundError):
            return {}

    @cached_property
    def _targets(self) -> list[str]:
        """Return the targets of all instruments, which are counted in one scan."""
        return list(dict.fromkeys([*lists()[EIGHT].all, *lists()[TARGETS].all]))

    @cached_property
    def _scan(self) -> Scan:
        targets = WordLists("all", "targets", {"": tuple(self._targets)})
        question = Question(self.groups, targets, instrument("directed", 2), self.resampling)
        return Scan(self.corpus, self.subject.name, question)

    def _control(self, kind: str, targets: WordLists, chosen: Measure) -> tuple[Control, ...]:
        """Return the mean with other words as groups: equally frequent, or the same, shuffled."""
        rows = [self._targets.index(word) for word in targets.all]
        means = [mean_of_counts(counts[rows], chosen) for counts in self._placebos[kind]]
        return placebo(CONTROLS[kind], means, f"{len(means)} random lists")

    @cached_property
    def _placebos(self) -> dict[str, Array]:
        """Count the contexts of all targets with random groups, (PLACEBOS, t, k), by kind."""
        drawn = {kind: self._random_groups(kind) for kind in CONTROLS}
        together = [groups for random in drawn.values() for groups in random]
        counts = counts_of_lists(self.corpus, together, self._targets)
        return dict(zip(drawn, np.split(counts, len(drawn)), strict=True))

    def _random_groups(self, kind: str) -> list[list[list[str]]]:
        """Return pairs of random lists as large as the groups."""
        targets = {*self._targets}
        # By frequency, as they are kept.
        words = [word for word in self.corpus.words if word.isalpha() and word not in targets]
        rank = {word: i for i, word in enumerate(words)}
        known = [[w for w in group if w in rank] for group in self.groups.words.values()]
        together, first = [word for group in known for word in group], len(known[0])
        rng = generator(self.resampling.seed, "audit", kind)
        if kind == "placebo":
            ranks = np.array([rank[word] for word in together])
            drawn = matched_lists(ranks, len(words), PLACEBOS, rng)
            chosen = [[words[i] for i in row] for row in drawn]
        else:
            chosen = [rng.permutation(together).tolist() for _ in range(PLACEBOS)]
        return [[row[:first], row[first:]] for row in chosen]
