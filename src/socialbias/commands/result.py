"""The result of `measure` and `compare`, and its output formats."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from socialbias.errors import naming_extras
from socialbias.measurement.estimates import Row
from socialbias.measurement.known_words import guessed, some
from socialbias.measurement.topics import RANDOM, Answer
from socialbias.measures.passport import Passport, passports
from socialbias.reporting.methods_paragraph import details, paragraph, scored
from socialbias.reporting.plain_values import filled, plain
from socialbias.reporting.render import (
    ALL_IS,
    BRIEF,
    NOTES,
    Output,
    Shown,
    capital,
    estimate,
    folded_html,
    number,
    p_text,
    table_html,
    table_text,
    with_interval,
)
from socialbias.reporting.result_figure import figure
from socialbias.stats.similarity import Array

# What a short text has of a comparison by items.
OF_ITEMS = ("direction", "changed", "by domain", "scored")
ONE_LOOK = "1: the error rates are those of one test. Do not repeat it with more items or words"
ALL_LOOKS = "the error rates hold for all looks together, whenever you stop"
FARTHEST = 6  # words named on either side
SIGNED = ("direction", "contrast", "order")  # questions whose answer may be too low or too high
NAMED = 0.05  # of the words that are named, the share that are no further out than random words
NOT_NONE = "No difference from topics does not mean no bias: topics may be biased, too."
UNKNOWN_NULL = "unknown for this measure: compare with other words or groups"
UNSEEN = "nothing: the sample is too small to detect even the largest possible value"
SHARE = re.compile(r"share of the first group minus 1/(\d+)")
LARGEST_BY_UNIT = {"rank correlation": 1.0, "standard deviations": 2.0}  # the latter of a WEAT


@dataclass(frozen=True, kw_only=True, repr=False)
class Result(Output):
    """A bias, or a difference of two, with its uncertainty and origin.

    Attributes:
        title: What was measured; "" until that is known.
        measure: Name of the measure.
        statistic: How `value` summarises the rows, such as their mean.
        value: The number; NaN if undefined.
        low, high: Its interval.
        level: Nominal coverage of the interval.
        null: The median of the control sets of `test`; without them, the number without bias (NaN
            if that is unknown).
        answers: The numbers of the targets among control sets; the first decides.
        unit: Unit of the numbers.
        direction: What the sign or size of the numbers means.
        n, n_of: Sample size, and what was asked for.
        n_unit: What n counts, such as targets.
        missing: Words that were not found, by list.
        resampled: What the interval resamples.
        rows_resampled: What the intervals of rows resample; "" if the same.
        reliability: Reliability of the rows' ranking; NaN if unknown.
        reliability_low, reliability_high: Its interval.
        reliability_of: What was ranked, and how it was split.
        detectable: Smallest distance from `null` that is detected at 0.05 with 80 % power.
        p_value: Share of the control sets of `test` that are as far from no effect; in other
            commands the p-value of `test`; NaN without a test.
        test: The test, in words.
        coherence: Mean cosine between the targets, and in the topics that they are compared with.
        sides: Of a comparison, `value` in the first and the second subject.
        by_halves: With random halves of the group words, the range of `value` and of the number of
            words outside; empty with too few of them.
        by_templates: In a model, the range of `value` in single templates; otherwise empty.
        citation: Source of the measure.
        provenance: Everything that was read, as plain values.
        rows: The targets.
        notes: Reservations.
        verdict: Verdict of a comparison; "" otherwise.
        changed: In a comparison by items, how many decisions differ in each direction, of how many.
        changed_items: The items whose decisions differ, with their labels and both decisions.
        by_domain: The difference in each of several domains, and its p-value corrected for all of
            them by Holm's method.
        looks: Of a sequential comparison, `planned` numbers of items at the looks, how many looks
            were `taken`, and the `level of each`.
        draws: (draws, rows) the rows' numbers in resamples, if any.
        dealt: (draws,) the number with permuted words, if it was tested.
        random_words: The numbers of the words that targets are compared with, by word.
        meant: The known word that was probably meant, by missing word.
        cells: Of a comparison, a `Table` of the targets in both subjects and their differences;
            the rows are then differences in size, which are tested.
    """

    title: str = ""
    measure: str
    statistic: str
    value: float
    low: float
    high: float
    level: float
    null: float
    unit: str
    direction: str
    n: int
    n_of: int
    n_unit: str
    missing: dict[str, list[str]] = field(default_factory=dict)
    resampled: str
    rows_resampled: str = ""
    reliability: float = math.nan
    reliability_low: float = math.nan
    reliability_high: float = math.nan
    reliability_of: str = ""
    detectable: float = math.nan
    p_value: float = math.nan
    test: str = ""
    answers: tuple[Answer, ...] = ()
    coherence: tuple[float, float] = (math.nan, math.nan)
    sides: tuple[float, float] | tuple[()] = ()
    by_halves: tuple[float, float, int, int] | tuple[()] = ()
    by_templates: tuple[float, float] | tuple[()] = ()
    citation: str
    provenance: list[dict] = field(default_factory=list)
    rows: tuple[Row, ...] = ()
    notes: tuple[str, ...] = ()
    verdict: str = ""
    changed: dict[str, int] = field(default_factory=dict)
    changed_items: list[dict] = field(default_factory=list)
    by_domain: dict[str, dict[str, float]] = field(default_factory=dict)
    looks: dict = field(default_factory=dict)
    draws: Array | None = field(default=None, repr=False, compare=False)
    dealt: Array | None = field(default=None, repr=False, compare=False)
    random_words: dict[str, float] = field(default_factory=dict, repr=False, compare=False)
    meant: dict[str, str] = field(default_factory=dict)
    cells: Output | None = None

    @property
    def interval(self) -> tuple[float, float]:
        """The ends of the interval."""
        return self.low, self.high

    @property
    def _middle(self) -> float:
        """The mean number of random words, or that without bias."""
        if self.random_words:
            return sum(self.random_words.values()) / len(self.random_words)
        return self.null

    @property
    def passport(self) -> Passport | None:
        """What the project's reference run found of the measure; None without such a run.

        It describes the measure on the data of that run, not the subject of this result.
        """
        return passports().get(self.passport_name)

    @property
    def passport_name(self) -> str:
        """Name of the measure's section in docs/passports.md."""
        if self.measure == "decisions":
            return "stereotype-score"
        kinds = {entry.get("role") for entry in self.provenance}
        if self.measure in ("directed", "divdist") and kinds & {"corpus", "model"}:
            return "reduction" if "model" in kinds else "text"
        return self.measure

    def records(self) -> list[dict]:
        """Return the rows, or the cells, as plain dicts without columns that are always empty."""
        return filled(map(vars, self.rows)) if self.cells is None else self.cells.records()

    def as_dict(self) -> dict:
        """Everything but the draws, as plain JSON values: a number that there is not is None."""
        left_out = {"draws", "dealt", "random_words", "cells"}
        left_out |= set() if self.by_domain else {"by_domain"}
        kept = {key: value for key, value in vars(self).items() if key not in left_out}
        passport = {"passport": self.passport.as_dict()} if self.passport else {}
        parts = {"rows": filled(map(vars, self.rows)), "answers": [*map(vars, self.answers)]}
        cells = {} if self.cells is None else {"cells": self.records()}
        return plain(kept | parts | passport | cells)

    @naming_extras()
    def plot(self, path: str | Path | None = None, most: int = 30, *, ax=None, size: str = "wide"):
        """Plot the rows with their intervals, as a matplotlib figure.

        Args:
            path: Where to save it; its suffix is the format.
            most: Rows drawn: those that are farthest from the null value.
            ax: The matplotlib axes to draw on; None for a new figure.
            size: `wide` for the text of a page, or `narrow` for one of two columns.
        """
        if self.cells is not None:
            return self.cells.plot(path, most, ax=ax, size=size)
        rows = sorted(ordered(self)[:most], key=lambda row: -row.value)
        dotted = "mean of random words" if self.random_words else "no bias"
        unit = f"{self.unit}, {100 * self.level:g} % intervals; dotted: {dotted}\n{self.direction}"
        how = {"path": path, "ax": ax, "size": size, "title": self.title, "unit": unit}
        names = [row.target for row in rows]
        return figure({"": {"": rows}}, names, [""], nulls=[self._middle], **how)

    @property
    def paragraph(self) -> str:
        """As `Output.paragraph`."""
        if self.cells is not None:
            return self.cells.paragraph
        of_words = f"Intervals of words resample {self.rows_resampled}"
        return paragraph([self], self.provenance, [of_words] * bool(self.rows_resampled))

    @property
    def symbols(self) -> str:
        """As `Output.symbols`."""
        return "" if self.cells is None else self.cells.symbols

    def sentences(self) -> list[str]:
        """Return the number, the verdict, and how the targets compare with other words."""
        if self.cells is None and self.outside is not None:
            return [*filter(None, [self.verdict]), *_answered(self)]
        return [headline(self), *filter(None, [self.verdict]), *map(_sentence, self.answers)]

    @property
    def outside(self) -> Answer | None:
        """How many targets lie outside 95 % of random words, among the control sets."""
        return next((each for each in self.answers if each.question == "outside"), None)

    @property
    def named(self) -> list[str]:
        """The targets that are named as farther out than random words, farthest first."""
        return [row.target for row in ordered(self) if row.adjusted_p <= NAMED]

    def brief(self) -> str:
        """Return the answer in at most `BRIEF` lines."""
        rest = [_read_in_one_line(self), *(f"Note: {note}." for note in self.notes[:NOTES])]
        if self.changed:
            facts = dict(self.all_facts())
            facts = [f"{capital(name)}: {facts[name]}." for name in OF_ITEMS if name in facts]
            rest = [*facts, *rest]
        elif self.outside is None:
            rows = next(iter(self.tables().values()), [])
            heads = len(table_text(rows[:1])) - 1
            most = max(BRIEF - len(self.sentences()) - len(rest) - heads - 3, 1)
            more = [f"  ... and {len(rows) - most} more"] if len(rows) > most else []
            rest = [*table_text(rows[:most]), *more, *rest]
        elif self.p_value > NAMED:
            rest.append(NOT_NONE)
        return "\n".join([self.title, *self.sentences(), *rest, ALL_IS])

    def tables(self) -> dict[str, list[Shown]]:
        """Return the rows, those farthest from no bias first; of a comparison the cells."""
        if self.cells is not None:
            return self.cells.tables()
        rows = [
            {"target": row.target}
            | estimate("bias", row, self.level)
            | {"nearer to": row.leans_to, "percentile": number(row.percentile, 1, "")}
            | {"p": p_text(row.p_value)[2:], "adjusted p": p_text(row.adjusted_p)[2:]}
            | {"note": row.note}
            for row in ordered(self)
        ]
        return {self.unit: filled(rows)} if rows else {}

    def _repr_html_(self) -> str:
        if not self.changed_items:
            return super()._repr_html_()
        items = [{name: str(cell) for name, cell in item.items()} for item in self.changed_items]
        caption = f"Decisions that differ: {len(items):,}"
        return super()._repr_html_() + folded_html(caption, table_html(items, caption))

    def all_facts(self) -> list[tuple[str, str]]:
        """Return what one must know of the number, as pairs of a heading and a text."""
        lines = [] if self.cells is None else self.cells.facts_of_cells()
        lines.append(("interval", f"{100 * self.level:g} %, resampling {self.resampled}"))
        if self.rows_resampled and len(self.rows) > 1:
            lines.append(("interval of a word", f"resampling {self.rows_resampled}"))
        for each in self.answers:
            lines.append((f"{each.question}, {each.among}", _among(each)))
        if math.isfinite(self.coherence[0]):
            cosines = map(number, self.coherence)
            text = "{} between the targets, {} within the topics".format(*cosines)
            lines.append(("mean cosine", text))
        if self.by_halves:
            low, high, few, many = self.by_halves
            text = f"{number(low)} to {number(high)}; {few} to {many} outside"
            lines.append(("halves of the group words", text))
        if self.by_templates:
            low, high = map(number, self.by_templates)
            lines.append(("single templates", f"{low} to {high}"))
        if math.isfinite(self.p_value) and not self.answers:
            lines.append(("p-value", f"{p_text(self.p_value)[2:]}, {self.test}"))
        if not self.answers:
            lines.append(("without bias", number(self.null, missing=UNKNOWN_NULL)))
        if math.isfinite(self.detectable):
            lines.append(("detectable", _detectable(self)))
        if math.isfinite(self.reliability):
            ends = with_interval(self.reliability, self.reliability_low, self.reliability_high)
            if self.reliability_low < -1:  # it has no lower bound
                below = f"[below -1, {number(self.reliability_high)}]"
                ends = f"{number(self.reliability)} {below}"
            lines.append(("reliability", f"{ends}, {self.reliability_of}"))
        found = f"{self.n} of {self.n_of} {self.n_unit}"
        lines += [("direction", self.direction), ("found", found)]
        if self.changed:
            lines.append(("changed", _changed(self.changed)))
        if self.by_domain:
            lines.append(("by domain", _by_domain(self.by_domain)))
        if self.verdict and not self.looks:
            lines.append(("looks", ONE_LOOK))
        elif self.verdict:
            sizes = ", ".join(f"{size:,}" for size in self.looks["planned"])
            look = f"{self.looks['taken']} of {len(self.looks['planned'])}"
            lines.append(("looks", f"{look} planned (at {sizes} items): {ALL_LOOKS}"))
        for name, words in self.missing.items():
            lines.append((f"missing, {name}", some(guessed(words, self.meant))))
        lines += _sources([self], self.provenance)
        return lines + [("note", note) for note in self.notes]


