"""`measure`: from vectors, corpora or models, and words, to biases with their uncertainty."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

import numpy as np

from socialbias.commands.arguments import checked
from socialbias.commands.compare_embeddings import Spaces, positioned, spaces_of
from socialbias.commands.measure_subject import measured, provenance_of, title_of
from socialbias.commands.result import Result, table_facts
from socialbias.commands.settings import Options, Question, Words, question_of
from socialbias.commands.subjects import Subject, open_subject
from socialbias.commands.table import Column, Table
from socialbias.embeddings.words.lists import lists
from socialbias.errors import UserError, naming_extras
from socialbias.measurement.estimates import Row, percentiles
from socialbias.measurement.random_words import AS_GIVEN
from socialbias.measures.registry import MEASURES
from socialbias.stats.intervals import student, two_sided_p

SHARES_APART = (
    "the second subject minus the first; its interval is made from those of both (Newcombe 1998)"
)
POSITIONS_APART = (
    "the second subject minus the first, in standard deviations of the same random words; its "
    "interval allows for other group words and random words"
)
NO_MEASURE = "without --measure, positions are compared"
FEW_RANDOM = (
    "the random words are few: of {} cells, none is marked with * unless {} or more lie outside "
    "all random words; a larger corpus or vectors with more words have more of them"
)


@naming_extras()
@checked
def measure(
    subject: object,
    groups: Words | Sequence[Words] = "gender",
    targets: Words | Iterable[str] = "professions",
    measure: str | None = None,
    *,
    over: str | None = None,
    stratify: str | None = None,
    **options: Unpack[Options],
) -> Result | Table:
    """Measure the bias of targets between groups, in vectors, a corpus or a model.

    Args:
        subject: A path (vectors, a corpus or a model), a model on the Hugging Face hub, or vectors
            in memory (`open_subject`); or a list of them, for a table.
        groups: The name of packaged lists (`socialbias.lists()`), a file, or words by group; or a
            list of them, for a table. Each subject is read once for all of them.
        targets: The name of a packaged list, a file, words, or words with commas between them.
        measure: A key of `measures.registry.MEASURES`; None for `directed` of two groups, else
            `divdist`, and for positions on the group axis in several sets of vectors.
        over: For the trend in one corpus, the key or column of the date; with `:decade` or
            `:month`, periods are not years.
        stratify: With `over`, the key or column of strata, such as outlets: only changes within a
            stratum are trends.
        options: See `help(socialbias.commands.settings.Options)`.

    Returns:
        The bias of each target, their mean, and the values of placebo words; or a table, if
        subjects or groups are a list, or with `over` (`over_time.OverTime`).

    Raises:
        UserError: one line with what is wrong, where, and what to do.
    """
    several = isinstance(groups, list | tuple)
    for name, each in (("subject", subject), ("groups", groups)):
        if isinstance(each, list | tuple) and not each:
            raise UserError(f"{name}: the list is empty")
    chosen = "directed" if over and measure is None else measure
    if over is None and stratify is not None:
        raise UserError("stratify: has no effect without over")
    subjects = subject if isinstance(subject, list) else [subject]
    opened = [open_subject(each) for each in subjects]
    texts = opened[0].kind == "corpus"
    questions = [
        question_of(each, targets, chosen, options, texts)
        for each in (groups if several else [groups])
    ]
    if over is not None:
        return _over_time(opened, questions, over, stratify)
    if several or isinstance(subject, list):
        check_kinds(opened)
        for each in opened:
            questions[0].check_options(each)
        if questions[0].measure.name == "weat":
            raise UserError("measure: weat is one number of two sets of targets, and has no table")
        if len(opened) > 1 and opened[0].kind != "corpus" and measure is None:
            return tabulated(
                opened, questions, *by_position(spaces_of(opened, questions), questions)
            )
        return tabulated(opened, questions, *by_measure(opened, questions))
    [one], [question] = opened, questions
    question.check_options(one)
    [(result, facts)] = measured(one, [question])
    title = title_of(MEASURES[result.measure], result.n, question.groups, one)
    return replace(result, title=title, provenance=provenance_of([(one, facts)], [question]))


def _over_time(
    subjects: Sequence[Subject], questions: Sequence[Question], over: str, stratify: str | None
) -> Table:
    """Return the table of a corpus over time."""
    if len(subjects) > 1:
        advice = "put them into one, and name the column that tells them apart with stratify"
        raise UserError(f"over: takes one corpus, not {len(subjects)}: {advice}")
    from socialbias.commands.over_time import OverTime, results_over_time

    questions[0].check_options(subjects[0])
    by_name = dict(zip(names_of(questions), questions, strict=True))
    sets, shown, read, calendar = results_over_time(subjects[0], by_name, over, stratify)
    heads, change = ["all periods", f"change per {calendar.per}"], {"change": calendar.change}
    table = tabulated(subjects, questions, sets, [[read]], change, heads)
    own = {"title": f"{table.title} over time", "notes": (*calendar.notes, *table.notes)}
    return OverTime(**vars(table) | own | shown)


def tabulated(
    subjects: Sequence[Subject],
    questions: Sequence[Question],
    sets: Sequence[Sequence[Result]],
    read: Sequence[Sequence[dict]],
    apart: Mapping[str, str],
    heads: Sequence[str] | None = None,
) -> Table:
    """Return a table of subjects by sets of groups, in which alone the questions differ.

    `sets` has by set of groups the results of each subject and of the difference, if there is one,
    `read` by subject what was read for each question, and `apart` a fact on the differences.
    `heads` are over the columns of a set; by default the subjects.
    """
    labels, names = labels_of(subjects), names_of(questions)
    results = [result for each in sets for result in each[: len(labels)]]
    n = len({row.target for result in results for row in result.rows})
    facts = [facts_of[0] for facts_of in read]
    provenance = provenance_of(list(zip(subjects, facts, strict=True)), questions)
    if heads is None:
        heads = [*labels, *[f"{labels[-1]} - {labels[0]}"] * (len(sets[0]) - len(labels))]
    columns, few = columns_of(names, heads, sets)
    return Table(
        title=f"bias of {n} target{'s' * (n != 1)} in {' and '.join(labels)}",
        columns=columns,
        results=tuple(results),
        level=questions[0].resampling.level,
        facts=(*table_facts(results, names, labels, provenance), *apart.items()),
        notes=(*few, *notes_of(results, names, labels)),
        provenance=provenance,
    )


def check_kinds(subjects: Sequence[Subject]) -> None:
    """Raise UserError for corpora beside other subjects, which have no number in common."""
    kinds = {subject.kind == "corpus" for subject in subjects}
    if len(kinds) > 1:
        named = " and ".join(f"{side.name} ({side.kind})" for side in subjects)
        raise UserError(f"{named}: compare two corpora, or two of vectors and models")


def labels_of(subjects: Sequence[Subject]) -> list[str]:
    """Return distinct names: of the file, or its path if two have the same, or with a number."""
    names, paths = [each.name for each in subjects], [str(each.path) for each in subjects]
    if len({*names}) == len(names):
        return names
    if len({*paths}) == len(names):
        return paths
    return [f"{name} ({i})" for i, name in enumerate(names, 1)]


def names_of(questions: Sequence[Question]) -> list[str]:
    """Return a distinct name of each set: that of the list or file, or those of the groups."""
    names = []
    for groups in (question.groups for question in questions):
        known = groups.name if groups.name in lists() else Path(groups.name).stem
        names.append(", ".join(groups.words) if groups.name == "given" else known)
    if twice := [each for each in names if names.count(each) > 1]:
        raise UserError(f"groups: two sets are called {twice[0]!r}: rename or omit one")
    return names


def by_measure(
    subjects: Sequence[Subject], questions: Sequence[Question]
) -> tuple[list[list[Result]], list[list[dict]], dict[str, str]]:
    """Return what `tabulated` takes: results by set of groups, what was read, and a fact."""
    texts = subjects[0].kind == "corpus"
    if texts:
        from socialbias.commands.measure_corpus import texts_results

        sides = texts_results(subjects, questions)
    else:
        sides = [measured(subject, questions) for subject in subjects]
    read = [[facts for _, facts in side] for side in sides]
    sets = [[result for result, _ in results] for results in zip(*sides, strict=True)]
    if len(subjects) != 2:
        return sets, read, {}
    if texts:
        sets = [[*results, _apart(results)] for results in sets]
        return sets, read, {"difference": SHARES_APART}
    which = questions[0].measure.name
    none = f"none: {which} has no common scale in two sets of vectors; {NO_MEASURE}"
    return sets, read, {"difference": none}


def by_position(
    opened: Spaces, questions: Sequence[Question]
) -> tuple[list[list[Result]], list[list[dict]], dict[str, str]]:
    """Return the same for positions on the group axis in vectors or models."""
    sets = [positioned(opened, question) for question in questions]
    apart = {"difference": POSITIONS_APART} if len(opened.sides) == 2 else {}
    return sets, [[facts] for facts in opened.read], apart


def _apart(results: Sequence[Result]) -> Result:
    """Return the difference of two texts, for targets with enough contexts in both.

    The interval of Newcombe 1998 (method 10) adds up the distances of both numbers from the ends of
    their intervals in squares. The documents of the two texts are independent.
    """
    first, second = ({row.target: row for row in r.rows if not row.note} for r in results)
    rows = []
    for target, a in first.items():
        if (b := second.get(target)) is not None:
            low = math.hypot(b.value - b.low, a.high - a.value)
            high = math.hypot(b.high - b.value, a.value - a.low)
            value = b.value - a.value
            rows.append(Row(target, value, value - low, value + high, n=min(a.n, b.n)))
    one, other = (result.random_words for result in results)
    random = {word: other[word] - one[word] for word in one if word in other}
    return replace(results[1], rows=tuple(rows), random_words=random, notes=())


def columns_of(
    names: Sequence[str], labels: Sequence[str], sets: Sequence[Sequence[Result]]
) -> tuple[tuple[Column, ...], list[str]]:
    """Return the columns of a table, with percentiles and p-values adjusted over all cells.

    The second part is a note if the random words are few.

    A p-value is the larger of two, so that neither other words nor sampling alone would give as
    much: the share of random words that are as far from their mean, and the p-value of the
    distance from this mean with the error of the interval (normal, or Student's t). Those of random
    words depend on each other positively, so that Benjamini and Hochberg's adjustment controls the
    false discovery rate (Bates, Candes, Lei, Romano and Sesia 2023).
    """
    from scipy.stats import false_discovery_control

    columns, p_values, least = [], [], 1.0
    for name, results in zip(names, sets, strict=True):
        for label, result in zip(labels, results, strict=True):
            random, rows = np.array([*result.random_words.values()]), list(result.rows)
            judged = [i for i, row in enumerate(rows) if not row.note and len(random) >= AS_GIVEN]
            values = np.array([rows[i].value for i in judged])
            for i, place in zip(judged, percentiles(values, random), strict=True):
                rows[i] = replace(rows[i], percentile=float(place))
            far = np.abs(random - random.mean()) if judged else random
            for i in judged:
                row, apart = rows[i], rows[i].value - random.mean()
                least = min(least, 1 / (1 + len(far)))
                others = (1 + (far >= abs(apart) - 1e-12).sum()) / (1 + len(far))
                side = row.value - row.low if apart > 0 else row.high - row.value
                freedom = row.freedom if row.freedom == row.freedom else math.inf
                half = student(result.level, freedom)
                error = max(side / half, 1e-12)  # 0 if group words agree exactly
                sampling = two_sided_p(apart / error, freedom)
                if np.isfinite(sampling):
                    p_values.append((len(columns), row.target, max(others, sampling)))
            columns.append(Column(name, label, tuple(rows), result.unit, {}))
    marked = least * len(p_values) / (1 - sets[0][0].level)  # as many must be the most extreme
    few = FEW_RANDOM.format(len(p_values), math.ceil(marked))
    notes = [few] if marked > max(1, len(p_values) / 10) else []
    if p_values:
        adjusted = false_discovery_control([p for *_, p in p_values])
        for (at, target, _), p in zip(p_values, adjusted, strict=True):
            columns[at].adjusted[target] = float(p)
    return tuple(columns), notes


def notes_of(
    results: Sequence[Result], names: Sequence[str], labels: Sequence[str]
) -> Iterator[str]:
    """Yield the notes of all results; with set and subject, if only some have a note."""
    places = [(name, label) for name in names for label in labels]
    by_note: dict[str, list[tuple[str, str]]] = {}
    for place, result in zip(places, results, strict=True):
        for note in result.notes:
            by_note.setdefault(note, []).append(place)
    for note, where in by_note.items():
        subjects = dict.fromkeys(label for _, label in where)
        sets = dict.fromkeys(name for name, _ in where)
        parts = [", ".join(subjects)] * (len(subjects) < len(labels))
        parts += [", ".join(sets)] * (len(sets) < len(names))
        yield ": ".join([", ".join(parts), note]) if parts else note
