"""What an audit measures in word vectors, and in the representations of a model."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from socialbias.api.estimate import Row
from socialbias.api.instruments import instrument
from socialbias.api.measuring import LEVEL, title_of
from socialbias.api.numbers import mean_of_known
from socialbias.api.of_vectors import find, vectors_result
from socialbias.api.placebos import POOL, Others, others_of
from socialbias.api.result import Result
from socialbias.api.subjects import Subject
from socialbias.auditing import of_seeds
from socialbias.auditing.benchmarks import Benchmarks
from socialbias.auditing.entries import TWIN, Absent, Control, Entry, failed, gated, placebo, twin
from socialbias.auditing.rulers import ruler
from socialbias.embeddings.vectors import WordVectors
from socialbias.errors import UserError
from socialbias.measures.placebo import DRAWN
from socialbias.measures.registry import Measure, offered
from socialbias.measures.similarity import Array
from socialbias.measures.weat import effect_size
from socialbias.papers.reliability import CENSUS
from socialbias.stats.reliability import ceiling, detectable_correlation
from socialbias.stats.seeding import generator
from socialbias.words.lists import WordLists, lists

if TYPE_CHECKING:  # a light installation has no pandas
    from socialbias.api.in_process import InProcess

PLACEBOS = 100
CENSUS_YEAR = 2010
GROUPS, TARGETS, EIGHT, THINGS = "gender", "professions", "professions-eight", "things"
MEASURES = [name for name in offered() if name not in ("divdist", "weat")]
ROLE = "word2vec"  # which vectors play in the papers' tables
CONTEMPORARY = "contemporary-gender@released-code"  # of Table 5, with the lists of `GROUPS`
SHUFFLED = "shuffled labels: professions exchange their employment"
CALISKAN = "Caliskan, Bryson and Narayanan 2017"
TABLE5 = "Bommasani and Liang 2022, Table 5"
# What a correlation over professions is.
CORRELATION = {"statistic": "Spearman's rho", "unit": "rank correlation", "null": 0.0}
CORRELATION |= {"test": "Spearman's, two-sided", "n_unit": "professions"}
CORRELATION |= {"resampled": "professions"}
Found = Iterator[Entry | Absent]


def words_of(benchmarks: Benchmarks) -> list[str]:
    """All words that these instruments look up; those of benchmarks that cannot be had are not."""
    packaged = (GROUPS, TARGETS, EIGHT, THINGS, "gender-kinship", "family-career")
    words = [word for name in packaged for word in lists()[name].all]
    try:
        with TemporaryDirectory() as scratch:
            words += sorted(_declared(benchmarks, scratch).words())
    except ModuleNotFoundError:
        pass  # `employment` and `weats` say so
    return list(dict.fromkeys(words))


def _declared(benchmarks: Benchmarks, scratch: str, seed: int = 0) -> InProcess:
    """The artefacts that are made of vectors, with those benchmarks that can be had."""
    from socialbias.api.in_process import InProcess

    for role in ("census_gender", "census_race", "weat_lists"):
        with suppress(UserError):
            benchmarks(role)
    targets = ("trustworthy_table5", "trustworthy_weat")
    return InProcess([ROLE], targets, benchmarks.data, Path(scratch), {"seed": seed})


def entries(
    vectors: WordVectors,
    subject: Subject,
    benchmarks: Benchmarks,
    seed: int,
    column: str,
    random: WordVectors | None = None,
    vocabulary: Sequence[str] = (),
) -> Found:
    """The instruments of vectors.

    Args:
        vectors: Of the words of `words_of` that have one.
        subject: Whose they are.
        benchmarks: Where WEAT's lists and the census are.
        seed: Of resamples and placebos.
        column: Of Bommasani and Liang's Table 3, for the ruler: `emb` or `cr-reduction`.
        random: Vectors of the same words in the same model with random weights, if it is one.
        vocabulary: The words from which placebo words are drawn, in the order of the file.
    """
    weak = ""
    if random is not None:  # of vectors it is asked before, among a whole vocabulary
        related = list(of_seeds.relatedness(vectors, benchmarks, seed, random))
        yield from related
        weak = of_seeds.weakness(related)
    audit = OfVectors(vectors, subject, seed, random, vocabulary)
    for found in audit.all(column, benchmarks):
        yield gated(found, weak)


class OfVectors:
    """The instruments of one set of vectors."""

    def __init__(
        self,
        vectors: WordVectors,
        subject: Subject,
        seed: int,
        random: WordVectors | None,
        vocabulary: Sequence[str],
    ):
        self.vectors, self.subject, self.seed, self.random = vectors, subject, seed, random
        self._vocabulary = vocabulary
        self._others: dict[tuple, list[Others]] = {}

    def all(self, column: str, benchmarks: Benchmarks) -> Found:
        """Every instrument, in turn."""
        yield from self.each(f"directed bias, {EIGHT}", self.eight, column)
        for name in MEASURES:
            yield from self.each(f"{name} bias, {TARGETS}", self.professions, name)
        yield from self.each("employment", self.employment, benchmarks)
        yield from self.each("WEAT 1 to 10", self.weats, benchmarks)

    def each(self, name: str, measured: Callable[..., Found], *given: object) -> Found:
        """What an instrument finds, or why it finds nothing."""
        try:
            yield from measured(*given)
        except Exception as error:  # one instrument that fails takes no other down
            yield failed(name, error)

    def eight(self, column: str) -> Found:
        """The eight professions of Table 3."""
        marks = ruler(
            "trustworthy_table3",
            lambda row, found: f"{row}, {found}" if found.startswith(column) else None,
        )
        [entry] = self.bias("directed", lists()[GROUPS], lists()[EIGHT], "")
        yield replace(entry, paper="Bommasani and Liang 2022, Table 3", ruler=marks)

    def professions(self, name: str) -> Found:
        """A measure of all professions."""
        why = "the papers print no mean over these professions: see employment for their ruler"
        yield from self.bias(name, lists()[GROUPS], lists()[TARGETS], why)

    def bias(self, name: str, groups: WordLists, targets: WordLists, no_ruler: str) -> Found:
        """A measure of targets of which the papers print no number."""
        chosen = instrument(name, 2)
        result = self._result(groups, targets, chosen)
        controls = self._controls(result, groups, targets, chosen)
        about = f"{name} bias, {targets.name}"
        yield Entry(about, chosen.citation, result, controls, no_ruler=no_ruler)

    def _result(self, groups: WordLists, targets: WordLists, chosen: Measure) -> Result:
        weat = chosen.name == "weat"
        key = (groups.name, targets.name, weat)
        if key not in self._others and self._vocabulary:
            number = POOL if weat else DRAWN
            self._others[key] = others_of(
                self._vocabulary, groups, targets, None, self.seed, number=number, persons=False
            )
        others = self._others.get(key, [])
        found = vectors_result(
            self.vectors, groups, targets, chosen, seed=self.seed, level=LEVEL, others=others
        )
        return replace(found, title=title_of(chosen, found.n, groups, self.subject))

    def _controls(
        self, result: Result, groups: WordLists, targets: WordLists, chosen: Measure
    ) -> tuple[Control, ...]:
        """Placebo lists, group words dealt at random, and the twin with random weights."""
        return (
            *self._placebos(groups, targets, chosen),
            *_dealt(result),
            *self._twin(groups, targets, chosen),
        )

    def _placebos(self, groups: WordLists, targets: WordLists, chosen: Measure):
        """The mean with nouns for things in place of the group words."""
        found = find(self.vectors, groups, targets, chosen.pairs)
        things = self.vectors.known(
            word for word in lists()[THINGS].words[""] if word not in set(targets.all)
        )
        sizes = [len(words) for words in found.groups.values()]
        if sum(sizes) > len(things):
            return ()
        first = self._first(targets)
        rng = generator(self.seed, "audit", "placebo", *map(str, sizes))
        rows, means = self.vectors.rows(things), []
        for _ in range(PLACEBOS):
            order = rng.permutation(len(things))[: sum(sizes)]
            means.append(self._mean(found.targets, rows, order, sizes, chosen, first))
        return placebo("placebo lists: nouns for things as groups", means, "random lists")

    def _first(self, targets: WordLists) -> int:
        """Words of the first set, of which a WEAT has two."""
        return len(self.vectors.known(next(iter(targets.words.values()))))

    def _mean(
        self,
        targets: list[str],
        rows: Array,
        order: Array,
        sizes: list[int],
        chosen: Measure,
        first: int = 0,
    ) -> float:
        parts = np.split(order, np.cumsum(sizes)[:-1])
        with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
            warnings.simplefilter("ignore")  # a placebo may have what the list has not
            words = self.vectors.rows(targets), [rows[at] for at in parts]
            values = chosen.function(*words)
        values = np.where(chosen.negative(*words), np.nan, values)  # left out of the mean too
        if chosen.name == "weat":
            return effect_size(*np.split(values, [first]))
        return float(mean_of_known(values[None])[0])

    def _twin(self, groups: WordLists, targets: WordLists, chosen: Measure):
        if self.random is None:
            return ()
        found = vectors_result(
            self.random, groups, targets, chosen, seed=self.seed, level=LEVEL, tested=False
        )
        return (twin(TWIN, found),)

    def employment(self, benchmarks: Benchmarks) -> Found:
        """Spearman's correlation of each measure with the census (Table 5, contemporary)."""
        with TemporaryDirectory() as scratch:
            declared = _declared(benchmarks, scratch, self.seed)
            made = declared.of({ROLE: self.vectors})
            records = made.records("trustworthy_table5")
            biases = made.evidence("trustworthy/table5")
            random = {} if self.random is None else declared.of({ROLE: self.random})
            others = random and random.records("trustworthy_table5")
        biases = biases[biases["column"] == CONTEMPORARY]
        found = {row: record for (row, column), record in records.items() if column == CONTEMPORARY}
        if not found:
            benchmarks("census_gender")  # which may be what is missing
            raise UserError("too few words have a vector, or all professions have the same bias")
        for name, record in found.items():
            controls = [*placebo(SHUFFLED, record["null"], "orders")]
            if (name, CONTEMPORARY) in others:
                controls.append(twin(TWIN, _employment(others[name, CONTEMPORARY], name)))
            of_measure = biases[biases["row"] == name]
            pairs = zip(of_measure["unit"], of_measure["bias"], strict=True)
            rows = tuple(Row(profession, bias, math.nan, math.nan) for profession, bias in pairs)
            result = _employment(record, name, rows)
            marks = table5(lambda row, name=name: row == name)
            yield Entry(f"employment, {name}", TABLE5, result, tuple(controls), marks)

    def weats(self, benchmarks: Benchmarks) -> Found:
        """WEAT's tests."""
        for test in _weat_tests(benchmarks):
            yield from self.each(test.name, self._weat, test)

    def _weat(self, test) -> Found:
        attributes = dict(zip(test.attribute_names, test.attributes, strict=True))
        sets = dict(zip(test.target_names, test.targets, strict=True))
        groups = WordLists(test.name, "groups", attributes, source=CALISKAN)
        targets = WordLists(test.name, "targets", sets, source=CALISKAN)
        paper = f"{CALISKAN}; Bommasani and Liang 2022, section 2"
        yield from self.weat(test.name, groups, targets, paper)

    def weat(self, name: str, groups: WordLists, targets: WordLists, paper: str) -> Found:
        """A test of two sets of targets."""
        chosen = instrument("weat", 2)
        result = self._result(groups, targets, chosen)
        result = replace(result, title=f"{name}: {' and '.join(targets.words)}")
        random = self._placebos(groups, targets, chosen) or _dealt(result)
        controls = (*random, *self._twin(groups, targets, chosen))
        yield Entry(name, paper, result, controls)


