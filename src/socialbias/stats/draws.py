"""Joint draws of numbers: what they might have been, had other units been sampled.

A statement about several numbers is tested on draws of all of them at once. Two numbers pair where
their draws come from the same resampled units, so units are resampled under a seed of their own,
whichever artefact asks: the same professions or words give the same draws everywhere. Where a
distribution is known, Student's t or Wilson's, its draws are the same in every run: they stand for
an integral over it, and sample nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from socialbias.stats.intervals import quantile
from socialbias.stats.seeding import generator

NORMAL = 1.959964  # the quantile of a normal distribution at .975
DRAWS = 1000  # of every number: they must be equally many to pair
Array = NDArray[np.float64]


def resamples(units: Sequence[str], seed: int) -> NDArray[np.int64]:
    """Bootstrap samples of named units, the same for the same units.

    Args:
        units: n names, such as professions; their order counts.
        seed: The configuration's seed.

    Returns:
        (DRAWS, n) places of the sampled units.
    """
    return _resamples(tuple(units), seed)


def resampled_mean(numbers: ArrayLike, units: Sequence[str], seed: int) -> Array:
    """Draws of the mean of numbers (n, ...) of named units, (DRAWS, ...), by `resamples`."""
    return resampled_counts(units, seed) / len(units) @ np.asarray(numbers, float)


def resampled_counts(units: Sequence[str], seed: int) -> Array:
    """Return how often each of n named units is in each of their `resamples`, (DRAWS, n)."""
    return _counts(tuple(units), seed)


@lru_cache(maxsize=8)
def _counts(units: tuple[str, ...], seed: int) -> Array:
    chosen, n = _resamples(units, seed), len(units)
    counts = np.bincount((np.arange(DRAWS)[:, None] * n + chosen).ravel(), minlength=DRAWS * n)
    return counts.reshape(DRAWS, n).astype(float)


@lru_cache(maxsize=8)  # many measures of the same units ask for the same samples
def _resamples(units: tuple[str, ...], seed: int) -> NDArray[np.int64]:
    return generator(seed, "units", *units).integers(len(units), size=(DRAWS, len(units)))


def as_many(samples: ArrayLike) -> Array:
    """As many draws of a number as all numbers have, from however many samples of it.

    Args:
        samples: (m, ...) the number in each sample of its units, or several numbers.

    Returns:
        (DRAWS, ...): the samples themselves where there are enough, the same choice of them for
        all numbers with m samples otherwise; NaN without samples.
    """
    samples = np.asarray(samples, float)
    if len(samples) >= DRAWS:
        return samples[:DRAWS]
    if not len(samples):
        return np.full((DRAWS, *samples.shape[1:]), np.nan)
    return samples[generator(0, "choice", len(samples)).integers(len(samples), size=DRAWS)]


def widened(samples: ArrayLike, number: ArrayLike, *units: int) -> Array:
    """Bootstrap samples, farther from their number, so that their percentiles cover with few units.

    The percentiles of a mean over n resampled units are those of a normal distribution with a
    standard error too small by the root of (n - 1) / n: over eight units they cover 86 instead of
    95 %. Stretched by this root and by the ratio of Student's quantile to the normal one they cover
    what they should (the expanded percentile interval of Hesterberg 2015, section 4.3). Differences
    of numbers over the same units are stretched alike, so that samples pair as before.

    Args:
        samples: (draws, ...) the number in each sample of its units, or several numbers.
        number: (...) the number itself.
        units: How many units were resampled, in each group of them that is sampled by itself.

    Returns:
        (draws, ...): at a level of 95 % as wide as Student's interval; NaN where one unit is alone.
    """
    few = min(units)
    if few < 2:
        return np.full_like(np.asarray(samples, float), np.nan)
    freedom = sum(units) - len(units)
    stretch = quantile(0.975, freedom) / NORMAL * np.sqrt(few / (few - 1))
    return number + stretch * (np.asarray(samples, float) - number)


def permutations(units: Sequence[str], seed: int) -> NDArray[np.int64]:
    """Orders of named units in which they are no longer theirs, the same for the same units.

    Args:
        units: n names.
        seed: The configuration's seed.

    Returns:
        (DRAWS, n) places.
    """
    rng = generator(seed, "permuted units", *units)
    return rng.permuted(np.tile(np.arange(len(units)), (DRAWS, 1)), axis=1)


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
