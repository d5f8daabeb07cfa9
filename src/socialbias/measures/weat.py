"""The Word Embedding Association Test: statistic, effect size and permutation test.

Caliskan, Bryson and Narayanan 2017. X and Y are two sets of target words, A and B two sets of
attribute words; each is an (m, d) matrix of vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from socialbias.stats.draws import widened
from socialbias.stats.intervals import Difference, percentile
from socialbias.stats.reliability import detectable
from socialbias.stats.seeding import generator
from socialbias.stats.similarity import Array, as_groups, as_matrix, cosine_matrix

EFFECT_SIZES = {"effect-size": 1, "effect-size-population": 0}  # by name, ddof of the deviation
ENOUGH = 0.5  # share of the words of each set that must have a vector
MAX_EXACT = 40  # words in X and Y together up to which the permutation test is exact
# Sums of the same numbers in different orders differ in their last bits: treat them as equal.
RELATIVE_TIE = 1e-12


@dataclass(frozen=True)
class Weat:
    """The result of a WEAT.

    Attributes:
        statistic: s(X, Y, A, B), the sum of associations over X minus that over Y.
        effect_size: Difference of the means in standard deviations of all associations; NaN if the
            associations are constant.
        p_value: Of the permutation test.
        exact: Whether all partitions were enumerated.
    """

    statistic: float
    effect_size: float
    p_value: float
    exact: bool


def association(words: ArrayLike, a: ArrayLike, b: ArrayLike) -> Array:
    """s(w, A, B): mean cosine of each word with A minus that with B.

    Args:
        words: (n, d).
        a: (m_a, d).
        b: (m_b, d).

    Returns:
        (n,), in [-2, 2].

    Raises:
        ValueError: a list of words is empty, or the dimensions differ.
    """
    matrix = as_matrix(words, "words")
    first, second = as_groups([a, b], matrix.shape[1])
    return cosine_matrix(matrix, first).mean(axis=1) - cosine_matrix(matrix, second).mean(axis=1)


def associations(words: ArrayLike, groups: Sequence[ArrayLike]) -> Array:
    """`association` with the arguments of the other measures: words (n, d), two groups -> (n,)."""
    return association(words, *groups)


def weat(
    x: ArrayLike,
    y: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    *,
    ddof: int = 1,
    two_sided: bool = False,
    draws: int = 100_000,
    rng: np.random.Generator | None = None,
) -> Weat:
    """Return the complete test.

    Args:
        x: (n_x, d) targets; the test asks whether they lean more towards A than `y` does.
        y: (n_y, d) targets.
        a: (m_a, d) attributes.
        b: (m_b, d) attributes.
        ddof: 1 divides the effect size by the sample's standard deviation, 0 by the population's.
            The paper does not say which; 1 gives the printed effect sizes of WEAT 1 and 2 on the
            Google News vectors (1.54 and 1.63; 0 gives 1.55 and 1.64).
        two_sided: Count partitions with an equal or larger difference in either direction.
        draws: Random partitions if there are too many to enumerate.
        rng: Source of randomness, needed only then.

    Returns:
        The statistic, effect size and p-value.

    Raises:
        ValueError: a list of words is empty, the dimensions differ, or random partitions are
            needed and there is no `rng`.
    """
    in_x, in_y = association(x, a, b), association(y, a, b)
    p_value, exact = permutation_p(in_x, in_y, two_sided=two_sided, draws=draws, rng=rng)
    return Weat(
        statistic=float(in_x.sum() - in_y.sum()),
        effect_size=effect_size(in_x, in_y, ddof),
        p_value=p_value,
        exact=exact,
    )


def effect_size(in_x: Array, in_y: Array, ddof: int = 1) -> float:
    """Difference of the mean associations in standard deviations of all of them.

    Args:
        in_x: (n_x,) associations of the words in X.
        in_y: (n_y,) associations of the words in Y.
        ddof: 1 for the sample's standard deviation, 0 for the population's, which makes the
            effect size larger by the factor sqrt(n / (n - 1)) with n = n_x + n_y.

    Returns:
        The effect size; NaN if the associations are constant, or one set has none.
    """
    together = np.concatenate([in_x, in_y])
    # The range is checked because the deviations of equal numbers may differ in the last bit.
    if not (len(in_x) and len(in_y)) or len(together) <= ddof or np.ptp(together) == 0:
        return float("nan")
    return float((in_x.mean() - in_y.mean()) / together.std(ddof=ddof))


def resampled_effect_sizes(
    in_x: Array, in_y: Array, ddof: int, draws: int, rng: np.random.Generator
) -> Array:
    """Effect sizes of bootstrap samples of the words in X and in Y.

    Args:
        in_x: (n_x,) associations of the words in X.
        in_y: (n_y,) associations of the words in Y.
        ddof: As for `effect_size`.
        draws: Number of samples.
        rng: Source of randomness.

    Returns:
        (draws,), stretched for few words (`stats.draws.widened`); NaN where a sample is constant.
    """
    xs = in_x[rng.integers(len(in_x), size=(draws, len(in_x)))]
    ys = in_y[rng.integers(len(in_y), size=(draws, len(in_y)))]
    together = np.hstack([xs, ys])
    varies = np.ptp(together, axis=1) > 0
    difference = xs.mean(axis=1) - ys.mean(axis=1)
    spread = together.std(axis=1, ddof=ddof)
    samples = np.divide(difference, spread, out=np.full(draws, np.nan), where=varies)
    return widened(samples, effect_size(in_x, in_y, ddof), len(in_x), len(in_y))


def largest_effect_size(n_x: int, n_y: int) -> float:
    """Return the largest effect size that sets of these sizes can have in a population.

    2 of equal sets. It is 1/sqrt(p (1 - p)) with a share p of the words in X: that where the words
    of each set are associated alike, so that nothing varies but between the sets.
    """
    return (n_x + n_y) / float(np.sqrt(n_x * n_y))


def sampled_effect_size(
    in_x: Array,
    in_y: Array,
    test: str,
    *,
    seed: int,
    level: float,
    replicates: int,
    kind: str = "effect-size",
) -> Difference:
    """Return the effect size of a test with its interval.

    Args:
        in_x: (n_x,) associations of the words in X.
        in_y: (n_y,) associations of the words in Y.
        test: Its name: the same name, seed and associations give the same interval everywhere.
        seed: Random seed.
        level: Coverage of the interval.
        replicates: Bootstrap samples of the target words.
        kind: A key of `EFFECT_SIZES`.

    Returns:
        Without an interval where a set has one word.
    """
    ddof, rng = EFFECT_SIZES[kind], generator(seed, "weat", test, kind)
    draws = resampled_effect_sizes(in_x, in_y, ddof, replicates, rng)
    most = largest_effect_size(len(in_x), len(in_y))  # stretched draws may be beyond it
    low, high = np.clip(percentile(draws, level), -most, most).tolist()
    return Difference(effect_size(in_x, in_y, ddof), low, high, detectable(draws))


def named_permutation_p(in_x: Array, in_y: Array, test: str, seed: int) -> tuple[float, bool]:
    """`permutation_p`, one-sided, of a test by its name: the same everywhere."""
    return permutation_p(in_x, in_y, rng=generator(seed, "weat", test))


def words_counted(counts: Sequence[tuple[int, int]]) -> dict:
    """Words found and asked for: in all four sets, or in one of which less than half are found.

    A test is no better than its poorest set: 5 of 32 names are too few, however many words the
    other sets have.

    Args:
        counts: By set, how many words have a vector and how many there are.

    Returns:
        `n`, `n_of` and `n_unit`.
    """
    for n, n_of in counts:
        if n < ENOUGH * n_of:
            return {"n": n, "n_of": n_of, "n_unit": "words of a set"}
    n, n_of = map(sum, zip(*counts, strict=True))
    return {"n": n, "n_of": n_of, "n_unit": "words"}


def permutation_p(
    in_x: Array,
    in_y: Array,
    *,
    two_sided: bool = False,
    draws: int = 100_000,
    rng: np.random.Generator | None = None,
) -> tuple[float, bool]:
    """p-value over partitions of the words into sets of the same sizes.

    In a one-sided test, the statistic and the difference of the means order the partitions alike.
    In a two-sided test with sets of different sizes, only the difference of the means is suitable:
    its mean over all partitions is zero, that of the statistic (n_x - n_y) times the mean
    association.

    The observed partition is included, and ties with it count as extreme, so the test never exceeds
    its level. (The paper has a strict inequality, under which a perfect separation has p = 0.)

    Args:
        in_x: (n_x,) associations of the words in X.
        in_y: (n_y,) associations of the words in Y.
        two_sided: Count partitions with an equal or larger difference in either direction.
        draws: Random partitions if there are more than `MAX_EXACT` words; the p-value is then
            (1 + extreme) / (1 + draws).
        rng: Source of randomness, needed only then.

    Returns:
        The p-value, and whether it is exact.

    Raises:
        ValueError: random partitions are needed and there is no `rng`.
    """
    together = np.concatenate([in_x, in_y])
    # The centred sum over a partition's X determines it: the statistic is twice that sum plus a
    # constant, and the difference of the means a multiple of it.
    centred = together - together.mean()
    observed = centred[: len(in_x)].sum()
    tie = RELATIVE_TIE * max(1.0, np.abs(together).sum())
    if len(together) <= MAX_EXACT:
        total = comb(len(together), len(in_x))
        bound = (abs(observed) if two_sided else observed) - tie
        extreme = count_sums_at_least(centred, len(in_x), bound)
        if two_sided:
            extreme += count_sums_at_least(-centred, len(in_x), bound)
            extreme = min(extreme, total)
        return extreme / total, True
    if rng is None:
        raise ValueError("too many words to enumerate all partitions: pass `rng`")
    orders = rng.permuted(np.broadcast_to(centred, (draws, len(centred))), axis=1)
    sums = orders[:, : len(in_x)].sum(axis=1)
    if two_sided:
        sums, observed = np.abs(sums), abs(observed)
    return float(1 + (sums >= observed - tie).sum()) / (1 + draws), False


def count_sums_at_least(numbers: Array, size: int, bound: float) -> int:
    """Return how many subsets of a given size have a sum of at least a bound.

    The numbers are split into halves; every subset is a subset of the left half and one of the
    right. The sums of the right half are sorted, so that bisection finds the partners of each left
    subset: 2^20 sums instead of 10^11 subsets for 20 of 40 words.

    Args:
        numbers: (n,), n up to `MAX_EXACT`.
        size: Numbers in each subset.
        bound: Minimum sum.
    """
    half = len(numbers) // 2
    left, right = _sums_by_size(numbers[:half]), _sums_by_size(numbers[half:])
    count = 0
    for k, sums in enumerate(left):
        if 0 <= size - k < len(right):
            partners = np.sort(right[size - k])
            count += int((len(partners) - np.searchsorted(partners, bound - sums)).sum())
    return count


def _sums_by_size(numbers: Array) -> list[Array]:
    """Return the sums of all subsets, by subset size."""
    sums = [np.zeros(1)]
    for number in numbers:
        with_it = [np.empty(0), *(s + number for s in sums)]
        sums = [np.concatenate(pair) for pair in zip([*sums, np.empty(0)], with_it, strict=True)]
    return sums
