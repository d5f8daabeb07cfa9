"""Directed gender bias of targets, from counts by document: what text and probes have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.sparse import csr_array, hstack

from socialbias.measurement.reliability import of_halves
from socialbias.measurement.texts import bias_in_halves
from socialbias.measures.datasets.census import GENDER
from socialbias.papers.trustworthy.inputs import EVERY
from socialbias.reporting.values import value
from socialbias.stats.clustered import (
    influence_of_counts,
    joint_draws,
    joint_share_draws,
    shares_of_counts,
)
from socialbias.stats.correlation import midranks
from socialbias.stats.draws import as_many
from socialbias.stats.intervals import percentile, student
from socialbias.stats.reliability import Reliability, of_bootstraps
from socialbias.stats.similarity import Array

UNIT = "female share minus 1/2"
DIFFERENCE = "difference of female shares"
FEWEST_TARGETS = 4  # of fewer, no order can be significant
ROUNDING = 1e-12
NO_CONTEXT = "no context of this target has one of the groups: use a larger text"


@dataclass(frozen=True)
class Directed:
    """Female share minus one half for each target, and how it varies over resampled documents."""

    targets: tuple[str, ...]  # t words
    observed: Array  # (t,) the bias; NaN where a target occurs with neither group
    low: Array  # (t,) its interval, which takes contexts of one document for dependent
    high: Array
    draws: Array  # (draws, t) in resamples of what vectors were made of; empty for counts
    n: Array  # (t,) contexts with one of the groups; of probabilities, those that have some
    # (t,) contexts worth as much were they independent; this and the next are None for vectors.
    effective: Array | None = None
    clusters: Array | None = None  # (t,) documents that the contexts are in
    # (t,) whether the association is negative, which makes no shares; None for counts.
    negative: Array | None = None
    influence: csr_array | None = None  # (documents, t) by how much each moves each bias
    text: str = ""  # whose documents they are: biases in one text pair
    weak: str = ""  # why no verdict is based on the biases
    # (2, r, t) by halves of the documents, or of the group words, in r random divisions.
    halves: Array | None = None

    def of(self, targets: Sequence[str]) -> Directed:
        """Return these targets in this order; one that is not there is NaN with n = 0."""
        places = {target: i for i, target in enumerate(self.targets)}
        at = [places.get(target, -1) for target in targets]  # -1 is the column put behind the last

        def chosen(name: str, unknown: float) -> Array | None:
            numbers = getattr(self, name)
            if numbers is None:
                return None
            behind = np.full((*numbers.shape[:-1], 1), unknown)
            return np.concatenate([numbers, behind], axis=-1)[..., at]

        unknown = dict.fromkeys(("observed", "low", "high", "draws", "halves"), np.nan)
        unknown |= dict.fromkeys(("n", "effective", "clusters", "negative"), 0)
        influence = self.influence
        if influence is not None:
            empty = csr_array((influence.shape[0], 1))
            influence = csr_array(hstack([influence, empty]).tocsc()[:, at])
        fields = {name: chosen(name, number) for name, number in unknown.items()}
        return replace(self, targets=tuple(targets), influence=influence, **fields)

    @property
    def freedom(self) -> Array:
        """(t,) degrees of freedom of the biases over documents."""
        return np.maximum(self.clusters - 1, 1)

    def reliability(self, level: float) -> Reliability:
        """Return that of the order of the targets that have a bias, over documents or group words.

        By halves, or by bootstrap replicates where there are none of them; NaN without either.
        """
        known = np.flatnonzero(~np.isnan(self.observed))
        names = [self.targets[i] for i in known]
        if self.halves is not None:
            return of_halves(*self.halves[..., known], names, level, int(self.n[known].sum()))
        if len(self.draws) > 1:
            return of_bootstraps(midranks(self.draws[:, known]).T, level)
        return Reliability(np.nan, np.nan, np.nan, len(known), 0)

    @cached_property
    def linear(self) -> Array:
        """Joint draws for means over targets, (DRAWS, t), around the biases; NaN for vectors.

        Those of a single share would have to be skewed, which `drawn` are, but a mean of them is
        off to the middle.
        """
        if self.influence is None:
            return as_many(self.draws)
        return self.observed + joint_draws(self.influence, self.freedom, self.text)

    @cached_property
    def drawn(self) -> Array:
        """Joint draws of each bias, (DRAWS, t); NaN for vectors that were drawn once."""
        if self.influence is None or not self.targets:
            return as_many(self.draws)
        # Where documents show no error, shares pair only if they are of the same observations.
        seen = zip(self.targets, self.n, self.observed, strict=True)
        names = [f"{self.text} {target} {n} {observed:.6f}" for target, n, observed in seen]
        shares = (self.observed + 0.5, self.effective, self.freedom)
        return joint_share_draws(*shares, self.linear - self.observed, names) - 0.5


@dataclass(frozen=True)
class Reference:
    """What the share of women is compared with."""

    share: Array  # (t,) of each target; NaN where there is none
    draws: Array | None = None  # (draws, t) of it; None where it is given


UNIFORM = Reference(np.array([0.5]))


def references(
    text: Directed | None, census: pd.DataFrame | None, targets: Sequence[str]
) -> dict[str, Reference]:
    """Return the references beside the uniform one, by name, where there are.

    `base` is the share of women among all contexts of a text that have one group, whatever they
    mention; `employment` is that in each profession, NaN for what is none.
    """
    result = {}
    if text is not None and EVERY in text.targets:
        every = text.of([EVERY])
        result["base"] = Reference(every.observed + 0.5, every.drawn + 0.5)
    if census is not None:
        women = census["female"].reindex(list(targets)).to_numpy(float)
        result["employment"] = Reference(women)
    return result


def of_text(table: pd.DataFrame, text: str, n: int, variant: str, level: float) -> Directed:
    """Return each target's bias in contexts of n sentences, by one variant of the word lists."""
    return directed(table[(table["n"] == n) & (table["variant"] == variant)], level, text)


