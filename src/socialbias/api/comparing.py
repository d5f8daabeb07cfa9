"""`compare`: test whether the second of two subjects is more biased than the first."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from socialbias.api.estimate import Row
from socialbias.api.measuring import measured, provenance_of, software
from socialbias.api.question import (
    DEFAULTS,
    OF_MEASURES,
    Options,
    Question,
    Resampling,
    Words,
    question_of,
)
from socialbias.api.result import Result
from socialbias.api.subjects import Subject, file_provenance, open_subject
from socialbias.errors import UserError, naming_extras
from socialbias.measures.similarity import Array
from socialbias.measures.sizes import size
from socialbias.stats import paired
from socialbias.stats.draws import DRAWS, resamples
from socialbias.stats.intervals import student
from socialbias.stats.seeding import generator
from socialbias.stats.student import quantile
from socialbias.stats.two_way import Difference

NO_WORSE, WORSE, CANNOT_TELL = "no worse", "worse", "cannot tell"
EXIT_CODES = {NO_WORSE: 0, WORSE: 3, CANNOT_TELL: 4}  # no error and no signal gives 3 or 4
POWER = 0.8
DIRECTION = "above 0: the second is more biased (worse)"
LEFT_OUT = {False: "without --common the verdict is never 'no worse'", True: "left out"}
FEWEST_TARGETS = 8  # of two corpora
EXTENDED = "the interval was extended to 0"
FEWEST_TERMS = 6  # `stats.paired.unseen_error`
ALONE = "there is only one target: one word is too little for a verdict"
POSITIONS = "positions among {:,} placebo words (socialbias.measures.placebo)"
CENTRED = "{}, in vectors centred on {:,} placebo words"


def verdict(low: float, high: float, detectable: float, margin: float | None) -> str:
    """Return the verdict on the second for an interval of the difference.

    Args:
        low: Its lower end.
        high: Its upper end.
        detectable: The smallest difference that such a comparison finds with 80 % power.
        margin: The largest difference that would do no harm; None if none was given.

    Returns:
        `WORSE` if the interval lies above 0 and ends above the margin; `NO_WORSE` if it ends at
        the margin or below, and the comparison could have detected a difference of the margin;
        else `CANNOT_TELL`, as without an interval.
    """
    allowed = margin or 0.0
    if low > 0 and high > allowed:
        return WORSE
    enough = high <= allowed and detectable <= allowed  # false where one is NaN
    return NO_WORSE if allowed > 0 and enough else CANNOT_TELL


def _check_margin(margin: float | None, most: float = math.inf) -> None:
    """Raise UserError for a margin that cannot be the size of a difference."""
    if margin is not None and not 0 < margin < most:
        what = f"a share of the items above 0 and below {most:g}" if most < math.inf else "above 0"
        raise UserError(f"margin: must be {what}, not {margin:g}")


def compare_decisions(
    first: ArrayLike,
    second: ArrayLike,
    terms: Sequence[str],
    *,
    margin: float | None = None,
    common: bool = False,
    seed: int = DEFAULTS.seed,
    level: float = DEFAULTS.level,
    names: tuple[str, str] = ("first", "second"),
) -> Result:
    """Test whether the second model prefers the stereotype more often than the first.

    Args:
        first: (n,) decisions of the first: 1 if it prefers the stereotype, otherwise 0. Shares in
            between are allowed; NaN means no decision.
        second: (n,) decisions of the second on the same items.
        terms: (n,) the term of each item. Terms are the sampling unit.
        margin: The largest difference that would do no harm, as a share of the items.
        common: Whether to leave out items that only one model has decided. Otherwise, any such
            item rules out the verdict `NO_WORSE`.
        seed: Random seed.
        level: Coverage of the interval.
        names: Names of the two models.

    Returns:
        The difference, second minus first, as a mean over terms, with the verdict.

    Raises:
        UserError: there are not as many terms as decisions, a decision is not from 0 to 1, or the
            margin is not between 0 and 1.
    """
    _check_margin(margin, most=1.0)
    resampling = Resampling(seed, level)
    one, other = (np.asarray(side, float) for side in (first, second))
    if one.shape != other.shape or one.ndim != 1:
        raise UserError(
            f"decisions: need two equally long lists, not {one.shape} and {other.shape}"
        )
    try:
        estimate = paired.compare(other, one, terms, resampling.seed, level)
    except ValueError as error:
        raise UserError(f"decisions: {error}") from None
    apart = other - one
    known = ~np.isnan(apart)
    names_of_terms, at = np.unique(np.asarray(terms, str)[known], return_inverse=True)
    means = np.bincount(at, apart[known]) / np.bincount(at)
    low, high = max(float(estimate.low[0]), -1.0), min(float(estimate.high[0]), 1.0)
    detectable, n_terms = float(estimate.detectable[0]), int(estimate.terms[0])
    one_sided = int((np.isnan(one) != np.isnan(other)).sum())
    answer, notes = verdict(low, high, detectable, margin), []
    if answer == CANNOT_TELL:
        if n_terms < FEWEST_TERMS:
            least = f"with fewer than {FEWEST_TERMS} the verdict is always '{CANNOT_TELL}'"
            notes.append(f"{n_terms} term{'s' * (n_terms != 1)}: {least}")
        else:
            notes.append(_would_tell(detectable, margin, "as many terms"))
    if one_sided:
        left_out = "1 item has" if one_sided == 1 else f"{one_sided:,} items have"
        notes.append(f"{left_out} a decision of only one model: {LEFT_OUT[common]}")
        answer = CANNOT_TELL if answer == NO_WORSE and not common else answer
    return Result(
        title=f"decisions of {names[1]} compared with those of {names[0]}",
        measure="decisions",
        statistic="mean difference over terms",
        value=float(estimate.difference[0]),
        low=low,
        high=high,
        level=level,
        null=0.0,
        unit="share of items with the stereotype preferred",
        direction=DIRECTION,
        n=int(estimate.items[0]),
        n_of=int((~np.isnan(one) | ~np.isnan(other)).sum()),
        n_unit=f"items, about {n_terms} term{'s' * (n_terms != 1)}",
        resampled="terms, with all their items",
        detectable=math.nan if detectable > 1 else detectable,  # shares differ by 1 at most
        p_value=float(estimate.p_value[0]),
        test="Student's t over terms, two-sided",
        citation="paired by item, clustered by term (socialbias.stats.paired)",
        rows=_bare_rows(names_of_terms.tolist(), means),
        changed={
            "towards the stereotype": int((apart > 0).sum()),
            "away from it": int((apart < 0).sum()),
            "of": int(known.sum()),
        },
        notes=tuple(notes),
        verdict=answer,
    )


def _would_tell(detectable: float, margin: float | None, many: str) -> str:
    """Return what a new comparison needs if this one is undecided.

    `many` are the units that were resampled, such as "as many terms".
    """
    if margin is None:
        harmless = "the largest difference that would do no harm"
        return f"without --margin, {harmless}, the verdict is never '{NO_WORSE}'"
    if detectable <= margin:
        return "the difference is too close to 0 or to the margin for a comparison of this size"
    times = (detectable / margin) ** 2
    return (
        f"a new comparison, with about {times:.2g} times {many} and none of these, would detect a "
        "difference of the margin with 80 % power"
    )


@naming_extras()
def compare_items(
    first: object,
    second: object,
    items: str | Path,
    *,
    margin: float | None = None,
    common: bool = False,
    seed: int = DEFAULTS.seed,
    level: float = DEFAULTS.level,
) -> Result:
    """Test whether the second language model prefers stereotypes more often than the first.

    Args:
        first: The baseline model, by its folder.
        second: The model or subject to test.
        items: A file (`of_items.read_items`): CSV, or StereoSet's JSON.
        margin: As for `compare_decisions`.
        common: As for `compare_decisions`.
        seed: Random seed.
        level: Coverage of the interval.

    Raises:
        UserError: a model or the file cannot be read.
    """
    from socialbias.api.of_items import decisions, read_items

    _check_margin(margin, most=1.0)  # before the models are run
    Resampling(seed, level)
    how = {"margin": margin, "common": common, "seed": seed, "level": level}
    sides, read = [open_subject(first), open_subject(second)], read_items(Path(items))
    decided = [decisions(side, read.items) for side in sides]
    names = (sides[0].name, sides[1].name)
    result = compare_decisions(*decided, read.terms, names=names, **how)
    provenance = [*(side.provenance() for side in sides), file_provenance(Path(items), "items")]
    return replace(result, provenance=[*provenance, software(seed)])


def _bare_rows(names: Sequence[str], values: Array) -> tuple[Row, ...]:
    """Rows without intervals."""
    pairs = zip(names, values.tolist(), strict=True)
    return tuple(Row(name, value, math.nan, math.nan) for name, value in pairs)


@naming_extras()
def compare(
    first: object,
    second: object,
    groups: Words = "gender",
    targets: Words | Iterable[str] = "professions",
    measure: str | None = None,
    *,
    margin: float | None = None,
    **options: Unpack[Options],
) -> Result:
    """Test whether the second subject is more biased than the first, on words that both have.

    Vectors and models are compared by where targets lie on the group axis, in standard deviations
    of placebo words (`measures.placebo.positions`): shifting, rotating or scaling one of the two
    changes nothing. Corpora are compared by log odds, minus those of the base rate.

    Args:
        first: The baseline, as for `measure`.
        second: The model or subject to test.
        groups: As for `measure`.
        targets: As for `measure`.
        measure: Of vectors and models, one of `two_spaces.COMPARED`, taken of vectors that are
            centred on the placebo words' mean; None for positions.
        margin: The largest difference that would do no harm, in the unit of the result.
        options: See `Options`.

    Returns:
        The mean difference of the targets' magnitudes, second minus first. `verdict` is
        `NO_WORSE`, `WORSE` or `CANNOT_TELL`; with a single target, it is always the last.

    Raises:
        UserError: as `measure`; or the subjects are of different kinds, or have too few words in
            common.
    """
    _check_margin(margin)
    sides = [open_subject(first), open_subject(second)]
    question = question_of(groups, targets, measure, options)
    if any(side.kind == "corpus" for side in sides) and sides[0].kind != sides[1].kind:
        named = " and ".join(f"{side.name} ({side.kind})" for side in sides)
        raise UserError(f"{named}: compare two corpora, or two of vectors and models")
    for side in sides:
        question.check_options(side)
    of_kind = _of_corpora if sides[0].kind == "corpus" else _of_spaces
    numbers, read = of_kind(sides, question, measure)
    n, notes = numbers["n"], numbers["notes"]
    detectable, resampled = numbers["detectable"], numbers["resampled"]
    answer = verdict(numbers["low"], numbers["high"], detectable, margin)
    if n == 1:
        answer = CANNOT_TELL
        notes.append(ALONE)
    elif answer == CANNOT_TELL and math.isfinite(detectable):
        notes.append(_would_tell(detectable, margin, f"as many {resampled}"))
    return Result(
        title=f"bias of {n} target{'s' * (n != 1)} in {sides[1].name} "
        f"compared with {sides[0].name}",
        level=question.resampling.level,
        null=0.0,
        direction=DIRECTION,
        n_of=len(question.targets.all),
        n_unit="targets",
        verdict=answer,
        provenance=provenance_of(list(zip(sides, read, strict=True)), question),
        **numbers | {"notes": tuple(notes)},
    )


def _of_spaces(
    sides: list[Subject], question: Question, measure: str | None
) -> tuple[dict, list[dict]]:
    """Return the fields of a result for two sets of vectors or models, and what was read."""
    from socialbias.api.two_spaces import COMPARED, POSITION, UNIT, compared

    if measure is not None and measure not in COMPARED:
        raise UserError(
            f"measure: {measure} cannot be compared between two sets of vectors: leave it out, or "
            f"use one of {', '.join(COMPARED)}"
        )
    for name in (name for name in OF_MEASURES if name in question.options):
        raise UserError(f"{name}: has no effect when two sets of vectors are compared")
    result = compared(sides, question, measure)
    overall = result.overall
    if overall.low == overall.high:  # the same vectors on both sides
        overall = replace(overall, detectable=0.0)
    unit, citation = UNIT, POSITIONS.format(result.placebo)
    if measure is not None:
        unit = question.measure.unit + ", of centred vectors"
        citation = CENTRED.format(question.measure.citation, result.placebo)
    return {
        "measure": measure or "position",
        "statistic": POSITION if measure is None else "mean difference of magnitudes",
        **vars(overall),
        "unit": unit,
        "n": len(result.differences),
        "missing": result.known.missing,
        "meant": result.known.meant,
        "resampled": result.resampled,
        "citation": citation,
        "rows": _bare_rows(result.known.targets, result.differences),
        "notes": result.notes,
    }, result.read


def _of_corpora(
    sides: list[Subject], question: Question, measure: str | None
) -> tuple[dict, list[dict]]:
    """Return the fields of a result for two corpora, and what was read.

    A share is compared with the base rate of the same corpus, as log odds, so that a corpus that
    mentions one group more often is not more biased. Sizes are without what sampling adds, which is
    more where contexts are fewer.
    """
    if question.measure.name != "directed":
        raise UserError(
            f"measure: corpora can only be compared with directed, not {question.measure.name}"
        )
    if question.placebo is not None:
        raise UserError(
            "placebo: has no effect when two corpora are compared, each with its base rate"
        )
    results, read = zip(*[measured(side, question) for side in sides], strict=True)
    frequent = [[row.target for row in result.rows if not row.note] for result in results]
    names = [name for name in frequent[0] if name in frequent[1]]
    if len(names) < FEWEST_TARGETS:
        raise UserError(_too_rare(sides, results, len(names)))
    odds = []
    for side, result, facts in zip(sides, results, read, strict=True):
        group, base = next(iter(facts["base rate"].items()))
        if not 0 < base < 1:
            which = "no context" if base == 0 else "every context"
            raise UserError(
                f"{side.name}: {which} has a word of {group}, so there is no base rate to compare "
                "with"
            )
        places = {row.target: i for i, row in enumerate(result.rows)}
        at = [places[name] for name in names]
        shares = np.array([result.rows[i].value for i in at]), result.draws[:, at]
        n, k = np.array([result.rows[i].n for i in at]), len(question.groups.words)
        odds.append(tuple(log_odds(some + 1 / k, n, base) for some in shares))
    resampling = question.resampling
    differences, overall = of_odds(*odds, names, resampling.seed, resampling.level)
    missing = [word for word in question.targets.all if word not in names]
    notes = [note for result in results for note in result.notes]
    if 0 in (overall.low, overall.high):
        notes.append(
            f"{EXTENDED}: equally biased corpora often differ as much over {len(names)} targets"
        )
    return {
        "measure": "directed",
        "statistic": "difference in size",
        **vars(overall),
        "unit": "log odds of the first group, minus those of its base rate",
        "n": len(names),
        "missing": {"targets": missing} if missing else {},
        "meant": results[0].meant | results[1].meant,
        "resampled": "targets",
        "citation": results[1].citation,
        "rows": _bare_rows(names, differences),
        "notes": list(dict.fromkeys(notes)),
    }, list(read)


def of_odds(
    first: tuple[Array, Array],
    second: tuple[Array, Array],
    names: Sequence[str],
    seed: int,
    level: float,
) -> tuple[Array, Difference]:
    """How much larger biases are in the second corpus: of each target, and together.

    Args:
        first: Log odds (n,) of the targets in the first corpus, and draws (draws, n) of them.
        second: Those in the second.
        names: (n,) the targets.
        seed: Random seed.
        level: Coverage.

    Returns:
        (n,) differences of absolute log odds, and the difference in `size`. Its interval reaches to
        0 where as large a difference is not rare among exchanges of the corpora's numbers.
    """
    odds = np.stack([first[0], second[0]])
    noise = np.stack([draws.var(axis=0) for _, draws in (first, second)])
    chosen = np.vstack([np.arange(len(names)), resamples(names, seed)])  # observed ones first
    one, other = size(odds[:, chosen], noise[:, chosen])
    apart = other - one
    value, freedom = float(apart[0]), len(names) - 1
    error = float(apart[1:].std()) * math.sqrt(len(names) / freedom)
    reach = student(level, freedom)
    low, high = value - reach * error, value + reach * error
    # Over few targets the error is too small: equal corpora must be this far apart as seldom where
    # each target's two numbers change places at random, which is exact for any number of targets.
    exchanged = generator(seed, "exchanged", *names).random((DRAWS, len(names))) < 0.5
    sides = [[np.where(exchanged, *pair[::way]) for pair in (odds, noise)] for way in (1, -1)]
    one, other = (size(*side) for side in sides)
    as_far = 1 + (np.abs(other - one) >= abs(value) - 1e-12).sum()
    if as_far / (1 + DRAWS) > 1 - level:
        low, high = min(low, 0.0), max(high, 0.0)
    overall = Difference(value, low, high, (reach + quantile(POWER, freedom)) * error)
    return np.abs(second[0]) - np.abs(first[0]), overall


def log_odds(shares: Array, n: Array, base: float) -> Array:
    """Log odds (..., t) of shares of n contexts (t,), less those of a base rate."""
    inner = (np.clip(shares, 0, 1) * n + 0.5) / (n + 1)  # never 0 or 1
    return np.log(inner / (1 - inner)) - math.log(base / (1 - base))


def _too_rare(sides: list[Subject], results: Sequence[Result], enough: int) -> str:
    """Return an error message on targets that are too rare, and what would help."""
    rare: dict[str, int] = {}
    for result in results:
        for row in result.rows:
            if row.note:
                rare[row.target] = min(row.n, rare.get(row.target, row.n))
    shown = sorted(rare.items(), key=lambda pair: -pair[1])[:8]
    named = ", ".join(f"{word} ({n})" for word, n in shown)
    named += f" and {len(rare) - len(shown)} more" * (len(rare) > len(shown))
    too_rare = f". Too rare: {named}. Longer contexts (--window) may help" * bool(rare)
    return (
        f"targets: only {enough} have 20 contexts in both {sides[0].name} and {sides[1].name}; "
        f"{FEWEST_TARGETS} are needed{too_rare}"
    )
