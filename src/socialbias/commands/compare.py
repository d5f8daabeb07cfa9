"""`compare`: test whether the second of two subjects is more biased than the first."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np

from socialbias.commands.measure import (
    by_measure,
    by_position,
    check_kinds,
    labels_of,
    make_table,
    names_of,
    notes_of,
)
from socialbias.commands.result import Result
from socialbias.commands.settings import Options, Question, Words, make_question, with_options
from socialbias.commands.subjects import Subject, open_subject
from socialbias.commands.table import Table
from socialbias.errors import UserError, naming_extras
from socialbias.measurement.estimates import UNKNOWN, bare_rows
from socialbias.measurement.instruments import OPTIONS
from socialbias.measurement.odds import compare_odds, log_odds
from socialbias.measurement.verdicts import (
    CANNOT_TELL,
    NO_WORSE,
    WORSE,
    check_margin,
    rounded,
    verdict,
    would_tell,
)

EXIT_CODES = {NO_WORSE: 0, WORSE: 3, CANNOT_TELL: 4}  # no error and no signal gives 3 or 4
DIRECTION = "above 0: the second is more biased (worse)"
FEWEST_TARGETS = 8  # of two corpora
FEW_TARGETS = (
    f"have enough contexts in both; a test needs {FEWEST_TARGETS}: the numbers of fewer can be "
    "exchanged in too few ways"
)
ALONE = "there is only one target: one word is too little for a verdict"


@naming_extras()
@with_options(Options)
def compare(
    first: object,
    second: object,
    groups: Words | Sequence[Words] = "gender",
    targets: Words | Iterable[str] = "professions",
    measure: str | None = None,
    *,
    margin: float | None = None,
    **options: Unpack[Options],
) -> Result | Table:
    """Test whether the second subject is more biased than the first, on words that both have.

    Vectors and models are compared by where targets lie on the group axis, in standard deviations
    of random words (`measures.placebo.RandomWords`): shifting, rotating or scaling one of the two
    changes nothing. Corpora are compared by log odds, minus those of the base rate.

    Args:
        first: The baseline, as for `measure`.
        second: The model or subject to test.
        groups: As for `measure`. With a list of m, a test has 1/m of the errors that the level
            allows; the verdict is worse if one of them is, and no worse if all are.
        targets: As for `measure`.
        measure: Of corpora `directed`, of anything else `position`; None for these.
        margin: The largest difference that would do no harm, in the unit of the result.
        options: See `Options`.

    Returns:
        The mean difference of the targets' magnitudes, second minus first, with the table of both,
        and as `verdict` `NO_WORSE`, `WORSE` or `CANNOT_TELL`; with a single target, it is always
        the last. With a list of groups, the table with a test for each.

    Raises:
        UserError: as `measure`; or the subjects are of different kinds, or have too few words in
            common.
    """
    check_margin(margin)
    sides = [open_subject(first), open_subject(second)]
    several = list(groups) if isinstance(groups, list | tuple) else [groups]
    texts = sides[0].kind == "corpus"
    questions = [make_question(each, targets, measure, options, texts) for each in several]
    if "against" in options:
        raise UserError("against: has no effect on a comparison: use it with measure")
    check_kinds(sides)
    for side in sides:
        questions[0].check_options(side)
    of_kind = _of_corpora if sides[0].kind == "corpus" else _of_spaces
    level = 1 - (1 - questions[0].resampling.level) / len(questions)
    tests, table = of_kind(sides, questions, measure, level)
    results = [
        _tested(sides, question, level, margin, numbers)
        for question, numbers in zip(questions, tests, strict=True)
    ]
    verdicts = {result.verdict for result in results}
    joint = WORSE if WORSE in verdicts else CANNOT_TELL if len(verdicts) > 1 else min(verdicts)
    by_set = dict(zip(table.sets, results, strict=True))
    table = replace(table, comparisons=by_set, verdict=joint)
    if isinstance(groups, list | tuple):
        return table
    return replace(results[0], cells=table, provenance=table.provenance)


def _tested(
    sides: Sequence[Subject], question: Question, level: float, margin: float | None, numbers: dict
) -> Result:
    """Return the test with one set of groups, and what a new study needs."""
    n, notes, detectable = numbers["n"], list(numbers["notes"]), numbers["detectable"]
    answer = verdict(numbers["low"], numbers["high"], detectable, margin)
    if n == 1:
        answer = CANNOT_TELL
        notes.append(ALONE)
    elif answer == CANNOT_TELL and math.isfinite(detectable):
        units = "as many targets"
        notes.append(would_tell(detectable, margin, units))
        if margin is None and 0 < abs(numbers["value"]) < detectable:
            times = (detectable / numbers["value"]) ** 2
            notes.append(
                f"a difference of this size needs about {rounded(times)} times {units} to be "
                f"detected with 80 % power: about {math.ceil(n * times):,} targets"
            )
    return Result(
        title=f"bias of {n} target{'s' * (n != 1)} in {sides[1].name} "
        f"compared with {sides[0].name}",
        level=level,
        null=0.0,
        direction=DIRECTION,
        n_of=len(question.targets.all),
        n_unit="targets",
        verdict=answer,
        **numbers | {"notes": tuple(notes)},
    )


def _of_spaces(
    sides: list[Subject], questions: Sequence[Question], measure: str | None, level: float
) -> tuple[list[dict], Table]:
    """Return the fields of a result for each set of groups in vectors or models, and the table."""
    from socialbias.commands.compare_embeddings import compared, open_spaces

    for name in (name for name in OPTIONS if name in questions[0].options):
        raise UserError(f"{name}: has no effect when two sets of vectors are compared")
    if questions[0].measure.name != "position":
        raise UserError(
            f"measure: two sets of vectors are compared by position, not {measure}: leave it out"
        )
    opened, resampling = open_spaces(sides, questions), questions[0].resampling
    strict = replace(resampling, level=level)
    tests = [compared(opened, replace(question, resampling=strict)) for question in questions]
    return tests, make_table(sides, questions, *by_position(opened, questions))


def _of_corpora(
    sides: list[Subject], questions: Sequence[Question], measure: str | None, level: float
) -> tuple[list[dict], Table]:
    """Return the fields of a result for each set of groups in two corpora, and the table.

    A share is compared with the base rate of the same corpus, as log odds, so that a corpus that
    mentions one group more often is not more biased. Sizes are without what sampling adds, which is
    more where contexts are fewer.
    """
    for name in (q.measure.name for q in questions if q.measure.name != "directed"):
        raise UserError(f"measure: corpora can only be compared with directed, not {name}")
    for name in (name for name in ("baseline", "reference") if name in questions[0].options):
        why = "when two corpora are compared, each with its base rate"
        raise UserError(f"{name}: has no effect {why}")
    rebased = [replace(question, reference="corpus") for question in questions]
    sets, read, apart = by_measure(sides, [*questions, *rebased])
    tests = [
        _odds_compared(sides, question, results[:2], facts, level)
        for question, results, *facts in zip(questions, sets, *read, strict=False)
    ]
    return tests, make_table(sides, questions, sets[len(questions) :], read, apart)


def _odds_compared(
    sides: Sequence[Subject],
    question: Question,
    results: Sequence[Result],
    read: Sequence[dict],
    level: float,
) -> dict:
    """Return the fields of a result for one set of groups in two corpora."""
    frequent = [[row.target for row in result.rows if not row.note] for result in results]
    names = [name for name in frequent[0] if name in frequent[1]]
    odds = []
    for side, result, facts in zip(sides, results, read, strict=True):
        group, base = next(iter(facts["base rate"].items()))
        if not 0 < base < 1:
            which = f"{'no' if base == 0 else 'every'} context has a word of {group}"
            raise UserError(f"{side.name}: {which}, so there is no base rate to compare with")
        places = {row.target: i for i, row in enumerate(result.rows)}
        at = [places[name] for name in names]
        shares = np.array([result.rows[i].value for i in at]), result.draws[:, at]
        n, k = np.array([result.rows[i].n for i in at]), len(question.groups.words)
        odds.append(tuple(log_odds(some + 1 / k, n, base) for some in shares))
    differences, overall = np.abs(odds[1][0]) - np.abs(odds[0][0]), UNKNOWN
    notes = [*notes_of(results, names_of([question]), labels_of(sides))]
    if len(names) < FEWEST_TARGETS:
        notes.insert(0, f"only {len(names)} targets {FEW_TARGETS}")
    else:
        seed = question.resampling.seed
        differences, overall = compare_odds(*odds, names, seed, level)
    missing = [word for word in question.targets.all if word not in names]
    return {
        "measure": "directed",
        "statistic": "difference in size",
        **vars(overall),
        "unit": "log odds of the first group, minus those of its base rate",
        "n": len(names),
        "missing": {"targets": missing} if missing else {},
        "meant": results[0].meant | results[1].meant,
        "resampled": "exchanges of the two corpora",
        "citation": results[1].citation,
        "rows": bare_rows(names, differences),
        "notes": notes,
    }