def headline(result: Result) -> str:
    """Return the number, its interval, its unit and its p-value."""
    parts = [with_interval(result.value, *result.interval), result.unit]
    alone = result.n == 1 and result.rows and math.isfinite(result.value)
    word = f" of {result.rows[0].target}" if alone else ""
    parts.append(p_text(result.p_value))
    return f"{result.statistic}{word}: {', '.join(filter(None, parts))}"


def _answered(result: Result) -> list[str]:
    """Return the answer, its numbers, the words farthest out, and what could have been found."""
    outside, questions = result.outside, {}
    for each in result.answers:
        questions.setdefault(each.question, each)  # that among topics, where there is one
    where = "the middle 95 %" if "direction" in questions else "95 %"
    judged = sum(not row.note for row in result.rows)
    lines = [
        f"{outside.value:.0f} of {judged} targets lie outside {where} of random words; "
        f"{outside.among} have a median of {outside.middle:.0f}, and {outside.high:.0f} or more "
        f"in at most 5 %{_p(outside)}."
    ]
    del questions["outside"]
    for name, each in questions.items():
        unit = "rank correlation" if name == "order" else result.unit
        between = f"{each.among}: {number(each.low, 2)} to {number(each.high, 2)}"
        lines.append(f"{capital(name)} {number(each.value, 2)}, {unit} ({between}{_p(each)}).")
    found = []
    for name, each in questions.items():
        if each.among == RANDOM:  # these decide nothing
            continue
        low, high = each.middle - each.detectable, each.middle + each.detectable
        if name == "order" and high > 1:
            found.append("no order, with so few targets")
        elif name in SIGNED:
            found.append(f"{name} below {number(low, 2)} or above {number(high, 2)}")
        else:
            found.append(f"{name} above {number(high, 2)}")
    if found:
        lines.append(f"Would be found with 80 % power: {', '.join(found)}.")
    return [*lines, *_farthest(result), *_in_parts(result)]


