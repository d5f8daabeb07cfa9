"""Directed gender bias of targets, from counts by document: what text and probes have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.sparse import csr_array, hstack

from socialbias.datasets.census import GENDER
from socialbias.measures.similarity import Array
from socialbias.measures.sizes import size
from socialbias.papers.reliability import of_halves, sums_by_halves
from socialbias.papers.trustworthy.inputs import EVERY
from socialbias.reporting.values import value
from socialbias.stats.clustered import (
    influence_of_counts,
    joint_draws,
    joint_share_draws,
    shares_of_counts,
)
from socialbias.stats.correlation import midranks
from socialbias.stats.draws import as_many, resamples, widened
from socialbias.stats.intervals import percentile, student
from socialbias.stats.reliability import Reliability, of_bootstraps

UNIT = "female share minus 1/2"
DIFFERENCE = "difference of female shares"
FEWEST_CONTEXTS = 20  # with a group, for a profession to be taken with others
FEWEST_TARGETS = 4  # of fewer, no order can be significant
ROUNDING = 1e-12
NO_CONTEXT = "no context of this target has one of the groups: use a larger text"


@dataclass(frozen=True)
class Directed:
    """Female share minus one half for each target, and how it varies over resampled documents.

    Attributes:
        targets: t words.
        observed: (t,) the bias; NaN where a target stands with neither group.
        low, high: (t,) its interval, which takes contexts of one document for dependent.
        variance: (t,) its variance over samples of documents; NaN with fewer than two of them.
        draws: (draws, t) the bias in resamples of what vectors were made of; empty where there
            are none, and for counts.
        n: (t,) contexts with one of the groups; of probabilities, the contexts that have some.
        effective, clusters: (t,) contexts that are worth as much were they independent, and the
            documents that they are in; None where they are no counts.
        negative: (t,) whether the bias is of a negative association, which makes no shares; None
            where they are counts.
        influence: (documents, t) by how much each document moves each bias; None for vectors.
        text: Name of the text whose documents they are: biases in one text pair.
        weak: Why the biases bear no verdict; "" where they do.
        halves: (2, r, t) the bias by halves of the documents, or of the group words, in r random
            divisions; None where there are none.
    """

    targets: tuple[str, ...]
    observed: Array
    low: Array
    high: Array
    variance: Array
    draws: Array
    n: Array
    effective: Array | None = None
    clusters: Array | None = None
    negative: Array | None = None
    influence: csr_array | None = None
    text: str = ""
    weak: str = ""
    halves: Array | None = None

    def of(self, targets: Sequence[str]) -> Directed:
        """These targets in this order; one that is not there is NaN with n = 0."""
        places = {target: i for i, target in enumerate(self.targets)}
        at = [places.get(target, -1) for target in targets]  # -1 is the column put behind the last
        rows = (self.observed, self.low, self.high, self.variance)
        numbers = (np.append(row, np.nan)[at] for row in rows)
        return Directed(
            tuple(targets),
            *numbers,
            _with_unknown(self.draws)[:, at],
            np.append(self.n, 0)[at],
            *(
                None if row is None else np.append(row, 0)[at]
                for row in (self.effective, self.clusters, self.negative)
            ),
            None if self.influence is None else _columns(self.influence, at),
            self.text,
            self.weak,
            None if self.halves is None else _with_unknown(self.halves)[..., at],
        )

    @property
    def freedom(self) -> Array:
        """(t,) degrees of freedom of the biases over documents."""
        return np.maximum(self.clusters - 1, 1)

    def reliability(self, level: float) -> Reliability:
        """That of the order of the targets that have a bias, over documents or group words.

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
    """What the share of women is held against.

    Attributes:
        share: (t,) of each target; NaN where there is none.
        draws: (draws, t) of it; None where it is given.
    """

    share: Array
    draws: Array | None = None


UNIFORM = Reference(np.array([0.5]))


def base_rate(text: Directed) -> Reference:
    """The share of women among all contexts of a text that have one group, whatever they mention.

    Raises:
        KeyError: they were not counted.
    """
    if EVERY not in text.targets:
        raise KeyError(f"no contexts of {EVERY!r} in {text.text}")
    every = text.of([EVERY])
    return Reference(every.observed + 0.5, every.drawn + 0.5)


def employment(census: pd.DataFrame, targets: Sequence[str]) -> Reference:
    """The share of women in each profession; NaN for what is none."""
    women = census["female"].reindex(list(targets)).to_numpy(float)
    return Reference(women)


def references(
    text: Directed | None, census: pd.DataFrame | None, targets: Sequence[str]
) -> dict[str, Reference]:
    """The references beside the uniform one, by name: `base` and `employment`, where there are.

    Args:
        text: The biases in the text whose base rate is taken, if any.
        census: Shares of women and men by profession, if any.
        targets: What is held against them.
    """
    found = {}
    if text is not None and EVERY in text.targets:
        found["base"] = base_rate(text)
    if census is not None:
        found["employment"] = employment(census, targets)
    return found


