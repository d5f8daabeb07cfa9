"""Significance tests of groups' probabilities (Czarnowska, Vyas and Shah 2021, section 6.1).

They say how likely differences are by chance and nothing of their size, which an effect size does.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from socialbias.errors import UserError
from socialbias.measures.fairness.data import Predictions

Array = NDArray[np.float64]


class Significance(NamedTuple):
    """A test of whether groups differ.

    Attributes:
        test: `Friedman` for three groups or more, `Wilcoxon` for two.
        statistic: Its statistic.
        p_value: Two-sided.
        effect: Kendall's W from 0 to 1, or the matched-pairs rank-biserial correlation from -1
            to 1, above 0 if the first group's probabilities are higher.
        effect_name: Which of the two.
        sources: Source examples, each with one probability of each group.
    """

    test: str
    statistic: float
    p_value: float
    effect: float
    effect_name: str
    sources: int


def source_means(data: Predictions, c: int) -> Array:
    """Mean probability of a class over each group's terms, for sources that have all groups.

    Args:
        data: Predictions with probabilities and sources.
        c: The number of the class.

    Returns:
        (S', T).

    Raises:
        UserError: there are no probabilities or no sources.
    """
    if data.probabilities is None or not data.has_sources:
        raise UserError("fairness: significance needs probabilities and source examples")
    groups = len(data.groups)
    cells, size = data.source * groups + data.group, len(data.sources) * groups
    counts = np.bincount(cells, minlength=size).reshape(-1, groups)
    sums = np.bincount(cells, data.probabilities[:, c], size).reshape(-1, groups)
    complete = (counts > 0).all(axis=1)
    return sums[complete] / counts[complete]


def significance(data: Predictions, c: int = 1) -> Significance:
    """Friedman's test of three groups or more, Wilcoxon's signed-rank test of two.

    All sources are tested, whatever their gold class, with one probability of each group: the mean
    over its terms. P-values are those of the limiting distributions, as printed in Table 7.

    Args:
        data: Predictions with probabilities and sources.
        c: The class whose probability it is. The released code takes number 1, which is `positive`
            of two classes but `neutral` of three.

    Raises:
        UserError: there are no probabilities or sources, no such class, or fewer than two sources.
    """
    if not 0 <= c < len(data.classes):
        raise UserError(f"fairness: no class number {c} of {len(data.classes)}")
    means = source_means(data, c)
    if len(means) < 2:
        raise UserError(
            f"fairness: the test needs two sources with all groups, but {len(means)} has them"
        )
    from scipy.stats import friedmanchisquare, rankdata, wilcoxon  # slow to import

    (n, k), statistic, p, effect = means.shape, 0.0, 1.0, 0.0
    if k > 2:
        test, name = "Friedman", "Kendall's W"
        if (means != means[:, :1]).any():
            statistic, p = friedmanchisquare(*means.T)
            effect = statistic / (n * (k - 1))
    else:
        test, name = "Wilcoxon", "rank-biserial correlation"
        apart = means[:, 0] - means[:, 1]
        apart = apart[apart != 0]
        if len(apart):
            statistic, p = wilcoxon(apart, method="approx")
            ranks = rankdata(np.abs(apart))
            effect = (ranks * np.sign(apart)).sum() / ranks.sum()
    return Significance(test, float(statistic), float(p), float(effect), name, n)