def _p(each: Answer) -> str:
    """Return the p-value behind a semicolon; sets of random words give none."""
    return "" if each.among == RANDOM else f"; {p_text(each.p_value)}"


def _farthest(result: Result) -> list[str]:
    """Return the words farthest out, by the group that they are nearer to; * if named."""
    named, sides = set(result.named), {}
    for row in ordered(result):
        if not row.note:
            mark = "*" * (row.target in named)
            place = number(row.value, 1 if result.measure == "position" else 2)
            sides.setdefault(row.leans_to, []).append(f"{row.target} {place}{mark}")
    lines = [f"Nearer to {name}: {', '.join(sides[name][:FARTHEST])}." for name in sides if name]
    smallest = 1 / (1 + len(result.random_words))
    if named:
        words = f"{len(named)} word{'s' * (len(named) > 1)}"
        chance = f"on average at most {100 * NAMED:g} % of such words by chance"
        lines.append(f"* named: {words}; {chance}.")
    elif smallest * result.n > NAMED:
        among = f"with {len(result.random_words):,} random words"
        lines.append(f"No single word can be named: {among} no p is below {smallest:.2g}.")
    else:
        lines.append("No single word stands out from random words by itself.")
    return lines


def _in_parts(result: Result) -> list[str]:
    """Return how much the group words decide, and the templates of a model."""
    lines, instead = [], f"instead of {number(result.value, 2)}"
    if result.by_halves:
        low, high, few, many = result.by_halves
        ends = f"{number(low, 2)} to {number(high, 2)} {instead}, and {few} to {many} outside"
        lines.append(f"With random halves of the group words: {ends}.")
    if result.by_templates:
        low, high = result.by_templates
        lines.append(f"In single templates: {number(low, 2)} to {number(high, 2)} {instead}.")
    return lines


