"""The instruments for word vectors, and for the representations of a model."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from socialbias.commands.audit import instruments_relatedness
from socialbias.commands.audit.benchmarks import Benchmarks, printed_numbers
from socialbias.commands.audit.results import (
    CORRELATION,
    Control,
    Entry,
    Outcomes,
    Step,
    attempted,
    numbers_of,
    placebo,
    twin,
)
from socialbias.commands.measure_subject import title_of
from socialbias.commands.measure_vectors import measure_words
from socialbias.commands.result import Result
from socialbias.commands.settings import Question, Resampling
from socialbias.commands.subjects import Subject
from socialbias.embeddings.vectors import WordVectors
from socialbias.embeddings.words.lists import WordLists, lists
from socialbias.errors import UserError
from socialbias.measurement.estimates import Row, mean_of_known
from socialbias.measurement.instruments import instrument
from socialbias.measurement.known_words import find_words
from socialbias.measurement.random_words import FOR_WEAT, POOL, Baseline, choose_baseline
from socialbias.measurement.vectors import VectorBias
from socialbias.measures.registry import bias_by, offered
from socialbias.measures.weat import effect_size
from socialbias.reporting.write_artefact import with_detectable
from socialbias.stats.seeding import generator

if TYPE_CHECKING:  # a light installation has no pandas
    import pandas as pd

    from socialbias.measures.datasets.weat import WeatTest

PLACEBOS = 100  # random lists of a control
GROUPS, TARGETS, EIGHT, THINGS = "gender", "professions", "professions-eight", "things"
MEASURES = [name for name in offered() if name not in ("position", "divdist", "weat")]
CONTEMPORARY = "gender@released-code"  # lists of Table 5, which are those of `GROUPS`
SHUFFLED = "shuffled labels: employment exchanged between professions"
CALISKAN = "Caliskan, Bryson and Narayanan 2017"
TABLE5 = "Bommasani and Liang 2022, Table 5"
OVER_PROFESSIONS = CORRELATION | {"n_unit": "professions", "resampled": "professions"}


def words_of(benchmarks: Benchmarks) -> list[str]:
    """Return all words that instruments of vectors look up; without benchmarks that are missing."""
    packaged = (GROUPS, TARGETS, EIGHT, THINGS, "gender-kinship", "family-career")
    packaged += ("gender-bolukbasi", "class")  # group words are no random words
    words = [word for name in packaged for word in lists()[name].all]
    with suppress(UserError, ModuleNotFoundError):  # `employment` and `weats` give the reason
        words += list(employment_of(benchmarks).index)
    with suppress(UserError, ModuleNotFoundError):
        for test in weat_tests(benchmarks):
            words += [word for words in (*test.targets, *test.attributes) for word in words]
    return list(dict.fromkeys([*words, *instruments_relatedness.words_of(benchmarks)]))


def steps(
    vectors: WordVectors,
    subject: Subject,
    benchmarks: Benchmarks,
    resampling: Resampling,
    column: str,
    random: WordVectors | None = None,
    vocabulary: Sequence[str] = (),
) -> Iterator[Step]:
    """Yield a step for each instrument of vectors."""
    audit = OfVectors(vectors, subject, resampling, random, vocabulary)
    yield Step(f"directed bias, {EIGHT}", partial(audit.eight, column))
    words = (lists()[GROUPS], lists()[TARGETS])
    for name in ("position", *MEASURES) if vocabulary else MEASURES:
        yield Step(f"{bias_by(name)}, {TARGETS}", partial(audit.bias, name, *words))
    yield Step("employment", partial(audit.employment, benchmarks))
    yield Step("WEAT 1 to 10", partial(audit.weats, benchmarks))


@dataclass
class OfVectors:
    """The instruments for one set of vectors."""

    vectors: WordVectors
    subject: Subject
    resampling: Resampling
    random: WordVectors | None  # those of the model with random weights
    vocabulary: Sequence[str]
    _others: dict[tuple, Baseline] = field(default_factory=dict)

    def eight(self, column: str) -> Outcomes:
        """Yield the bias of the eight professions of Table 3."""
        marks = printed_numbers("trustworthy_table3", f"(.*, {column}.*)")
        [entry] = self.bias("directed", lists()[GROUPS], lists()[EIGHT])
        yield replace(entry, paper="Bommasani and Liang 2022, Table 3", printed=marks)

    def bias(self, name: str, groups: WordLists, targets: WordLists) -> Outcomes:
        """Yield a measure of targets, with its controls."""
        question = Question(groups, targets, instrument(name, 2), self.resampling)
        result, controls = self._result(question), ()
        if name != "position":  # which is ranked among topics, and has no number in other spaces
            controls = (*self._placebos(question), *_dealt(result), *self._twin(question))
        title = f"{bias_by(name)}, {targets.name}"
        yield Entry(title, question.measure.citation, result, controls)

    def _result(self, question: Question) -> Result:
        chosen = question.measure
        weat = chosen.name == "weat"
        key = (question.groups.name, question.targets.name, weat)
        if key not in self._others and self.vocabulary:
            how = {"number": FOR_WEAT if weat else POOL, "by_target": weat}
            self._others[key] = choose_baseline(self.vocabulary, *question.compared_with, **how)
        others = self._others.get(key)
        result = measure_words(self.vectors, question, others=others, tested=chosen.shuffled)
        title = title_of(question.measure, result.n, question.groups, self.subject)
        return replace(result, title=title)

    def _placebos(self, question: Question) -> tuple[Control, ...]:
        """Return the mean, or effect size, with nouns for things as group words."""
        chosen, targets = question.measure, question.targets
        known = find_words(self.vectors, question.groups, targets, chosen.pairs)
        things = self.vectors.known(
            word for word in lists()[THINGS].words[""] if word not in set(targets.all)
        )
        groups = list(known.groups.values())
        sizes = [len(words) for words in groups]
        if sum(sizes) > len(things):
            return ()
        rng = generator(self.resampling.seed, "audit", "placebo", *map(str, sizes))
        bias = VectorBias(self.vectors, known.targets, groups, chosen)
        biases = bias.with_words_of(things, PLACEBOS, rng)
        numbers = mean_of_known(biases)
        if chosen.name == "weat":
            first = len(self.vectors.known(next(iter(targets.words.values()))))
            numbers = [effect_size(*np.split(each, [first])) for each in biases]
        return placebo("placebo lists: nouns for things as groups", numbers, "random lists")

    def _twin(self, question: Question) -> tuple[Control, ...]:
        if self.random is None:
            return ()
        return (twin(measure_words(self.random, question)),)

    def employment(self, benchmarks: Benchmarks) -> Outcomes:
        """Yield Spearman's correlation of each measure with the census (Table 5, contemporary)."""
        shares = employment_of(benchmarks)
        biases, records = self._table5(self.vectors, shares)
        others = {} if self.random is None else self._table5(self.random, shares)[1]
        if not records:
            raise UserError("too few words have a vector, or all professions have the same bias")
        for name, record in records.items():
            controls = [*placebo(SHUFFLED, record["null"], "random orders")]
            if name in others:
                controls.append(twin(_employment(others[name], name, self.resampling.level)))
            of_measure = biases[biases["row"] == name]
            pairs = zip(of_measure["unit"], of_measure["bias"], strict=True)
            rows = tuple(Row(profession, bias, math.nan, math.nan) for profession, bias in pairs)
            result = _employment(record, name, self.resampling.level, rows)
            row = f"({name}), contemporary-gender"
            marks = printed_numbers("trustworthy_table5", row, ", word2vec")
            title = f"employment, {result.measure}"
            yield Entry(title, TABLE5, result, tuple(controls), marks)

    def _table5(
        self, vectors: WordVectors, shares: pd.DataFrame
    ) -> tuple[pd.DataFrame, dict[str, dict]]:
        """Return the biases of professions in the contemporary column, and its values by row."""
        from socialbias.papers.trustworthy.table5 import contemporary_values, evidence

        level, seed = self.resampling.level, self.resampling.seed
        words = {CONTEMPORARY: lists()[GROUPS].words}
        table = evidence({"word2vec": vectors}, {"gender": shares}, words, level)
        records = map(with_detectable, contemporary_values(table, level, seed))
        return table, {record["row"]: record for record in records}

    def weats(self, benchmarks: Benchmarks) -> Outcomes:
        """Yield the tests of WEAT."""
        paper = f"{CALISKAN}; Bommasani and Liang 2022, section 2"
        for test in weat_tests(benchmarks):
            attributes = dict(zip(test.attribute_names, test.attributes, strict=True))
            sets = dict(zip(test.target_names, test.targets, strict=True))
            groups = WordLists(test.name, "groups", attributes, source=CALISKAN)
            targets = WordLists(test.name, "targets", sets, source=CALISKAN)
            yield from attempted(test.name, self.weat, test.name, groups, targets, paper)

    def weat(self, name: str, groups: WordLists, targets: WordLists, paper: str) -> Outcomes:
        """Yield a test of two sets of targets."""
        question = Question(groups, targets, instrument("weat", 2), self.resampling)
        result = replace(self._result(question), title=f"{name}: {' and '.join(targets.words)}")
        random = self._placebos(question) or _dealt(result)
        yield Entry(name, paper, result, (*random, *self._twin(question)))


