"""Dose and response: whether the gender bias of professions grows with an encoder's layers.

All layers have the same professions, so that what these differ by cancels out (`stats.trend`).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from socialbias.measures.similarity import Array
from socialbias.papers.evidence import estimated
from socialbias.papers.trustworthy.inputs import read_employment
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.stats.trend import FEWEST, trend

EVIDENCE = "evidence/validation/dose_layers"


def summarise(job: Job) -> Iterator[dict]:
    """Yield each layer, slope and order of differences of cosines of professions.

    Of their size and, standardised in each layer, of their product with employment, whose mean is
    the correlation of both.
    """
    if EVIDENCE not in job:
        return
    table = job.table(EVIDENCE)
    bias = table.pivot(index="unit", columns="level", values="bias").dropna()
    sizes = bias.abs().to_numpy()
    rows = [("layers size", sizes, list(bias.index), "absolute difference of cosines")]
    census = read_employment(job, job.settings["trustworthy.census_year"]).get("gender")
    if census is not None:
        women = census["female"].reindex(bias.index).dropna()
        known = bias.loc[women.index].to_numpy()
        aligned = _standardised(known) * _standardised(women.to_numpy())[:, None]
        rows.append(("layers employment", aligned, list(women.index), "Pearson's r"))
    layers = table.drop_duplicates("level").sort_values("level")
    # An encoder of twelve layers and one of six are alike by the share of their depth.
    doses = layers["level"].to_numpy() / layers["level"].max()
    for row, numbers, professions, unit in rows:
        result = trend(numbers, doses, professions, job.seed, job.level)
        if result is None:
            note = f"too few: {len(professions)} professions at all levels, fewer than {FEWEST}"
            yield value(row, "slope", np.nan, note=note)
            continue
        counts = {"n": result.units, "n_unit": "professions"}
        for i, (mean, label) in enumerate(zip(result.levels, layers["row"], strict=True), 1):
            fields = estimated(mean) | counts | {"unit": unit, "note": label}
            del fields["p_value"]
            yield value(row, f"level {i}", mean.value, **fields)
        for column, mean, each in (
            ("slope", result.slope, "slope over all layers"),
            ("order", result.order, "Spearman's rho"),
        ):
            yield value(row, column, mean.value, unit=each, **estimated(mean), **counts)


def _standardised(numbers: Array) -> Array:
    """Numbers (n, ...) less their means over the first axis, over their standard deviations."""
    spread = numbers.std(axis=0)
    return (numbers - numbers.mean(axis=0)) / np.where(spread > 0, spread, 1)
