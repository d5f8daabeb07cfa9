"""A comparison, and measuring it."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from statistics import median
from time import perf_counter
from typing import Any

SHORTEST = 0.05  # seconds: what is quicker is called often enough to take that long


@dataclass(frozen=True)
class Measurement:
    """What one side took in one round, and what it came to."""

    seconds: float
    result: Any


Side = Callable[[], Measurement]


class Here:
    """A function in this process as a side; a quick one is called many times a round."""

    def __init__(self, function: Callable[[], Any]):
        self.function = function
        self.calls = 0

    def __call__(self) -> Measurement:
        """Seconds a call, and the result of the last one."""
        if not self.calls:
            self.function()  # what is done once, such as an import, is not timed
            self.calls = max(1, round(SHORTEST / self._time(1).seconds))
        return self._time(self.calls)

    def _time(self, calls: int) -> Measurement:
        gc.collect()
        gc.disable()
        try:
            start = perf_counter()
            for _ in range(calls):
                result = self.function()
            return Measurement((perf_counter() - start) / calls, result)
        finally:
            gc.enable()


@dataclass(frozen=True)
class Comparison:
    """Two ways to the same numbers.

    Attributes:
        name: A short name, to ask for this comparison alone.
        what: One line that says what is done.
        ours: What the library does.
        peer: What is done elsewhere; None where there is nothing to compare with.
        peer_name: What the peer is.
        least_ratio: The bar: how many times faster ours should be, of two times of one run: a bar
            in milliseconds would be one for the machine.
        difference: How far the two results are apart, from ours and the peer's.
        tolerance: How far apart they may be.
        note: What a reader should know, such as why there is no peer.
    """

    name: str
    what: str
    ours: Side
    peer: Side | None = None
    peer_name: str = ""
    least_ratio: float | None = None
    difference: Callable[[Any, Any], float] = lambda ours, peer: float("nan")
    tolerance: float = 0.0
    note: str = ""

    @property
    def bar(self) -> str:
        """The bar in words."""
        return f"{self.least_ratio:.3g}x" if self.least_ratio else ""


@dataclass
class Outcome:
    """A comparison's times in milliseconds, round by round."""

    comparison: Comparison
    ours: list[float] = field(default_factory=list)
    peer: list[float] = field(default_factory=list)
    apart: float | None = None

    @property
    def ratio(self) -> float | None:
        """The ratio of the medians."""
        return median(self.peer) / median(self.ours) if self.peer else None

    @property
    def ratios(self) -> list[float]:
        """The ratio of each round, whose two sides were measured one after the other."""
        return [b / a for a, b in zip(self.ours, self.peer, strict=bool(self.peer))]

    @property
    def agrees(self) -> bool:
        """Whether both sides came to the same numbers."""
        return self.apart is None or self.apart <= self.comparison.tolerance

    @property
    def reached(self) -> bool | None:
        """Whether the bar is reached; None where there is none, or nothing to measure it by."""
        least = self.comparison.least_ratio
        if not self.agrees:
            return False
        return None if least is None or self.ratio is None else self.ratio >= least


def measure(comparison: Comparison, rounds: int, seconds: float = inf) -> Outcome:
    """Take turns: ours, the peer's, ours, the peer's.

    What else the machine does then falls on both. The results of the first round are compared,
    and where they are too far apart nothing more is measured.

    Args:
        comparison: What to measure.
        rounds: How often, at most.
        seconds: After which no further round begins.
    """
    outcome, started = Outcome(comparison), perf_counter()
    for number in range(rounds):
        if number and perf_counter() - started > seconds:
            break
        ours = comparison.ours()
        outcome.ours.append(1000 * ours.seconds)
        if comparison.peer is not None:
            peer = comparison.peer()
            outcome.peer.append(1000 * peer.seconds)
            if number == 0:
                outcome.apart = comparison.difference(ours.result, peer.result)
                if not outcome.agrees:
                    outcome.peer.clear()  # how long a wrong number takes says nothing
                    break
    return outcome
