"""What an audit gives: values, each with its controls and the papers' numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from socialbias.commands.result import Result
from socialbias.errors import UserError, missing_package
from socialbias.reporting.plain_values import plain
from socialbias.stats.similarity import Array

# What every rank correlation is.
CORRELATION = {"statistic": "Spearman's rho", "unit": "rank correlation", "null": 0.0}
CORRELATION |= {"test": "Spearman's, two-sided"}
TWIN = "random weights"
TWIN_APART = f"difference from {TWIN}"


@dataclass(frozen=True)
class Control:
    """The same value where there can be no bias of this kind."""

    name: str  # what was measured instead
    value: float  # of several placebos their median
    low: float  # its interval; of several placebos the range of 95 % of them
    high: float
    range_of: str  # what varies within the interval or range


@dataclass(frozen=True)
class Mark:
    """A number that a paper prints for its own data."""

    subject: str  # what the paper measured
    value: str  # the number as printed
    place: str  # paper and table


@dataclass(frozen=True)
class Entry:
    """The result of one instrument."""

    instrument: str  # its name, unique in an audit
    paper: str  # the paper and the place in it
    result: Result  # the value with interval, n, reliability and detectable difference
    controls: tuple[Control, ...] = ()  # the same value where there can be no bias
    ruler: tuple[Mark, ...] = ()  # the papers' numbers
    no_control: str = ""  # why there is no control, if there is none
    # Why there is no number of a paper, if there is none.
    no_ruler: str = "the papers print no number of this kind"
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
                "ruler": [vars(mark) for mark in self.ruler],
                "no control": "" if self.controls else self.no_control,
                "no ruler": "" if self.ruler else self.no_ruler,
            }
        )


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