def _with_unknown(rows: Array) -> Array:
    """(..., t) with NaN behind the last target."""
    return np.concatenate([rows, np.full((*rows.shape[:-1], 1), np.nan)], axis=-1)


def _columns(influence: csr_array, at: Sequence[int]) -> csr_array:
    """Some columns of influences; -1 is one of zeros."""
    empty = csr_array((influence.shape[0], 1))
    return csr_array(hstack([influence, empty]).tocsc()[:, at])


def directed(counts: pd.DataFrame, level: float, text: str) -> Directed:
    """The bias of each target, its interval, and how documents move it.

    Args:
        counts: A row for each target and document, with the columns `target`, `document`,
            `female`, `male` (contexts, or weights of them), and where they are weights `contexts`,
            how many they are of.
        level: Coverage of the intervals.
        text: Name of the text whose documents they are, such as `webtext`.
    """
    targets, owners = np.unique(counts["target"].to_numpy(str), return_inverse=True)
    numbers = counts[list(GENDER)].to_numpy(float)
    shares = shares_of_counts(numbers, owners, len(targets), level)
    contexts = counts["contexts"].to_numpy(float) if "contexts" in counts else numbers.sum(axis=1)
    documents = counts["document"].to_numpy(int)
    return Directed(
        tuple(targets.tolist()),
        shares.share[:, 0] - 0.5,
        shares.low[:, 0] - 0.5,
        shares.high[:, 0] - 0.5,
        shares.variance[:, 0],
        np.empty((0, len(targets))),
        np.rint(np.bincount(owners, contexts, len(targets))).astype(int),
        shares.effective[:, 0],
        shares.clusters,
        influence=influence_of_counts(numbers, owners, documents, len(targets)),
        text=text,
        halves=_halves(numbers, owners, counts["document"].to_numpy(), len(targets)),
    )


@dataclass(frozen=True)
class Difference:
    """Of t biases from others, with intervals and joint draws (draws, t)."""

    value: Array
    low: Array
    high: Array
    draws: Array


def _halves(numbers: Array, owners: Array, documents: Array, t: int) -> Array:
    """The biases of t targets in halves of the documents, (2, HALVES, t).

    A target that stands with no group in a half has no bias there, as in section 4.4.
    """
    female, male = np.moveaxis(sums_by_halves(numbers, owners, documents, t), -1, 0)
    total = female + male
    return np.divide(female - male, 2 * total, out=np.zeros(total.shape), where=total > 0)


def same_contexts(one: Directed, other: Directed, level: float) -> Difference:
    """How far biases are above others that are of the very same contexts.

    By Student's t over documents, of the difference in each: what is common to both cancels out.
    Where all contexts of a target agree, that shows no error at all, and Wilson's stands for it.

    Args:
        one: Of t targets.
        other: Of the same targets and contexts.
        level: Coverage of the intervals.
    """
    moved = _same_height(one.influence, other.influence)
    influence = csr_array(moved[0] - moved[1])
    number = one.observed - other.observed
    number[np.minimum(one.clusters, other.clusters) < 2] = np.nan  # nothing shows how it varies
    freedom = np.minimum(one.freedom, other.freedom)
    error = np.sqrt(np.asarray(influence.multiply(influence).sum(axis=0)).ravel())
    half = student(level, freedom) * error
    draws = one.linear - other.linear
    found = Difference(number, number - half, number + half, draws)
    agree = [abs(side).max(axis=0).toarray().ravel() <= ROUNDING for side in moved]
    agree = agree[0] | agree[1]
    if not agree.any():
        return found
    rough = apart(one, other, level)
    columns = zip(vars(rough).values(), vars(found).values(), strict=True)
    return Difference(*(np.where(agree, of_shares, here) for of_shares, here in columns))


def apart(one: Directed, other: Directed, level: float) -> Difference:
    """How far biases are above others, which pair where both are of one text."""
    draws = one.drawn - other.drawn
    low, high = percentile(draws, level)
    return Difference(one.observed - other.observed, low, high, draws)


def held_against(measured: Directed, reference: Reference, level: float) -> Difference:
    """How far the shares of women are above those of a reference."""
    shift = 0.5 - reference.share
    draws = measured.drawn
    if reference.draws is None:
        ends = measured.low + shift, measured.high + shift
        return Difference(measured.observed + shift, *ends, draws + shift)
    draws = draws + 0.5 - reference.draws
    low, high = percentile(draws, level)
    return Difference(measured.observed + shift, low, high, draws)


def _same_height(*influences: csr_array) -> list[csr_array]:
    """Influences of the same documents, though the last ones may move only some."""
    most = max(influence.shape[0] for influence in influences)
    result = []
    for influence in influences:
        taller = influence.copy()
        taller.resize(most, influence.shape[1])
        result.append(taller)
    return result


