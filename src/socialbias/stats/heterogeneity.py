"""Whether several numbers differ by more than the noise in each."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from socialbias.stats.correlation import Estimate
from socialbias.stats.draws import DRAWS
from socialbias.stats.intervals import percentile
from socialbias.stats.seeding import generator


def between(numbers: ArrayLike, name: str, level: float = 0.95, draws: int = DRAWS) -> Estimate:
    """Return the deviation of s numbers beyond the noise that k bootstrap replicates of them show.

    A two-way analysis of variance without replication: what is common to a replicate is no
    heterogeneity, and what is left over is the noise of one number in one replicate. As in
    `draws.over_replicates`, a mean over k replicates has (1 + 1/k) times the noise of one, since
    the replicates share their corpus. The draws are those of the generalised pivotal quantity
    of the variance (Weerahandi 1993), whose share above 0 is one minus the F test's p-value.

    Args:
        numbers: (s, k), s of two or more numbers in k of two or more replicates, without NaN.
        name: What they are of: numbers of different things have draws of their own.
        level: Coverage of the interval.
        draws: Number of draws.

    Returns:
        The standard deviation of the true numbers, 0 where noise explains all, with the p-value of
        the F test that they are equal. Its draws are signed: below 0 as often as noise alone would
        do it.

    Raises:
        ValueError: there are fewer than two numbers or replicates.
    """
    from scipy.special import chdtri, fdtrc

    x = np.asarray(numbers, float)
    s, k = x.shape
    if s < 2 or k < 2:
        raise ValueError(f"heterogeneity takes two numbers in two replicates, got {s} in {k}")
    means = x.mean(axis=1)
    left = x - means[:, None] - x.mean(axis=0) + x.mean()
    free = (s - 1, (s - 1) * (k - 1))
    among = ((means - means.mean()) ** 2).sum()
    noise = (1 + 1 / k) * (left**2).sum()
    rng = generator(0, "heterogeneity", name)
    # One draw from each of equally likely intervals: the tails have the size that they should.
    levels = [(rng.permutation(draws) + 0.5) / draws for _ in free]
    drawn = among / chdtri(free[0], levels[0]) - noise / chdtri(free[1], levels[1])
    ratio = (among / free[0]) / (noise / free[1]) if noise > 0 else np.inf
    deviation = np.sqrt(max(0.0, among / free[0] - noise / free[1]))
    drawn = np.sign(drawn) * np.sqrt(np.abs(drawn))
    low, high = np.maximum(percentile(drawn, level), 0)
    return Estimate(float(deviation), low, high, float(fdtrc(*free, ratio)), s, drawn)