def _read_in_one_line(result: Result) -> str:
    """Return what was read, and how many words."""
    files = [entry for entry in result.provenance if "files" in entry]
    read = [", ".join([entry["name"], *details(entry)]) for entry in files]
    read.append(f"{result.n} of {result.n_of} {result.n_unit}")
    if result.random_words:
        read.append(f"{len(result.random_words):,} random words")
    if missing := [word for words in result.missing.values() for word in words]:
        read.append(f"missing: {some(guessed(missing, result.meant))}")
    return f"Read: {'; '.join(read)}."


def _sentence(each: Answer) -> str:
    return f"{capital(each.question)} among {each.n:,} {each.among}: {_among(each)}."


def _among(each: Answer) -> str:
    """Return where a number lies among control sets."""
    digits = 0 if each.question == "outside" else 3
    value, low, high, middle = (
        number(x, digits) for x in (each.value, each.low, each.high, each.middle)
    )
    return f"{value}; they have {low} to {high}, median {middle}; {p_text(each.p_value)}"


def ordered(result: Result) -> list[Row]:
    """Sort the rows, farthest from no bias first, and last those with a note.

    A p-value says what is far: either way, or of a magnitude only above random words.
    """
    middle = result._middle if result.random_words else 0.0

    def nearness(row: Row) -> tuple[bool, float, float]:
        p = row.p_value if math.isfinite(row.p_value) else 0.0
        return bool(row.note), p, -abs(row.value - middle)

    return sorted(result.rows, key=nearness)


