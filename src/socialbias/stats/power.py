"""How often a test of so many units finds a true effect, and how many units it takes.

Each is the power of the test that the library itself makes: a rank correlation's p-value
(`stats.correlation.spearman_test`), a rank among topics (`measurement.topics`), a share's interval
over documents (`stats.clustered`), WEAT's permutation test, terms dealt to groups
(`measures.fairness`), an interval over terms (`measures.stereoset`, `stats.paired`) or over
bootstrapped models (`stats.draws.over_replicates`). All are at 0.05; simulations agree within .05.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from socialbias.stats.clustered import wilson
from socialbias.stats.intervals import quantile
from socialbias.stats.paired import unseen_error
from socialbias.stats.reliability import RANKS

TWO_SIDED, ONE_SIDED = 0.975, 0.95
MAX_UNITS = 1_000_000  # units: what takes more is out of reach
Curve = Callable[[float, int], float]  # from an effect and a number of units


def of_correlation(rho: float, n: int) -> float:
    """Return the power to tell a true rank correlation from 0 over n things, at least four."""
    from scipy.special import ndtr

    t = quantile(TWO_SIDED, n - 2)
    reach = np.arctanh(t / np.sqrt(n - 2 + t**2))
    scale = np.sqrt((n - 3) / RANKS)
    return float(ndtr((np.arctanh(rho) - reach) * scale) + ndtr((-np.arctanh(rho) - reach) * scale))


def of_spread(size: float, n: int, cosine: float) -> float:
    """Return the power to find that words lie farther out than equally coherent topics.

    On an axis that has nothing to do with them, the positions of two words correlate by the cosine
    of their vectors, so that the mean square of n positions has a scaled chi-square distribution
    (Satterthwaite 1946) with fewer degrees of freedom than words.

    Args:
        size: Root mean square of the positions, which is 1 of random words.
        n: Words.
        cosine: Their mean cosine.
    """
    from scipy.special import chdtrc, chdtri

    freedom = n / (1 + (n - 1) * cosine**2)
    return float(chdtrc(freedom, float(chdtri(freedom, 1 - ONE_SIDED)) / size / size))


def of_direction(mean: float, n: int, cosine: float) -> float:
    """Return the power to find a mean position of n words with this mean cosine, among topics."""
    from scipy.special import ndtr, ndtri

    error, reach = np.sqrt(cosine + (1 - cosine) / n), ndtri(TWO_SIDED)
    return float(ndtr(mean / error - reach) + ndtr(-mean / error - reach))


def of_share(lean: float, n: int) -> float:
    """Return the power to tell a share from 1/2 in n documents with a context each.

    Exact: of each number of contexts that there may be of one group, whether the interval leaves
    out 1/2, times its probability.
    """
    from scipy.stats import binom

    counts = np.arange(n + 1)
    share = counts / n
    # As `stats.clustered.shares_of_counts` has it of clusters of one.
    effective = np.where((counts == 0) | (counts == n), n, n - 1.0)
    low, high = wilson(share, effective, np.full(n + 1, quantile(TWO_SIDED, n - 1)))
    return float(binom.pmf(counts, n, 0.5 + lean)[(low > 0.5) | (high < 0.5)].sum())


def of_effect_size(size: float, n: int) -> float:
    """WEAT's effect size is found, one-sided, with n words in each set of targets.

    Args:
        size: Between -2 and 2, in standard deviations of all words.
        n: At least two.
    """
    within = size / np.sqrt(1 - size**2 / 4)  # in standard deviations of the words of a set
    return _of_t(within * np.sqrt(n / 2), 2 * n - 2, ONE_SIDED, two_sided=False)


def of_terms(points: float, n: int, items: int) -> float:
    """Return the power to tell a score from 50 by so many points over n terms of items."""
    share = 0.5 + points / 100
    return _of_t(points / 100 / np.sqrt(share * (1 - share) / (n * items)), n - 1)


def of_paired_terms(gap: float, n: int, items: int, differ: float) -> float:
    """Return the power to tell two models' scores apart over n terms.

    Args:
        gap: The difference, as a share of the items.
        n: Terms.
        items: Of each term.
        differ: Share of items that the two decide otherwise.
    """
    from scipy.stats import foldnorm

    if abs(gap) >= differ:
        return 1.0 if n > 5 else 0.0
    deviation = np.sqrt((differ - gap**2) / items)  # of a term
    change = float(foldnorm.mean(abs(gap) / deviation) * deviation)
    error, unseen = deviation / np.sqrt(n), unseen_error(change, n, n)
    return _of_t(gap / error, n - 1, times=float(np.hypot(error, unseen) / error))


def of_gap(deviations: float, n: int) -> float:
    """Return the power to find a gap between two groups of n identity terms by permutation.

    The permutation test of a difference of means, whose power is about that of Student's t.

    Args:
        deviations: The true gap in standard deviations between the terms of a group.
        n: Terms of each group, at least five: fewer can be dealt in too few ways.
    """
    return _of_t(deviations * np.sqrt(n / 2), 2 * n - 2)


def _of_t(
    centre: float, freedom: float, p: float = TWO_SIDED, two_sided: bool = True, times: float = 1
) -> float:
    """Return the chance that a noncentral t is beyond so many times its quantile."""
    from scipy.special import nctdtr

    reach = times * quantile(p, freedom)
    centre = float(np.clip(centre, -30, 30))  # beyond it the power is 1, and the function fails
    below, above = nctdtr(freedom, abs(centre) if two_sided else centre, [-reach, reach])
    if centre > 0 or two_sided:
        below, above = np.nan_to_num([below, above])  # NaN for what is almost 0
    return float(1 - above + (below if two_sided else 0))


def needed(curve: Curve, effect: float, power: float, least: int, most: int = MAX_UNITS) -> float:
    """Return the fewest units with which an effect is found so often; infinite beyond `most`.

    Args:
        curve: Power, which grows with the units but for steps of whole numbers.
        effect: The effect.
        power: To reach.
        least: Units that the curve takes at least.
        most: Units at which to stop.
    """
    low, high = least - 1, least
    while curve(effect, high) < power:
        if high >= most:
            return np.inf
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if curve(effect, middle) >= power else (middle, high)
    return float(high)
