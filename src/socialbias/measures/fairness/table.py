"""A table of fairness metrics with intervals and nulls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from socialbias.errors import UserError
from socialbias.measures.fairness.data import Predictions
from socialbias.measures.fairness.draws import Key, bootstrap, deals, results, smallest_p
from socialbias.measures.fairness.metrics import Result, applicable
from socialbias.measures.fairness.registry import METRICS, PHIS, Metric
from socialbias.measures.fairness.sample import Draws, Sample
from socialbias.measures.fairness.variations import TUPLES, variations
from socialbias.stats.draws import NORMAL
from socialbias.stats.intervals import percentile, quantile

Array = NDArray[np.float64]
BOOTSTRAPS, DEALS = 200, 1000
RATIOS = ("y / x", "x / y")
TOO_FEW_TERMS = (
    "no test: with so few terms, too few ways of dealing them to groups differ; four terms a group "
    "are enough for two groups"
)
NULL_TUPLES = 20  # of each source in each deal: a mean over 60 sources hardly varies with them


class Row(NamedTuple):
    """One value of a metric.

    Attributes:
        metric: Name of the metric.
        version: Its normaliser, `published` or `corrected`.
        class_: The class, one against the rest; "" for a metric of all classes.
        group: The group's part of a metric; "" for the metric itself.
        value: NaN where it is not defined.
        low, high: Ends of the 95 % interval over source examples and terms; NaN without draws.
        null_mean: Mean of the value where terms are dealt to groups at random; NaN without terms.
        null_high: What 95 % of the deals stay below, in absolute value for a signed metric. Of a
            ratio, by its distance from 1 in either direction.
        p_value: Share of deals that are as extreme, the data among them; NaN without terms, or with
            too few (`draws.smallest_p`).
        note: What a reader must know, such as that there was no denominator.
    """

    metric: str
    version: str
    class_: str
    group: str
    value: float
    low: float
    high: float
    null_mean: float
    null_high: float
    p_value: float
    note: str


class Drawn(NamedTuple):
    """One value of a metric, with the draws behind its interval and its null.

    Attributes:
        row: The value.
        sampled: (bootstraps,) the value in each sample, with its distance from the value multiplied
            by `stretch`; None without.
        dealt: (deals,) the value in each deal of terms to groups; None without.
    """

    row: Row
    sampled: Array | None
    dealt: Array | None


def fairness_table(
    data: Predictions, metrics: Iterable[str | Metric] | None = None, *, seed: int, **options
) -> list[Row]:
    """Metrics with intervals and nulls, as `fairness_draws`, which says what it takes."""
    return [drawn.row for drawn in fairness_draws(data, metrics, seed=seed, **options)]


def fairness_draws(
    data: Predictions,
    metrics: Iterable[str | Metric] | None = None,
    *,
    seed: int,
    classes: Iterable[object] | None = None,
    bootstraps: int = BOOTSTRAPS,
    null_deals: int = DEALS,
    level: float = 0.95,
    most: int = TUPLES,
) -> list[Drawn]:
    """Metrics with intervals and nulls: of all groups, and of each where that is defined.

    Args:
        data: Predictions, from `predictions` or `span_counts`.
        metrics: Names of the registry or entries of one's own; by default all that the data allow.
        seed: The configuration's seed.
        classes: The classes for which class-wise metrics are wanted; by default all.
        bootstraps: Samples of source examples and terms; 0 for no intervals.
        null_deals: Deals of terms to groups; 0 for no nulls. There are none without terms, and no
            p-values where terms can be dealt in too few ways for one below 1 - level.
        level: Coverage of the intervals.
        most: Variations of a source that counterfactual metrics compare.

    Returns:
        Values by metric, version and class, the whole before its groups.

    Raises:
        UserError: there is no such metric or class, or the data lack what it is of.
    """
    wanted = _class_numbers(data, classes)
    chosen = None
    if metrics is not None:
        chosen = [METRICS.get(metric, metric) for metric in metrics]
        if unknown := [metric for metric in chosen if not isinstance(metric, Metric)]:
            raise UserError(f"fairness: no metric {unknown[0]!r}: there are {', '.join(METRICS)}")
    tuples = None
    if chosen is None or any(metric.counterfactual for metric in chosen):
        tuples = variations(data, seed, most)
    if chosen is None:
        chosen = [METRICS[name] for name in applicable(data, tuples)]
    if not chosen:
        raise UserError("fairness: no metric can be computed from these data")
    found = results(data, chosen, Draws.none(data), tuples, wanted)
    sampled = dealt = None
    if bootstraps:
        sampled = results(data, chosen, bootstrap(data, bootstraps, seed), tuples, wanted)
    if null_deals and data.terms:
        few = tuples and variations(data, seed, min(most, NULL_TUPLES))
        dealt = results(data, chosen, deals(data, null_deals, seed), few, wanted)
    # Rounded, since 1 - 0.9 is less than 0.1.
    testable = dealt is not None and smallest_p(data) <= round(1 - level, 12)
    by_name, rows = {metric.name: metric for metric in chosen}, []
    times = stretch(data)
    for key, result in found.items():
        parts = [_part(each and each[key]) for each in (sampled, dealt)]
        rows += _rows(data, by_name[key.metric], key, _part(result), parts, times, level, testable)
    too_few = TOO_FEW_TERMS if dealt is not None and not testable else ""
    return _noted(rows, data, by_name, tuples is not None, too_few)


def stretch(data: Predictions) -> Array:
    """Return the factor by which bootstrap samples must be spread, because terms are few.

    The variance of a mean of n resampled terms is too small by (n - 1) / n, within each word class
    of a group. The variance of a group's mean, and the sum of these over groups, is corrected as if
    terms vary alike everywhere. Student's quantile has the degrees of freedom of all groups
    together, as in Hesterberg 2015, section 4.3. The only term of a word class counts for nothing.

    Returns:
        (1 + T,) for a metric of all groups and of each group; 1 if no term was resampled.
    """
    times = np.ones(1 + len(data.groups))
    kinds = np.column_stack([data.term_group, data.stratum])
    kinds, sizes = np.unique(kinds, axis=0, return_counts=True)
    owners, sizes = kinds[sizes > 1, 0], sizes[sizes > 1]
    if not data.terms or not len(sizes):
        return times
    groups, places = np.unique(owners, return_inverse=True)
    terms, freedom = np.bincount(places, sizes), np.bincount(places, sizes - 1)
    times[0] = np.sqrt((1 / terms).sum() / (freedom / terms**2).sum())
    times[1 + groups] = np.sqrt(terms / freedom)
    return times * quantile(0.975, freedom.sum()) / NORMAL


def _class_numbers(data: Predictions, classes: Iterable[object] | None) -> list[int]:
    if classes is None:
        return list(range(len(data.classes)))
    names = [str(name) for name in classes]
    if unknown := [name for name in names if name not in data.classes]:
        known = ", ".join(data.classes)
        raise UserError(f"fairness: no class {unknown[0]!r}: there are {known}")
    return [data.classes.index(name) for name in names]


def _part(result: Result | None) -> Array | None:
    """(1 + T, B) the whole and its groups; (1, B) where there are no groups."""
    if result is None:
        return None
    groups = [] if result.by_group is None else list(result.by_group)
    return np.stack([result.value, *groups])


def _rows(
    data: Predictions,
    metric: Metric,
    key: Key,
    values: Array,
    parts: Sequence[Array | None],
    times: Array,
    level: float,
    testable: bool,
) -> list[Drawn]:
    """Values of one metric, class and version."""
    class_ = data.classes[key.class_] if metric.class_wise else ""
    kept = range(0 if metric.scalar else 1, len(values))
    if not metric.many:
        kept = range(1)
    rows = []
    for i in kept:
        sampled, dealt = (None if part is None else part[i] for part in parts)
        value = _finite(values[i, 0])
        if sampled is not None:
            sampled = value + times[i] * (sampled - value)
        ends = interval(value, sampled, level, metric)
        *null, p = null_of(value, dealt, level, metric)
        group, p = data.groups[i - 1] if i else "", p if testable else np.nan
        row = Row(metric.name, key.version, class_, group, value, *ends, *null, p, "")
        rows.append(Drawn(row, sampled, dealt))
    return rows


def interval(
    value: float, sampled: Array | None, level: float, metric: Metric
) -> tuple[float, float]:
    """Percentiles of bootstrap samples and of their reflection, whichever end is wider.

    A reflection lies as far on the other side of the value; where a value is too large by its
    `excess`, its lower end lies lower by that. Percentiles alone of what cannot be below 0 lie too
    high: among groups that do not differ they never hold 0. How often both together hold the truth
    is in `docs/error-rates.md`, by simulation. Without a sign no end is below 0; NaN without
    samples.
    """
    if sampled is None or np.isnan(value) or np.isnan(sampled).all():
        return np.nan, np.nan
    mean = np.nanmean(sampled)
    with np.errstate(invalid="ignore"):  # between two ratios x/0
        low, high = percentile(sampled, level)
    reflected = 2 * value - high
    if over := excess(value, sampled, metric):
        reflected = value - over - (high - mean)
    ends = min(low, reflected), max(high, 2 * value - low)
    if not np.isfinite(ends).all():
        return np.nan, np.nan  # x/0 in too many samples
    return float(ends[0] if metric.signed else max(0.0, ends[0])), float(ends[1])


def _finite(number: float) -> float:
    """Return the number; NaN of a ratio x/0, which is not defined."""
    return float(number) if np.isfinite(number) else np.nan


def excess(value: float, sampled: Array, metric: Metric) -> float:
    """Return by how much noise makes a distance or an absolute gap too large.

    0 with a sign, of a ratio. Samples have the noise of the data and their own, which is as large:
    they are too large by more than the value is. Where groups do not differ at all a gap is as
    large as its noise, so that the value is all excess and samples are sqrt(2) times as large: they
    add sqrt(2) - 1 of the excess. Where groups differ by far they add as much as the excess, so
    that this is the most that it is.
    """
    if metric.signed or metric.d in RATIOS:
        return 0.0
    added = float(np.nanmean(sampled)) - value
    return max(0.0, added) / (np.sqrt(2) - 1)


def null_of(
    value: float, dealt: Array | None, level: float, metric: Metric
) -> tuple[float, float, float]:
    """Mean and upper end of a metric's null, and the p-value of the value in it."""
    if dealt is None or np.isnan(dealt).all():
        return np.nan, np.nan, np.nan
    dealt = dealt[~np.isnan(dealt)]
    size, sizes = extremity(value, metric), extremity(dealt, metric)
    p = (1 + (sizes >= size - 1e-12).sum()) / (1 + len(dealt))
    high = np.exp(np.quantile(sizes, level)) if metric.d in RATIOS else np.quantile(sizes, level)
    return _finite(dealt.mean()), _finite(high), np.nan if np.isnan(value) else float(p)


