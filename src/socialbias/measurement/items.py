"""Decisions of language models on items, and two models compared by them, at once or in looks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from socialbias.errors import UserError
from socialbias.measurement.verdicts import (
    CANNOT_TELL,
    check_margin,
    verdict,
    would_tell,
)
from socialbias.stats import paired
from socialbias.stats.intervals import tails
from socialbias.stats.multiplicity import holm
from socialbias.stats.sequential import level_of_each, order_of_items, planned_looks
from socialbias.stats.similarity import Array

MIN_TERMS = 6  # `stats.paired.unseen_error`
TOWARDS, AWAY = "towards the stereotype", "away from it"
Labels = Mapping[str, Sequence[str]]  # by name, such as `term`, the label of each item
Decide = Callable[[Sequence[int]], Sequence[ArrayLike]]  # both models' decisions of such items


@dataclass(frozen=True)
class Rules:
    """How decisions are compared.

    Attributes:
        margin: The largest difference that would do no harm, as a share of the items.
        common: Whether items without a decision of both are left out.
        seed: Random seed.
        level: Coverage of the interval.
        ways: What a larger and a smaller decision of the second model are.
    """

    margin: float | None
    common: bool
    seed: int
    level: float
    ways: tuple[str, str] = (TOWARDS, AWAY)

    def __post_init__(self):
        check_margin(self.margin, most=1.0)


@dataclass(frozen=True)
class Comparison:
    """The second model's decisions less the first's, as a mean over terms.

    Attributes:
        value, low, high: The difference and its interval.
        n, n_of: Items with a decision of both, and of one or both.
        terms, means: The terms (k,), and the mean difference of each (k,).
        verdict: Of `measurement.verdicts`.
        notes: Reservations.
        changed, changed_items: As in `commands.result.Result`.
        by_domain: The difference in each domain, and its p-value corrected for all (Holm).
        looks: Which of several looks this is.
        p_value, detectable: NaN if it is one of several looks.
    """

    value: float
    low: float
    high: float
    n: int
    n_of: int
    terms: list[str]
    means: Array
    verdict: str
    notes: tuple[str, ...]
    changed: dict[str, int]
    changed_items: list[dict]
    by_domain: dict[str, dict[str, float]] = field(default_factory=dict)
    looks: dict = field(default_factory=dict)
    p_value: float = math.nan
    detectable: float = math.nan


def as_ranges(decisions: ArrayLike) -> Array:
    """Return the least and the largest (2, n) that each decision can be.

    These are 0 and 1 for an item without a decision (NaN). What has two rows is returned as it is.
    """
    decisions = np.asarray(decisions, float)
    if ((decisions < 0) | (decisions > 1)).any():
        raise UserError("decisions: a decision is not between 0 and 1")
    if decisions.ndim == 2:
        return decisions
    return np.stack([np.nan_to_num(decisions, nan=0.0), np.nan_to_num(decisions, nan=1.0)])


def _values(ranges: Array) -> Array:
    """Return decisions (n,): the mean of an item's valid answers, NaN if it has none."""
    low, high = ranges
    valid = 1 - (high - low)  # the share of valid answers
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(valid > paired.ROUNDING, np.round(low / valid, 12), np.nan)


def in_looks(decide: Decide, labels: Labels, rules: Rules) -> Iterator[Comparison]:
    """Yield the comparison at each planned look (`stats.sequential`), by ever more of the items.

    All their intervals hold together with the level of the rules: any of them may be the last.
    `decide` is called with the places of the items that are new at a look, when it is asked for.
    """
    if rules.margin is None:
        raise UserError("sequential: needs a margin, the largest difference that would do no harm")
    of_items = {name: np.asarray(each, str) for name, each in labels.items()}
    places = order_of_items(of_items["term"].tolist(), rules.seed)
    planned = planned_looks(len(places))
    level, decided = level_of_each(planned, rules.level), np.empty((2, 2, 0))
    for taken, size in enumerate(planned, 1):
        new = np.stack([*map(as_ranges, decide(places[decided.shape[-1] : size]))])
        decided = np.concatenate([decided, new], axis=-1)
        if size < planned[-1] and np.isnan([*map(_values, decided)]).any(axis=0).all():
            continue  # none of these items has two decisions
        chosen = {name: each[places[:size]] for name, each in of_items.items()}
        looks = {"planned": planned, "taken": taken, "level of each": level}
        yield compare(decided, chosen, rules, looks)


