"""Models compared by their decisions on the same items, which belong to terms.

Scores are those of `stats.decisions`, and terms are resampled, the same for all models. Two models
decide alike on many items, and what they share cancels in their difference: it is far surer than
their intervals apart let it seem.

Everything about a pair follows from one number, the standard error of its difference over
resampled terms, with Student's t for few terms. Interval, p-value and verdict so never contradict
each other; p-values do not end at one of 1,000 draws, which no pair of 55 could pass after Holm.

Terms that did not change say little about terms that were not sampled: see `unseen_error`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from socialbias.stats.decisions import checked, means_by_term
from socialbias.stats.draws import NORMAL, resampled_mean
from socialbias.stats.intervals import student, tails
from socialbias.stats.multiplicity import holm

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
# Of the first number against the second. Neither is better: an ss may be too high or too low.
HIGHER, LOWER, CANNOT_TELL = "higher", "lower", "cannot tell"
POWER = 0.8
ROUNDING = 1e-12  # no larger than rounding


@dataclass(frozen=True)
class Pairs:
    """Differences of models, first less second, of p pairs; NaN with fewer than two terms.

    Attributes:
        first, second: (p,) places of the models.
        difference: (p,) of their scores, over the items that both decided.
        low, high: (p,) its interval.
        error: (p,) its standard error: over resampled terms, and for terms not sampled.
        draws: (DRAWS, p) joint draws of the differences, as wide as 95 % intervals are.
        detectable: (p,) the smallest true difference found at this level in 80 % of samples of
            as many terms, and no less than half the interval: what is smaller is not found.
        p_value: (p,) two-sided, of no difference.
        adjusted: (p,) by Holm, for all pairs.
        terms, items: (p,) what the difference rests on.
        items_needed: (p,) to find the difference, were it the true one, in 80 % of samples, with as
            many items a term as now; infinite where there is none.
        level: Coverage of the intervals.
    """

    first: Ints
    second: Ints
    difference: Array
    low: Array
    high: Array
    error: Array
    draws: Array
    detectable: Array
    p_value: Array
    adjusted: Array
    terms: Ints
    items: Ints
    items_needed: Array
    level: float

    def verdicts(self, corrected: bool = False) -> list[str]:
        """`HIGHER`, `LOWER` or `CANNOT_TELL` of each pair.

        Args:
            corrected: Whether by Holm's p-values, for a reader who looks at all pairs.
        """
        p = self.adjusted if corrected else self.p_value
        signs = np.where(p < 1 - self.level, np.sign(self.difference), 0)
        return [{1: HIGHER, -1: LOWER}.get(sign, CANNOT_TELL) for sign in signs]


def compare(
    first: ArrayLike,
    second: ArrayLike,
    terms: Sequence[str],
    seed: int,
    level: float = 0.95,
    together: float | None = None,
) -> Pairs:
    """Return two models by their decisions: one pair.

    Args:
        first: (n,) one model's decisions, from 0 to 1.
        second: (n,) the other's on the same items.
        terms: (n,) the term of each item.
        seed: The configuration's seed.
        level: Coverage of the interval.
        together: Coverage of the intervals of several looks together; None for one look.
    """
    return all_pairs(np.column_stack([first, second]), terms, seed, level, together)


def all_pairs(
    decisions: ArrayLike,
    terms: Sequence[str],
    seed: int,
    level: float = 0.95,
    together: float | None = None,
) -> Pairs:
    """Return every pair of models by their decisions.

    Args:
        decisions: (n, m) each model's decisions on the same items, from 0 to 1; NaN where a model
            made none. A pair is compared on the items that both decided.
        terms: (n,) the term of each item.
        seed: The configuration's seed.
        level: Coverage of the intervals.
        together: As in `compare`.

    Raises:
        ValueError: a decision is outside 0 to 1, or there are not as many terms as items.
    """
    found = checked(decisions, terms)
    places = np.array([*combinations(range(found.shape[1]), 2)], int).reshape(-1, 2).T
    apart = found[:, places[0]] - found[:, places[1]]
    by_term, names = means_by_term(apart, terms)
    known = ~np.isnan(by_term)
    # A pair may lack a term: what is drawn is the mean over those that it has.
    drawn = resampled_mean(np.where(known, by_term, 0), names, seed)
    with np.errstate(invalid="ignore", divide="ignore"):
        drawn /= resampled_mean(known, names, seed)
        difference = np.where(known, by_term, 0).sum(axis=0) / known.sum(axis=0)
    size, terms = np.abs(by_term), known.sum(axis=0)
    changed = (size > ROUNDING).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        change = np.nansum(size, axis=0) / np.maximum(changed, 1)
        unseen = unseen_error(change, changed, terms, level)
    # A look at which no term changed is one where none had changed before. Such looks miss the
    # same terms, and their bound is that of all looks together.
    unseen[changed == 0] *= math.log(tails(together or level)[0]) / math.log(tails(level)[0])
    items = (~np.isnan(apart)).sum(axis=0)
    return _pairs(places, difference, drawn, terms, items, unseen, level)


def _pairs(
    places: Ints,
    difference: Array,
    drawn: Array,
    terms: Ints,
    items: Ints,
    unseen: Array,
    level: float,
) -> Pairs:
    """Return what follows from the standard errors of differences (p,) with these draws."""
    from scipy.special import stdtr, stdtrit

    freedom = np.where(terms > 1, terms - 1, np.nan)
    # The variance over n resampled terms is too small by (n - 1) / n.
    sampled = np.nanstd(drawn, axis=0) * np.sqrt(terms / freedom)
    error = np.hypot(sampled, unseen)
    outer, inner = student(level, freedom), stdtrit(freedom, POWER)
    size, reach, both = np.abs(difference), outer * error, outer + inner
    with np.errstate(invalid="ignore", divide="ignore"):
        p = 2 * stdtr(freedom, -size / error)
        needed = np.where(size < ROUNDING, np.inf, np.ceil(items * (both * error / size) ** 2))
        # A difference of d more may come of a share d more of items decided otherwise, each with
        # its noise: d = both * root(sampled^2 + d / items), solved for d.
        half = both**2 / items / 2
        detectable = np.maximum(half + np.sqrt(half**2 + (both * sampled) ** 2), reach)
    ends = difference - reach, difference + reach
    # As wide as the intervals: `draws.widened`, and what no resample of these terms has.
    with np.errstate(invalid="ignore", divide="ignore"):
        beyond = np.where(sampled > ROUNDING, error / sampled, 1.0)
    stretch = stdtrit(freedom, 0.975) / NORMAL * np.sqrt(terms / freedom) * beyond
    draws = difference + stretch * (drawn - difference)
    about = error, draws, detectable, p, holm(p), terms, items, needed
    return Pairs(*places, difference, *ends, *about, level)


def unseen_error(change: ArrayLike, changed: ArrayLike, terms: ArrayLike, level: float = 0.95):
    """Return the standard error that is due to terms whose change no sampled term shows.

    No change in t terms is no proof that terms do not change: with 95 % confidence, up to 3.7 in t
    may (the exact binomial bound, -ln(.025) / t). This is the standard error with which a normal
    interval ends there, times the size of a term's change: the mean over the terms that changed
    and one more of size 1, the largest, since few changes say little about their size. It rules
    where few terms changed, and is a few per cent of the error where most of many did. With five
    terms or fewer, no difference is ever found.

    Args:
        change: Mean size of the difference of the terms that changed.
        changed: How many did.
        terms: How many there are.
        level: Coverage of the interval.
    """
    low, high = tails(level)
    typical = (np.multiply(change, changed) + 1) / np.add(changed, 1)
    return -math.log(low) / NormalDist().inv_cdf(high) * typical / terms
