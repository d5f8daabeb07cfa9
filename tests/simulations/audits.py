"""Worlds of classifiers whose gaps between groups an audit compares with groups dealt at random."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import expit

from socialbias.commands.audit import instruments_probes
from socialbias.commands.settings import Resampling
from socialbias.reporting.statements import HOLDS, OPEN
from tests.simulations.simulate import Outcome

DEALS = 200  # enough for the rate of p-values below .05


def templates_of(
    rng: Generator, sizes: Sequence[int], gap: float
) -> tuple[pd.DataFrame, NDArray[np.float64]]:
    """Seven templates with terms of groups, of which the first is judged higher by a gap."""
    templates, rows, scores = rng.standard_normal(7), [], []
    for group, size in enumerate(sizes):
        for term in range(size):
            own = rng.normal(gap * (group == 0), 0.6)
            for number, template in enumerate(templates):
                rows.append((f"s{number}", 2 * (number % 2), f"g{group}", f"t{group} {term}"))
                scores.append(template + own + rng.normal(0, 0.3))
    table = pd.DataFrame(rows, columns=["source", "label", "group", "term"])
    return table.assign(word_class="adj"), expit(scores)


def audited(rng: Generator, n: int, truth: float) -> Outcome:
    """Whether four groups are farther apart than groups that terms are dealt to."""
    rows, positive = templates_of(rng, [n] * 4, truth)
    resampling = Resampling(seed=int(rng.integers(2**31)))
    found = instruments_probes._gap(rows, positive, resampling, bootstraps=0, null_deals=DEALS)
    return (HOLDS if found.row.p_value <= 0.05 else OPEN), np.nan
