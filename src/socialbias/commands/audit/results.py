"""What an audit gives: values, each with its controls and the papers' numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from socialbias.commands.result import Result, headline, is_unseen
from socialbias.errors import UserError, missing_package
from socialbias.reporting.plain_values import plain
from socialbias.reporting.render import Output, Shown, estimate, number
from socialbias.stats.similarity import Array

# What every rank correlation is.
CORRELATION = {"statistic": "Spearman's rho", "unit": "rank correlation", "null": 0.0}
CORRELATION |= {"test": "Spearman's, two-sided"}
TWIN = "random weights"
TWIN_APART = f"difference from {TWIN}"
KNOWLEDGE = ("lms", "relatedness")  # what it knows: no bias


@dataclass(frozen=True)
class Control:
    """The same value where there can be no bias of this kind."""

    name: str  # what was measured instead
    value: float  # of several placebos their median
    low: float  # its interval; of several placebos the range of 95 % of them
    high: float
    range_of: str  # what varies within the interval or range


@dataclass(frozen=True)
class PrintedNumber:
    """A number that a paper prints for its own data."""

    subject: str  # what the paper measured
    value: str  # the number as printed
    place: str  # paper and table


@dataclass(frozen=True, repr=False)
class Entry(Output):
    """The result of one instrument."""

    instrument: str  # its name, unique in an audit
    paper: str  # the paper and the place in it
    result: Result  # the value with interval, n, reliability and detectable difference
    controls: tuple[Control, ...] = ()  # the same value where there can be no bias
    printed: tuple[PrintedNumber, ...] = ()  # the papers' numbers
    weak: str = ""  # why the value should be read with caution; "" if there is no reason
    step: str = ""  # name of the step that gave it

    def as_dict(self) -> dict:
        """Everything, as plain JSON values."""
        return plain(
            {
                "instrument": self.instrument,
                "step": self.step,
                "paper": self.paper,
                "weak": self.weak,
                "result": self.result.as_dict(),
                "controls": [vars(control) for control in self.controls],
                "printed": [vars(mark) for mark in self.printed],
            }
        )

    @property
    def title(self) -> str:
        """What was measured."""
        return self.result.title

    @property
    def provenance(self) -> list[dict]:
        """What was read."""
        return self.result.provenance

    @property
    def verdict(self) -> str:
        """What the value means, in a sentence, and why to read it with caution."""
        return _meaning(self) + (f" (caution: {self.weak})" if self.weak else "")

    def records(self) -> list[dict]:
        """Return the rows of the result."""
        return self.result.records()

    def sentences(self) -> list[str]:
        """Return the value and what it means."""
        return [headline(self.result), f"Result: {self.verdict}."]

    def tables(self) -> dict[str, list[Shown]]:
        """Return the controls, the papers' numbers, and the rows of the result."""
        of = self.instrument
        controls = [
            {"measured instead": control.name, **estimate("value", control, self.result.level)}
            | {"interval over": control.range_of}
            for control in self.controls
        ]
        marks = [
            {"measured in": mark.subject, "value": mark.value, "source": mark.place}
            for mark in self.printed
        ]
        tables = {f"controls of {of}": controls, f"numbers of papers beside {of}": marks}
        if len(self.result.rows) > 1:
            tables |= {f"{of}: {unit}": rows for unit, rows in self.result.tables().items()}
        return {caption: rows for caption, rows in tables.items() if rows}

    def all_facts(self) -> list[tuple[str, str]]:
        """Return what a reader must know about the value."""
        return [*self.result.all_facts(), ("paper", self.paper)]


def sign_of(result: Result) -> int | None:
    """1 or -1 where the interval lies above or below what is found without bias; 0 where neither.

    For words in vectors and texts, equally coherent topics decide, and for a WEAT sets of
    neighbouring words, since intervals treat the words as independent. None without an interval, or
    where it is not known what is found without bias.
    """
    if not (math.isfinite(result.low) and math.isfinite(result.null)):
        return None
    if (result.answers or result.measure == "weat") and math.isfinite(result.p_value):
        sign = -1 if result.answers and result.value < result.null else 1
        return sign * int(result.p_value <= 1 - result.level)
    return 1 if result.low > result.null else -1 if result.high < result.null else 0


