"""Simulated worlds, and what the library's verdicts and intervals make of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from socialbias.reporting.statements import FAILS, HOLDS, OPEN, Cells, Statement, verdict_on
from socialbias.stats.seeding import generator

RUNS, FEWER = 1000, 200  # without an effect, and with one
NONE, AGAINST, EFFECT = "none", "against", "effect"  # what a world has of what is claimed
SEED = 11


@dataclass(frozen=True)
class Number:
    """A number as an artefact has it, and what it is in truth; NaN where that plays no part."""

    value: float
    draws: NDArray[np.float64] | None = None
    low: float = np.nan
    high: float = np.nan
    truth: float = np.nan

    def covered(self) -> float:
        """Whether the interval holds the truth; NaN where one of them is missing."""
        if np.isnan([self.low, self.high, self.truth]).any():
            return np.nan
        return float(self.low <= self.truth <= self.high)


class World(Cells):
    """Numbers by name, in place of the cells of artefacts."""

    def __init__(self, numbers: Mapping[str, Number]):
        drawn = {(name, ""): np.stack([number.draws]) for name, number in numbers.items()}
        super().__init__({}, {}, lambda _: drawn)
        self._numbers = numbers

    def functions(self) -> dict:
        """What a predicate may call; `value` takes a name."""
        return super().functions() | {"value": lambda name: self.value("world", name, "")}

    def _cell(self, tables, artefact, row, column):
        number = self._numbers[row].value
        texts = {"fidelity": "exact", "n_unit": "", "weak": "", "sources": "", "note": ""}
        return {"value": number, "n": 1, "n_of": 0, **texts}


Outcome = tuple[str, float]  # a verdict, and the share of the intervals that hold the truth


@dataclass(frozen=True)
class Case:
    """One world, of one size.

    Attributes:
        size: How much data there are, such as `3 models`.
        world: `NONE`, `AGAINST` or `EFFECT`.
        run: What the library makes of one such world.
    """

    size: str
    world: str
    run: Callable[[np.random.Generator], Outcome]


@dataclass(frozen=True)
class Kind:
    """A kind of verdict or interval.

    Attributes:
        name: Its key.
        says: What is claimed, what `no effect` means and what an effect.
        cases: The same worlds at every size, most data first.
        runs: Worlds without an effect.
    """

    name: str
    says: str
    cases: Sequence[Case]
    runs: int = RUNS


def judged(
    make: Callable[[np.random.Generator], Mapping[str, Number]], predicate: str
) -> Callable[[np.random.Generator], Outcome]:
    """A run that evaluates a predicate as those of the claims are."""

    def run(rng: np.random.Generator) -> Outcome:
        numbers = make(rng)
        if not numbers:  # there is too little to measure
            return OPEN, np.nan
        covered = np.array([number.covered() for number in numbers.values()])
        known = covered[~np.isnan(covered)]
        verdict = verdict_on(Statement("", "", "", "", predicate), World(numbers)).verdict
        return verdict, float(known.mean()) if len(known) else np.nan

    return run


def figures(kind: Kind) -> pd.DataFrame:
    """What became of each case, in columns `kind, size, world, runs, holds, fails, coverage`."""
    rows = []
    for case in kind.cases:
        runs = kind.runs if case.world == NONE else FEWER
        rng = generator(SEED, kind.name, case.size, case.world)
        verdicts, covered = zip(*(case.run(rng) for _ in range(runs)), strict=True)
        known = np.array(covered)[~np.isnan(covered)]
        about = {"kind": kind.name, "size": case.size, "world": case.world, "runs": runs}
        about |= {"holds": verdicts.count(HOLDS) / runs, "fails": verdicts.count(FAILS) / runs}
        rows.append(about | {"coverage": known.mean() if len(known) else np.nan})
    return pd.DataFrame(rows)