def compare(
    sides: Sequence[ArrayLike], labels: Labels, rules: Rules, looks: dict | None = None
) -> Comparison:
    """Compare two models' decisions (n,), or their ranges (2, n); `looks` says which look it is."""
    level = looks["level of each"] if looks else rules.level
    ranges = [as_ranges(side) for side in sides]
    one, other = map(_values, ranges)
    apart = other - one
    known, any_known = ~np.isnan(apart), ~(np.isnan(one) & np.isnan(other))
    if not known.any():
        raise UserError("decisions: no item has a decision from both sides")

    def estimated(second: Array, first: Array, which: Array) -> paired.Pairs:
        terms = np.asarray(labels["term"], str)[which].tolist()
        try:
            return paired.compare(second, first, terms, rules.seed, level, rules.level)
        except ValueError as error:
            raise UserError(f"decisions: {error}") from None

    def judged(estimate: paired.Pairs) -> tuple[float, float, float, str]:
        low, high = max(float(estimate.low[0]), -1.0), min(float(estimate.high[0]), 1.0)
        detectable = float(estimate.detectable[0])
        # A look needs no power of its own: the later ones have more.
        answer = verdict(low, high, 0.0 if looks else detectable, rules.margin)
        return low, high, detectable, answer

    estimate = estimated(other, one, np.full(len(one), True))
    low, high, detectable, answer = judged(estimate)
    notes, of_known = [], {name: np.asarray(each, str)[known] for name, each in labels.items()}
    terms, at = np.unique(of_known["term"], return_inverse=True)
    missed = -math.log(tails(rules.level)[0]) / len(terms)  # as in `stats.paired.unseen_error`
    if answer == CANNOT_TELL:
        if len(terms) < MIN_TERMS:
            least = f"with fewer than {MIN_TERMS} the verdict is always '{CANNOT_TELL}'"
            notes.append(f"{len(terms)} term{'s' * (len(terms) != 1)}: {least}")
        else:
            notes.append(would_tell(detectable, rules.margin, "as many terms"))
    elif rules.margin and missed > max(rules.margin, float(estimate.error[0]) * 2):
        notes.append(
            f"{len(terms)} terms may all miss a kind of term that makes up {100 * missed:.0f} % of "
            "all: if it differs by far from the others, this verdict is wrong more often"
        )
    doubtful = int((any_known & (np.ptp(ranges, axis=1).max(axis=0) > paired.ROUNDING)).sum())
    lack = f"{doubtful:,} item{'s lack' if doubtful > 1 else ' lacks'} an answer of a model"
    if doubtful and rules.common:
        notes.append(f"{lack}: left out")
    elif doubtful:
        (least_one, most_one), (least, most) = (side[:, any_known] for side in ranges)
        ends = estimated(least, most_one, any_known), estimated(most, least_one, any_known)
        span = " to ".join(f"{end.difference[0]:.3f}" for end in ends)
        notes.append(f"{lack}: with any answers to these, the difference is {span}")
        if answer != CANNOT_TELL and {judged(end)[-1] for end in ends} != {answer}:
            notes.append(f"'{answer}' may be wrong for these items: see --common")
            answer = CANNOT_TELL
    if neither := int((~any_known).sum()):
        notes.append(f"{neither:,} item{'s have' if neither > 1 else ' has'} no decision of either")
    return Comparison(
        value=float(estimate.difference[0]),
        low=low,
        high=high,
        n=int(estimate.items[0]),
        n_of=int(any_known.sum()),
        terms=terms.tolist(),
        means=np.bincount(at, apart[known]) / np.bincount(at),
        verdict=answer,
        notes=tuple(notes),
        by_domain={} if looks else _by_domain(one[known], other[known], of_known, rules),
        looks=looks or {},
        p_value=math.nan if looks else float(estimate.p_value[0]),
        # Shares differ by 1 at most.
        detectable=math.nan if looks or detectable > 1 else detectable,
        **_changes(one[known], other[known], of_known, (*rules.ways, "of")),
    )


def _by_domain(
    first: Array, second: Array, labels: Mapping[str, Array], rules: Rules
) -> dict[str, dict[str, float]]:
    """Return the difference in each of several domains, with p-values corrected for all."""
    domains, at = np.unique(labels.get("domain", [""]), return_inverse=True)
    if len(domains) < 2:
        return {}
    estimates = [
        paired.compare(
            second[at == i], first[at == i], labels["term"][at == i].tolist(), rules.seed
        )
        for i in range(len(domains))
    ]
    adjusted = holm([float(each.p_value[0]) for each in estimates])
    if np.isfinite(adjusted).sum() < 2:  # with one term there is no test
        return {}
    return {
        name: {"difference": float(each.difference[0]), "p, Holm": float(p)}
        for name, each, p in zip(domains.tolist(), estimates, adjusted, strict=True)
    }


def _changes(
    first: Array, second: Array, labels: Mapping[str, Array], counted: Sequence[str]
) -> dict:
    """Return the decisions that differ: how many, and each item."""
    ways = np.sign(second - first)
    counts = (int((ways > 0).sum()), int((ways < 0).sum()), len(ways))
    columns = {**labels, "first": first, "second": second}
    return {
        "changed": dict(zip(counted, counts, strict=True)),
        "changed_items": [
            {name: each[i].item() for name, each in columns.items()} for i in np.flatnonzero(ways)
        ],
    }