def _dealt(result: Result) -> tuple[Control, ...]:
    """Return the value with the group words assigned to groups at random."""
    if result.dealt is None:
        return ()
    return placebo(
        "shuffled labels: group words assigned at random", result.dealt, "random assignments"
    )


def _employment(record: dict, name: str, level: float, rows: tuple[Row, ...] = ()) -> Result:
    """Return a cell of Table 5 as a result."""
    measure, compared = instrument(name, 2), "compared with how uneven employment is"
    return Result(
        title=f"{bias_by(measure.name)} of {record['n']} professions {compared}",
        measure=measure.name,
        **numbers_of(record),
        level=level,
        direction="above 0: professions with more uneven employment have a larger bias",
        n=record["n"],
        n_of=record["n_of"],
        reliability=record["reliability"],
        reliability_of="ranking of the professions by random halves of the group words",
        p_value=record["p_value"],
        citation=measure.citation,
        rows=rows,
        notes=tuple(filter(None, [record["note"]])),
        **OVER_PROFESSIONS,
    )


def employment_of(benchmarks: Benchmarks):
    """Return the shares of women and men by profession."""
    from socialbias.config import Config
    from socialbias.measures.datasets.census import GENDER, read_shares

    folder, manifest = benchmarks("census_gender")
    return read_shares(folder, manifest, GENDER, Config().trustworthy.census_year)


def weat_tests(benchmarks: Benchmarks) -> list[WeatTest]:
    """Return the tests of WEAT."""
    from socialbias.measures.datasets.weat import read_tests

    folder, manifest = benchmarks("weat_lists")
    return read_tests(folder, manifest, manifest["errata"])
