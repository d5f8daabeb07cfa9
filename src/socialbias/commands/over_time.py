"""Bias in texts over time: the share of a target by period, and its trend beside other words'."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date

import numpy as np

from socialbias.commands.measure_corpus import Scan, prepare_corpus
from socialbias.commands.result import Result
from socialbias.commands.settings import Question, no_effect
from socialbias.commands.subjects import Subject
from socialbias.corpora.documents import Document
from socialbias.errors import UserError, nearest
from socialbias.files.text import plain
from socialbias.measurement.random_words import AS_GIVEN
from socialbias.measurement.trends import Cells, trends
from socialbias.stats.over_time import FEWEST_PERIODS

MONTHS = {"year": 12, "decade": 120, "month": 1}  # of a period
# A year, perhaps as a float; or also a month, perhaps a day, and then perhaps a time.
DATE = re.compile(r"(\d{4})(?:\.0|([-/])(\d{1,2})(?:\2(\d{1,2})(?:[T ]+\d{1,2}:\d{2}.*)?)?)?")
NAMED = re.compile(r"\d{4}(?:-\d{1,2}(?!\d)){0,2}(?!\d)")  # a file's name begins with a date
FORMS = "write a date as 1987, 1987-03 or 1987-03-21"
CHANGE = (
    "the slope of a target's share per {} minus that of the random words together, with the "
    "mean share of each word{} held fixed. Its interval is Student's t: the slope is compared "
    "with slow movements that are no trend, so that errors may be correlated from one period to "
    "the next (Phillips 2005; Sun 2011)"
)


class Calendar:
    """The period and stratum of each document of a corpus, collected while it is read."""

    def __init__(self, subject: Subject, over: str, stratify: str | None):
        """Say where they are: `over` is a key or column, `:`, and one of `MONTHS`."""
        self.column, _, self.step = over.rpartition(":") if ":" in over else (over, "", "year")
        if self.step not in MONTHS:
            raise UserError(f"over: a period is {', '.join(MONTHS)}, not {self.step!r}")
        self.stratify, self._subject = stratify, subject
        self.years = 1 if self.step == "month" else 10  # that changes are per
        self.per = "year" if self.years == 1 else f"{self.years} years"
        self.change = CHANGE.format(self.per, f" in each {stratify}" if stratify else "")
        self._strata: list[str] = []
        self._codes: list[int] = []  # periods since the year 0

    def add(self, document: Document) -> Document:
        """Note the period and stratum of a document."""
        self._codes.append(self._period(document))
        self._strata.append(self._cell(document, self.stratify) if self.stratify else "")
        return document

    def _cell(self, document: Document, column: str) -> str:
        value = document.metadata.get(column)
        if value is None or not str(value).strip():
            known = [key for key in document.metadata if document.metadata[key] is not None]
            hint = f"{nearest(column, known)}; there are {', '.join(known) or 'none'}"
            raise UserError(f"{self._where(document)}: no {column!r}{hint}")
        return plain(str(value))

    def _period(self, document: Document) -> int:
        text = self._cell(document, self.column)
        where = f"{self._where(document)}: {self.column} {text[:30]!r}"
        if self._subject.format == "plain-text" and (begins := NAMED.match(text)):
            text = begins[0]
        try:
            year, _, month, day = DATE.fullmatch(text).groups()
            written = date(int(year), int(month or 1), int(day or 1))
        except (AttributeError, ValueError):  # another form, or a day that there is not
            raise UserError(f"{where} is not a date: {FORMS}") from None
        if self.step == "month" and not month:
            raise UserError(f"{where} has no month: {FORMS}")
        return (12 * written.year + written.month - 1) // MONTHS[self.step]

    def _where(self, document: Document) -> str:
        return f"{self._subject.name}, text {document.id}"

    def finish(self) -> None:
        """Assign numbers to the periods and strata; raise UserError for a single period."""
        codes, self.periods = np.unique(self._codes, return_inverse=True)
        self.strata_names, self.strata = np.unique(self._strata, return_inverse=True)
        self.times = codes * MONTHS[self.step] / 12
        self.labels = [self._label(int(code)) for code in codes]
        if len(codes) < 2:
            only = f"all texts are of {self.labels[0]}: a trend needs 2 periods"
            raise UserError(f"over: {only}, and {FEWEST_PERIODS} for an interval")

    def _label(self, code: int) -> str:
        if self.step == "month":
            return f"{code // 12:04}-{code % 12 + 1:02}"
        return f"{code:04}" if self.step == "year" else f"{10 * code:04}s"

    @property
    def notes(self) -> list[str]:
        """A reservation, if there are few periods."""
        n = len(self.times)
        few = f"only {n} periods: changes over fewer than {FEWEST_PERIODS} have no interval"
        return [few] * (n < FEWEST_PERIODS)

    def facts(self) -> dict[str, str]:
        """Return what was read, for the provenance."""
        ends = f"{self.labels[0]} to {self.labels[-1]}"
        facts = {"periods": f"{len(self.labels)} periods by {self.step}, {ends}"}
        if self.stratify:
            facts["strata"] = f"{len(self.strata_names)} strata by {self.stratify}"
        return facts


def results_over_time(
    subject: Subject, questions: Mapping[str, Question], over: str, stratify: str | None
) -> tuple[list[tuple[Result, Result]], dict, dict, Calendar]:
    """Compute each target's bias in all periods, and its trend, in one scan of the texts.

    The questions are by the name of their groups, in which alone they differ. Return for each the
    result, and the same with trends as rows; `counts` and `lines` of `Table`; what was read; and
    the calendar.
    """
    if subject.kind != "corpus":
        raise no_effect("over", subject)
    first = next(iter(questions.values()))
    if (name := first.measure.name) != "directed":
        raise UserError(f"measure: over needs directed, not {name}")
    calendar, sets, counts, lines = Calendar(subject, over, stratify), [], [], {}
    how = first.read_with("text_key", "by") | {"language": first.text_language}
    with prepare_corpus(subject, **how, seen=calendar.add) as corpus:
        calendar.finish()
        scan = Scan(corpus, subject.name, *questions.values())
        for name, question in questions.items():
            result, read = scan.result(question.targets, question.measure, question)
            contexts = scan.shares(question)
            cells = Cells.of(contexts.rows, calendar.strata, calendar.periods, calendar.times)
            place = {word: i for i, word in enumerate(contexts.names)}
            others = [place[word] for word in scan.others.words if word in place]
            if len(others) < AS_GIVEN:
                few = f"only {len(others)} {scan.others.name} occur near a group word"
                advice = f"{AS_GIVEN} are needed: name more with --baseline"
                raise UserError(f"{subject.name}: {few}; {advice}")
            of_cells = (result.rows, result.random_words, place, others, calendar.years)
            rows, random, drawn = trends(cells, *of_cells, result.level)
            sets.append((result, replace(result, rows=rows, random_words=random, notes=())))
            lines |= {(name, target): line for target, line in drawn.items()}
            counts += ({"groups": name} | cell for cell in counted(result, cells, place, calendar))
    shown = {"counts": tuple(counts), "lines": lines}
    return sets, shown, read | calendar.facts(), calendar


def counted(
    result: Result, cells: Cells, place: dict[str, int], calendar: Calendar
) -> Iterator[dict]:
    """Yield the contexts and share of each target in each period and stratum that has any."""
    for target in (row.target for row in result.rows):
        for i in np.flatnonzero(cells.words == place[target]):
            cell = {"target": target, "period": calendar.labels[cells.periods[i]]}
            if calendar.stratify:
                cell["stratum"] = str(calendar.strata_names[cells.strata[i]])
            n, first = int(cells.totals[i]), int(cells.firsts[i])
            yield cell | {"n": n, "first": first, "share": first / n}
