"""Recovery by what the text is like: a factorial of planted worlds.

Five things about a corpus have two levels each (`FACTORS`), and corpora are written and vectors
trained in all of the 32 worlds that combine them, or in a fraction that leaves main effects apart
from each other: 16 worlds (the last factor's level is the product of the others': effects are mixed
with those of four factors) or 8 (the fourth's is that of the first two, the fifth's that of the
first and third: mixed with those of two). See Box, Hunter and Hunter 2005, chapters 5 and 6.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd

from socialbias.measures.similarity import Array
from socialbias.papers.validation.planted_corpus import of_corpus
from socialbias.papers.validation.planted_design import DIRECT, NULL, Design
from socialbias.papers.validation.recovery import rowwise_slope
from socialbias.papers.validation.recovery_corpora import in_parts, one_training
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.stats.correlation import spearman_rho
from socialbias.stats.intervals import student

EVIDENCE = "evidence/validation/recovery_factors"
# Fewer targets than elsewhere: more of a small corpus is about each.
SMALL = Design(direct=8, second_order=8, null=8, frequency_range=3.0)
# By factor, its low and its high level: fields of the design, and how many times the tokens.
FACTORS = {
    "leaning": ({"most": 0.45}, {"most": 0.9}),
    "base": ({"base": (0.5, 0.5)}, {"base": (0.75, 0.25)}),
    "frequency": ({"tokens": 0.5}, {"tokens": 1.5}),
    "concentration": ({"concentration": 4.0}, {"concentration": 16.0}),
    "noise": ({"noise": 0.0}, {"noise": 0.25}),
}
MEAN = "mean"
SIZES = ("worlds", "world_corpora", "world_tokens")  # keys of the configuration
UNITS = {
    "slope": "measured per planted",
    "rank": "Spearman's rho",
    "alarms": "share of targets",
    "power": "share of targets",
}
FRACTION = "based on {} of 32 worlds: each effect is mixed with some of two factors together"


def worlds(number: int) -> np.ndarray:
    """Levels of the factors, -1 and 1, in each world, (number, 5).

    Args:
        number: 8, 16 or 32.
    """
    free = {8: 3, 16: 4, 32: 5}[number]
    levels = np.array(list(product((-1, 1), repeat=free)))
    if number == 16:
        return np.column_stack([levels, levels.prod(axis=1)])
    if number == 8:
        first, second, third = levels.T
        return np.column_stack([levels, first * second, first * third])
    return levels


def design_of(levels: np.ndarray) -> tuple[Design, float]:
    """What is planted in a world, and how many times the tokens it has."""
    fields: dict = {}
    for level, (low, high) in zip(levels, FACTORS.values(), strict=True):
        fields |= high if level > 0 else low
    tokens = fields.pop("tokens")
    return replace(SMALL, **fields), tokens


def measure(job: Job) -> pd.DataFrame:
    """Text and all measures of vectors, on the corpora of all worlds; one column a factor."""
    count, corpora, tokens = (job.settings[f"trustworthy.recovery.{key}"] for key in SIZES)
    levels = worlds(count)

    def measured(unit: tuple[int, int]) -> pd.DataFrame:
        world, corpus = unit
        name, (design, times) = f"world {world}", design_of(levels[world])
        design, written = of_corpus(job.seed, design, round(times * tokens), name, corpus)
        table = one_training(job, design, written, name, corpus, 0)
        return table.assign(world=world, **dict(zip(FACTORS, levels[world].tolist(), strict=True)))

    return in_parts(job, measured, list(product(range(count), range(corpora))))


def values(evidence: pd.DataFrame, level: float) -> list[dict]:
    """By measure what it recovers on average over worlds, and what each factor changes.

    Columns `mean@...` and `<factor>@...` of `slope` and `rank` (of direct targets), `alarms` (of
    the own test, of targets without an association) and `power` (of direct ones). An effect is the
    mean at the high level less that at the low one.

    Args:
        evidence: Of `measure`.
        level: Of the intervals: Student's t of a regression on the factors, over corpora.
    """
    records = []
    count = evidence["world"].nunique()
    weak = {} if count == 2 ** len(FACTORS) else {"weak": FRACTION.format(count)}
    for name, table in evidence.groupby("measure", sort=False):
        if not (table["kind"] == DIRECT).any():
            continue
        numbers = pd.DataFrame([_numbers(rows) for _, rows in table.groupby(["world", "corpus"])])
        for column, unit in UNITS.items():
            known = numbers.dropna(subset=[column])
            fields = {"unit": unit, "n": len(known), "n_unit": "corpora"} | weak
            levels, measured = known[list(FACTORS)].to_numpy(float), known[column].to_numpy(float)
            effects, half = regression(levels, measured, level)
            for effect, number, reach in zip([MEAN, *FACTORS], effects, half, strict=True):
                fields["interval"] = (number - reach, number + reach)
                records.append(value(name, f"{effect}@{column}", float(number), **fields))
    return [record for record in records if not np.isnan(record["value"])]


def _numbers(rows: pd.DataFrame) -> dict[str, float]:
    """What a measure recovers of one corpus, with the levels of its world."""
    direct = rows[rows["kind"] == DIRECT].dropna(subset=["measured"])
    x, y = direct["truth"].to_numpy(float), direct["measured"].to_numpy(float)
    flagged = rows["flagged"].astype(float).groupby(rows["kind"]).mean()
    numbers = {
        "slope": rowwise_slope(x[None], y[None])[0] if len(x) else np.nan,
        "rank": spearman_rho(x, y),
        "alarms": flagged.get(NULL, np.nan),
        "power": flagged.get(DIRECT, np.nan),
    }
    return numbers | rows[list(FACTORS)].iloc[0].to_dict()


def regression(levels: Array, numbers: Array, level: float) -> tuple[Array, Array]:
    """The mean and the effects of factors, with half the widths of their intervals.

    Args:
        levels: (n, f) of -1 and 1.
        numbers: (n,).
        level: Of the intervals.

    Returns:
        (1 + f,) and (1 + f,); NaN where there are no more numbers than effects.
    """
    design = np.column_stack([np.ones(len(levels)), levels / 2])
    freedom = len(levels) - design.shape[1]
    if freedom < 1 or np.linalg.matrix_rank(design) < design.shape[1]:
        return np.full(design.shape[1], np.nan), np.full(design.shape[1], np.nan)
    effects = np.linalg.solve(design.T @ design, design.T @ numbers)
    variance = ((numbers - design @ effects) ** 2).sum() / freedom
    errors = np.sqrt(variance * np.diag(np.linalg.inv(design.T @ design)))
    return effects, student(level, freedom) * errors


def summarise(job: Job) -> list[dict]:
    """All cells."""
    return values(job.table(EVIDENCE), job.level)