def _changed(changed: Mapping[str, int]) -> str:
    """Return how many decisions differ, in each direction."""
    ways = {key: n for key, n in changed.items() if key != "of"}
    total, share = sum(ways.values()), 100 * sum(ways.values()) / max(changed["of"], 1)
    counts = ", ".join(f"{n:,} {way}" for way, n in ways.items())
    return f"{total:,} of {changed['of']:,} decisions ({share:.1f} %): {counts}"


def _by_domain(domains: Mapping[str, Mapping[str, float]], most: int = 3) -> str:
    """Return the domains with the smallest p-values."""
    rows = [(*each.values(), name) for name, each in domains.items()]
    tested = sorted((p, name, value) for value, p, name in rows if math.isfinite(p))
    shown = [f"{name} {number(value)} ({p_text(p)})" for p, name, value in tested[:most]]
    more = [f"{len(domains) - len(shown)} more"] * (len(domains) > len(shown))
    return f"{'; '.join([*shown, *more])}; p corrected for {len(tested)} domains (Holm)"


def is_unseen(result: Result) -> bool:
    """Return whether the detectable value is larger than any possible value."""
    if of := SHARE.match(result.unit):
        return result.detectable > 1 - 1 / int(of[1])
    return result.detectable > LARGEST_BY_UNIT.get(result.unit, math.inf)


