"""The cells of a table of targets by subjects: where they lie among random words, all judged."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from socialbias.measurement.estimates import Row, percentiles
from socialbias.measurement.random_words import AS_GIVEN
from socialbias.stats.intervals import student, two_sided_p
from socialbias.stats.similarity import Array

FEW_RANDOM = (
    "the random words are few: of {} cells, none is marked with * unless {} or more lie outside "
    "all random words; a larger corpus or vectors with more words have more of them"
)


def judge_cells(
    columns: Sequence[tuple[Sequence[Row], Array]], level: float
) -> tuple[list[list[Row]], list[str]]:
    """Return rows with percentiles and p-values adjusted over all cells; a note if words are few.

    A column has its rows, and the numbers of its random words. A p-value is the larger of two, so
    that neither other words nor sampling alone would give as much: the share of random words that
    are as far from their mean, and the p-value of the distance from this mean with the error of the
    interval (normal, or Student's t). Those of random words depend on each other positively, so
    that Benjamini and Hochberg's adjustment controls the false discovery rate (Bates, Candes, Lei,
    Romano and Sesia 2023).
    """
    from scipy.stats import false_discovery_control

    judged, p_values, least = [], {}, 1.0
    for at, (rows, random) in enumerate(columns):
        rows = [replace(row, percentile=math.nan, adjusted_p=math.nan) for row in rows]
        judged.append(rows)
        if len(random) < AS_GIVEN:
            continue
        far, least = np.abs(random - random.mean()), min(least, 1 / (1 + len(random)))
        for i, row in enumerate(rows):
            if row.note:
                continue
            rows[i] = replace(row, percentile=float(percentiles(np.array([row.value]), random)[0]))
            apart = row.value - random.mean()
            others = (1 + (far >= abs(apart) - 1e-12).sum()) / (1 + len(far))
            side = row.value - row.low if apart > 0 else row.high - row.value
            freedom = row.freedom if row.freedom == row.freedom else math.inf
            error = max(side / student(level, freedom), 1e-12)  # 0 if group words agree exactly
            sampling = two_sided_p(apart / error, freedom)
            if np.isfinite(sampling):
                p_values[at, i] = max(others, sampling)
    if not p_values:
        return judged, []
    adjusted = false_discovery_control([*p_values.values()])
    for (at, i), p in zip(p_values, adjusted, strict=True):
        judged[at][i] = replace(judged[at][i], adjusted_p=float(p))
    marked = least * len(p_values) / (1 - level)  # as many must be the most extreme
    few = FEW_RANDOM.format(len(p_values), math.ceil(marked))
    return judged, [few] if marked > max(1, len(p_values) / 10) else []