def directed(counts: pd.DataFrame, level: float, text: str, weak: str = "") -> Directed:
    """Return the bias of each target, its interval, and how documents move it."""
    targets, owners = np.unique(counts["target"].to_numpy(str), return_inverse=True)
    numbers = counts[list(GENDER)].to_numpy(float)
    shares = shares_of_counts(numbers, owners, len(targets), level)
    contexts = counts["contexts"].to_numpy(float) if "contexts" in counts else numbers.sum(axis=1)
    documents = counts["document"].to_numpy(int)
    # A target that occurs with no group in a half has no bias there, as in section 4.4.
    rows = numbers, owners, counts["document"].to_numpy()
    halves = bias_in_halves(rows, len(targets), lambda shares: shares[:, 0] - 0.5)
    return Directed(
        tuple(targets.tolist()),
        shares.share[:, 0] - 0.5,
        shares.low[:, 0] - 0.5,
        shares.high[:, 0] - 0.5,
        np.empty((0, len(targets))),
        np.rint(np.bincount(owners, contexts, len(targets))).astype(int),
        shares.effective[:, 0],
        shares.clusters,
        influence=influence_of_counts(numbers, owners, documents, len(targets)),
        text=text,
        weak=weak,
        halves=halves,
    )


@dataclass(frozen=True)
class Difference:
    """Differences of t biases from others, with intervals and joint draws (draws, t)."""

    value: Array
    low: Array
    high: Array
    draws: Array