def _detectable(result: Result) -> str:
    """Return the smallest value, or difference from the null value, found with 80 % power."""
    if is_unseen(result):
        return UNSEEN
    power = f"{number(result.detectable)} or more, with 80 % power"
    if not math.isfinite(result.null) or result.null == 0:
        return power
    among = [f"the median of {result.answers[0].among}"] if result.answers else []
    what = (*among, "the value without bias")[0]
    return f"a difference of {power}, from {number(result.null)} ({what})"


def _sources(results: Sequence[Result], provenance: list[dict]) -> list[tuple[str, str]]:
    """Return what was read, how it was scored, the words, and the measures."""
    lines = []
    for entry in (entry for entry in provenance if "files" in entry):
        files = entry["files"]
        sums = [f"sha256 {files[0]['sha256'][:12]}"] if len(files) == 1 else []
        lines.append(("read", ", ".join([entry["name"], *details(entry), *sums])))
    lines += [("scored", line) for line in scored(provenance)]
    for entry in (entry for entry in provenance if "licence" in entry):
        licence = f", licence {entry['licence']}" if entry["licence"] != entry["source"] else ""
        lines.append(("words", f"{entry['role']} {entry['name']}: {entry['source']}{licence}"))
    measures = dict.fromkeys(f"{result.measure}: {result.citation}" for result in results)
    return lines + [("measure", measure) for measure in measures]


def table_facts(
    results: Sequence[Result], names: Sequence[str], labels: Sequence[str], provenance: list[dict]
) -> list[tuple[str, str]]:
    """Return what one must know of a table of results, as `facts`.

    The results are by set of groups (`names`), that of each subject (`labels`).
    """
    first = results[0]
    resampled = dict.fromkeys(result.rows_resampled or result.resampled for result in results)
    lines = [("interval", f"{100 * first.level:g} %, resampling {', or '.join(resampled)}")]
    counts = sorted(len(result.random_words) for result in results)
    many = f"{counts[0]:,}" if counts[0] == counts[-1] else f"{counts[0]:,} to {counts[-1]:,}"
    lines.append(("percentile", f"among {many} random words"))
    for name, result in zip(names, results[:: len(labels)], strict=True):
        lines.append((f"direction, {name}", result.direction))
    for label, result in zip(labels, results, strict=False):
        lines.append((f"found, {label}", f"{result.n} of {result.n_of} {result.n_unit}"))
    for i, result in enumerate(results):
        place = [names[i // len(labels)]] * (len(names) > 1)
        place += [labels[i % len(labels)]] * (len(labels) > 1)
        for name, words in result.missing.items():
            shown = some(guessed(words, result.meant))
            lines.append((", ".join(["missing", *place, name]), shown))
    return lines + _sources(results, provenance)
