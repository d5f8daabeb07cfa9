"""What an audit gives: numbers, each with its controls and the papers' own numbers beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from socialbias.api.estimate import plain
from socialbias.api.result import Result
from socialbias.errors import UserError, missing_package
from socialbias.measures.similarity import Array

TWIN = "random weights"
TWIN_APART = f"difference from {TWIN}"


@dataclass(frozen=True)
class Control:
    """The same number where there can be no bias of the kind that is measured.

    Attributes:
        name: What was measured instead.
        value: The number; of several placebos their median.
        low, high: Its interval; of several placebos the range of 95 % of them.
        range_of: What the range is over.
    """

    name: str
    value: float
    low: float
    high: float
    range_of: str


@dataclass(frozen=True)
class Mark:
    """A number that a paper prints of a subject of its own.

    Attributes:
        subject: Of the paper.
        value: As it is printed.
        place: Paper and table.
    """

    subject: str
    value: str
    place: str


@dataclass(frozen=True)
class Entry:
    """What one instrument found.

    Attributes:
        instrument: Its name, of which there is one in an audit.
        paper: Which paper, and where.
        result: The number with interval, n, reliability and detectable difference.
        controls: Beside it.
        ruler: The papers' own numbers.
        no_control: Why there is no control; "" where there are.
        no_ruler: Why there is no ruler; "" where there is one.
        weak: Why it should be read with caution; "" where nothing speaks against it.
    """

    instrument: str
    paper: str
    result: Result
    controls: tuple[Control, ...] = ()
    ruler: tuple[Mark, ...] = ()
    no_control: str = ""
    no_ruler: str = "the papers print no number of this kind"
    weak: str = ""

    def as_dict(self) -> dict:
        """Everything, as plain JSON values."""
        return plain(
            {
                "instrument": self.instrument,
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
    """An instrument without a number.

    Attributes:
        instrument: Its name.
        reason: Why, and what to do.
        failed: Whether it failed unexpectedly; otherwise it does not fit or has no input.
    """

    instrument: str
    reason: str
    failed: bool = False


@dataclass(frozen=True)
class Findings:
    """All that an audit found.

    Attributes:
        subject: Name of what was audited.
        kind: `vectors`, `corpus` or `model`.
        entries: The numbers.
        absent: Instruments without one.
        sampled: What was sampled of what there is, in words.
        provenance: Of everything that was read, as plain values.
        seconds: Of the clock.
        cpu_seconds: Of all processes.
    """

    subject: str
    kind: str
    entries: tuple[Entry, ...]
    absent: tuple[Absent, ...]
    sampled: tuple[str, ...] = ()
    provenance: list[dict] = field(default_factory=list)
    seconds: float = 0.0
    cpu_seconds: float = 0.0

    def as_dict(self) -> dict:
        """Everything, as plain JSON values: a number that there is not is None."""
        kept = ("subject", "kind", "sampled", "provenance", "seconds", "cpu_seconds")
        entries = {"entries": [entry.as_dict() for entry in self.entries]}
        absent = {"absent": [vars(each) for each in self.absent]}
        return plain({name: getattr(self, name) for name in kept} | entries | absent)


def failed(instrument: str, error: Exception) -> Absent:
    """An instrument that failed, with the reason in one line."""
    missing = isinstance(error, ModuleNotFoundError)
    reason = " ".join((missing_package(error) if missing else str(error)).split())
    if isinstance(error, UserError | ModuleNotFoundError):
        return Absent(instrument, reason)
    return Absent(instrument, f"{type(error).__name__}: {reason}", failed=True)


def placebo(name: str, draws: Array | Sequence[float], range_of: str) -> tuple[Control, ...]:
    """A control from what many placebos gave; none if they gave nothing."""
    known = np.asarray(draws, float)
    known = known[np.isfinite(known)]
    if not len(known):
        return ()
    low, middle, high = np.quantile(known, [0.025, 0.5, 0.975]).tolist()
    return (Control(name, middle, low, high, range_of),)


def twin(result: Result) -> Control:
    """A control from the same result of the twin with random weights."""
    return Control(TWIN, result.value, result.low, result.high, result.resampled)


def numbers_of(record: Mapping) -> dict[str, float]:
    """Number, interval and detectable difference of an artefact's record, as a result has them."""
    names = {"value": "value", "low": "ci_low", "high": "ci_high", "detectable": "detectable"}
    return {name: float(record[of]) for name, of in names.items()}


def gated(entry: Entry | Absent, weak: str) -> Entry | Absent:
    """The entry, with why it should be read with caution; analogies are themselves such a test."""
    judged = isinstance(entry, Entry) and entry.result.measure != "analogies"
    return replace(entry, weak=weak) if judged else entry
