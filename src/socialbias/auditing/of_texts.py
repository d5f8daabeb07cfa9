"""What an audit measures in a corpus."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from socialbias.api.instruments import instrument
from socialbias.api.lists import WordLists, groups_of, lists, targets_of
from socialbias.api.measuring import LEVEL, title_of
from socialbias.api.of_texts import corpus_mean, corpus_result, prepared
from socialbias.api.result import Result
from socialbias.api.subjects import Subject
from socialbias.auditing import of_vectors
from socialbias.auditing.benchmarks import Benchmarks
from socialbias.auditing.entries import Absent, Control, Entry, failed, placebo
from socialbias.auditing.rulers import ruler
from socialbias.corpora.prepared import Corpus
from socialbias.languages import ENGLISH, lower
from socialbias.seeding import generator
from socialbias.stats.matching import matched_lists

NAMES = ("directed", "divdist")
PLACEBOS = 20  # each reads the whole corpus again
GROUPS, EIGHT, TARGETS = of_vectors.GROUPS, of_vectors.EIGHT, of_vectors.TARGETS
Found = Iterator[Entry | Absent]


def entries(
    subject: Subject,
    seed: int,
    benchmarks: Benchmarks,
    text_key: str | None = None,
    by: str | None = None,
    language: str | None = None,
) -> Found:
    """The instruments of a corpus: bias in its contexts, and the seed words themselves.

    Args:
        subject: The corpus.
        seed: Of resamples and placebos.
        benchmarks: Where the census is.
        text_key: As for `measure`.
        by: As for `measure`.
        language: As for `measure`; of others than English there are the packaged professions alone.
    """
    with prepared(subject, text_key, by, language) as corpus:
        audit = _OfTexts(corpus, subject, seed, language)
        for name, measured in audit.instruments(benchmarks).items():
            try:
                yield from measured()
            except Exception as error:  # one instrument that fails takes no other down
                yield failed(name, error)


class _OfTexts:
    """The instruments of one corpus."""

    def __init__(self, corpus: Corpus, subject: Subject, seed: int, language: str | None = None):
        self.corpus, self.subject, self.seed = corpus, subject, seed
        self.language, self.groups = language or "", groups_of(GROUPS, language)
        self._means: dict[tuple[str, str], list[list[float]]] = {}

    def instruments(self, benchmarks: Benchmarks) -> dict:
        """The instruments by name."""
        if self.groups.language != ENGLISH:
            found = targets_of(TARGETS, self.language).name
            return {f"{n} bias, {found}": partial(self.bias, found, n) for n in NAMES}
        return {
            f"directed bias, {EIGHT}": lambda: self.bias(EIGHT, "directed"),
            f"directed bias, {TARGETS}": lambda: self.bias(TARGETS, "directed"),
            f"divdist bias, {TARGETS}": lambda: self.bias(TARGETS, "divdist"),
            "employment": lambda: self.employment(benchmarks),
        }

    def bias(self, targets: str, name: str) -> Found:
        """The bias of some targets in their contexts."""
        result = self._result(self.groups, lists()[targets], name)
        marks = ()
        if targets == EIGHT:
            marks = ruler(
                "trustworthy_table3",
                lambda row, column: f"{row}, {column}" if column.startswith("text") else None,
            )
        paper = "Bommasani and Liang 2022, " + ("Table 3" if marks else "section 3")
        controls = (
            *self._placebos("placebo", lists()[targets], name),
            *self._placebos("dealt", lists()[targets], name),
        )
        why = "the papers print no mean over these professions"
        yield Entry(f"{name} bias, {targets}", paper, result, controls, marks, no_ruler=why)

    def _result(self, groups: WordLists, targets: WordLists, name: str) -> Result:
        chosen = instrument(name, 2)
        how = {"seed": self.seed, "level": LEVEL, "language": self.language}
        found, _ = corpus_result(self.corpus, self.subject.name, groups, targets, chosen, **how)
        return replace(found, title=title_of(chosen, found.n, groups, self.subject))

    def _placebos(self, kind: str, targets: WordLists, name: str) -> tuple[Control, ...]:
        """The mean with other words as groups: as frequent ones, or the same dealt at random."""
        if (kind, targets.name) not in self._means:
            chosen = [instrument(each, 2) for each in NAMES]
            self._means[kind, targets.name] = [
                corpus_mean(self.corpus, groups, targets, chosen, language=self.language)
                for groups in self._random_groups(kind, set(targets.all))
            ]
        means = [found[NAMES.index(name)] for found in self._means[kind, targets.name]]
        said = {
            "placebo": "placebo lists: words as frequent as the group words",
            "dealt": "shuffled labels: group words dealt at random",
        }[kind]
        return placebo(said, means, f"{len(means)} random lists")

    def _random_groups(self, kind: str, targets: set[str]) -> Iterator[WordLists]:
        """Pairs of lists of the sizes of the groups' own."""
        order = np.argsort(-np.asarray(self.corpus.counts), kind="stable")
        words = [self.corpus.words[i] for i in order]
        words = [word for word in words if word.isalpha() and word not in targets]
        rank = {word: i for i, word in enumerate(words)}
        given = self.groups.words.values()
        if self.language:
            given = [dict.fromkeys(lower(w, self.language) for w in group) for group in given]
        known = [[w for w in group if w in rank] for group in given]
        together, first = [word for group in known for word in group], len(known[0])
        rng = generator(self.seed, "audit", kind)
        if kind == "placebo":
            ranks = np.array([rank[word] for word in together])
            drawn = matched_lists(ranks, len(words), PLACEBOS, rng)
            chosen = [[words[i] for i in row] for row in drawn]
        else:
            chosen = [rng.permutation(together).tolist() for _ in range(PLACEBOS)]
        for row in chosen:
            parts = {"first": tuple(row[:first]), "second": tuple(row[first:])}
            yield WordLists(kind, "groups", parts)

    def employment(self, benchmarks: Benchmarks) -> Found:
        """Spearman's correlation of the professions' bias with the share of women in them."""
        shares = of_vectors.employment_of(benchmarks)
        names = tuple(name for name in map(str, shares.index) if " " not in name)
        targets = WordLists("census", "targets", {"": names})
        result = self._result(self.groups, targets, "directed")
        enough = replace(result, rows=tuple(row for row in result.rows if not row.note))
        found, control = of_vectors.correlated(
            enough, shares["female"] - 1 / 2, self.seed, "directed bias",
            "the share of women in them", "above 0: the more women, the more to female",
        )  # fmt: skip
        paper = f"{of_vectors.TABLE5}, with bias in texts, signed"
        marks = of_vectors.table5(lambda row: True)
        yield Entry("employment, directed", paper, found, (control,), marks)
