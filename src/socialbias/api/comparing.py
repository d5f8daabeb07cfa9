"""`compare`: whether the second of two is more biased than the first, pair by pair."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from socialbias.api.estimate import Row
from socialbias.api.instruments import Instrument
from socialbias.api.lists import Lists, WordLists
from socialbias.api.measuring import (
    LEVEL,
    SEED,
    Question,
    check_options,
    looked_up,
    measured,
    provenance_of,
    question,
    software,
)
from socialbias.api.numbers import FEWEST_TARGETS, mean_of_known
from socialbias.api.of_vectors import vectors_result
from socialbias.api.result import Result
from socialbias.api.subjects import Subject, file_provenance, open_subject
from socialbias.errors import UserError, naming_extras
from socialbias.measures.similarity import Array
from socialbias.measures.sizes import size
from socialbias.stats import paired
from socialbias.stats.draws import resamples
from socialbias.stats.student import quantile, two_sided_p

NO_WORSE, WORSE, CANNOT_TELL = "no worse", "worse", "cannot tell"
EXIT_CODES = {NO_WORSE: 0, WORSE: 1, CANNOT_TELL: 2}
POWER = 0.8
SAME = 1e-12
DIRECTION = "above 0: the second is more biased, which is worse"
ALONE = "one target: the interval is of this word alone, which says too little for a verdict"


def verdict(low: float, high: float, margin: float = 0.0) -> str:
    """What an interval of a difference says of the second.

    Args:
        low: Its lower end; above 0 is worse.
        high: Its upper end.
        margin: The largest difference that would do no harm.

    Returns:
        `NO_WORSE` if the interval ends at the margin or below, else `WORSE` if it begins above 0,
        else `CANNOT_TELL`, as without an interval.
    """
    if high <= margin:
        return NO_WORSE
    return WORSE if low > 0 else CANNOT_TELL


def _check_margin(margin: float, most: float = math.inf) -> None:
    """UserError for a margin that is no size of a difference in the unit of the numbers."""
    if not 0 <= margin < most:
        what = f"from 0 and below {most:g}" if most < math.inf else "0 or more"
        unit = ", a share of the items" if most < math.inf else ""
        raise UserError(f"margin: must be {what}{unit}, not {margin:g}")


def compare_decisions(
    first: ArrayLike,
    second: ArrayLike,
    terms: Sequence[str],
    *,
    margin: float = 0.0,
    seed: int = SEED,
    level: float = LEVEL,
    names: tuple[str, str] = ("first", "second"),
) -> Result:
    """Two models by their decisions on the same items, such as StereoSet's.

    Args:
        first: (n,) of the first: 1 where it prefers the stereotype, 0 where not; shares in between
            are allowed, and NaN where it did not decide.
        second: (n,) of the second, on the same items.
        terms: (n,) the term of each item, which is what is resampled.
        margin: The largest difference that would do no harm, a share of the items.
        seed: Of the resamples.
        level: Coverage of the interval.
        names: Of the two.

    Returns:
        How much more often the second prefers the stereotype, as a mean over terms; `verdict` says
        whether it is worse.

    Raises:
        UserError: there are not as many terms as decisions, a decision is not from 0 to 1, or the
            margin is none.
    """
    _check_margin(margin, most=1.0)
    one, other = (np.asarray(side, float) for side in (first, second))
    found = _paired(one, other, terms, seed, level)
    detectable = float(found.detectable[0])
    unseen = detectable > 1  # shares differ by 1 at most
    many = "1 term" if found.terms[0] == 1 else f"{found.terms[0]} terms"
    few = f"{many}: no difference would be found in 80 % of such samples"
    few = "a single term: no interval over terms" if found.terms[0] == 1 else few
    low, high = max(float(found.low[0]), -1.0), min(float(found.high[0]), 1.0)
    return Result(
        title=f"decisions of {names[1]} against those of {names[0]}",
        measure="decisions",
        statistic="mean difference over terms",
        value=float(found.difference[0]),
        low=low,
        high=high,
        level=level,
        null=0.0,
        unit="share of items with the stereotype preferred",
        direction=DIRECTION,
        n=int(found.items[0]),
        n_of=len(one),
        n_unit=f"items, of {many}",
        resampled="terms, with all their items",
        detectable=math.nan if unseen else detectable,
        p_value=float(found.p_value[0]),
        test="Student's t over terms, two-sided",
        citation="paired by item, clustered by term (socialbias.stats.paired)",
        rows=_by_term(other - one, terms),
        notes=(few,) if unseen or found.terms[0] == 1 else (),
        verdict=verdict(low, high, margin),
    )


def _paired(
    first: Array, second: Array, terms: Sequence[str], seed: int, level: float
) -> paired.Pairs:
    """The second less the first, as one column.

    Raises:
        UserError: there are not as many terms as decisions, or a decision is not from 0 to 1.
    """
    if first.shape != second.shape or first.ndim != 1:
        raise UserError(f"decisions: {first.shape} of the first, {second.shape} of the second")
    try:
        return paired.compare(second, first, terms, seed, level)
    except ValueError as error:
        raise UserError(f"decisions: {error}") from None


@naming_extras()
def compare_items(
    first: object,
    second: object,
    items: str | Path,
    *,
    margin: float = 0.0,
    seed: int = SEED,
    level: float = LEVEL,
) -> Result:
    """Two language models by which stereotypes they prefer.

    Args:
        first: The model that is known, by its folder.
        second: The one that is asked about.
        items: A file (`of_items.read_items`): CSV, or StereoSet's JSON.
        margin: As for `compare_decisions`, and so are all that follow.
        seed: See there.
        level: See there.

    Raises:
        UserError: a model or the file cannot be read.
    """
    from socialbias.api.of_items import decisions, read_items

    _check_margin(margin, most=1.0)  # before the models are asked
    sides, found = [open_subject(first), open_subject(second)], read_items(Path(items))
    decided = [decisions(side, found.items) for side in sides]
    names = (sides[0].name, sides[1].name)
    how = {"margin": margin, "seed": seed, "level": level}
    result = compare_decisions(*decided, found.terms, names=names, **how)
    read = [*(side.provenance() for side in sides), file_provenance(Path(items), "items")]
    return replace(result, provenance=[*read, software(seed)])


def _by_term(apart: Array, terms: Sequence[str]) -> tuple[Row, ...]:
    """The mean difference of each term."""
    known = ~np.isnan(apart)
    names, at = np.unique(np.asarray(terms, str)[known], return_inverse=True)
    return _bare_rows(names.tolist(), np.bincount(at, apart[known]) / np.bincount(at))


def _bare_rows(names: Sequence[str], values: Array) -> tuple[Row, ...]:
    """Rows without intervals."""
    pairs = zip(names, values.tolist(), strict=True)
    return tuple(Row(name, value, math.nan, math.nan) for name, value in pairs)


@naming_extras()
def compare(
    first: object,
    second: object,
    groups: str | Path | Lists | WordLists = "gender",
    targets: str | Path | Lists | WordLists | Iterable[str] = "professions",
    measure: str | None = None,
    *,
    margin: float = 0.0,
    association: str | None = None,
    normalize: str | None = None,
    divergence: str | None = None,
    text_key: str | None = None,
    by: str | None = None,
    window: int | None = None,
    layer: int | None = None,
    texts: object = None,
    language: str | None = None,
    seed: int = SEED,
    level: float = LEVEL,
) -> Result:
    """Whether the second subject is more biased than the first, on the words that both have.

    Targets are paired, and so are resamples of the group words and, of two or more, of the targets.

    Args:
        first: The one that is known, as for `measure`.
        second: The one that is asked about.
        groups: As for `measure`.
        targets: As for `measure`.
        measure: As for `measure`, but for the WEAT; of signed ones the magnitudes are compared.
        margin: The largest difference that would do no harm, in the measure's unit.
        association: As for `measure`, and so are all that follow.
        normalize: See there.
        divergence: See there.
        text_key: See there.
        by: See there.
        window: See there.
        layer: See there.
        texts: See there.
        language: See there.
        seed: See there.
        level: See there.

    Returns:
        The mean difference of the targets' magnitudes, second less first, and as `verdict`
        `NO_WORSE`, `WORSE` or `CANNOT_TELL`, which it always is of one target.

    Raises:
        UserError: as `measure`; or the subjects are of unlike kinds, or have too few words in
            common.
    """
    _check_margin(margin)
    sides = [open_subject(first), open_subject(second)]
    options = {"association": association, "normalize": normalize, "divergence": divergence}
    how = {"text_key": text_key, "by": by, "window": window, "layer": layer, "texts": texts}
    asked = question(groups, targets, measure, options, how, language, seed, level)
    _check_sides(sides, asked.instrument)
    for side in sides:
        check_options(side, how | options)
    results, about = _both(sides, asked)
    most = max(abs(asked.instrument.low), asked.instrument.high)  # magnitudes are from 0 to this
    found = _difference(results, asked.targets, margin, seed, level, most)
    what = f"{asked.instrument.name} bias of {found.n} targets"
    return replace(
        found,
        title=f"{what} in {sides[1].name} against {sides[0].name}",
        provenance=provenance_of(list(zip(sides, about, strict=True)), asked),
    )


def _check_sides(sides: list[Subject], chosen: Instrument) -> None:
    """UserError for subjects that cannot be compared, or not by this measure."""
    kinds = [side.kind for side in sides]
    if chosen.name == "weat":
        raise UserError("measure: a WEAT has one number and no targets to pair: use caliskan")
    if kinds[0] == "corpus" and chosen.name != "directed":
        raise UserError(f"measure: corpora are compared by directed, not by {chosen.name}")
    if "corpus" in kinds and kinds[0] != kinds[1]:
        named = " and ".join(f"{side.name} ({side.kind})" for side in sides)
        raise UserError(f"{named}: give two corpora, or vectors or models on either side")


def _both(sides: list[Subject], asked: Question) -> tuple[list[Result], list[dict]]:
    """Both results, of vectors on the words that both have, and what was read."""
    if sides[0].kind == "corpus":
        results, about = zip(*[measured(side, asked) for side in sides], strict=True)
        return list(results), list(about)
    looked = [looked_up(side, asked) for side in sides]
    common = [word for word in looked[0][0].words if word in looked[1][0].index]
    results, about = [], []
    for side, (vectors, resampled, read) in zip(sides, looked, strict=True):
        kept = vectors.only(common)
        if resampled is not None:
            resampled = resampled[:, [vectors.index[word] for word in kept.words]]
        options = {"seed": asked.seed, "level": asked.level, "resampled": resampled}
        options["vocabulary"] = side.vocabulary()
        lists = (asked.groups, asked.targets, asked.instrument)
        results.append(vectors_result(kept, *lists, tested=False, **options))
        about.append(read)
    return results, about


@dataclass(frozen=True)
class _Apart:
    """How far the second is above the first.

    Attributes:
        names: n targets.
        each: (n,) the difference of each.
        value: That of all.
        draws: (draws,) of it.
        units: Of the scarcest kind that was resampled.
        resampled: All kinds, in words.
    """

    names: list[str]
    each: Array
    value: float
    draws: Array
    units: int
    resampled: str


def _of_vectors(results: list[Result], seed: int) -> _Apart:
    """Means over targets of magnitudes, with the same resampled words and targets for both."""
    places = [{row.target: i for i, row in enumerate(r.rows) if not row.note} for r in results]
    names = [name for name in places[0] if name in places[1]]
    if not names:
        raise UserError("targets: none is measured in both without a reservation")
    values, draws = [], []
    for at, result in zip(places, results, strict=True):
        rows = [at[name] for name in names]
        values.append(np.abs([result.rows[i].value for i in rows]))
        draws.append(np.abs(result.draws[:, rows]))
    each, drawn = values[1] - values[0], draws[1] - draws[0]
    chosen = resamples(names, seed, len(drawn))
    means = mean_of_known(np.take_along_axis(drawn, chosen, axis=1))
    units, resampled = min(results[0].units), results[1].resampled.removesuffix(" and targets")
    if units < 2:
        resampled = "nothing: a group has one word"
    elif len(names) > 1:
        units, resampled = min(units, len(names)), f"{resampled} and targets"
    return _Apart(names, each, float(each.mean()), means, units, resampled)


def _of_corpora(results: list[Result], seed: int) -> _Apart:
    """Sizes of biases without what sampling adds, which is more where contexts are fewer."""
    places = [{row.target: i for i, row in enumerate(r.rows) if not row.note} for r in results]
    names = [name for name in places[0] if name in places[1]]
    if len(names) < FEWEST_TARGETS:
        many = f"{len(names)} targets have enough contexts in both"
        raise UserError(f"targets: {many}: {FEWEST_TARGETS} are needed")
    chosen = np.vstack([np.arange(len(names)), resamples(names, seed)])  # observed ones first
    values, sizes = [], []
    for at, result in zip(places, results, strict=True):
        rows = [at[name] for name in names]
        observed = np.array([result.rows[i].value for i in rows])
        variance = result.draws[:, rows].var(axis=0)
        values.append(np.abs(observed))
        sizes.append(size(observed[chosen], variance[chosen]))
    apart = sizes[1] - sizes[0]
    each = values[1] - values[0]
    return _Apart(names, each, float(apart[0]), apart[1:], len(names), "targets")


def _difference(
    results: list[Result],
    targets: WordLists,
    margin: float,
    seed: int,
    level: float,
    most: float,
) -> Result:
    """The difference, at most `most`, with everything that follows from its standard error."""
    texts = results[0].resampled.startswith("documents")
    found = (_of_corpora if texts else _of_vectors)(results, seed)
    freedom = found.units - 1
    error = low = high = p_value = seen = math.nan
    if freedom > 0:
        error = float(np.nanstd(found.draws)) * math.sqrt(found.units / freedom)
        reach = quantile((1 + level) / 2, freedom)
        low, high = found.value - reach * error, found.value + reach * error
        seen = (reach + quantile(POWER, freedom)) * error
        p_value = _p_value(found.value, error, freedom)
    missing = [word for word in targets.all if word not in found.names]
    notes = [note for result in results for note in result.notes]
    if alone := len(found.names) == 1:
        notes.append(ALONE)
    return replace(
        results[1],
        statistic="difference in size" if texts else "mean difference of magnitudes",
        value=found.value,
        low=max(low, -most),
        high=min(high, most),
        null=0.0,
        direction=DIRECTION,
        n=len(found.names),
        missing={"targets": missing} if missing else {},
        resampled=found.resampled,
        reliability=math.nan,
        reliability_low=math.nan,
        reliability_high=math.nan,
        reliability_of="",
        detectable=seen,
        p_value=p_value,
        test="Student's t over resamples, two-sided",
        rows=_bare_rows(found.names, found.each),
        notes=tuple(dict.fromkeys(notes)),
        verdict=CANNOT_TELL if alone else verdict(low, high, margin),
        draws=None,
        meant=results[0].meant | results[1].meant,
    )


def _p_value(value: float, error: float, freedom: int) -> float:
    if error < SAME:  # the same in every resample
        return 1.0 if abs(value) < SAME else 0.0
    return two_sided_p(value / error, freedom)
