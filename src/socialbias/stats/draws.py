"""Joint draws of numbers: what they might have been, had other units been sampled.

A statement about several numbers is tested on draws of all of them at once. Two numbers pair where
their draws come from the same resampled units, so units are resampled under a seed of their own,
whichever artefact asks: the same professions or words give the same draws everywhere. Where a
distribution is known, Student's t or Wilson's, its draws are the same in every run: they stand for
an integral over it, and sample nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from socialbias.seeding import generator

DRAWS = 1000  # of every number: they must be equally many to pair
Array = NDArray[np.float64]


def resamples(units: Sequence[str], seed: int, draws: int = DRAWS) -> NDArray[np.int64]:
    """Bootstrap samples of named units, the same for the same units.

    Args:
        units: n names, such as professions; their order counts.
        seed: The configuration's seed.
        draws: Number of samples.

    Returns:
        (draws, n) places of the sampled units.
    """
    return generator(seed, "units", *units).integers(len(units), size=(draws, len(units)))


def over_replicates(numbers: ArrayLike, draws: int = DRAWS) -> Array:
    """Draws of the mean over bootstrap replicates of a measure, by Student's t.

    The standard deviation over replicates estimates the standard error of the measure; the mean
    over k of them adds 1/k of its square. Three replicates tell little about that deviation, which
    the t distribution with k - 1 degrees of freedom takes into account. The draws of two measures
    on the same replicates are jointly t: those of their difference are the difference's own.

    Args:
        numbers: (k,) the measure in each replicate; NaN where it has none. The same replicate must
            stand at the same place in all measures.
        draws: Number of draws.

    Returns:
        (draws,); all NaN with fewer than two numbers, since nothing shows how much they vary.
    """
    numbers = np.asarray(numbers, float)
    known = ~np.isnan(numbers)
    k = int(known.sum())
    if k < 2:
        return np.full(draws, np.nan)
    mean = numbers[known].mean()
    # Row i is the same for any number of replicates, so that measures pair where one lacks some.
    normals = generator(0, "replicates").standard_normal((len(numbers), draws))[known]
    spread = generator(0, "spread").standard_normal((k - 1, draws))
    scale = np.sqrt((spread**2).sum(axis=0) / (k - 1))
    deviations = (numbers[known] - mean) @ normals / np.sqrt(k - 1)
    return mean + np.sqrt(1 + 1 / k) * deviations / scale


def share_draws(
    share: ArrayLike,
    effective: ArrayLike,
    freedom: ArrayLike,
    names: Sequence[str],
    draws: int = DRAWS,
) -> Array:
    """Draws of shares whose percentiles are the ends of Wilson's intervals, at any level.

    Args:
        share: (t,) shares; NaN where there are no observations.
        effective: (t,) effective numbers of observations.
        freedom: (t,) degrees of freedom of Student's t.
        names: t names of what the shares are of; each has draws of its own, the same everywhere.
        draws: Number of draws.

    Returns:
        (draws, t).
    """
    from scipy.special import stdtrit

    from socialbias.stats.clustered import wilson

    levels = [generator(0, "share", name).uniform(size=draws) for name in names]
    quantiles = stdtrit(np.asarray(freedom, float), np.column_stack(levels))
    low, high = wilson(np.asarray(share, float), np.asarray(effective, float), np.abs(quantiles))
    return np.where(quantiles < 0, low, high)