def _dealt(result: Result) -> tuple[Control, ...]:
    """The number with the group words dealt to the groups at random."""
    if result.dealt is None:
        return ()
    return placebo("shuffled labels: group words dealt at random", result.dealt, "deals")


def table5(chosen: Callable[[str], bool]):
    """Rows of Table 5, of word2vec in print."""
    return ruler(
        "trustworthy_table5",
        lambda row, column: (
            f"{row}, word2vec" if column == "contemporary-gender" and chosen(row) else None
        ),
    )


def _employment(record: dict, name: str, rows: tuple[Row, ...] = ()) -> Result:
    """A cell of Table 5."""
    return Result(
        title=f"{name} bias of {record['n']} professions against how uneven employment is",
        measure=name,
        value=record["value"],
        low=record["ci_low"],
        high=record["ci_high"],
        level=LEVEL,
        direction="above 0: the more uneven employment, the larger the bias",
        n=record["n"],
        n_of=record["n_of"],
        reliability=record["reliability"],
        reliability_of="the order of the professions, over random halves of the group words",
        detectable=record["detectable"],
        p_value=record["p_value"],
        citation=instrument(name, 2).citation,
        rows=rows,
        notes=tuple(filter(None, [record["note"]])),
        **CORRELATION,
    )


def correlated(
    result: Result,
    outcome,
    seed: int,
    what: str,
    against: str,
    direction: str,
) -> tuple[Result, Control]:
    """A result's rows against employment, and the same with professions shuffled.

    Args:
        result: Of professions.
        outcome: A number by profession.
        seed: Of the resamples of professions.
        what: What the rows are.
        against: What the outcome is.
        direction: Which way the correlation goes.
    """
    from socialbias.stats.correlation import paired_spearman

    rows = [row for row in result.rows if row.target in outcome.index and row.value == row.value]
    names, values = [row.target for row in rows], [row.value for row in rows]
    found = paired_spearman(values, outcome[names].to_numpy(), names, LEVEL, seed)
    if math.isnan(found.value):
        raise UserError(f"employment: {len(rows)} professions, or all with the same bias")
    largest = ceiling(result.reliability, CENSUS)
    together = replace(
        result,
        title=f"{what} of {len(rows)} professions against {against}",
        value=found.value,
        low=found.low,
        high=found.high,
        direction=direction,
        n=len(rows),
        n_of=len(outcome),
        detectable=detectable_correlation(found.n, 1.0 if math.isnan(largest) else largest),
        p_value=found.p_value,
        p_words_exchanged=math.nan,
        words_exchanged="",
        placebos=(),
        rows=tuple(Row(row.target, row.value, row.low, row.high) for row in rows),
        draws=None,
        dealt=None,
        **CORRELATION,
    )
    return together, placebo(SHUFFLED, found.null, "orders")[0]


def _weat_tests(benchmarks: Benchmarks):
    from socialbias.datasets.weat import read_tests

    folder, manifest = benchmarks("weat_lists")
    return read_tests(folder, manifest, manifest["errata"])


def employment_of(benchmarks: Benchmarks):
    """Shares of women and men by profession, of one word each."""
    from socialbias.datasets.census import GENDER, read_shares

    folder, manifest = benchmarks("census_gender")
    return read_shares(folder, manifest, GENDER, CENSUS_YEAR)