def cells(
    column: str,
    measured: Directed,
    targets: Sequence[str],
    level: float,
    reference: Reference = UNIFORM,
) -> list[dict]:
    """A column of values, a row for each target; none for targets without a reference.

    Args:
        column: The cells' column.
        measured: The biases.
        targets: The rows.
        level: Coverage of the intervals.
        reference: What the shares are held against.
    """
    chosen = measured.of(targets)
    found = held_against(chosen, reference, level)
    shares = np.broadcast_to(reference.share, len(targets))
    numbers = [None if np.isnan(share) else i for i, share in enumerate(shares)]
    return difference_cells(column, chosen, found, [i for i in numbers if i is not None], reference)


def difference_cells(
    column: str,
    measured: Directed,
    found: Difference,
    which: Sequence[int],
    other: Directed | Reference,
) -> list[dict]:
    """The cells of one column of biases held against something.

    Args:
        column: The cells' column.
        measured: The biases, of the rows.
        found: Their differences from the other's.
        which: Numbers of the rows that have one.
        other: What they are held against.
    """
    n = measured.n if isinstance(other, Reference) else np.minimum(measured.n, other.n)
    unit = UNIT if other is UNIFORM else DIFFERENCE
    of_biases = np.clip(measured.reliability(0.95).value, 0, 1)
    reliable = of_biases if isinstance(other, Reference) else np.nan
    records = []
    for i in which:
        target = measured.targets[i]
        if np.isnan(found.value[i]):
            records.append(without_contexts(target, column))
            continue
        numbers = {"interval": (found.low[i], found.high[i]), "draws": found.draws[:, i]}
        said = {"n": int(n[i]), "n_unit": "contexts", "unit": unit}
        said["reliability"] = reliable
        said["weak"] = measured.weak or getattr(other, "weak", "")
        records.append(value(target, column, found.value[i], **numbers, **said))
    return records


def without_contexts(target: str, column: str) -> dict:
    """The value of a target that stands with neither group: there is none, and n says why."""
    said = {"n": 0, "n_unit": "contexts", "unit": UNIT, "note": NO_CONTEXT}
    return value(target, column, np.nan, **said)


def sizes(
    row: str,
    column: str,
    here: Directed,
    other: Directed | None,
    level: float,
    seed: int,
) -> list[dict]:
    """The size of biases, or by how much it is above that of others of the same targets.

    Args:
        row: The cell's row.
        column: The cell's column.
        here: The biases.
        other: What they are held against, if anything: the same targets in the same order.
        level: Coverage of the interval.
        seed: The configuration's seed; the same targets are drawn for all sizes.

    Returns:
        One value; [] with fewer than four targets whose variance is known.
    """
    sides = [here] if other is None else [here, other]
    known = np.all([~np.isnan(side.observed + side.variance) for side in sides], axis=0)
    t, targets = int(known.sum()), [w for w, k in zip(here.targets, known, strict=True) if k]
    if t < FEWEST_TARGETS:
        return []
    drawn = np.vstack([np.arange(t), resamples(targets, seed)])  # observed ones first
    found = [size(side.observed[known][drawn], side.variance[known][drawn]) for side in sides]
    numbers = found[0] - (found[1] if other else 0)
    draws = widened(numbers[1:], numbers[0], t)
    if other is None:
        draws = np.maximum(draws, 0)
    said = {
        "n": t,
        "n_unit": "professions",
        "unit": UNIT,
        "weak": next((side.weak for side in sides if side.weak), ""),
    }
    ends = percentile(draws, level)
    return [value(row, column, numbers[0], interval=ends, draws=draws, **said)]


def shifted(chosen: Directed, reference: Reference) -> Directed:
    """Biases held against another reference than one half, without those that have none."""
    return replace(chosen, observed=chosen.observed + 0.5 - reference.share)


def means(
    row: str, chosen: Directed, others: Mapping[str, Reference], level: float, **said
) -> list[dict]:
    """The mean bias over professions, against one half and against other references.

    Args:
        row: The cells' row.
        chosen: The biases of the professions.
        others: By name, the other references; a profession without one is left out of its mean.
        level: Coverage of the intervals.
        said: What the cells say besides.
    """
    records = []
    for name, reference in ({"": UNIFORM} | dict(others)).items():
        share = np.broadcast_to(reference.share, len(chosen.targets))
        if np.isnan(share).all():
            continue
        held = share if reference.draws is None else reference.draws
        sides = chosen.observed + 0.5 - share, chosen.linear + 0.5 - held
        about = {"n_unit": "professions", "unit": DIFFERENCE if name else UNIT}
        about["weak"] = chosen.weak
        column = f"mean@{name}" if name else "mean"
        records.append(mean_value(row, column, *sides, level, **said | about))
    return records


def mean_value(row: str, column: str, numbers: Array, draws: Array, level: float, **said) -> dict:
    """The mean of the targets that have a number (t,), with its joint draws (DRAWS, t)."""
    known = ~np.isnan(numbers)
    drawn = draws[:, known].mean(axis=1)
    said |= {"n": int(known.sum()), "draws": drawn, "interval": percentile(drawn, level)}
    return value(row, column, numbers[known].mean(), **said)
