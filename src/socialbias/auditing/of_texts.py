"""What an audit measures in a corpus, and in vectors that are trained on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property, partial

import numpy as np

from socialbias.api.instruments import instrument
from socialbias.api.measuring import title_of
from socialbias.api.of_texts import (
    FEWEST_CONTEXTS,
    Scan,
    counts_of_lists,
    mean_of_counts,
    prepared,
)
from socialbias.api.question import Question, Resampling
from socialbias.api.result import Result
from socialbias.api.subjects import Subject
from socialbias.auditing import of_seeds, of_vectors
from socialbias.auditing.benchmarks import Benchmarks
from socialbias.auditing.entries import Absent, Control, Entry, failed, gated, placebo
from socialbias.auditing.rulers import ruler
from socialbias.corpora.prepared import Corpus
from socialbias.embeddings.options import Options
from socialbias.measures.similarity import Array
from socialbias.stats.matching import matched_lists
from socialbias.stats.seeding import generator
from socialbias.words.languages import ENGLISH, lower
from socialbias.words.lists import WordLists, groups_of, lists, targets_of

PLACEBOS = 100  # of each kind; all are counted in one scan
CONTROLS = {
    "placebo": "placebo lists: words as frequent as the group words",
    "dealt": "shuffled labels: group words dealt at random",
}
GROUPS, EIGHT, TARGETS = of_vectors.GROUPS, of_vectors.EIGHT, of_vectors.TARGETS
Found = Iterator[Entry | Absent]


def entries(
    subject: Subject,
    resampling: Resampling,
    benchmarks: Benchmarks,
    text_key: str | None = None,
    by: str | None = None,
    language: str | None = None,
) -> Found:
    """The instruments of a corpus: bias in its contexts, and the seed words themselves.

    Args:
        subject: The corpus.
        resampling: How uncertainty is computed.
        benchmarks: Where the census is.
        text_key: As for `measure`.
        by: As for `measure`.
        language: As for `measure`; of others than English there are the packaged professions alone.
    """
    with prepared(subject, text_key, by, language) as corpus:
        audit = _OfTexts(corpus, subject, resampling, benchmarks, language)
        for name, measured in audit.instruments().items():
            try:
                yield from measured()
            except Exception as error:  # one instrument that fails takes no other down
                yield failed(name, error)


class _OfTexts:
    """The instruments of one corpus."""

    def __init__(
        self,
        corpus: Corpus,
        subject: Subject,
        resampling: Resampling,
        benchmarks: Benchmarks,
        language: str | None,
    ):
        self.corpus, self.subject, self.resampling = corpus, subject, resampling
        self._benchmarks = benchmarks
        self.language, self.groups = language or "", groups_of(GROUPS, language)

    def instruments(self) -> dict:
        """The instruments by name."""
        if self.groups.language != ENGLISH:
            found = targets_of(TARGETS, self.language).name
            return {
                f"{n} bias, {found}": partial(self.bias, found, n) for n in ("directed", "divdist")
            }
        return {
            f"directed bias, {EIGHT}": lambda: self.bias(EIGHT, "directed"),
            f"directed bias, {TARGETS}": lambda: self.bias(TARGETS, "directed"),
            f"divdist bias, {TARGETS}": lambda: self.bias(TARGETS, "divdist"),
            "employment": self.employment,
            "seeds": self.seeds,
        }

    def bias(self, targets: str, name: str) -> Found:
        """The bias of some targets in their contexts."""
        result = self._result(lists()[targets], name)
        marks = ()
        if targets == EIGHT:
            marks = ruler(
                "trustworthy_table3",
                lambda row, column: f"{row}, {column}" if column.startswith("text") else None,
            )
        paper = "Bommasani and Liang 2022, " + ("Table 3" if marks else "section 3")
        controls = tuple(
            control for kind in CONTROLS for control in self._control(kind, lists()[targets], name)
        )
        few = f"no target has {FEWEST_CONTEXTS} contexts with random lists either"
        why = "the papers print no mean over these professions"
        yield Entry(f"{name} bias, {targets}", paper, result, controls, marks, few, why)

    def _result(self, targets: WordLists, name: str) -> Result:
        chosen = instrument(name, 2)
        found, _ = self._scan.result(targets, chosen)
        return replace(found, title=title_of(chosen, found.n, self.groups, self.subject))

    @cached_property
    def _targets(self) -> list[str]:
        """Every target of an instrument, for one scan."""
        if self.groups.language != ENGLISH:
            return list(targets_of(TARGETS, self.language).all)
        known = [*lists()[EIGHT].all, *lists()[TARGETS].all, *self._census]
        return list(dict.fromkeys(known))

    @cached_property
    def _scan(self) -> Scan:
        targets = WordLists("all", "targets", {"": tuple(self._targets)})
        options = {"language": self.language or None}
        directed = instrument("directed", 2)
        question = Question(self.groups, targets, directed, self.resampling, options)
        return Scan(self.corpus, self.subject.name, question)

    def _control(self, kind: str, targets: WordLists, name: str) -> tuple[Control, ...]:
        """The mean with other words as groups: as frequent ones, or the same dealt at random."""
        rows = [self._targets.index(word) for word in targets.all]
        chosen = instrument(name, 2)
        means = [mean_of_counts(counts[rows], chosen) for counts in self._placebos[kind]]
        return placebo(CONTROLS[kind], means, f"{len(means)} random lists")

    @cached_property
    def _placebos(self) -> dict[str, Array]:
        """Contexts of all targets with random groups, (PLACEBOS, t, k), by kind."""
        drawn = {kind: self._random_groups(kind) for kind in CONTROLS}
        together = [groups for lists_ in drawn.values() for groups in lists_]
        counts = counts_of_lists(self.corpus, together, self._targets, self.language)
        return dict(zip(drawn, np.split(counts, len(drawn)), strict=True))

    def _random_groups(self, kind: str) -> list[list[list[str]]]:
        """Pairs of lists of the sizes of the groups' own."""
        language = self.language
        targets = {lower(word, language) if language else word for word in self._targets}
        # By frequency, as they are kept.
        words = [word for word in self.corpus.words if word.isalpha() and word not in targets]
        rank = {word: i for i, word in enumerate(words)}
        given = self.groups.words.values()
        if self.language:
            given = [dict.fromkeys(lower(w, self.language) for w in group) for group in given]
        known = [[w for w in group if w in rank] for group in given]
        together, first = [word for group in known for word in group], len(known[0])
        rng = generator(self.resampling.seed, "audit", kind)
        if kind == "placebo":
            ranks = np.array([rank[word] for word in together])
            drawn = matched_lists(ranks, len(words), PLACEBOS, rng)
            chosen = [[words[i] for i in row] for row in drawn]
        else:
            chosen = [rng.permutation(together).tolist() for _ in range(PLACEBOS)]
        return [[row[:first], row[first:]] for row in chosen]

    @cached_property
    def _census(self) -> tuple[str, ...]:
        """The professions of the census, of one word each; none where it cannot be had."""
        try:
            shares = of_vectors.employment_of(self._benchmarks)
        except Exception:  # `employment` says why
            return ()
        return tuple(name for name in map(str, shares.index) if " " not in name)

    def employment(self) -> Found:
        """Spearman's correlation of the professions' bias with the share of women in them."""
        shares = of_vectors.employment_of(self._benchmarks)
        result = self._result(WordLists("census", "targets", {"": self._census}), "directed")
        enough = replace(result, rows=tuple(row for row in result.rows if not row.note))
        found, control = of_vectors.correlated(
            enough, shares["female"] - 1 / 2, self.resampling, "directed bias",
            "the share of women in them", "above 0: the more women, the more to female",
        )  # fmt: skip
        paper = f"{of_vectors.TABLE5}, with bias in texts, signed"
        marks = of_vectors.table5()
        yield Entry("employment, directed", paper, found, (control,), marks)

    def seeds(self) -> Found:
        """The packaged seed sets, in vectors that are trained on the corpus, and in its counts."""
        from socialbias.embeddings.train import train

        documents = np.arange(self.corpus.size)
        seed, name = self.resampling.seed, self.subject.name
        vectors = train(self.corpus, documents, Options(), seed, name=name).vectors
        related = list(of_seeds.relatedness(vectors, self._benchmarks, self.resampling))
        yield from related
        weak = of_seeds.weakness(related)
        counts = dict(zip(self.corpus.words, self.corpus.counts.tolist(), strict=True))
        for found in of_seeds.entries(vectors, self._benchmarks, self.resampling, counts):
            yield gated(found, weak)