def same_contexts(biases: Directed, others: Directed, level: float) -> Difference:
    """Return how far biases are above others that are of the very same contexts.

    By Student's t over documents, of the difference in each: what is common to both cancels out.
    Where all contexts of a target agree, that shows no error at all: Wilson's interval is taken.
    """
    # The last documents may move only one of the two: both are made as high.
    moved = [biases.influence.copy(), others.influence.copy()]
    for side in moved:
        side.resize(max(part.shape[0] for part in moved), side.shape[1])
    influence = csr_array(moved[0] - moved[1])
    number = biases.observed - others.observed
    number[np.minimum(biases.clusters, others.clusters) < 2] = np.nan  # nothing shows how it varies
    freedom = np.minimum(biases.freedom, others.freedom)
    error = np.sqrt(np.asarray(influence.multiply(influence).sum(axis=0)).ravel())
    half = student(level, freedom) * error
    draws = biases.linear - others.linear
    by_student = Difference(number, number - half, number + half, draws)
    agree = np.any([abs(side).max(axis=0).toarray().ravel() <= ROUNDING for side in moved], axis=0)
    if not agree.any():
        return by_student
    by_wilson = apart(biases, others, level)
    pairs = zip(vars(by_wilson).values(), vars(by_student).values(), strict=True)
    return Difference(*(np.where(agree, *pair) for pair in pairs))


def apart(biases: Directed, others: Directed, level: float) -> Difference:
    """Return how far biases are above others, which pair where both are of one text."""
    draws = biases.drawn - others.drawn
    return Difference(biases.observed - others.observed, *percentile(draws, level), draws)


def cells(
    column: str, chosen: Directed, level: float, reference: Reference = UNIFORM
) -> Iterable[dict]:
    """Return a column of values, a row for each target; none for targets without a reference."""
    known = ~np.isnan(np.broadcast_to(reference.share, len(chosen.targets)))
    shift = 0.5 - reference.share
    number, low, high, draws = (
        side + shift for side in (chosen.observed, chosen.low, chosen.high, chosen.drawn)
    )
    if reference.draws is not None:
        draws = chosen.drawn + 0.5 - reference.draws
        low, high = percentile(draws, level)
    difference = Difference(number, low, high, draws)
    return difference_cells(column, chosen, difference, np.flatnonzero(known), reference)


def difference_cells(
    column: str,
    measured: Directed,
    difference: Difference,
    which: Sequence[int],
    reference: Directed | Reference,
) -> Iterator[dict]:
    """Yield the cells of one column of biases compared with others or with a reference."""
    if isinstance(reference, Reference):
        n, weak = measured.n, measured.weak
        reliability = np.clip(measured.reliability(0.95).value, 0, 1)
    else:
        n, weak = np.minimum(measured.n, reference.n), measured.weak or reference.weak
        reliability = np.nan
    facts = {"unit": UNIT if reference is UNIFORM else DIFFERENCE, "weak": weak}
    facts |= {"n_unit": "contexts", "reliability": reliability}
    for i in which:
        target, number = measured.targets[i], difference.value[i]
        if np.isnan(number):
            empty = {"n": 0, "n_unit": "contexts", "unit": UNIT, "note": NO_CONTEXT}
            yield value(target, column, np.nan, **empty)
            continue
        ends, draws = (difference.low[i], difference.high[i]), difference.draws[:, i]
        yield value(target, column, number, interval=ends, draws=draws, n=int(n[i]), **facts)


def means(
    row: str, chosen: Directed, others: Mapping[str, Reference], level: float, **facts
) -> Iterator[dict]:
    """Yield the mean bias over professions, against one half and against other references."""
    for name, reference in ({"": UNIFORM} | dict(others)).items():
        share = np.broadcast_to(reference.share, len(chosen.targets))
        if np.isnan(share).all():
            continue
        shares = share if reference.draws is None else reference.draws
        sides = chosen.observed + 0.5 - share, chosen.linear + 0.5 - shares
        facts |= {"n_unit": "professions", "unit": DIFFERENCE if name else UNIT}
        facts["weak"] = chosen.weak
        column = f"mean@{name}" if name else "mean"
        yield mean_value(row, column, *sides, level, **facts)


def mean_value(row: str, column: str, numbers: Array, draws: Array, level: float, **facts) -> dict:
    """Return the mean of the targets that have a number (t,), with its joint draws (DRAWS, t)."""
    known = ~np.isnan(numbers)
    drawn = draws[:, known].mean(axis=1)
    facts |= {"n": int(known.sum()), "draws": drawn, "interval": percentile(drawn, level)}
    return value(row, column, numbers[known].mean(), **facts)