def extremity(values: Array | float, metric: Metric) -> Array:
    """Return how far from no bias: the absolute value, or of a ratio that of its logarithm."""
    if metric.d in RATIOS:
        return np.abs(np.log(np.maximum(values, 1e-13)))
    return np.abs(values)


def _noted(
    rows: list[Drawn],
    data: Predictions,
    metrics: dict[str, Metric],
    counterfactual: bool,
    too_few: str,
) -> list[Drawn]:
    """Values with what a reader must know."""
    sample = Sample(data, Draws.none(data))
    missing, lacking = "", data.missing_variants
    if counterfactual and lacking:
        owners = [group for _, group in lacking]
        counts = ", ".join(f"{name} of {owners.count(name)}" for name in dict.fromkeys(owners))
        sources = f"{len({source for source, _ in lacking})} of {len(data.sources)} sources"
        missing = f"{sources} left out: no variation for {counts}"
    places = {name: i for i, name in enumerate(data.groups)}
    noted = []
    for drawn in rows:
        row, notes = drawn.row, [too_few]
        metric = metrics[row.metric]
        if np.isnan(row.value):
            notes.append("not defined: there is nothing to divide by")
        elif metric.d in RATIOS:
            c = data.classes.index(row.class_)
            notes.append(_denominators(sample, metric, c, places.get(row.group)))
            if drawn.sampled is not None and np.isnan(row.low) and np.isinf(drawn.sampled).any():
                notes.append("no interval: too many samples have nothing to divide by")
        if metric.counterfactual:
            notes.append(missing)
        if not np.isnan(row.low):
            fixed = [name for name in data.single_terms if row.group in ("", name)]
            if not data.terms:
                notes.append("interval over sources alone: terms unknown")
            elif fixed:
                notes.append(f"no interval over terms for {', '.join(fixed)}: nothing to resample")
        noted.append(drawn._replace(row=row._replace(note="; ".join(filter(None, notes)))))
    return noted


def _denominators(sample: Sample, metric: Metric, c: int, group: int | None) -> str:
    """Return whether a ratio, or one of those in a mean, is 0/0."""
    sums, rate = sample.sums[:, 0, c], PHIS[metric.phi].rate
    own, below = rate(sums), rate(sums.sum(axis=0) - sums)
    if metric.kind == "PCM":
        own, below = own[:1], own[1:]
    elif group is not None:
        own, below = own[[group]], below[[group]]
    return "0/0 counted as 0" if ((below == 0) & (own == 0)).any() else ""