def _meaning(entry: Entry) -> str:
    result = entry.result
    if (sign := sign_of(result)) is None:
        if math.isfinite(result.low):
            return "to be compared with its controls: the value without bias is unknown"
        return "without an interval, so it says nothing by itself"
    null = number(result.null)
    same = f"not distinguishable from {null}"
    if not sign and (result.measure == "weat" or not math.isfinite(result.detectable)):
        return same
    if not sign and is_unseen(result):
        return f"{same} (the sample is too small to detect even the largest bias)"
    if not sign:
        least = number(result.detectable)
        return f"{same} (a difference of {least} or more would have been detected)"
    what = "the value without bias"
    if result.measure in KNOWLEDGE:
        what = "chance"
    elif result.answers:
        what = f"the median of {result.answers[0].among}"
    answer = f"{'above' if sign > 0 else 'below'} {null}, {what}"
    controls = {control.name.partition(":")[0]: control for control in entry.controls[::-1]}
    apart, random = controls.get(TWIN_APART), controls.get(TWIN)
    if apart is not None and apart.low <= 0 <= apart.high:
        answer += "; but not distinguishable from random weights"
    if apart is None and random is not None and random.low <= result.value <= random.high:
        answer += "; but within the interval for random weights"
    for name, each in controls.items():
        if name.startswith("placebo") and each.low <= result.value <= each.high:
            answer += f"; but {each.name.partition(': ')[2]} give as much"
    return answer


@dataclass(frozen=True)
class Absent:
    """An instrument without a number."""

    instrument: str  # its name
    reason: str  # Why, and what to do
    # Whether it failed unexpectedly; otherwise it does not fit or has no input.
    failed: bool = False
    step: str = ""  # as in `Entry`


Outcomes = Iterator[Entry | Absent]


@dataclass(frozen=True)
class Step:
    """What an audit runs at a time: an instrument, or several that need the same work."""

    title: str  # name of the instrument
    measure: Callable[[], Iterable[Entry | Absent]]  # yields the outcomes

    @property
    def name(self) -> str:
        """Its name in options."""
        return name_of(self.title)

    def outcomes(self, weak: str = "") -> Outcomes:
        """Run it; `weak` is the reason to read its entries with caution, if any."""
        for outcome in attempted(self.title, self.measure):
            yield replace(outcome, weak=weak) if weak and isinstance(outcome, Entry) else outcome


def name_of(title: str) -> str:
    """Return a title as options name it: its words in lower case, with hyphens."""
    return "-".join(re.findall(r"[a-z0-9]+", title.lower()))


def attempted(
    instrument: str, measure: Callable[..., Iterable[Entry | Absent]], *args: object
) -> Outcomes:
    """Yield what an instrument gives, or why it gives nothing: a failure stops no other one."""
    try:
        yield from measure(*args)
    except Exception as error:
        yield failed(instrument, error)


def failed(instrument: str, error: Exception) -> Absent:
    """Return an instrument that failed, with the reason in one line."""
    missing = isinstance(error, ModuleNotFoundError)
    reason = " ".join((missing_package(error) if missing else str(error)).split())
    if isinstance(error, UserError | ModuleNotFoundError):
        return Absent(instrument, reason)
    return Absent(instrument, f"{type(error).__name__}: {reason}", failed=True)


def placebo(name: str, draws: Array | Sequence[float], range_of: str) -> tuple[Control, ...]:
    """Return a control from the values of many placebos; none without a value."""
    known = np.asarray(draws, float)
    known = known[np.isfinite(known)]
    if not len(known):
        return ()
    low, middle, high = np.quantile(known, [0.025, 0.5, 0.975]).tolist()
    return (Control(name, middle, low, high, range_of),)


def ends(estimate: object) -> dict[str, float]:
    """Return the value of an estimate and its interval, as fields of a result or a control."""
    return {name: getattr(estimate, name) for name in ("value", "low", "high")}


def twin(result: Result) -> Control:
    """Return a control from the same result of the model with random weights."""
    return Control(TWIN, **ends(result), range_of=result.resampled)


def numbers_of(record: Mapping) -> dict[str, float]:
    """Return the fields of a result from the record of an artefact."""
    columns = {"value": "value", "low": "ci_low", "high": "ci_high", "detectable": "detectable"}
    return {name: float(record[column]) for name, column in columns.items()}
